/** Every code and every reason has a plain sentence. The tables are complete because the closed lists themselves are walked. */
import { expect, test } from 'vitest';
import { Explanation } from '../model/explanation';
import { DecisionReason, EndReason, MissCause, Outcome, Trigger } from '../model/run';
import { type Instant, MINUTE_MS, toInstant } from '../time';
import { lengthInWords, momentsIn } from './moments';
import { explainInWords } from './words';

const utc = momentsIn('UTC');
const at = (text: string): Instant => toInstant(Date.parse(text));
const nine = at('2026-05-04T09:00Z');
const facts = { jobName: 'Back up', plannedAt: nine, scheduleId: null, schedule: 'Every day at 09:00' };
const run = {
  id: '00000000-0000-7000-8000-000000000001',
  trigger: 'schedule',
  plannedAt: nine,
  startedAt: nine,
  endedAt: toInstant(nine + MINUTE_MS),
  outcome: 'succeeded',
  reason: null,
  mergedCount: 0,
  lateMs: 0,
  missCause: null,
  waits: [] as unknown[],
};
const night = { cause: 'asleep', from: at('2026-05-03T22:10Z'), to: at('2026-05-04T10:32Z') };
const holiday = { scope: 'job', tag: null, note: 'on holiday', since: at('2026-05-01T00:00Z'), until: null };
const wait = {
  kind: 'network',
  detail: null,
  since: nine,
  until: toInstant(nine + 10 * MINUTE_MS),
  otherwise: 'skip',
  endedAt: toInstant(nine + 4 * MINUTE_MS),
  end: 'met',
};
const words = (explanation: unknown, askedAt = nine): string =>
  explainInWords(Explanation.parse(explanation), askedAt, utc);
const ran = (facts2: object, others: object = {}): string =>
  words({ code: 'ran', ...facts, run: { ...run, ...facts2 }, gap: null, blockingRun: null, ...others });
const skipped = (reason: string, others: object = {}): string =>
  words({
    ...{ code: 'skipped', ...facts, reason, missCause: null, count: 1 },
    ...{ pause: null, gap: null, blockingRun: null, ...others },
  });

/** Words of how Belfry works inside, which nobody should have to know. */
const JARGON = /lease|watermark|epoch|decision|occurrence|merge|trigger|_|undefined|null|NaN/i;
const isPlain = (sentence: string): boolean => /^[A-Z].*\.$/.test(sentence) && !JARGON.test(sentence);

test('the sentences of the design stand word for word', () => {
  expect(ran({ startedAt: toInstant(nine + 4 * MINUTE_MS), lateMs: 4 * MINUTE_MS, waits: [wait] })).toBe(
    'Ran 4 min late: it waited for the network.',
  );
  expect(skipped('overlap', { blockingRun: { ...run, startedAt: at('2026-05-04T02:00Z') } })).toBe(
    'Skipped: the previous run was still going, since 02:00.',
  );
  expect(skipped('paused_job', { pause: holiday })).toBe('Skipped: paused by you, “on holiday”.');
  const merged = {
    code: 'merged',
    ...facts,
    run: { ...run, startedAt: night.to },
    missCause: 'asleep',
    gap: night,
  };
  expect(words(merged)).toBe(
    'Not run: the laptop was asleep from Sun 3 May 2026 22:10 to 10:32; the 10:32 run stands for it.',
  );
});

test('a run is told with how it ended, what it stands for, and why it was late', () => {
  expect(ran({})).toBe('Ran on time.');
  expect(ran({ outcome: 'failed', mergedCount: 2 })).toBe(
    'Ran on time and failed, for 2 other due times too.',
  );
  expect(ran({ outcome: null, endedAt: null })).toBe('Running since 09:00, on time.');
  expect(ran({ lateMs: 20_000 }, { blockingRun: { ...run, startedAt: at('2026-05-04T08:00Z') } })).toBe(
    'Ran 20 s late: it waited for the run of 08:00 to end.',
  );
  expect(ran({ lateMs: 20_000 })).toBe('Ran 20 s late: it waited for a free place.');
  expect(ran({ startedAt: null, outcome: 'failed', reason: 'condition_not_met' })).toBe(
    'Never began: a condition was not met in time.',
  );
});

test('every trigger, outcome, end, cause and reason has its plain words', () => {
  const sentences = [
    ...Trigger.options.flatMap((trigger) => [
      ran({ trigger }),
      words({
        ...{ code: 'ran', ...facts, plannedAt: null, run: { ...run, trigger, plannedAt: null } },
        ...{ gap: null, blockingRun: null },
      }),
    ]),
    ...Outcome.options.map((outcome) => ran({ outcome })),
    ...EndReason.options.map((reason) => ran({ startedAt: null, outcome: 'cancelled', reason })),
    ...MissCause.options.flatMap((missCause) => [
      ran({ missCause, lateMs: MINUTE_MS }),
      skipped('too_old', { missCause }),
      words({ code: 'merged', ...facts, run: null, missCause, gap: null }),
      words({ code: 'merged', ...facts, run, missCause, gap: night }),
    ]),
    ...DecisionReason.options.flatMap((reason) => [
      skipped(reason, { count: 3, pause: holiday }),
      words({ code: 'will_skip', ...facts, reason, pause: holiday }),
    ]),
  ];
  expect(sentences.filter((sentence) => !isPlain(sentence))).toEqual([]);
});

test('every code of the closed list has its plain words', () => {
  const waiting = (why: string, others: object = {}): unknown => ({
    ...{ code: 'waiting', ...facts, for: why, notBeforeAt: toInstant(nine + MINUTE_MS) },
    run: { ...run, startedAt: null, endedAt: null, outcome: null, ...others },
  });
  const open = { ...wait, kind: 'mains', until: at('2026-05-04T11:00Z'), endedAt: null, end: null };
  const around = { previousAt: at('2026-05-03T09:00Z'), nextAt: at('2026-05-05T09:00Z') };
  const none = { ...facts, plannedAt: null };
  const table: [unknown, string][] = [
    [waiting('place'), 'Waiting for a free place: as many jobs are running as may run at once.'],
    [waiting('earlier_run'), 'Waiting for the run before it to end.'],
    [
      waiting('jitter'),
      'Waiting until 09:01: this job starts a little later than planned, so that not everything starts at once.',
    ],
    [waiting('retry'), 'Waiting until 09:01 to try again.'],
    [
      waiting('condition', { waits: [open] }),
      'Waiting for mains power since 09:00; is skipped at 11:00 otherwise.',
    ],
    [
      { code: 'disabled', ...facts, reason: 'user', since: at('2026-05-03T08:00Z') },
      'Not run: the job is switched off by you since Sun 3 May 2026 08:00.',
    ],
    [{ code: 'deleted', ...facts, at: at('2026-05-04T08:00Z') }, 'Not run: the job was deleted at 08:00.'],
    [
      { code: 'not_yet', ...facts, since: at('2026-05-04T10:00Z') },
      'Not run: the job, or this schedule of it, is there only since 10:00.',
    ],
    [{ code: 'undecided', ...facts, gap: null }, 'Due, but Belfry has not come to it yet.'],
    [
      { code: 'planned', ...facts, jitterMs: 5 * MINUTE_MS },
      'Planned for Mon 4 May 2026 09:00, or up to 5 min later.',
    ],
    [
      { code: 'will_skip', ...facts, reason: 'date_excluded', pause: null },
      'Will be skipped: the job leaves that day out.',
    ],
    [
      { code: 'not_planned', ...none, ...around, why: 'no_occurrence' },
      'Nothing is planned at that moment (before it Sun 3 May 2026 09:00, after it Tue 5 May 2026 09:00).',
    ],
  ];
  expect(table.map(([explanation]) => words(explanation))).toEqual(table.map(([, sentence]) => sentence));
  const codes = new Set([
    'ran',
    'merged',
    'skipped',
    ...table.map(([each]) => (each as { code: string }).code),
  ]);
  expect([...codes].sort()).toEqual(Explanation.options.map((each) => each.shape.code.value).sort());
});

test('every way of being off and of not being planned has its plain words', () => {
  const reasons = ['user', 'interrupted', 'finished', 'quarantined', 'schedule_error', null];
  const whys = [
    'no_occurrence',
    'outside_dates',
    'clock_gap',
    'clock_repeat',
    'not_owed',
    'forgotten',
    'by_hand_only',
    'event_only',
  ];
  const sentences = [
    ...reasons.map((reason) => words({ code: 'disabled', ...facts, reason, since: nine })),
    ...whys.map((why) => words({ code: 'not_planned', ...facts, why, previousAt: null, nextAt: null })),
  ];
  expect(new Set(sentences).size).toBe(reasons.length - 1 + whys.length);
  expect(sentences.filter((sentence) => !isPlain(sentence))).toEqual([]);
});

test('a due time of the same minute that was not asked for to the second is named', () => {
  const asked = toInstant(nine - 20_000);
  expect(words({ code: 'planned', ...facts, jitterMs: 0 }, asked)).toBe(
    'Due at 09:00. Planned for Mon 4 May 2026 09:00.',
  );
});

test('moments are those of the zone, and lengths are said as people say them', () => {
  expect(momentsIn('Asia/Tokyo')(nine, nine)).toBe('18:00');
  expect(momentsIn('Asia/Tokyo')(nine, at('2026-05-04T16:00Z'))).toBe('Mon 4 May 2026 18:00');
  const lengths = [
    400,
    59_000,
    4 * MINUTE_MS,
    190 * MINUTE_MS,
    120 * MINUTE_MS,
    1_440 * MINUTE_MS,
    2_999 * MINUTE_MS,
  ];
  expect(lengths.map(lengthInWords)).toEqual([
    '1 s',
    '59 s',
    '4 min',
    '3 h 10 min',
    '2 h',
    '1 day',
    '2 days',
  ]);
});
