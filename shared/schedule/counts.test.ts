import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CronRule, ScheduleRule } from '../model/schedule';
import { DAY_MS, HOUR_MS, type Instant, toInstant } from '../time';
import { COUNTED_DAYS_MAX, countsByDay, countsByHour } from './counts';
import { isExcluded } from './dates';
import { type OccurrenceContext, occurrencesBetween, zoneOfRule } from './occurrences';

const at = (text: string): Instant => toInstant(Date.parse(text));

const cron = (expression: string, zone = 'local', options: Partial<CronRule> = {}): CronRule => ({
  kind: 'cron',
  expression,
  zone,
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
  ...options,
});

/** Date and hour that the wall clock of a zone shows. */
const wallIn = (zone: string): ((instant: number) => string) => {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
  });
  return (instant) => format.format(instant);
};

test('days and hours have what enumeration finds, on any dates and across clock changes', () => {
  const rules: fc.Arbitrary<ScheduleRule> = fc.oneof(
    fc
      .tuple(
        fc.constantFrom(
          '*/7 * * * *',
          '30 0-3,23 * * *',
          '0 */5 * * 1-5',
          '15 2 * * *',
          '0 0 L * *',
          '10,50 1 13 * 5',
        ),
        fc.constantFrom('local', 'Asia/Tokyo', 'America/St_Johns', 'Pacific/Apia'),
        fc.constantFrom('first' as const, 'second' as const, 'both' as const),
      )
      .map(([expression, zone, repeat]) => cron(expression, zone, { repeat })),
    fc.integer({ min: 10 * 60_000, max: 9 * HOUR_MS }).map((everyMs) => ({
      kind: 'interval' as const,
      everyMs,
      basis: 'grid' as const,
      anchorAt: at('2010-06-01T00:10Z'),
    })),
    fc.constant({ kind: 'once' as const, local: '2026-10-25T02:30', zone: 'Europe/Berlin' }),
  );
  const turns = [
    ['Europe/Berlin', '2026-10-25'],
    ['Europe/Berlin', '2026-03-29'],
    ['America/St_Johns', '2010-11-07'],
    ['Africa/Cairo', '2026-04-24'],
    ['Pacific/Apia', '2011-12-30'],
    ['America/Sao_Paulo', '2017-10-15'],
  ] as const;
  const offset = fc.integer({ min: -4, max: 4 });
  fc.assert(
    fc.property(
      rules,
      fc.constantFrom(...turns),
      fc.option(offset, { nil: null }),
      fc.option(offset, { nil: null }),
      fc.array(fc.tuple(offset, fc.integer({ min: 0, max: 2 })), { maxLength: 3 }),
      (rule, [hostZone, turn], start, end, off) => {
        const day = (days: number): string =>
          new Date(Date.parse(turn) + days * DAY_MS).toISOString().slice(0, 10);
        const dates = {
          from: start === null ? null : day(start),
          until: end === null ? null : day(Math.max(start ?? end, end)),
        };
        const excluded = off.map(([first, more]) => ({ from: day(first), until: day(first + more) }));
        const context: OccurrenceContext = { hostZone, dates };
        const wallOf = wallIn(hostZone);
        const byDay = new Map<string, number>();
        const byHour = new Map<string, number>();
        const [begin, finish] = [Date.parse(turn) - 6 * DAY_MS, Date.parse(turn) + 8 * DAY_MS];
        for (const each of occurrencesBetween(rule, toInstant(begin), toInstant(finish), context)) {
          if (isExcluded(each, zoneOfRule(rule, context), excluded)) continue;
          const wall = wallOf(each);
          byHour.set(wall, (byHour.get(wall) ?? 0) + 1);
          byDay.set(wall.slice(0, 10), (byDay.get(wall.slice(0, 10)) ?? 0) + 1);
        }
        const asked = Array.from({ length: 9 }, (_, i) => day(i - 4));
        expect(countsByDay(rule, day(-4), day(4), context, { excluded })).toEqual(
          asked.map((date) => byDay.get(date) ?? 0),
        );
        for (const date of [day(-1), day(0), day(1)]) {
          expect(countsByHour(rule, date, context, { excluded })).toEqual(
            Array.from(
              { length: 24 },
              (_, hour) => byHour.get(`${date} ${String(hour).padStart(2, '0')}`) ?? 0,
            ),
          );
        }
      },
    ),
    { numRuns: 300 },
  );
});

describe('a year map', () => {
  test('has 1,440 a day of every minute, an hour less or more when clocks change', () => {
    const days = countsByDay(cron('* * * * *'), '2026-01-01', '2026-12-31', { hostZone: 'Europe/Berlin' });
    expect(days).toHaveLength(365);
    expect(days.filter((count) => count !== 1_440)).toEqual([1_380, 1_500]);
  });

  test('is not answered for more than ten years at once, and is empty backwards', () => {
    const rule = cron('0 9 * * *');
    expect(() => countsByDay(rule, '2000-01-01', '2026-01-01', { hostZone: 'UTC' })).toThrow();
    expect(countsByDay(rule, '2026-01-02', '2026-01-01', { hostZone: 'UTC' })).toEqual([]);
    expect(COUNTED_DAYS_MAX).toBeGreaterThan(10 * 365);
  });
});

describe('the hours of a day', () => {
  test('hold both passes of an hour that comes twice, and nothing in one that does not exist', () => {
    const berlin = { hostZone: 'Europe/Berlin' };
    expect(countsByHour(cron('*/30 * * * *'), '2026-10-25', berlin).slice(0, 5)).toEqual([2, 2, 4, 2, 2]);
    expect(countsByHour(cron('*/30 * * * *'), '2026-03-29', berlin).slice(0, 5)).toEqual([2, 2, 0, 2, 2]);
    // A fixed time that the gap swallowed runs at its end.
    expect(countsByHour(cron('30 2 * * *'), '2026-03-29', berlin).slice(0, 5)).toEqual([0, 0, 0, 1, 0]);
  });

  test('are none for what only events start', () => {
    expect(countsByHour({ kind: 'event', on: 'start' }, '2026-03-29', { hostZone: 'UTC' })).toEqual(
      Array(24).fill(0),
    );
  });
});
