import { expect, test } from 'vitest';
import type { CronRule, IntervalRule, OnceRule, ScheduleRule } from '../model/schedule';
import { DAY_MS, toInstant } from '../time';
import { neverFires } from './never';
import { validateSchedule } from './validate';

const now = toInstant(Date.parse('2026-03-08T07:20Z'));
const context = { hostZone: 'America/New_York' };

const cron = (expression: string, options: Partial<CronRule> = {}): CronRule => ({
  kind: 'cron',
  expression,
  zone: 'local',
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
  ...options,
});
const interval = (everyMs: number): IntervalRule => ({ kind: 'interval', everyMs, basis: 'grid' });
const once = (local: string, zone = 'local'): OnceRule => ({ kind: 'once', local, zone });

test('a schedule that can be saved has no mistakes', () => {
  expect(validateSchedule(cron('30 2 * * 1-5'), now, context)).toEqual([]);
  expect(validateSchedule(cron('0 0 29 2 *', { zone: 'Europe/Paris' }), now, context)).toEqual([]);
  expect(validateSchedule(interval(1_000), now, context)).toEqual([]);
  expect(validateSchedule(interval(365 * DAY_MS), now, context)).toEqual([]);
  expect(validateSchedule(once('2026-03-08T03:21'), now, context)).toEqual([]);
});

test('mistakes in the expression and an unknown zone are told together', () => {
  expect(validateSchedule(cron('70 9 32 * *', { zone: 'Mars/Olympus' }), now, context)).toEqual([
    { path: 'expression', message: 'The minute must be 0 to 59. You typed 70.' },
    { path: 'expression', message: 'The day of the month must be 1 to 31. You typed 32.' },
    { path: 'zone', message: '“Mars/Olympus” is not a time zone. Choose one such as Europe/Berlin.' },
  ]);
});

test.each([
  [cron('0 0 30 2 *'), '30 February does not exist.'],
  [cron('0 0 31 4 *'), '31 April does not exist.'],
  [cron('0 0 31W 4 *'), '31 April does not exist.'],
  [cron('0 0 30,31 2 *'), 'February has no 30th or 31st.'],
  [cron('0 0 31 2,4,6 *'), 'February, April and June have no 31st.'],
  [cron('0 0 30 2 1', { dayMatch: 'both' }), '30 February does not exist.'],
  [
    cron('0 0 13 * 5#5', { dayMatch: 'both' }),
    'No date is both “13” in the day of the month and “5#5” in the weekday.',
  ],
])('$0.expression is refused because it never runs (H-77, V-221, V-222)', (rule, reason) => {
  expect(neverFires(rule)).toBe(reason);
  expect(validateSchedule(rule, now, context)).toEqual([
    { path: 'expression', message: `This never runs. ${reason}` },
  ]);
});

test.each(['0 0 29 2 *', '0 0 31 2 1', '0 0 L 2 *', '0 0 31 1,2 *', '0 0 * * 5#5', '0 0 29 2 0'])(
  '%s runs some day and is not refused',
  (expression) => {
    expect(neverFires(cron(expression))).toBeUndefined();
    expect(neverFires(cron(expression, { dayMatch: 'both' }))).toBe(
      expression === '0 0 31 2 1' ? '31 February does not exist.' : undefined,
    );
  },
);

test.each([
  [0, 'An interval must be 1 second or more.'],
  [-5_000, 'An interval must be 1 second or more.'],
  [999, 'An interval must be 1 second or more.'],
  [366 * DAY_MS, 'An interval must be 365 days or less.'],
  [Number.POSITIVE_INFINITY, 'Type how long the interval is.'],
  [Number.NaN, 'Type how long the interval is.'],
  [1_500.5, 'An interval must be whole milliseconds.'],
])('an interval of %s ms is refused (H-74)', (everyMs, message) => {
  expect(validateSchedule(interval(everyMs), now, context)).toEqual([{ path: 'everyMs', message }]);
});

test.each([
  ['2026-03-08T02:30', 'That was 20 min ago. Pick a later time, or use Run now.'],
  ['2026-03-08T03:20', 'That was just now. Pick a later time, or use Run now.'],
  ['2026-03-07T03:20', 'That was 23 h ago. Pick a later time, or use Run now.'],
  ['2026-03-01T02:20', 'That was 7 days ago. Pick a later time, or use Run now.'],
  ['2026-02-30T03:20', '30 February 2026 does not exist.'],
  ['2027-02-29T03:20', '29 February 2027 does not exist.'],
  ['2026-04-08T24:00', 'Choose a date and a time.'],
  ['2026-13-08T12:00', 'Choose a date and a time.'],
  ['', 'Choose a date and a time.'],
])('once at %j is refused (S-39)', (local, message) => {
  expect(validateSchedule(once(local), now, context)).toEqual([{ path: 'local', message }]);
});

test('once in an unknown zone is refused (C-060, S-41)', () => {
  expect(validateSchedule(once('2026-05-01T12:00', 'Mars/Olympus'), now, context)).toEqual([
    { path: 'zone', message: '“Mars/Olympus” is not a time zone. Choose one such as Europe/Berlin.' },
  ]);
});

test('what no calendar knows has no mistake that a calendar could find', () => {
  const rules: ScheduleRule[] = [
    { kind: 'after_job', jobId: 'a9b4a6b0-52a4-4f53-8d76-3f2c8a1f4f11', on: 'failed' },
    { kind: 'event', on: 'start' },
  ];
  for (const rule of rules) {
    expect(validateSchedule(rule, toInstant(0), { hostZone: 'UTC' })).toEqual([]);
    expect(neverFires(rule)).toBeUndefined();
  }
});
