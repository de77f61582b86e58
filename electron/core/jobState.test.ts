import { expect, test } from 'vitest';
import type { Job, JobState } from '../../shared/model/job';
import type { SparkSlot } from '../../shared/model/spark';
import { DAY_MS, HOUR_MS, toInstant } from '../../shared/time';
import { isFailingUnseen, type JobFacts, jobStateOf, nextDueOf, reasonShown, usualMsOf } from './jobState';

const now = toInstant(10 * DAY_MS);
const earlier = (ms: number) => toInstant(now - ms);

const facts = (marks: string, more: Partial<JobFacts> = {}): JobFacts => ({
  slots: [...marks].map((mark): SparkSlot => ({ mark: mark as SparkSlot['mark'], durationMs: null })),
  lastRunAt: earlier(2 * HOUR_MS),
  seenAt: null,
  newestAt: earlier(HOUR_MS),
  ...more,
});

const state = (marks: string, more: Partial<JobFacts> = {}, flags = {}): JobState =>
  jobStateOf(facts(marks, more), now, { isRunning: false, isEnabled: true, ...flags });

test('shows the worst that matters now (ui.md 2.1)', () => {
  expect(state('ssf', {}, { isRunning: true, isEnabled: false })).toBe('failed');
  expect(state('sst')).toBe('timed_out');
  expect(state('ssz')).toBe('abandoned');
  expect(state('sfs', {}, { isRunning: true })).toBe('running');
  expect(state('ssm', {}, { isRunning: true })).toBe('running');
  expect(state('ssm')).toBe('missed');
  expect(state('ssc')).toBe('caught_up');
  expect(state('sfs')).toBe('succeeded');
  expect(state('sfs', {}, { isEnabled: false })).toBe('paused');
  expect(state('sx')).toBe('cancelled');
  expect(state('')).toBe('never_run');
  expect(state('', {}, { isEnabled: false })).toBe('paused');
});

test('a failure is not hidden by due times that were skipped after it', () => {
  expect(state('sfkm')).toBe('failed');
});

test('a job that never ran but skipped says so', () => {
  expect(state('k')).toBe('skipped');
  expect(state('skk')).toBe('succeeded');
});

test('lateness stops being news when the job was opened, or after a day', () => {
  expect(state('sc', { seenAt: earlier(HOUR_MS / 2) })).toBe('succeeded');
  expect(state('sm', { seenAt: earlier(2 * HOUR_MS) })).toBe('missed');
  expect(state('sm', { newestAt: earlier(DAY_MS + 1) })).toBe('succeeded');
});

test('failing turns the tray until it succeeds or was opened (ui.md 14.1)', () => {
  expect(isFailingUnseen(facts('ss'))).toBe(false);
  expect(isFailingUnseen(facts('sf'))).toBe(true);
  expect(isFailingUnseen(facts('sf', { seenAt: earlier(HOUR_MS / 2) }))).toBe(false);
  expect(isFailingUnseen(facts('sf', { seenAt: earlier(3 * HOUR_MS) }))).toBe(true);
  expect(isFailingUnseen(facts('sfk', { seenAt: earlier(1.5 * HOUR_MS) }))).toBe(false);
});

test('the usual duration is the median of the runs that succeeded', () => {
  const slot = (mark: SparkSlot['mark'], durationMs: number | null): SparkSlot => ({ mark, durationMs });
  expect(usualMsOf([slot('s', 10), slot('f', 900), slot('c', 30), slot('s', 20)])).toBe(20);
  expect(usualMsOf([slot('s', 10), slot('s', 20)])).toBe(15);
  expect(usualMsOf([slot('f', 10)])).toBeNull();
});

const job = (kinds: ('once' | 'cron' | 'interval')[], isEnabled = true) =>
  ({ isEnabled, schedules: kinds.map((kind) => ({ rule: { kind } })) }) as unknown as Job;
const next = (more: Partial<Parameters<typeof nextDueOf>[0]>) =>
  nextDueOf(
    {
      job: job(['cron']),
      activeRun: null,
      pause: null,
      nextAt: toInstant(now + 5),
      usualMs: 7,
      goneJobIds: new Set(),
      ...more,
    },
    now,
  );

test('the Next column says what comes next, and never shows a past moment (S-38)', () => {
  expect(next({})).toEqual({ code: 'due', at: now + 5 });
  expect(next({ nextAt: earlier(HOUR_MS) })).toEqual({ code: 'due', at: now });
  expect(next({ pause: { until: null } })).toEqual({ code: 'paused', until: null });
  expect(next({ job: job(['cron'], false) })).toEqual({ code: 'paused', until: null });
  expect(next({ job: job([]) })).toEqual({ code: 'by_hand' });
  expect(next({ job: job(['once']), nextAt: null })).toEqual({ code: 'ended' });
  expect(next({ job: job(['cron']), nextAt: null })).toEqual({ code: 'never' });
  expect(next({ job: job(['interval']), nextAt: null })).toEqual({ code: 'after_run' });
  const running = {
    state: 'running' as const,
    startedAt: earlier(3),
    queuedAt: earlier(4),
    notBeforeAt: null,
    attemptCount: 0,
    attemptsMax: 1,
    wait: null,
  };
  expect(next({ activeRun: running })).toEqual({ code: 'running', since: now - 3, usualMs: 7 });
  expect(next({ activeRun: { ...running, state: 'queued' } })).toEqual({ code: 'queued', since: now - 4 });
});

test('a job that is on has no reason to be off', () => {
  expect(reasonShown({ isEnabled: true, disabledReason: 'user' })).toBeNull();
  expect(reasonShown({ isEnabled: false, disabledReason: 'interrupted' })).toBe('interrupted');
});

test('a job that starts after a deleted one never runs, unless something else starts it', () => {
  const afterGone = { rule: { kind: 'after_job', jobId: 'gone', on: 'ended' } };
  const chained = (others: object[] = []) =>
    ({ isEnabled: true, schedules: [afterGone, ...others] }) as unknown as Job;
  const goneJobIds = new Set(['gone']);
  expect(next({ job: chained(), nextAt: null })).toEqual({ code: 'on_event' });
  expect(next({ job: chained(), nextAt: null, goneJobIds })).toEqual({ code: 'never' });
  const event = { rule: { kind: 'event', on: 'wake' } };
  expect(next({ job: chained([event]), nextAt: null, goneJobIds })).toEqual({ code: 'on_event' });
});
