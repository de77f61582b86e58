import { describe, expect, test } from 'vitest';
import type { CronRule, IntervalRule, OnceRule, ScheduleRule } from '../model/schedule';
import { toInstant } from '../time';
import { canonicalClock } from './clockWords';
import { parseCron } from './cron';
import { localTimesOf } from './localTimes';
import vectors from './vectors.json';
import { sentence, shortSentence } from './words';

const here = { hostZone: 'America/New_York' };

const cron = (expression: string, options: Partial<CronRule> = {}): CronRule => ({
  kind: 'cron',
  expression,
  zone: 'local',
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
  ...options,
});

describe('cron', () => {
  test.each([
    ['* * * * *', 'Every minute', 'Every minute'],
    ['*/15 * * * *', 'Every 15 minutes', 'Every 15 minutes'],
    ['*/10 * * * * *', 'Every 10 seconds', 'Every 10 seconds'],
    ['* * * * * *', 'Every second', 'Every second'],
    ['0 * * * *', 'Hourly', 'Every hour'],
    ['@hourly', 'Hourly', 'Every hour'],
    ['5 * * * *', 'Hourly at :05', 'At 5 minutes past every hour'],
    ['40 * * * *', 'Hourly at :40', 'At 40 minutes past every hour'],
    ['0 */2 * * *', 'Every 2 hours', 'Every 2 hours'],
    ['0 0,2,4,6,8,10,12,14,16,18,20,22 * * *', 'Every 2 hours', 'Every 2 hours'],
    ['0 13 * * *', 'Daily at 13:00', 'At 13:00 every day'],
    ['@daily', 'Daily at 00:00', 'At 00:00 every day'],
    ['0 9,17 * * *', 'Daily at 09:00, 17:00', 'At 09:00 and 17:00 every day'],
    ['50 13 * * 1-5', 'Weekdays at 13:50', 'At 13:50 on weekdays'],
    ['25 9 * * mon-fri', 'Weekdays at 09:25', 'At 09:25 on weekdays'],
    ['0 9 * * 0,6', 'Weekends at 09:00', 'At 09:00 on weekends'],
    ['45 16 * * 5', 'Fri at 16:45', 'At 16:45 on Friday'],
    ['0 3 * * SUN', 'Sun at 03:00', 'At 03:00 on Sunday'],
    ['0 9 * * 1,3,5', 'Mon, Wed, Fri at 09:00', 'At 09:00 on Monday, Wednesday and Friday'],
    ['0 6 * * FRI-SUN', 'Fri–Sun at 06:00', 'At 06:00 on Friday to Sunday'],
    [
      '0,30 9-17 * * 1-5',
      'Every 30 min, 9–18, weekdays',
      'Every 30 minutes, between 09:00 and 17:59, on weekdays',
    ],
    ['*/15 9-17 * * *', 'Every 15 min, 9–18', 'Every 15 minutes, between 09:00 and 17:59'],
    ['0 8-18 * * 1-5', 'Hourly, 8–18, weekdays', 'Every hour, between 08:00 and 18:00, on weekdays'],
    ['30 23 L * *', 'Last day at 23:30', 'At 23:30 on the last day of the month'],
    ['0 9 1W * *', 'Nearest 1st at 09:00', 'At 09:00 on the weekday nearest the 1st of the month'],
    ['0 9 LW * *', 'Last weekday at 09:00', 'At 09:00 on the last weekday of the month'],
    ['0 9 1 * *', '1st at 09:00', 'At 09:00 on the 1st of the month'],
    ['0 9 * * MON#1', 'First Mon at 09:00', 'At 09:00 on the first Monday of the month'],
    ['0 9 * * FRIL', 'Last Fri at 09:00', 'At 09:00 on the last Friday of the month'],
    [
      '0 0 * * 1#1,1#3',
      'First Mon, third Mon at 00:00',
      'At 00:00 on the first Monday and the third Monday of the month',
    ],
    ['0 0 15,L * *', '15th, last day at 00:00', 'At 00:00 on the 15th and the last day of the month'],
    ['0 0 29 2 *', '29 Feb at 00:00', 'At 00:00 on the 29th of February'],
    [
      '0 0 1 */5 *',
      '1st in Jan, Jun, Nov at 00:00',
      'At 00:00 on the 1st of the month in January, June and November',
    ],
    ['0 0 * 2 1', 'Mon in Feb at 00:00', 'At 00:00 on Monday in February'],
    ['0 0 */2 * *', 'Some days at 00:00', 'At 00:00 on every 2nd day from the 1st of the month'],
    ['59 59 23 L * *', 'Last day at 23:59:59', 'At 23:59:59 on the last day of the month'],
    [
      '30 2 1,14 * 1-5',
      '1st, 14th or weekdays at 02:30',
      'At 02:30 on the 1st and 14th of the month, and also on every weekday',
    ],
  ])('%s is “%s” and “%s”', (expression, short, long) => {
    expect(shortSentence(cron(expression))).toBe(short);
    expect(sentence(cron(expression), here)).toBe(long);
  });

  test.each([
    ['*/25 * * * *', 'At minutes 0, 25 and 50 of every hour'],
    ['0 0 * * */7', 'At 00:00 on Sunday'],
    ['0 0 1-2 * 1-5', 'At 00:00 on the 1st and 2nd of the month, and also on every weekday'],
    ['0 0 30 2 *', 'Never: 30 February does not exist.'],
    ['0 0 * * 5#5', 'At 00:00 on the fifth Friday of the month (only some months have one)'],
    ['0 0 * * 0-7', 'At 00:00 every day'],
    ['0 0 1-31 * 4', 'At 00:00 every day'],
    ['5/15 * * * *', 'At minutes 5, 20, 35 and 50 of every hour'],
  ])('%s does not mislead: %s (C-007, C-120)', (expression, long) => {
    expect(sentence(cron(expression), here)).toBe(long);
  });

  test('a line with a mistake is repeated, not described', () => {
    expect(sentence(cron('*/60 * * * *'), here)).toBe('*/60 * * * *');
    expect(shortSentence(cron('0 0 * * FRI-MON'))).toBe('0 0 * * FRI-MON');
  });

  test('the both rule says so', () => {
    const rule = cron('0 0 13 * 5', { dayMatch: 'both' });
    expect(sentence(rule, here)).toBe('At 00:00 on the 13th of the month, but only if it is a Friday');
    expect(shortSentence(rule)).toBe('13th if Fri at 00:00');
  });

  test('the zone is named if it is not that of this computer', () => {
    expect(sentence(cron('0 9 * * *', { zone: 'Asia/Tokyo' }), here)).toBe('At 09:00 every day, Tokyo time');
    expect(sentence(cron('0 9 * * *', { zone: 'UTC' }), here)).toBe('At 09:00 every day, UTC');
    expect(sentence(cron('0 9 * * *', { zone: 'America/New_York' }), here)).toBe('At 09:00 every day');
  });

  test('what cannot be said in a sentence is counted instead', () => {
    const rule = cron('1,2,3,5,8,13,21,34,55 1,3,5,7,11,13,17 1,4,9,16,25 1,2,3,5,7,11 1,3#2,5L');
    expect(sentence(rule, here)).toBe('63 times a day on about 11 days a month');
    expect(shortSentence(rule)).toBe('63 times a day, some days');
  });

  test('the words are made of sets that mean the same as the text, for all vectors (C-120)', () => {
    for (const { expr, expectNext, from } of vectors) {
      if (expectNext === null) continue;
      const parsed = parseCron(expr);
      if (!parsed.ok) throw new Error(expr);
      const { dayOfMonth, month, dayOfWeek } = parsed.value.fields;
      const days = [dayOfMonth, month, dayOfWeek].map(({ text }) => text).join(' ');
      const canonical = `${canonicalClock(parsed.value)} ${days}`;
      const [typed, rewritten] = [localTimesOf(expr, 'either'), localTimesOf(canonical, 'either')];
      let local = Date.parse(from);
      for (let i = 0; i < 20; i += 1) {
        local = typed?.atOrAfter(local + 1) ?? Number.NaN;
        expect(rewritten?.atOrAfter(local), `${expr} as ${canonical}`).toBe(local);
      }
    }
  });

  test('every vector has words of a bearable length without a trace of the program', () => {
    for (const { expr, tz, expectNext } of vectors) {
      if (expectNext === null) continue;
      const rule = cron(expr, { zone: tz });
      expect(sentence(rule, here).length).toBeLessThanOrEqual(160);
      expect(shortSentence(rule).length).toBeLessThanOrEqual(40);
      expect(`${sentence(rule, here)} ${shortSentence(rule)}`).not.toMatch(/undefined|NaN|null|-1|, ,| {2}/);
    }
  });
});

describe('interval', () => {
  const every = (everyMs: number, options: Partial<IntervalRule> = {}): IntervalRule => ({
    kind: 'interval',
    everyMs,
    basis: 'grid',
    ...options,
  });

  test.each([
    [1_000, 'Every second'],
    [90_000, 'Every 90 seconds'],
    [60_000, 'Every minute'],
    [5_400_000, 'Every 90 minutes'],
    [7_200_000, 'Every 2 hours'],
    [86_400_000, 'Every day'],
    [86_460_000, 'Every 1 day 1 minute'],
  ])('of %i ms is “%s”', (everyMs, text) => {
    expect(shortSentence(every(everyMs))).toBe(text);
    expect(sentence(every(everyMs), here)).toBe(text);
  });

  test('names the start it counts from, or the run', () => {
    const anchorAt = toInstant(Date.parse('2026-03-11T18:00Z'));
    expect(sentence(every(7_200_000, { anchorAt }), here)).toBe(
      'Every 2 hours, counted from 11 Mar 2026 14:00',
    );
    const after = every(7_200_000, { basis: 'after_end' });
    expect(sentence(after, here)).toBe('2 hours after the last run ended');
    expect(shortSentence(after)).toBe('2 hours after each run');
  });
});

test('once is a date and a time', () => {
  const rule: OnceRule = { kind: 'once', local: '2027-03-15T10:00', zone: 'local' };
  expect(sentence(rule, here)).toBe('Once, on Monday 15 Mar 2027 at 10:00');
  expect(shortSentence(rule)).toBe('Once, 15 Mar 10:00');
  expect(sentence({ ...rule, zone: 'Asia/Tokyo' }, here)).toBe(
    'Once, on Monday 15 Mar 2027 at 10:00, Tokyo time',
  );
});

describe('schedules that no calendar knows', () => {
  const jobId = 'a9b4a6b0-52a4-4f53-8d76-3f2c8a1f4f11';
  const afterJob = (on: 'succeeded' | 'failed' | 'ended'): ScheduleRule => ({ kind: 'after_job', jobId, on });
  const jobNameOf = (id: string) => (id === jobId ? 'Back up the photographs of the year' : undefined);

  test('name the job they wait for, if its name is known', () => {
    expect(sentence(afterJob('succeeded'), { hostZone: 'UTC', jobNameOf })).toBe(
      'After Back up the photographs of the year succeeded',
    );
    expect(sentence(afterJob('failed'), { hostZone: 'UTC' })).toBe('After another job failed');
    expect(shortSentence(afterJob('ended'), { jobNameOf })).toBe('After Back up the photographs… ended');
    expect(shortSentence(afterJob('ended'), { jobNameOf: () => 'Sync' })).toBe('After Sync ended');
    expect(shortSentence(afterJob('ended'))).toBe('After another job ended');
  });

  test('say which event they wait for', () => {
    const words = (['start', 'wake', 'network'] as const).map((on) => {
      const rule: ScheduleRule = { kind: 'event', on };
      expect(shortSentence(rule)).toBe(sentence(rule, { hostZone: 'UTC' }));
      return shortSentence(rule);
    });
    expect(words).toEqual(['When Belfry starts', 'When the laptop wakes up', 'When the network is back']);
  });
});
