// First and last days, and excluded ones. The truth is told by looking at the wall clock of the platform at each occurrence.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Dates, everyDay } from '../model/dates';
import type { CronRule, IntervalRule, ScheduleRule } from '../model/schedule';
import { DAY_MS, HOUR_MS, type Instant, toInstant } from '../time';
import { countRunnable, excludedSpans, firstFreeDay, isExcluded, nextRunnable } from './dates';
import { dayNumberOf } from './localDays';
import {
  countBetween,
  nextOccurrence,
  occurrencesBetween,
  previousOccurrence,
  zoneOfRule,
} from './occurrences';

const at = (text: string): Instant => toInstant(Date.parse(text));
const iso = (instant: number | undefined): string | undefined =>
  instant === undefined ? undefined : new Date(instant).toISOString().replace(':00.000Z', 'Z');

const cron = (expression: string, zone = 'UTC', options: Partial<CronRule> = {}): CronRule => ({
  kind: 'cron',
  expression,
  zone,
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
  ...options,
});

const between = (from: string | null, until: string | null, ...excluded: [string, string][]): Dates => ({
  from,
  until,
  excluded: excluded.map(([first, last]) => ({ from: first, until: last })),
});

const dateIn = (zone: string): ((instant: number) => string) => {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
  return (instant) => format.format(instant);
};

/** First and last occurrence and how many there are, within dates. */
const ends = (rule: ScheduleRule, dates: Dates, context = { hostZone: 'UTC' }) => {
  const bounded = { createdAt: at('2000-01-01T00:00Z'), ...context, dates };
  const [begin, end] = [at('2000-01-01T00:00Z'), at('2040-01-01T00:00Z')];
  return {
    first: iso(nextOccurrence(rule, begin, bounded)),
    last: iso(previousOccurrence(rule, end, bounded)),
    count: countBetween(rule, begin, end, bounded).count,
  };
};

describe('the first and the last day', () => {
  test('both belong to the job, as the clock of its schedule shows them', () => {
    expect(ends(cron('0 * * * *', 'Asia/Tokyo'), between('2026-03-10', '2026-03-10'))).toEqual({
      first: '2026-03-09T15:00Z',
      last: '2026-03-10T14:00Z',
      count: 24,
    });
  });

  test('are those of the computer for a schedule that follows it, and for an interval', () => {
    const dates = between('2026-03-10', '2026-03-10');
    const expected = { first: '2026-03-10T07:00Z', last: '2026-03-11T06:00Z', count: 24 };
    const here = { hostZone: 'America/Los_Angeles' };
    expect(ends(cron('0 * * * *', 'local'), dates, here)).toEqual(expected);
    const hourly: IntervalRule = { kind: 'interval', everyMs: HOUR_MS, basis: 'grid' };
    expect(ends(hourly, dates, here)).toEqual(expected);
  });

  test('end an interval after the last end, which then has no next', () => {
    const rule: IntervalRule = { kind: 'interval', everyMs: HOUR_MS, basis: 'after_end' };
    const context = {
      hostZone: 'UTC',
      lastEndedAt: at('2026-03-10T22:30Z'),
      dates: between(null, '2026-03-10'),
    };
    expect(iso(nextOccurrence(rule, at('2026-03-10T22:30Z'), context))).toBe('2026-03-10T23:30Z');
    expect(nextOccurrence(rule, at('2026-03-10T23:30Z'), context)).toBeUndefined();
    const later = { ...context, lastEndedAt: at('2026-03-10T23:10Z') };
    expect(nextOccurrence(rule, at('2026-03-10T23:10Z'), later)).toBeUndefined();
    const ahead = { ...context, dates: between('2026-03-12', null) };
    expect(iso(nextOccurrence(rule, at('2026-03-10T22:30Z'), ahead))).toBe('2026-03-12T00:30Z');
  });

  test('hold a single moment only if it lies between them', () => {
    const rule: ScheduleRule = { kind: 'once', local: '2026-03-10T00:00', zone: 'Europe/Berlin' };
    expect(ends(rule, between('2026-03-10', null))).toMatchObject({ count: 1, first: '2026-03-09T23:00Z' });
    expect(ends(rule, between(null, '2026-03-09'))).toEqual({ count: 0, first: undefined, last: undefined });
  });

  test('begin and end rightly where midnight does not exist (C-020)', () => {
    const cases = [
      ['America/Sao_Paulo', '2017-10-15', '2017-10-15T03:00Z', '2017-10-16T01:59Z', 23 * 60],
      ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00Z', '2026-04-24T20:59Z', 23 * 60],
      // Clocks go back from midnight to 23:00: the day before has that hour twice.
      ['America/Sao_Paulo', '2018-02-17', '2018-02-17T02:00Z', '2018-02-18T02:59Z', 25 * 60],
      // They go back at 00:01, so that a minute of the new day comes before an hour of the old one.
      ['America/St_Johns', '2010-11-07', '2010-11-07T02:30Z', '2010-11-08T03:29Z', 24 * 60 + 1],
      ['America/St_Johns', '2010-11-06', '2010-11-06T02:30Z', '2010-11-07T03:29Z', 24 * 60 + 59],
      ['Pacific/Apia', '2011-12-30', undefined, undefined, 0],
    ] as const;
    for (const [zone, day, first, last, count] of cases) {
      expect({ zone, day, ...ends(cron('* * * * *', zone), between(day, day)) }).toEqual({
        zone,
        day,
        first,
        last,
        count,
      });
    }
  });

  test('keep next, previous and the count in agreement with the wall clock, whatever the rule and the zone', () => {
    const rules = [
      '*/20 * * * *',
      '0 0 * * *',
      '30 23,0,1 * * *',
      '1 */5 * * 1-5',
      '59 23 L * *',
      '0,1 0 * * *',
    ];
    const turns = [
      ['America/Sao_Paulo', '2017-10-15'],
      ['America/Sao_Paulo', '2018-02-18'],
      ['America/St_Johns', '2010-11-07'],
      ['Africa/Cairo', '2026-04-24'],
      ['America/Nuuk', '2024-03-31'],
      ['Pacific/Apia', '2011-12-30'],
      ['Asia/Kathmandu', '2026-05-01'],
    ] as const;
    fc.assert(
      fc.property(
        fc.constantFrom(...rules),
        fc.constantFrom(...turns),
        fc.constantFrom('run_after' as const, 'skip' as const),
        fc.constantFrom('first' as const, 'second' as const, 'both' as const),
        fc.integer({ min: -2, max: 2 }),
        fc.integer({ min: 0, max: 3 }),
        fc.array(fc.tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: 0, max: 2 })), { maxLength: 3 }),
        (expression, [zone, turn], gap, repeat, start, length, off) => {
          const day = (days: number): string =>
            new Date(Date.parse(turn) + days * DAY_MS).toISOString().slice(0, 10);
          const dates = between(
            day(start),
            day(start + length),
            ...off.map(([first, more]): [string, string] => [day(first), day(first + more)]),
          );
          const rule = cron(expression, zone, { gap, repeat });
          const [begin, end] = [
            toInstant(Date.parse(turn) - 8 * DAY_MS),
            toInstant(Date.parse(turn) + 8 * DAY_MS),
          ];
          const dateOf = dateIn(zone);
          const inside = occurrencesBetween(rule, begin, end, { hostZone: 'UTC' }).filter((each) => {
            const date = dateOf(each);
            return date >= day(start) && date <= day(start + length);
          });
          const runnable = inside.filter((each) => {
            const date = dateOf(each);
            return !dates.excluded.some(({ from, until }) => from <= date && date <= until);
          });
          const context = { hostZone: 'UTC', dates };
          expect(occurrencesBetween(rule, begin, end, context)).toEqual(inside);
          expect(countBetween(rule, begin, end, context).count).toBe(inside.length);
          expect(countRunnable(rule, begin, end, { hostZone: 'UTC' }, dates)).toBe(runnable.length);
          const backwards: number[] = [];
          for (let from: Instant | undefined = end; from !== undefined; ) {
            from = previousOccurrence(rule, from, context);
            if (from !== undefined) backwards.unshift(from);
          }
          expect(backwards).toEqual(inside);
          const walked: number[] = [];
          for (let from: Instant | undefined = begin; from !== undefined; ) {
            from = nextRunnable(rule, from, { hostZone: 'UTC' }, dates);
            if (from !== undefined) walked.push(from);
          }
          expect(walked).toEqual(runnable);
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe('excluded dates', () => {
  test('are days of the zone, from the first to the last of a range', () => {
    const { excluded } = between(null, null, ['2026-12-24', '2026-12-26']);
    expect(isExcluded(at('2026-12-23T22:59Z'), 'Europe/Berlin', excluded)).toBe(false);
    expect(isExcluded(at('2026-12-23T23:00Z'), 'Europe/Berlin', excluded)).toBe(true);
    expect(isExcluded(at('2026-12-26T22:59Z'), 'Europe/Berlin', excluded)).toBe(true);
    expect(isExcluded(at('2026-12-26T23:00Z'), 'Europe/Berlin', excluded)).toBe(false);
  });

  test('are told as spans that are merged, sorted and cut to what was asked', () => {
    const { excluded } = between(
      null,
      null,
      ['2026-12-31', '2027-01-01'],
      ['2026-12-24', '2026-12-26'],
      ['2026-12-25', '2026-12-25'],
      ['2026-12-27', '2026-12-28'],
    );
    const spans = excludedSpans(excluded, 'Europe/Berlin', {
      from: at('2026-12-25T12:00Z'),
      to: at('2027-01-01T00:00Z'),
    });
    expect(spans.map(({ from, to }) => [iso(from), iso(to)])).toEqual([
      ['2026-12-25T12:00Z', '2026-12-28T23:00Z'],
      ['2026-12-30T23:00Z', '2027-01-01T00:00Z'],
    ]);
  });

  test('are stepped over to the first day that is free', () => {
    const { excluded } = between(null, null, ['2026-01-05', '2026-01-06'], ['2026-01-07', '2026-01-07']);
    expect(firstFreeDay(dayNumberOf('2026-01-05'), excluded)).toBe(dayNumberOf('2026-01-08'));
    expect(firstFreeDay(dayNumberOf('2026-01-04'), excluded)).toBe(dayNumberOf('2026-01-04'));
  });

  test('are jumped over and not walked through, so a year off costs nothing (C-040)', () => {
    const rule = cron('* * * * * *', 'Europe/Berlin');
    const dates = between(null, null, ['2026-01-01', '2026-12-31']);
    const beganAt = performance.now();
    const next = nextRunnable(rule, at('2026-03-01T00:00Z'), { hostZone: 'UTC' }, dates);
    expect(performance.now() - beganAt).toBeLessThan(200);
    expect(iso(next)).toBe('2026-12-31T23:00Z');
  });

  test('leave nothing of a job whose last day they reach', () => {
    const dates = between(null, '2026-01-31', ['2026-01-10', '2026-01-31']);
    const next = nextRunnable(cron('0 9 * * *'), at('2026-01-09T12:00Z'), { hostZone: 'UTC' }, dates);
    expect(next).toBeUndefined();
  });
});

test('what no calendar knows has no next and no count, on any dates', () => {
  const rules: ScheduleRule[] = [
    { kind: 'after_job', jobId: 'a9b4a6b0-52a4-4f53-8d76-3f2c8a1f4f11', on: 'ended' },
    { kind: 'event', on: 'wake' },
  ];
  const from = at('2026-01-01T00:00Z');
  const until = toInstant(from + 400 * DAY_MS);
  for (const rule of rules) {
    for (const dates of [everyDay, between('2026-02-01', '2026-03-01', ['2026-02-05', '2026-02-06'])]) {
      expect(nextRunnable(rule, from, { hostZone: 'UTC' }, dates)).toBeUndefined();
      expect(previousOccurrence(rule, until, { hostZone: 'UTC', dates })).toBeUndefined();
      expect(countRunnable(rule, from, until, { hostZone: 'UTC' }, dates)).toBe(0);
      expect(zoneOfRule(rule, { hostZone: 'Asia/Tokyo' })).toBe('Asia/Tokyo');
    }
  }
});
