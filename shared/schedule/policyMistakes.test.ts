import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Dates, everyDay } from '../model/dates';
import { defaultRetry } from '../model/policies';
import type { CronRule, ScheduleRule } from '../model/schedule';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, toInstant } from '../time';
import { shortestDistance } from './distance';
import { occurrencesBetween } from './occurrences';
import { type PolicyDraft, policyMistakes } from './policyMistakes';

const NOW = toInstant(Date.parse('2026-03-10T12:00Z'));

const cron = (expression: string, options: Partial<CronRule> = {}): CronRule => ({
  kind: 'cron',
  expression,
  zone: 'UTC',
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
  ...options,
});

const onWake: ScheduleRule = { kind: 'event', on: 'wake' };

type Parts = { jitterMs?: number; retry?: Partial<PolicyDraft['policies']['retry']>; dates?: Partial<Dates> };

const mistakes = (rules: ScheduleRule[], { jitterMs = 0, retry = {}, dates = {} }: Parts, hostZone = 'UTC') =>
  policyMistakes(
    { policies: { jitterMs, retry: { ...defaultRetry, ...retry } }, dates: { ...everyDay, ...dates }, rules },
    NOW,
    { hostZone },
  ).map(({ path, message }) => `${path}: ${message}`);

describe('the shortest distance of a schedule', () => {
  test('is known without listing, for times of one day and over the night', () => {
    const hours = (rule: ScheduleRule): number => shortestDistance(rule) / HOUR_MS;
    expect(hours(cron('*/15 * * * *'))).toBe(0.25);
    expect(hours(cron('0 9 * * 1-5'))).toBe(24);
    expect(hours(cron('0 9 * * 1'))).toBe(7 * 24);
    expect(hours(cron('0 1,23 * * *'))).toBe(2);
    expect(hours(cron('50 8,9 * * *'))).toBe(1);
    expect(hours(cron('0,59 * * * *'))).toBe(1 / 60);
    expect(hours(cron('0 12 L,1 * *'))).toBe(24);
    expect(hours(cron('0 12 1 * *'))).toBe(28 * 24);
    expect(hours(cron('0 0 1 1 *'))).toBe(365 * 24);
    expect(hours(cron('0 0 30 2 *'))).toBe(Number.POSITIVE_INFINITY);
    expect(hours({ kind: 'interval', everyMs: 2 * HOUR_MS, basis: 'after_end' })).toBe(2);
    expect(hours({ kind: 'once', local: '2026-04-01T09:00', zone: 'UTC' })).toBe(Number.POSITIVE_INFINITY);
    expect(hours(onWake)).toBe(Number.POSITIVE_INFINITY);
  });

  test('is the least that enumeration finds', () => {
    const values = (max: number) =>
      fc.uniqueArray(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 3 }).map((all) => all.join(','));
    const second = fc.option(values(59), { nil: undefined });
    const day = fc.constantFrom('* * *', '1,15 * *', '* * 1,4', '31 * 1', 'L * *', '* 2 6#2');
    fc.assert(
      fc.property(second, values(59), values(23), day, (s, m, h, days) => {
        const rule = cron(`${s === undefined ? '' : `${s} `}${m} ${h} ${days}`);
        const from = toInstant(Date.UTC(2026, 0, 1));
        const all = occurrencesBetween(
          rule,
          from,
          toInstant(from + 800 * DAY_MS),
          { hostZone: 'UTC' },
          { max: 4_000 },
        );
        const least = all.reduce((min, each, i) => Math.min(min, each - (all[i - 1] ?? -Infinity)), Infinity);
        expect(shortestDistance(rule)).toBeLessThanOrEqual(least);
        // Days that are closest once in many years are not met here.
        if (days !== '31 * 1') expect(shortestDistance(rule)).toBe(least);
      }),
      { numRuns: 200 },
    );
  });
});

describe('jitter', () => {
  test('has to stay below the shortest time between two due times', () => {
    const rules = [cron('0 9 * * *'), cron('*/15 * * * *')];
    expect(mistakes(rules, { jitterMs: 15 * MINUTE_MS })).toEqual([
      'policies.jitterMs: Due times of this job are only 15 minutes apart. Use less than that.',
    ]);
    expect(mistakes(rules, { jitterMs: 15 * MINUTE_MS - 1 })).toEqual([]);
    const everySecond: ScheduleRule = { kind: 'interval', everyMs: SECOND_MS, basis: 'grid' };
    expect(mistakes([everySecond], { jitterMs: SECOND_MS })).toHaveLength(1);
  });

  test('is free for what has no period, and looks at no rule that has a mistake of its own', () => {
    const rules = [
      onWake,
      cron('99 * * * *'),
      { kind: 'once', local: '2026-04-01T09:00', zone: 'UTC' } as const,
    ];
    expect(mistakes(rules, { jitterMs: DAY_MS })).toEqual([]);
  });
});

describe('retries', () => {
  test('after exit code 0 alone are none', () => {
    const retry = { countMax: 3, exitCodes: [0] };
    expect(mistakes([], { retry })).toEqual([
      'policies.retry.exitCodes: Exit code 0 means that it worked, and is never tried again. Name another.',
    ]);
    expect(mistakes([], { retry: { countMax: 3, exitCodes: [0, 75] } })).toEqual([]);
    expect(mistakes([], { retry: { countMax: 0, exitCodes: [0] } })).toEqual([]);
  });
});

describe('dates', () => {
  test('that are over are refused, as the zone of the schedule has it', () => {
    const past = 'dates.until: The last day is already past.';
    expect(mistakes([cron('0 9 * * *')], { dates: { until: '2026-03-09' } })).toEqual([past]);
    expect(mistakes([onWake], { dates: { until: '2026-03-09' } })).toEqual([past]);
    // It is the 11th in Kiritimati already.
    const there = { dates: { until: '2026-03-10' } };
    expect(mistakes([cron('0 9 * * *', { zone: 'Pacific/Kiritimati' })], there)).toEqual([past]);
    expect(mistakes([cron('0 19 * * *')], there)).toEqual([]);
    expect(mistakes([onWake], there, 'Pacific/Kiritimati')).toEqual([past]);
  });

  test('on which nothing is due are refused, at the field that says so', () => {
    const yearly = [cron('0 0 1 6 *')];
    expect(mistakes(yearly, { dates: { until: '2026-05-31' } })).toEqual([
      'dates.until: Nothing is due up to this day. Choose a later one.',
    ]);
    expect(mistakes(yearly, { dates: { from: '2026-06-02', until: '2026-12-31' } })).toEqual([
      'dates.until: Nothing is due from 2 Jun 2026 to this day. Choose a later one.',
    ]);
    const once: ScheduleRule = { kind: 'once', local: '2026-04-01T09:00', zone: 'UTC' };
    expect(mistakes([once], { dates: { from: '2026-04-02' } })).toEqual([
      'dates.from: Nothing is due from this day on. Choose an earlier one.',
    ]);
    expect(mistakes([once], { dates: { from: '2026-04-01' } })).toEqual([]);
  });

  test('that are all excluded are refused', () => {
    const dates = { until: '2026-03-31', excluded: [{ from: '2026-03-01', until: '2026-04-10' }] };
    expect(mistakes([cron('0 9 * * *')], { dates })).toEqual([
      'dates.excluded: Every due time that is left lies on an excluded date.',
    ]);
    expect(mistakes([cron('0 9 * * *'), onWake], { dates })).toEqual([
      'dates.excluded: Every day up to 31 Mar 2026 is excluded.',
    ]);
    expect(mistakes([cron('0 9 * * *'), onWake], { dates: { ...dates, until: '2026-04-11' } })).toEqual([]);
  });

  test('may end one of several schedules, and do not matter to a job that is run by hand', () => {
    const dates = { until: '2026-05-31' };
    expect(mistakes([cron('0 0 1 6 *'), cron('0 9 * * *')], { dates })).toEqual([]);
    expect(mistakes([], { dates: { until: '2020-01-01' } })).toEqual([]);
    // That one is over on any dates, and says so elsewhere.
    expect(mistakes([{ kind: 'once', local: '2026-01-01T09:00', zone: 'UTC' }], { dates })).toEqual([]);
  });

  test('leave an interval that is not created yet as it is', () => {
    const rule: ScheduleRule = { kind: 'interval', everyMs: 48 * HOUR_MS, basis: 'grid' };
    expect(mistakes([rule], { dates: { until: '2026-03-31' } })).toEqual([]);
    expect(mistakes([rule], { dates: { until: '2026-03-11' } })).toHaveLength(1);
  });
});
