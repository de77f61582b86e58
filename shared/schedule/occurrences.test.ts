import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CronRule, IntervalRule, OnceRule, ScheduleRule } from '../model/schedule';
import { BugError } from '../result';
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, toInstant } from '../time';
import {
  countBetween,
  nextOccurrence,
  type OccurrenceContext,
  occurrencesBetween,
  previousOccurrence,
} from './occurrences';
import vectors from './vectors.json';
import { listZones, offsetsOf } from './zone';

const instant = (text: string): Instant => toInstant(Date.parse(text));
const iso = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString().replace(':00.000Z', 'Z').replace('.000Z', 'Z');

const cron = (expression: string, zone = 'UTC', options: Partial<CronRule> = {}): CronRule => ({
  kind: 'cron',
  expression,
  zone,
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
  ...options,
});

const here: OccurrenceContext = { hostZone: 'UTC' };

const firstAfter = (
  rule: ScheduleRule,
  from: string,
  count: number,
  context = here,
): (string | undefined)[] => {
  const found: (string | undefined)[] = [];
  let at: Instant | undefined = instant(from);
  while (at !== undefined && found.length < count) {
    at = nextOccurrence(rule, at, context);
    if (at !== undefined) found.push(iso(at));
  }
  return found;
};

describe('cron', () => {
  test('runs on either day field, or on both if the schedule says so (C-001, H-78)', () => {
    const from = '2026-01-01T00:00Z';
    expect(firstAfter(cron('0 0 13 * 5'), from, 5)).toEqual([
      '2026-01-02T00:00Z',
      '2026-01-09T00:00Z',
      '2026-01-13T00:00Z',
      '2026-01-16T00:00Z',
      '2026-01-23T00:00Z',
    ]);
    expect(firstAfter(cron('0 0 13 * 5', 'UTC', { dayMatch: 'both' }), from, 3)).toEqual([
      '2026-02-13T00:00Z',
      '2026-03-13T00:00Z',
      '2026-11-13T00:00Z',
    ]);
  });

  test.each([
    ['C-003', '0 * * * 5L', '2024-07-11T00:00Z', ['2024-07-26T00:00Z', '2024-07-26T01:00Z']],
    ['C-004', '0 0 * * 6#4', '2024-08-02T00:00Z', ['2024-08-24T00:00Z', '2024-09-28T00:00Z']],
    ['C-006', '0 0 * * 2-7/2', '2026-01-01T00:00Z', ['2026-01-03T00:00Z', '2026-01-06T00:00Z']],
    ['C-007', '30 12 * * */4', '2020-01-01T00:00Z', ['2020-01-02T12:30Z', '2020-01-05T12:30Z']],
    ['C-010', '45 4 * * 6-7', '2026-01-01T00:00Z', ['2026-01-03T04:45Z', '2026-01-04T04:45Z']],
    ['C-013', '0 0 * * sun', '2022-02-17T00:00Z', ['2022-02-20T00:00Z', '2022-02-27T00:00Z']],
    ['C-013', '0 0 12 ? * FRI', '2023-04-14T12:00Z', ['2023-04-21T12:00Z', '2023-04-28T12:00Z']],
    ['H-76', '5/15 * * * *', '2026-07-15T00:36Z', ['2026-07-15T00:50Z', '2026-07-15T01:05Z']],
    ['H-77', '0 0 29 2 *', '2026-07-15T00:00Z', ['2028-02-29T00:00Z', '2032-02-29T00:00Z']],
  ])('%s: %s after %s', (_id, expression, from, expected) => {
    expect(firstAfter(cron(expression), from, expected.length)).toEqual(expected);
  });

  test.each([
    ['C-016', '30 1 * * *', 'America/New_York', '2026-11-01T05:45Z', ['2026-11-02T06:30Z']],
    [
      'C-017',
      '30 2 * * *',
      'America/New_York',
      '2026-03-08T06:30Z',
      ['2026-03-08T07:00Z', '2026-03-09T06:30Z'],
    ],
    ['C-019', '* * * */3 *', 'America/New_York', '2015-02-15T05:00Z', ['2015-04-01T04:00Z']],
    ['C-020', '0 0 * * *', 'Africa/Cairo', '2026-04-22T22:00Z', ['2026-04-23T22:00Z', '2026-04-24T21:00Z']],
    ['C-020', '0 6 * * *', 'America/Santiago', '2025-09-06T12:00Z', ['2025-09-07T09:00Z']],
    [
      'C-022',
      '0 */2 * * *',
      'Europe/London',
      '2024-10-26T22:30Z',
      ['2024-10-26T23:00Z', '2024-10-27T02:00Z'],
    ],
    ['C-023', '* * * * *', 'America/New_York', '2026-11-01T06:30:15Z', ['2026-11-01T06:31Z']],
    ['C-025', '30 2-22/4 * * *', 'Australia/Sydney', '2019-10-05T13:00Z', ['2019-10-05T19:30Z']],
    ['C-028', '0 7 * * *', 'Europe/Prague', '2022-03-26T20:00Z', ['2022-03-27T05:00Z', '2022-03-28T05:00Z']],
    [
      'C-029',
      '45 23 * * *',
      'Asia/Pyongyang',
      '2018-05-03T00:00Z',
      ['2018-05-03T15:15Z', '2018-05-04T15:00Z'],
    ],
    [
      'C-031',
      '0 0 * * *',
      'America/St_Johns',
      '2010-11-06T12:00Z',
      ['2010-11-07T02:30Z', '2010-11-08T03:30Z'],
    ],
    ['H-80', '*/5 * * * *', 'America/New_York', '2026-11-01T06:10Z', ['2026-11-01T06:15Z']],
    [
      'C-148',
      '0 8 * * *',
      'America/Asuncion',
      '2025-03-20T00:00Z',
      ['2025-03-20T11:00Z', '2025-03-21T11:00Z'],
    ],
  ])('%s: %s in %s after %s', (_id, expression, zone, from, expected) => {
    expect(firstAfter(cron(expression, zone), from, expected.length)).toEqual(expected);
  });

  test('a fixed time that does not exist is left out if the schedule says so (D6, C-032)', () => {
    const rule = cron('30 2 * * *', 'America/New_York', { gap: 'skip' });
    expect(firstAfter(rule, '2026-03-08T05:00Z', 1)).toEqual(['2026-03-09T06:30Z']);
  });

  test('a fixed time that comes twice runs at the pass that the schedule names (D6)', () => {
    const of = (repeat: CronRule['repeat']) =>
      firstAfter(cron('30 1 * * *', 'America/New_York', { repeat }), '2026-11-01T00:00Z', 3);
    expect(of('first')).toEqual(['2026-11-01T05:30Z', '2026-11-02T06:30Z', '2026-11-03T06:30Z']);
    expect(of('second')).toEqual(['2026-11-01T06:30Z', '2026-11-02T06:30Z', '2026-11-03T06:30Z']);
    expect(of('both')).toEqual(['2026-11-01T05:30Z', '2026-11-01T06:30Z', '2026-11-02T06:30Z']);
  });

  test('a frequent schedule does not care what is chosen for fixed times (D6, F2, G3)', () => {
    const gap = cron('*/30 * * * *', 'America/New_York', { gap: 'run_after' });
    expect(firstAfter(gap, '2026-03-08T06:30Z', 2)).toEqual(['2026-03-08T07:00Z', '2026-03-08T07:30Z']);
    for (const repeat of ['first', 'second', 'both'] as const) {
      const rule = cron('*/30 * * * *', 'America/New_York', { repeat });
      expect(firstAfter(rule, '2026-11-01T05:00Z', 3)).toEqual([
        '2026-11-01T05:30Z',
        '2026-11-01T06:00Z',
        '2026-11-01T06:30Z',
      ]);
    }
  });

  test('a schedule in the local zone follows the computer (D5, X-31)', () => {
    const rule = cron('0 13 * * *', 'local');
    const from = '2026-02-04T00:00Z';
    expect(firstAfter(rule, from, 1, { hostZone: 'Pacific/Auckland' })).toEqual(['2026-02-05T00:00Z']);
    expect(firstAfter(rule, from, 1, { hostZone: 'America/Chicago' })).toEqual(['2026-02-04T19:00Z']);
  });

  test('a day that never comes has neither a next nor a previous occurrence, and says so quickly', () => {
    const rule = cron('0 0 30 2 *');
    const started = performance.now();
    expect(nextOccurrence(rule, instant('2026-01-01T00:00Z'), here)).toBeUndefined();
    expect(previousOccurrence(rule, instant('2026-01-01T00:00Z'), here)).toBeUndefined();
    expect(countBetween(rule, instant('2026-01-01T00:00Z'), instant('2126-01-01T00:00Z'), here).count).toBe(
      0,
    );
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  test('ends with the calendar instead of searching for ever', () => {
    const rule = cron('0 0 1 1 *');
    expect(iso(nextOccurrence(rule, instant('2998-06-01T00:00Z'), here))).toBe('2999-01-01T00:00Z');
    expect(nextOccurrence(rule, instant('2999-06-01T00:00Z'), here)).toBeUndefined();
    expect(nextOccurrence(rule, toInstant(8_640_000_000_000_000), here)).toBeUndefined();
    expect(previousOccurrence(rule, toInstant(-8_640_000_000_000_000), here)).toBeUndefined();
  });

  test('a rule that was never checked is a bug, not a schedule', () => {
    expect(() => nextOccurrence(cron('every day'), instant('2026-01-01T00:00Z'), here)).toThrow(BugError);
  });

  test('57,600 missed minutes are counted in under 50 ms and the count can be bounded (C-040)', () => {
    const after = instant('2026-03-01T00:00Z');
    const until = toInstant(after + 40 * DAY_MS);
    // The best of three zones, because other tests share the processor and a zone is looked up only once.
    const times = ['Europe/Berlin', 'Europe/Madrid', 'Europe/Oslo'].map((zone) => {
      const rule = cron('* * * * *', zone);
      const started = performance.now();
      expect(countBetween(rule, after, until, here)).toEqual({ count: 57_600, isMore: false });
      expect(countBetween(rule, after, until, here, { max: 1_000 })).toEqual({ count: 1_000, isMore: true });
      return performance.now() - started;
    });
    expect(Math.min(...times)).toBeLessThan(50);
  });

  test('lists no more than it was asked for', () => {
    const after = instant('2026-03-01T00:00Z');
    const rule = cron('* * * * * *');
    expect(occurrencesBetween(rule, after, toInstant(after + DAY_MS), here, { max: 7 })).toHaveLength(7);
    expect(occurrencesBetween(rule, after, toInstant(after + DAY_MS), here)).toHaveLength(10_000);
  });
});

describe('interval', () => {
  const every = (everyMs: number, anchor?: string, basis: IntervalRule['basis'] = 'grid'): IntervalRule => ({
    kind: 'interval',
    everyMs,
    basis,
    ...(anchor === undefined ? {} : { anchorAt: instant(anchor) }),
  });

  test('stays on the grid of its anchor, whenever it is asked (C-061, X-01)', () => {
    const rule = every(4 * HOUR_MS, '2026-02-01T23:40Z');
    expect(firstAfter(rule, '2026-02-02T03:29Z', 2)).toEqual(['2026-02-02T03:40Z', '2026-02-02T07:40Z']);
    expect(iso(previousOccurrence(rule, instant('2026-02-02T03:40Z'), here))).toBe('2026-02-01T23:40Z');
  });

  test('an exact multiple moves on, and the grid is not that of the epoch (C-063, X-62)', () => {
    expect(firstAfter(every(HOUR_MS, '2026-02-01T10:00Z'), '2026-02-01T12:00Z', 1)).toEqual([
      '2026-02-01T13:00Z',
    ]);
    expect(firstAfter(every(4 * DAY_MS, '2021-04-15T07:20:25Z'), '2021-04-15T07:20:25Z', 1)).toEqual([
      '2021-04-19T07:20:25Z',
    ]);
  });

  test('begins at an anchor in the future and has nothing before it', () => {
    const rule = every(DAY_MS, '2026-02-10T09:00Z');
    expect(firstAfter(rule, '2026-02-01T00:00Z', 2)).toEqual(['2026-02-10T09:00Z', '2026-02-11T09:00Z']);
    expect(previousOccurrence(rule, instant('2026-02-10T09:00Z'), here)).toBeUndefined();
    expect(countBetween(rule, instant('2026-02-01T00:00Z'), instant('2026-02-12T09:00Z'), here).count).toBe(
      3,
    );
  });

  test('without an anchor it counts from the creation, and knowing neither is a bug', () => {
    const context = { hostZone: 'UTC', createdAt: instant('2026-02-01T10:07Z') };
    expect(firstAfter(every(HOUR_MS), '2026-02-01T10:07Z', 1, context)).toEqual(['2026-02-01T11:07Z']);
    expect(() => nextOccurrence(every(HOUR_MS), instant('2026-02-01T10:07Z'), here)).toThrow(BugError);
  });

  test('with basis after_end it counts from the end of the last run (D9)', () => {
    const rule = every(2 * HOUR_MS, '2026-02-01T10:00Z', 'after_end');
    const context = { hostZone: 'UTC', lastEndedAt: instant('2026-02-01T12:17Z') };
    expect(firstAfter(rule, '2026-02-01T12:17Z', 1, context)).toEqual(['2026-02-01T14:17Z']);
    expect(firstAfter(rule, '2026-02-01T10:00Z', 1)).toEqual(['2026-02-01T12:00Z']);
  });

  test('with basis after_end it goes on if the run after the last one never came', () => {
    const rule = every(2 * HOUR_MS, '2026-02-01T10:00Z', 'after_end');
    const context = { hostZone: 'UTC', lastEndedAt: instant('2026-02-01T12:17Z') };
    expect(firstAfter(rule, '2026-02-01T20:00Z', 1, context)).toEqual(['2026-02-01T20:17Z']);
  });

  test('keeps its distance over a clock change', () => {
    const rule = every(DAY_MS, '2026-03-07T10:00Z');
    expect(firstAfter(rule, '2026-03-07T10:00Z', 2, { hostZone: 'America/New_York' })).toEqual([
      '2026-03-08T10:00Z',
      '2026-03-09T10:00Z',
    ]);
  });
});

describe('once', () => {
  const once = (local: string, zone: string): OnceRule => ({ kind: 'once', local, zone });

  test.each([
    ['2026-05-06T10:00', 'America/Chicago', '2026-05-06T15:00Z'],
    ['2026-03-23T23:00', 'Europe/Oslo', '2026-03-23T22:00Z'],
    ['2026-03-23T23:00:30', 'Europe/Oslo', '2026-03-23T22:00:30Z'],
  ])('%s in %s is read in its zone (C-060)', (local, zone, expected) => {
    expect(firstAfter(once(local, zone), '2026-01-01T00:00Z', 2)).toEqual([expected]);
  });

  test('is due once: not after itself and not before (C-054, C-064)', () => {
    const rule = once('2026-05-06T10:00', 'UTC');
    const at = instant('2026-05-06T10:00Z');
    expect(nextOccurrence(rule, toInstant(at - 1), here)).toBe(at);
    expect(nextOccurrence(rule, at, here)).toBeUndefined();
    expect(previousOccurrence(rule, at, here)).toBeUndefined();
    expect(previousOccurrence(rule, toInstant(at + 1), here)).toBe(at);
    expect(countBetween(rule, toInstant(at - 1), at, here).count).toBe(1);
  });

  test('runs after the gap if its time does not exist, at the first pass if it comes twice (D6)', () => {
    expect(firstAfter(once('2026-03-08T02:30', 'America/New_York'), '2026-01-01T00:00Z', 1)).toEqual([
      '2026-03-08T07:00Z',
    ]);
    expect(firstAfter(once('2026-11-01T01:30', 'America/New_York'), '2026-01-01T00:00Z', 1)).toEqual([
      '2026-11-01T05:30Z',
    ]);
  });
});

describe('properties', () => {
  const expressions = vectors.filter((vector) => vector.expectNext !== null).map((vector) => vector.expr);
  const rules: fc.Arbitrary<ScheduleRule> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('cron' as const),
        expression: fc.constantFrom(...expressions),
        zone: fc.constantFrom('local', ...listZones()),
        dayMatch: fc.constantFrom('either' as const, 'both' as const),
        gap: fc.constantFrom('run_after' as const, 'skip' as const),
        repeat: fc.constantFrom('first' as const, 'second' as const, 'both' as const),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('interval' as const),
        everyMs: fc.integer({ min: 1_000, max: 40 * DAY_MS }),
        basis: fc.constantFrom('grid' as const, 'after_end' as const),
        anchorAt: fc.integer({ min: 0, max: 2_000_000_000_000 }).map(toInstant),
      }),
    },
  );
  const moments = fc.integer({ min: Date.UTC(1971, 0, 1), max: Date.UTC(2100, 0, 1) }).map(toInstant);
  const context: OccurrenceContext = { hostZone: 'Africa/Cairo', lastEndedAt: instant('2026-02-01T12:17Z') };

  test('next and previous agree with each other and never stand still (H-79)', () => {
    fc.assert(
      fc.property(rules, moments, (rule, moment) => {
        const next = nextOccurrence(rule, moment, context);
        const previous = previousOccurrence(rule, moment, context);
        if (previous !== undefined) {
          expect(previous).toBeLessThan(moment);
          const back = nextOccurrence(rule, previous, context);
          expect(back === next || back === moment).toBe(true);
        }
        if (next !== undefined) {
          expect(next).toBeGreaterThan(moment);
          const back = previousOccurrence(rule, next, context);
          expect(back === previous || back === moment).toBe(true);
          expect(nextOccurrence(rule, toInstant(next - 1), context)).toBe(next);
          expect(previousOccurrence(rule, toInstant(next + 1), context)).toBe(next);
        }
      }),
      { numRuns: 400 },
    );
  });

  test('what is due in two spans is what is due in both together, listed and counted', () => {
    fc.assert(
      fc.property(rules, moments, fc.nat(20 * DAY_MS), fc.nat(20 * DAY_MS), (rule, a, first, second) => {
        const b = toInstant(a + first);
        const c = toInstant(b + second);
        const count = (from: Instant, until: Instant): number =>
          countBetween(rule, from, until, context, { max: 1e9 }).count;
        expect(count(a, b) + count(b, c)).toBe(count(a, c));
        if (count(a, c) > 300) return;
        const listed = occurrencesBetween(rule, a, c, context);
        expect(listed).toHaveLength(count(a, c));
        expect([
          ...occurrencesBetween(rule, a, b, context),
          ...occurrencesBetween(rule, b, c, context),
        ]).toEqual(listed);
      }),
      { numRuns: 400 },
    );
  });

  test('around every clock change of a year the sequence moves on, minute by minute (C-022)', () => {
    const stuck: string[] = [];
    for (const zone of [
      'Europe/London',
      'Europe/Helsinki',
      'Australia/Lord_Howe',
      'America/Nuuk',
      'Africa/Cairo',
    ]) {
      for (const change of changesOf(zone, '2026-01-01T00:00Z', '2027-01-01T00:00Z')) {
        for (const expression of [
          '0 */2 * * *',
          '30 * * * *',
          '30 2 * * *',
          '15,45 0-3 * * *',
          '0 0 * * *',
        ]) {
          const rule = cron(expression, zone);
          for (let t = change - 13 * HOUR_MS; t < change + 13 * HOUR_MS; t += MINUTE_MS) {
            const next = nextOccurrence(rule, toInstant(t), here);
            const following = next && nextOccurrence(rule, next, here);
            if (!(next && following && next > t && following > next))
              stuck.push(`${expression} ${zone} ${iso(t)}`);
          }
        }
      }
    }
    expect(stuck).toEqual([]);
  });

  // All zones take 16 s, so each run draws some of them anew; those with the largest moves are always there.
  test('a daily time never has neighbours more than 28 hours apart, in any zone from 2000 to 2030 (C-017)', () => {
    const drawn = fc.sample(fc.constantFrom(...listZones()), 20);
    const tooFar: string[] = [];
    for (const zone of new Set([
      'Antarctica/Casey',
      'Antarctica/Troll',
      'Pacific/Apia',
      'America/Nuuk',
      ...drawn,
    ])) {
      for (const change of changesOf(zone, '2000-01-01T00:00Z', '2031-01-01T00:00Z')) {
        for (const expression of ['30 2 * * *', '0 0 * * *', '30 23 * * *', '15 1 * * *']) {
          let at = nextOccurrence(cron(expression, zone), toInstant(change - 2 * DAY_MS), here);
          for (let days = 0; days < 4 && at !== undefined; days += 1) {
            const next: Instant | undefined = nextOccurrence(cron(expression, zone), at, here);
            if (next === undefined || next - at > 28 * HOUR_MS)
              tooFar.push(`${expression} ${zone} ${iso(at)}`);
            at = next;
          }
        }
      }
    }
    expect(tooFar).toEqual([]);
  });
});

/** The instants between which a zone has one offset. */
function changesOf(zone: string, from: string, until: string): number[] {
  const { stretchAt } = offsetsOf(zone);
  const changes: number[] = [];
  let stretch = stretchAt(Date.parse(from));
  while (stretch.until < Date.parse(until)) {
    const next = stretchAt(stretch.until);
    if (next.offsetMs !== stretch.offsetMs) changes.push(next.from);
    stretch = next;
  }
  return changes;
}
