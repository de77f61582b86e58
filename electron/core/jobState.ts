/**
 * What a list shows of a job: its state, the worst that matters now (ui.md 2.1), and what stands in its Next column. From
 * the kept facts alone, never from history.
 */

import type { Wait } from '../../shared/model/condition';
import type { DisabledReason, Job, JobState, NextDue } from '../../shared/model/job';
import type { Pause } from '../../shared/model/pause';
import type { Run } from '../../shared/model/run';
import { isCalendarRule } from '../../shared/model/schedule';
import type { SparkSlot } from '../../shared/model/spark';
import { DAY_MS, type Instant } from '../../shared/time';

/** Lateness is news until the job was opened, and no longer than this. */
export const NEWS_MS_MAX = DAY_MS;

export type JobFacts = {
  readonly slots: readonly SparkSlot[];
  readonly lastRunAt: Instant | null;
  readonly seenAt: Instant | null;
  readonly newestAt: Instant | null;
};

const isRunMark = ({ mark }: SparkSlot): boolean => mark !== 'm' && mark !== 'k';

/** The last run decides on failure, whatever was skipped after it. */
const lastRunMark = (facts: JobFacts): SparkSlot['mark'] | null =>
  facts.slots.findLast(isRunMark)?.mark ?? null;

const failureStates: Partial<Record<SparkSlot['mark'], JobState>> = {
  f: 'failed',
  t: 'timed_out',
  z: 'abandoned',
};

const quietStates: Partial<Record<SparkSlot['mark'], JobState>> = {
  s: 'succeeded',
  c: 'succeeded',
  x: 'cancelled',
  k: 'skipped',
  // Missed once, but no longer news.
  m: 'skipped',
};

export function jobStateOf(
  facts: JobFacts,
  now: Instant,
  { isRunning, isEnabled }: { readonly isRunning: boolean; readonly isEnabled: boolean },
): JobState {
  const failure = failureStates[lastRunMark(facts) ?? 's'];
  if (failure !== undefined) return failure;
  if (isRunning) return 'running';
  const newest = facts.slots.at(-1)?.mark;
  if ((newest === 'm' || newest === 'c') && isNews(facts, now)) {
    return newest === 'm' ? 'missed' : 'caught_up';
  }
  if (!isEnabled) return 'paused';
  // A skipped due time does not hide that the job is healthy.
  const shown = lastRunMark(facts) ?? newest;
  return (shown === undefined ? undefined : quietStates[shown]) ?? 'never_run';
}

function isNews({ newestAt, seenAt }: JobFacts, now: Instant): boolean {
  if (newestAt === null || now - newestAt > NEWS_MS_MAX) return false;
  return seenAt === null || seenAt < newestAt;
}

/** Failing and not yet looked at: what turns the tray (ui.md 14.1). It ends with a success or with opening the job. */
export function isFailingUnseen(facts: JobFacts): boolean {
  if (failureStates[lastRunMark(facts) ?? 's'] === undefined) return false;
  if (facts.seenAt === null) return true;
  // After a failure only skips can be newer; then the start of the run is the best that is kept.
  const newest = facts.slots.at(-1);
  const failedAt = newest !== undefined && isRunMark(newest) ? facts.newestAt : facts.lastRunAt;
  return failedAt !== null && facts.seenAt < failedAt;
}

/** The usual duration of a run that succeeded, or null before the first. */
export function usualMsOf(slots: readonly SparkSlot[]): number | null {
  return medianOf(
    slots.flatMap(({ mark, durationMs }) =>
      (mark === 's' || mark === 'c') && durationMs !== null ? [durationMs] : [],
    ),
  );
}

/** The middle value, or the mean of the two in the middle, or null for none. */
export function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

export type NextFacts = {
  readonly job: Pick<Job, 'schedules' | 'isEnabled'>;
  readonly activeRun:
    | (Pick<Run, 'state' | 'queuedAt' | 'startedAt' | 'notBeforeAt' | 'attemptCount' | 'attemptsMax'> & {
        readonly wait: Wait | null;
      })
    | null;
  /** The pause that holds the job now; of several the one that ends last. */
  readonly pause: Pick<Pause, 'until'> | null;
  /** The soonest due time over all schedules, from the function that the scheduler itself uses (S-38). */
  readonly nextAt: Instant | null;
  readonly usualMs: number | null;
  /** Jobs that schedules wait for and that are deleted: nothing starts after them any more. */
  readonly goneJobIds: ReadonlySet<string>;
};

export function nextDueOf(facts: NextFacts, now: Instant): NextDue {
  const { job, activeRun, nextAt } = facts;
  if (activeRun?.state === 'running') {
    return { code: 'running', since: activeRun.startedAt ?? activeRun.queuedAt, usualMs: facts.usualMs };
  }
  if (activeRun !== null) return queuedAs(activeRun, now);
  if (job.schedules.length === 0) return { code: 'by_hand' };
  if (!job.isEnabled) return { code: 'paused', until: null };
  // A pause holds up nothing of a job to which nothing happens any more.
  if (facts.pause !== null && !(nextAt === null && isOver(facts))) {
    return { code: 'paused', until: facts.pause.until };
  }
  if (nextAt === null) return endOf(facts);
  // Never a past moment: what is overdue is due now (S-38).
  return { code: 'due', at: nextAt > now ? nextAt : now };
}

function queuedAs(run: NonNullable<NextFacts['activeRun']>, now: Instant): NextDue {
  const { notBeforeAt, attemptCount, attemptsMax, queuedAt, wait } = run;
  if (wait !== null) return { code: 'waiting', wait };
  if (attemptCount > 0 && notBeforeAt !== null && notBeforeAt > now) {
    return { code: 'retry', at: notBeforeAt, attempt: attemptCount + 1, attemptsMax };
  }
  return { code: 'queued', since: queuedAt };
}

type Ending = Pick<NextFacts, 'job' | 'goneJobIds'>;

const isOver = (facts: Ending): boolean => ['ended', 'never'].includes(endOf(facts).code);

function endOf({ job: { schedules }, goneJobIds }: Ending): NextDue {
  if (schedules.some(({ rule }) => rule.kind === 'interval')) return { code: 'after_run' };
  const left = schedules.filter(({ rule }) => rule.kind !== 'after_job' || !goneJobIds.has(rule.jobId));
  if (left.some(({ rule }) => !isCalendarRule(rule))) return { code: 'on_event' };
  return left.length > 0 && left.every(({ rule }) => rule.kind === 'once')
    ? { code: 'ended' }
    : { code: 'never' };
}

/** Why a job that is off is off; null for one that is on. */
export const reasonShown = (job: Pick<Job, 'isEnabled' | 'disabledReason'>): DisabledReason | null =>
  job.isEnabled ? null : job.disabledReason;
