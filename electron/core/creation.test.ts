import { expect, test } from 'vitest';
import { everyDay } from '../../shared/model/dates';
import type { ScheduleRule } from '../../shared/model/schedule';
import { type Instant, toInstant } from '../../shared/time';
import { creationOccurrence } from './creation';

const at = (text: string): Instant => toInstant(Date.parse(text));
const cron = (expression: string): ScheduleRule => ({
  kind: 'cron',
  expression,
  zone: 'Asia/Kolkata',
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
});
const created = (rule: ScheduleRule, moment: string, dates = everyDay) =>
  creationOccurrence(rule, at(moment), { hostZone: 'UTC', dates });

test('a job made within its minute has that minute to run, in its own zone (S-31)', () => {
  expect(created(cron('0 9 * * *'), '2026-05-02T03:30:37Z')).toBe(at('2026-05-02T03:30Z'));
  expect(created(cron('0 9 * * *'), '2026-05-02T03:30:00Z')).toBe(at('2026-05-02T03:30Z'));
  expect(created(cron('* * * * *'), '2026-05-02T03:30:37Z')).toBe(at('2026-05-02T03:30Z'));
});

test('before or after that minute there is nothing to run (S-31)', () => {
  expect(created(cron('0 9 * * *'), '2026-05-02T03:29:59Z')).toBeNull();
  expect(created(cron('0 9 * * *'), '2026-05-02T03:31:00Z')).toBeNull();
});

test('a due second of that minute counts once it has passed', () => {
  expect(created(cron('30 0 9 * * *'), '2026-05-02T03:30:37Z')).toBe(at('2026-05-02T03:30:30Z'));
  expect(created(cron('30 0 9 * * *'), '2026-05-02T03:30:10Z')).toBeNull();
});

test('a schedule that comes again within the minute just goes on', () => {
  expect(created(cron('*/2 * * * * *'), '2026-05-02T03:30:37Z')).toBeNull();
});

test('intervals and single moments have none (S-31)', () => {
  const interval: ScheduleRule = {
    kind: 'interval',
    everyMs: 60_000,
    basis: 'grid',
    anchorAt: at('2026-05-02T03:30Z'),
  };
  expect(created(interval, '2026-05-02T03:30:37Z')).toBeNull();
  expect(
    created({ kind: 'once', local: '2026-05-02T03:30', zone: 'UTC' }, '2026-05-02T03:30:37Z'),
  ).toBeNull();
});

test('outside the days of the job there is none (S-31)', () => {
  const from = (day: string) => ({ ...everyDay, from: day });
  expect(created(cron('0 9 * * *'), '2026-05-02T03:30:37Z', from('2026-05-03'))).toBeNull();
  expect(created(cron('0 9 * * *'), '2026-05-02T03:30:37Z', from('2026-05-02'))).toBe(
    at('2026-05-02T03:30Z'),
  );
});
