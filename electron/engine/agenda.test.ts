import { expect, test } from 'vitest';
import { everyDay } from '../../shared/model/dates';
import { JobId } from '../../shared/model/job';
import { ScheduleId, type ScheduleRule } from '../../shared/model/schedule';
import { MINUTE_MS, toInstant } from '../../shared/time';
import type { ScheduleState } from '../core/ledger';
import { cron, instant } from '../testing/rig';
import { Agenda } from './agenda';

const now = instant('2026-05-04T08:00Z');
const job = (n: number) => JobId.parse(`00000000-0000-4000-8000-0000000000a${n}`);
const schedule = (n: number) => ScheduleId.parse(`00000000-0000-4000-8000-0000000000b${n}`);
const state = (n: number, rule: ScheduleRule, more: Partial<ScheduleState> = {}): ScheduleState => ({
  scheduleId: schedule(n),
  jobId: job(n),
  rule,
  createdAt: now,
  activeSince: now,
  watermarkAt: now,
  pending: [],
  dates: everyDay,
  lastEndedAt: null,
  ...more,
});
const loaded = (...states: ScheduleState[]): Agenda => {
  const agenda = new Agenda('UTC');
  agenda.load(states, now);
  return agenda;
};

test('tells the soonest occurrence and who is due then', () => {
  const agenda = loaded(
    state(1, cron('0 9 * * *')),
    state(2, cron('0 * * * *')),
    state(3, cron('0 10 * * *')),
  );
  expect(agenda.next()).toEqual({ at: instant('2026-05-04T09:00Z'), jobIds: [job(1), job(2)] });
  expect(agenda.nextOfJob(job(3))).toBe(instant('2026-05-04T10:00Z'));
  expect(agenda.nextOfJob(job(4))).toBeNull();
  expect(new Agenda('UTC').next()).toBeNull();
});

test('what is due stays due until it is decided, however often it is asked (C-057)', () => {
  const agenda = loaded(state(1, cron('0 9 * * *')));
  const dueAt = instant('2026-05-04T09:00Z');
  expect(agenda.due(toInstant(dueAt - 1))).toEqual([]);
  for (let turn = 0; turn < 3; turn += 1) expect(agenda.due(dueAt)).toHaveLength(1);
  agenda.settle(schedule(1), { now: dueAt, untilAt: dueAt, isWaiting: false });
  expect(agenda.due(dueAt)).toEqual([]);
  expect(agenda.nextOfJob(job(1))).toBe(instant('2026-05-05T09:00Z'));
});

test('the creation minute comes before the schedule itself (S-32)', () => {
  const agenda = loaded(
    state(1, cron('0 8 * * *'), { pending: [{ at: now, trigger: 'creation', sourceRunId: null }] }),
  );
  expect(agenda.due(now)).toHaveLength(1);
  agenda.settle(schedule(1), { now, untilAt: now, isWaiting: false });
  expect(agenda.nextOfJob(job(1))).toBe(instant('2026-05-05T08:00Z'));
});

test('an interval after the end waits for the run that goes on; anything else goes on', () => {
  const afterEnd = state(1, { kind: 'interval', everyMs: MINUTE_MS, basis: 'after_end' });
  const agenda = loaded(afterEnd);
  const later = toInstant(now + MINUTE_MS);
  agenda.settle(schedule(1), { now: later, untilAt: null, isWaiting: true });
  expect(agenda.next()).toBeNull();
  expect(agenda.nextOfJob(job(1))).toBeNull();
  // Looked at again by itself, so that an end that nobody tells of is found.
  expect(agenda.wakeAt()).toBe(later + 30_000);
  expect(agenda.due(toInstant(later + 30_000))).toHaveLength(1);
  expect(agenda.countsFromEnds(job(1))).toBe(true);
  agenda.replaceJob(job(1), [{ ...afterEnd, lastEndedAt: later }], later);
  expect(agenda.nextOfJob(job(1))).toBe(now + 2 * MINUTE_MS);
  agenda.settle(schedule(1), { now: later, untilAt: null, isWaiting: true });
  agenda.load([afterEnd, state(2, cron('0 9 * * *'))], now);
  expect(agenda.nextOfJob(job(1))).toBe(now + MINUTE_MS);
  agenda.settle(schedule(2), { now: instant('2026-05-04T09:00Z'), untilAt: null, isWaiting: false });
  expect(agenda.nextOfJob(job(2))).toBe(instant('2026-05-05T09:00Z'));
});

test('only schedules that follow the computer move with it', () => {
  const agenda = loaded(state(1, cron('0 9 * * *')), state(2, cron('0 9 * * *', 'UTC')));
  agenda.setZone('Asia/Tokyo', now);
  expect(agenda.nextOfJob(job(1))).toBe(instant('2026-05-05T00:00Z'));
  expect(agenda.nextOfJob(job(2))).toBe(instant('2026-05-04T09:00Z'));
});

test('a watermark ahead of the clock counts from the moment the clock went back to (C-049)', () => {
  const watermarkAt = instant('2026-05-04T10:00Z');
  const agenda = loaded(state(1, cron('*/10 * * * *'), { watermarkAt, owedSince: now }));
  const settle = (at: string) =>
    agenda.settle(schedule(1), { now: instant(at), untilAt: null, isWaiting: false });
  expect(agenda.nextOfJob(job(1))).toBe(instant('2026-05-04T08:10Z'));
  settle('2026-05-04T08:15Z');
  expect(agenda.nextOfJob(job(1))).toBe(instant('2026-05-04T08:20Z'));
  expect(agenda.due(instant('2026-05-04T08:20Z'))[0]?.owedSince).toBe(instant('2026-05-04T08:15Z'));
  settle('2026-05-04T10:05Z');
  expect(agenda.nextOfJob(job(1))).toBe(instant('2026-05-04T10:10Z'));
  expect(agenda.due(instant('2026-05-04T10:10Z'))[0]?.owedSince).toBeUndefined();
});

test('what is decided about the future is not shown as next, and what is undecided is (C-052)', () => {
  const watermarkAt = instant('2026-05-04T10:00Z');
  const ahead = state(1, cron('*/10 * * * *'), { watermarkAt, owedSince: now });
  const ran = ['2026-05-04T08:10Z', '2026-05-04T08:20Z'].map(instant);
  const agenda = new Agenda('UTC');
  agenda.load([ahead], now, new Map([[schedule(1), ran.map((at) => ({ plannedAt: at, untilAt: at }))]]));
  expect(agenda.nextOfJob(job(1))).toBe(instant('2026-05-04T08:30Z'));
});

test('an end that a wrong clock dated later than now counts as of now', () => {
  const rule = { kind: 'interval', everyMs: MINUTE_MS, basis: 'after_end' } as const;
  const agenda = loaded(state(1, rule, { lastEndedAt: instant('2026-05-07T08:00Z') }));
  expect(agenda.nextOfJob(job(1))).toBe(now + MINUTE_MS);
});

test('nothing is owed that is older than the last edit, unless that is dated later than now (D3)', () => {
  const watermarkAt = instant('2026-05-04T12:00Z');
  const activeSince = instant('2026-05-04T11:00Z');
  const edited = state(1, cron('*/10 * * * *'), { activeSince, watermarkAt, owedSince: now });
  const agenda = loaded(edited);
  expect(agenda.nextOfJob(job(1))).toBe(instant('2026-05-04T08:10Z'));
  agenda.load([edited], instant('2026-05-04T11:30Z'));
  expect(agenda.nextOfJob(job(1))).toBe(instant('2026-05-04T11:10Z'));
});

test('tells who waits for the end of another job, and who for an event', () => {
  const agenda = loaded(
    state(1, { kind: 'after_job', jobId: job(3), on: 'ended' }),
    state(2, { kind: 'event', on: 'wake' }),
  );
  expect(agenda.waitersOf(job(3))).toEqual([job(1)]);
  expect(agenda.waitersOf(job(1))).toEqual([]);
  expect(agenda.onEvent('wake').map(({ jobId }) => jobId)).toEqual([job(2)]);
  expect(agenda.onEvent('start')).toEqual([]);
  expect(agenda.wakeAt()).toBeNull();
  agenda.replaceJob(job(1), [], now);
  agenda.replaceJob(job(2), [], now);
  expect(agenda.waitersOf(job(3))).toEqual([]);
  expect(agenda.onEvent('wake')).toEqual([]);
});

test('a job that is gone takes its schedules along', () => {
  const agenda = loaded(state(1, cron('0 9 * * *')), state(2, cron('0 10 * * *')));
  agenda.replaceJob(job(1), [], now);
  expect(agenda.next()?.jobIds).toEqual([job(2)]);
  agenda.load([], now);
  expect(agenda.next()).toBeNull();
});
