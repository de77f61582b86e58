import { describe, expect, test } from 'vitest';
import { type Dates, everyDay } from '../model/dates';
import { PREVIEW_ROWS_MAX, SchedulePreview } from '../model/preview';
import type { CronRule, ScheduleRule } from '../model/schedule';
import { DAY_MS, type Instant, toInstant } from '../time';
import { nextOccurrence, type OccurrenceContext, occurrencesBetween } from './occurrences';
import { previewSchedule } from './preview';
import vectors from './vectors.json';

const newYork = { hostZone: 'America/New_York' };

const cron = (expression: string, options: Partial<CronRule> = {}): CronRule => ({
  kind: 'cron',
  expression,
  zone: 'local',
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
  ...options,
});

const preview = (rule: ScheduleRule, from: string, count = 3, context = newYork): SchedulePreview => {
  const answer = previewSchedule(rule, toInstant(Date.parse(from)), count, context);
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
};

/** `local` and the text of the note, if there is one. */
const lines = (shown: SchedulePreview): string[] =>
  shown.next.map(({ local, note }) => (note === undefined ? local : `${local} ${note.text}`));

const warnings = (rule: ScheduleRule, from: string): string[] =>
  preview(rule, from, 1).warnings.map(({ text }) => text);

describe('rows', () => {
  test('are what the engine would plan, for all vectors (C-121)', () => {
    for (const vector of vectors) {
      if (vector.expectNext === null) continue;
      const rule = cron(vector.expr, { zone: vector.tz });
      const shown = preview(rule, vector.from, 5);
      expect(SchedulePreview.parse(shown)).toEqual(shown);
      expect(
        shown.next.map(({ at }) => new Date(at).toISOString()),
        vector.id,
      ).toEqual(vector.expectNext);
      const from = toInstant(Date.parse(vector.from));
      const planned = occurrencesBetween(rule, from, toInstant(from + 7 * DAY_MS), newYork, { max: 1e6 });
      expect(shown.countNext7Days, vector.id).toBe(planned.length);
    }
  });

  test('name the zone and the offset in force', () => {
    const [before, after] = preview(
      cron('0 12 * * *', { zone: 'Europe/Berlin' }),
      '2026-03-28T00:00Z',
      2,
    ).next;
    expect(before).toMatchObject({ local: '2026-03-28T12:00:00', zone: 'Europe/Berlin', offsetMinutes: 60 });
    expect(after).toMatchObject({ local: '2026-03-29T12:00:00', zone: 'Europe/Berlin', offsetMinutes: 120 });
  });

  test('a time that does not exist is shown where it runs instead (C-032)', () => {
    expect(lines(preview(cron('30 2 * * *'), '2026-03-07T08:00Z'))).toEqual([
      '2026-03-08T03:00:00 02:30 does not exist that day',
      '2026-03-09T02:30:00',
      '2026-03-10T02:30:00',
    ]);
  });

  test('a skipped time is shown in its place and does not count (C-032)', () => {
    const shown = preview(cron('30 2 * * *', { gap: 'skip' }), '2026-03-07T08:00Z', 2);
    expect(lines(shown)).toEqual([
      '2026-03-08T02:30:00 skipped: this time does not exist',
      '2026-03-09T02:30:00',
      '2026-03-10T02:30:00',
    ]);
    expect(shown.countNext7Days).toBe(6);
  });

  test('several times of one gap are named in one row, and one that exists at its end needs no note', () => {
    expect(lines(preview(cron('0,30 2 * * *'), '2026-03-07T08:00Z', 1))).toEqual([
      '2026-03-08T03:00:00 02:00 and 02:30 do not exist that day',
    ]);
    expect(lines(preview(cron('10,20,30,40 2 * * *'), '2026-03-07T08:00Z', 1))).toEqual([
      '2026-03-08T03:00:00 02:10, 02:20, 02:30 and more do not exist that day',
    ]);
    expect(lines(preview(cron('0 2,3 * * *'), '2026-03-07T09:00Z', 1))).toEqual(['2026-03-08T03:00:00']);
  });

  test('a gap that ends at midnight names the day before (C-029)', () => {
    expect(lines(preview(cron('30 23 * * 6', { zone: 'America/Nuuk' }), '2024-03-25T00:00Z', 1))).toEqual([
      '2024-03-31T00:00:00 23:30 does not exist on Sat 30 Mar',
    ]);
  });

  test('a time that comes twice says which pass runs (C-032)', () => {
    const of = (repeat: CronRule['repeat']) =>
      lines(preview(cron('30 1 * * *', { repeat }), '2026-10-31T08:00Z', 2));
    expect(of('first')).toEqual([
      '2026-11-01T01:30:00 clock repeats, runs the first time',
      '2026-11-02T01:30:00',
    ]);
    expect(of('second')).toEqual([
      '2026-11-01T01:30:00 clock repeats, runs the second time',
      '2026-11-02T01:30:00',
    ]);
    expect(of('both')).toEqual([
      '2026-11-01T01:30:00 clock repeats, runs both times',
      '2026-11-01T01:30:00 clock repeats, runs both times',
    ]);
  });

  test('a frequent schedule is told once that a day is longer or shorter (F2, G3)', () => {
    expect(lines(preview(cron('* * * * *'), '2026-11-01T05:58Z'))).toEqual([
      '2026-11-01T01:59:00',
      '2026-11-01T01:00:00 Sun 1 Nov has 60 more runs',
      '2026-11-01T01:01:00',
    ]);
    expect(lines(preview(cron('*/30 * * * *'), '2026-03-08T06:00Z'))).toEqual([
      '2026-03-08T01:30:00',
      '2026-03-08T03:00:00 02:00 to 03:00 does not exist that day',
      '2026-03-08T03:30:00',
    ]);
  });

  test('an interval shows the grid of its anchor, or of now if it has none', () => {
    const every = { kind: 'interval', everyMs: 3_600_000, basis: 'grid' } as const;
    expect(lines(preview(every, '2026-03-07T08:07Z', 2))).toEqual([
      '2026-03-07T04:07:00',
      '2026-03-07T05:07:00',
    ]);
    const anchorAt = toInstant(Date.parse('2026-03-01T00:30Z'));
    expect(lines(preview({ ...every, anchorAt }, '2026-03-07T08:07Z', 2))).toEqual([
      '2026-03-07T03:30:00',
      '2026-03-07T04:30:00',
    ]);
  });

  test('once shows one row, or none when it is over', () => {
    const once = { kind: 'once', local: '2026-03-08T02:30', zone: 'local' } as const;
    expect(lines(preview(once, '2026-03-07T08:00Z'))).toEqual([
      '2026-03-08T03:00:00 02:30 does not exist that day',
    ]);
    expect(preview(once, '2026-03-09T08:00Z').next).toEqual([]);
    expect(lines(preview({ ...once, local: '2026-11-01T01:30' }, '2026-03-07T08:00Z'))).toEqual([
      '2026-11-01T01:30:00 clock repeats, runs the first time',
    ]);
  });

  test('are bounded, whatever is asked for', () => {
    expect(preview(cron('* * * * * *'), '2026-03-07T08:00Z', 1_000_000).next).toHaveLength(PREVIEW_ROWS_MAX);
  });

  test('ten rows and the counts of the week take less than 16 ms (ui 11.7)', () => {
    const times = ['Europe/Berlin', 'Europe/Madrid', 'Europe/Oslo'].map((zone) => {
      const started = performance.now();
      preview(cron('*/7 3-22/3 * 2,8 *', { zone }), '2026-03-07T08:00Z', 10);
      return performance.now() - started;
    });
    expect(Math.min(...times)).toBeLessThan(16);
  });
});

describe('mistakes', () => {
  test('fail with a sentence for each field', () => {
    const answer = previewSchedule(cron('70 * * * *', { zone: 'Mars/Olympus' }), toInstant(0), 10, newYork);
    expect(answer).toEqual({
      ok: false,
      error: {
        code: 'invalid_input',
        message: 'The minute must be 0 to 59. You typed 70.',
        fields: {
          expression: 'The minute must be 0 to 59. You typed 70.',
          zone: '“Mars/Olympus” is not a time zone. Choose one such as Europe/Berlin.',
        },
      },
    });
  });

  test('a schedule that never runs has a preview that says so', () => {
    const shown = preview(cron('0 0 30 2 *'), '2026-03-07T08:00Z');
    expect(shown).toMatchObject({
      sentence: 'Never: 30 February does not exist.',
      shortSentence: 'Never',
      next: [],
      countNext7Days: 0,
      warnings: [
        {
          code: 'never_runs',
          text: 'This never runs. 30 February does not exist. It cannot be saved like this.',
        },
      ],
    });
  });
});

describe('warnings (ui 11.9)', () => {
  const from = '2026-06-10T12:00Z';

  test.each([
    [cron('0 0 29 2 *'), ['Runs rarely. The next one is 29 Feb 2028.']],
    [cron('0 0 13 * 5'), ['Day and weekday are both set. Cron runs when either matches: 5 days this month.']],
    [
      cron('0 0 13 * 6', { dayMatch: 'both' }),
      ['Runs only when both match. 1 day this month. Other cron tools read this line as “either”.'],
    ],
    [
      cron('0 0 */2 * 1'),
      [
        '“*/2” in the day counts as set. It runs when either matches: 17 days this month. Some other cron tools require both.',
      ],
    ],
    [cron('*/10 * * * * *'), ['Runs every 10 seconds: 8,640 times a day.']],
    [cron('5,7,50 * * * * *'), ['Runs 3 times a minute: 4,320 times a day.']],
    [
      { kind: 'interval', everyMs: 10_000, basis: 'grid' } as const,
      ['Runs every 10 seconds: 8,640 times a day.'],
    ],
    [cron('0 0 31 * *'), ['Some months have no 31st. It skips Feb, Apr, Jun, Sep, Nov.']],
    [cron('0 0 30 1-6 *'), ['Some months have no 30th. It skips Feb.']],
    [cron('0 0 1,29 * *'), ['Some months have no 29th. It skips Feb in most years.']],
    [cron('0 0 25-31 * *'), []],
    [cron('0 0 31 1,3,5 *'), []],
    [cron('*/7 * * * *'), ['*/7 leaves a short gap: :56, then :00.']],
    [cron('0 */5 * * *'), ['*/5 leaves a short gap: 20:00, then 00:00.']],
    [cron('*/15 * * * *'), []],
    [cron('30 2 * * 1-5'), []],
    [{ kind: 'interval', everyMs: 7_200_000, basis: 'after_end' } as const, []],
  ])('$0.expression $0.dayMatch', (rule, expected) => {
    expect(warnings(rule, from)).toEqual(expected);
  });

  test('the example of the cron editor counts 24 days in March 2021', () => {
    expect(warnings(cron('30 2 1,14 * 1-5'), '2021-03-11T19:14Z')).toEqual([
      'Day and weekday are both set. Cron runs when either matches: 24 days this month.',
      '02:30 on 14 Mar does not exist. It runs at 03:00 that day.',
    ]);
  });

  test('a clock change is told within 30 days, only if it hits a fixed time', () => {
    expect(warnings(cron('30 2 * * *', { gap: 'skip' }), '2026-02-20T00:00Z')).toEqual([
      '02:30 on 8 Mar does not exist. It is skipped that day.',
    ]);
    expect(warnings(cron('30 1 * * *', { repeat: 'both' }), '2026-10-10T00:00Z')).toEqual([
      '01:30 on 1 Nov comes twice. It runs both times.',
    ]);
    expect(warnings(cron('30 23 * * 6', { zone: 'America/Nuuk' }), '2024-03-25T00:00Z')).toEqual([
      '23:30 on 30 Mar does not exist. It runs at 00:00 on 31 Mar.',
    ]);
    expect(warnings(cron('30 2 * * *'), '2026-02-01T00:00Z')).toEqual([]);
    expect(warnings(cron('30 4 * * *'), '2026-02-20T00:00Z')).toEqual([]);
    expect(warnings(cron('*/30 * * * *'), '2026-02-20T00:00Z')).toEqual([]);
    expect(warnings({ kind: 'once', local: '2026-11-01T01:30', zone: 'local' }, '2026-02-20T00:00Z')).toEqual(
      ['01:30 on 1 Nov comes twice. It runs the first time.'],
    );
  });

  test('a rule hit by a gap still agrees with the engine about what comes next', () => {
    const rule = cron('30 2 * * *', { gap: 'skip' });
    const at = toInstant(Date.parse('2026-03-08T00:00Z'));
    const shown = preview(rule, '2026-03-08T00:00Z', 5).next.filter(
      ({ note }) => note?.code !== 'gap_skipped',
    );
    let planned: Instant | undefined = at;
    for (const row of shown) {
      planned = planned && nextOccurrence(rule, planned, newYork);
      expect(row.at).toBe(planned);
    }
  });
});

describe('the days of the job', () => {
  const within = (
    rule: ScheduleRule,
    from: string,
    dates: Partial<Dates>,
    { count = 3, context = newYork }: { count?: number; context?: OccurrenceContext } = {},
  ): SchedulePreview => {
    const all = { ...everyDay, ...dates };
    const answer = previewSchedule(rule, toInstant(Date.parse(from)), count, context, all);
    if (!answer.ok) throw new Error(answer.error.message);
    return SchedulePreview.parse(answer.value);
  };

  test('end the rows and the count of the week', () => {
    const shown = within(cron('0 9 * * *', { zone: 'UTC' }), '2026-03-01T12:00Z', {
      from: '2026-03-04',
      until: '2026-03-05',
    });
    expect(lines(shown)).toEqual(['2026-03-04T09:00:00', '2026-03-05T09:00:00']);
    expect(shown.countNext7Days).toBe(2);
  });

  test('show each stretch of excluded ones as one row that is no occurrence', () => {
    const excluded = [
      { from: '2026-12-31', until: '2027-01-01' },
      { from: '2026-12-24', until: '2026-12-24' },
    ];
    const shown = within(cron('0 9 * * *', { zone: 'UTC' }), '2026-12-23T12:00Z', { excluded }, { count: 8 });
    expect(lines(shown)).toEqual([
      '2026-12-24T09:00:00 skipped: excluded date',
      '2026-12-25T09:00:00',
      '2026-12-26T09:00:00',
      '2026-12-27T09:00:00',
      '2026-12-28T09:00:00',
      '2026-12-29T09:00:00',
      '2026-12-30T09:00:00',
      '2026-12-31T09:00:00 skipped, and 1 more until Fri 1 Jan: excluded dates',
      '2027-01-02T09:00:00',
      '2027-01-03T09:00:00',
    ]);
    expect(shown.countNext7Days).toBe(6);
  });

  test('do not list what a dense schedule leaves out', () => {
    const excluded = [{ from: '2026-03-01', until: '2026-03-31' }];
    const shown = within(
      cron('* * * * * *', { zone: 'UTC' }),
      '2026-02-28T23:59:58Z',
      { excluded },
      { count: 2 },
    );
    expect(lines(shown)).toEqual([
      '2026-02-28T23:59:59',
      '2026-03-01T00:00:00 skipped, and 1,000,000 or more until Tue 31 Mar: excluded dates',
      '2026-04-01T00:00:00',
    ]);
  });

  test('count for intervals where the computer is, and for a single moment', () => {
    const excluded = [{ from: '2026-03-10', until: '2026-03-10' }];
    const context = { ...newYork, createdAt: toInstant(Date.parse('2026-03-09T16:00Z')) };
    const interval: ScheduleRule = { kind: 'interval', everyMs: DAY_MS / 2, basis: 'grid' };
    expect(lines(within(interval, '2026-03-09T16:00Z', { excluded }, { context, count: 1 }))).toEqual([
      '2026-03-10T00:00:00 skipped, and 1 more until Tue 10 Mar: excluded dates',
      '2026-03-11T00:00:00',
    ]);
    const once: ScheduleRule = { kind: 'once', local: '2026-03-10T09:00', zone: 'local' };
    expect(lines(within(once, '2026-03-09T16:00Z', { excluded }))).toEqual([
      '2026-03-10T09:00:00 skipped: excluded date',
    ]);
  });
});

describe('schedules that no calendar knows', () => {
  test('have words, no rows, no count and nothing to warn of', () => {
    const jobId = 'a9b4a6b0-52a4-4f53-8d76-3f2c8a1f4f11';
    const rules: ScheduleRule[] = [
      { kind: 'after_job', jobId, on: 'succeeded' },
      { kind: 'event', on: 'network' },
    ];
    expect(rules.map((rule) => preview(rule, '2026-03-01T00:00Z'))).toEqual([
      {
        sentence: 'After another job succeeded',
        shortSentence: 'After another job succeeded',
        next: [],
        countNext7Days: 0,
        warnings: [],
      },
      {
        sentence: 'When the network is back',
        shortSentence: 'When the network is back',
        next: [],
        countNext7Days: 0,
        warnings: [],
      },
    ]);
  });
});
