/**
 * What is written about an attempt: its beginning before anything is spawned (D4, S-42), its process, its end. Every write
 * carries the fence; `lost` means that it no longer holds and nothing was written. What follows from an end (another attempt, or
 * the jobs that wait for this one) is written in the same transaction.
 */

import type { Job, JobId } from '../../shared/model/job';
import type { AttemptId, Run, RunId } from '../../shared/model/run';
import { assert } from '../../shared/result';
import { type Instant, toInstant } from '../../shared/time';
import type { Fence } from '../core/lease';
import { isByHand } from '../core/pool';
import { retryDelayMs } from '../core/retry';
import { outcomeOf, type StopCause } from '../core/runs';
import type { SpilledEnd } from '../ports/data';
import type { AttemptEnd, AttemptOrder, ProcessIdentity } from '../ports/running';
import type { Reader, Store, Writer } from '../ports/store';
import type { Clock } from '../ports/world';
import { closeQueued, oweAfter } from './endings';
import { FROM_RESERVE } from './persistence';

export type AttemptPorts = { readonly store: Store; readonly clock: Clock; readonly fence: Fence };

export type Begun = {
  readonly kind: 'begun';
  readonly order: AttemptOrder;
  readonly job: Job;
  readonly startedAt: Instant;
};

/**
 * Commits the attempt as running. `dropped`: the run is not to be started any more, because it was cancelled meanwhile, or
 * its job was deleted or (for a run nobody asked for by hand) switched off (S-43).
 */
export function beginAttempt(
  { store, clock, fence }: AttemptPorts,
  runId: RunId,
  attemptId: AttemptId,
): Promise<Begun | { readonly kind: 'dropped' } | { readonly kind: 'lost' }> {
  return store.transact(async (writer) => {
    const run = await writer.runs.get(runId);
    if (run?.state !== 'queued') return { kind: 'dropped' };
    const startedAt = clock.now();
    const job = await jobToRun(writer, run);
    if (job === null) {
      const end = {
        outcome: 'cancelled' as const,
        reason: 'job_off' as const,
        detail: null,
        endedAt: startedAt,
      };
      await closeQueued(writer, run, end);
      return { kind: 'dropped' };
    }
    const number = run.attemptCount + 1;
    if (!(await writer.runs.begin({ runId, attemptId, number, startedAt }, fence))) return { kind: 'lost' };
    return { kind: 'begun', job, startedAt, order: orderFor(run, job, attemptId, number, startedAt) };
  });
}

/** The job as it was when the run was queued, or null if the run should no longer start. */
export async function jobToRun(reader: Reader, run: Run): Promise<Job | null> {
  const current = await reader.jobs.get(run.jobId);
  if (current === null || current.deletedAt !== null) return null;
  if (!isByHand(run.trigger) && !current.isEnabled) return null;
  return current.revision === run.revision ? current : reader.jobs.atRevision(run.jobId, run.revision);
}

/** Whether a copy was put back after that moment, so that nobody knows what became of what went on then (D4). */
export async function isUnknownSince(reader: Reader, at: Instant): Promise<boolean> {
  const pauses = await reader.pauses.between(at, END_OF_TIME);
  return pauses.some(({ cause }) => cause === 'restored');
}

/** Those of the jobs whose planned runs are not wanted any more. */
export async function jobsOff(reader: Reader, jobIds: readonly JobId[]): Promise<JobId[]> {
  const off: JobId[] = [];
  for (const jobId of jobIds) {
    const job = await reader.jobs.get(jobId);
    if (job === null || job.deletedAt !== null || !job.isEnabled) off.push(jobId);
  }
  return off;
}

const orderFor = (
  run: Run,
  job: Job,
  attemptId: AttemptId,
  attemptNumber: number,
  startedAt: Instant,
): AttemptOrder => ({
  runId: run.id,
  attemptId,
  jobId: job.id,
  jobName: job.name,
  settings: job.settings,
  trigger: run.trigger,
  plannedAt: run.plannedAt,
  attemptNumber,
  lateMs: run.plannedAt === null ? null : Math.max(0, startedAt - run.plannedAt),
});

/** False if the lease is lost. */
export const recordProcess = (
  { store, fence }: AttemptPorts,
  attemptId: AttemptId,
  identity: ProcessIdentity,
): Promise<boolean> =>
  store.transact((writer) => writer.runs.recordProcess(attemptId, identity, fence), FROM_RESERVE);

const SIGNAL_LENGTH_MAX = 40;
/** The clock may have been set back since. */
const END_OF_TIME = toInstant(8_640_000_000_000_000);

export type Finish = {
  readonly runId: RunId;
  readonly attemptId: AttemptId;
  readonly startedAt: Instant;
  readonly end: AttemptEnd;
  readonly stop: StopCause | null;
  /** By the monotonic clock; `by_wall` where nobody of this life saw the beginning; null if the end is unknown. */
  readonly durationMs: number | 'by_wall' | null;
  readonly wasAdopted: boolean;
};

export type Finished =
  | { readonly kind: 'ended' }
  /** Another attempt follows: the run is queued again. */
  | { readonly kind: 'again'; readonly run: Run }
  | { readonly kind: 'lost' };

/** What is to be stored of an end. It says nothing of what follows: that is decided when it is stored. */
export function endOf(finish: Finish): SpilledEnd {
  const { startedAt, runId, attemptId, wasAdopted } = finish;
  const end = sound(finish.end, startedAt);
  const { detail, exitCode, signal, outputBytes } = end;
  // The wall clock may have been set back in between; a duration is never negative (S-48).
  const endedAt = toInstant(Math.max(end.endedAt, startedAt));
  const durationMs = finish.durationMs === 'by_wall' ? endedAt - startedAt : finish.durationMs;
  return {
    runId,
    attemptId,
    ...outcomeOf(end, finish.stop),
    detail,
    exitCode,
    signal,
    endedAt,
    durationMs: durationMs === null ? null : Math.round(durationMs),
    outputBytes,
    wasAdopted,
  };
}

/** Closes the attempt in the caller's transaction, and its run unless another attempt follows. */
export const finishAttempt = (writer: Writer, finish: Finish, fence: Fence): Promise<Finished> =>
  // By the clock at the end: a start that is dated later must not keep others waiting for it.
  closeAttempt(writer, endOf(finish), sound(finish.end, finish.startedAt).endedAt, fence);

/** The same for an end that is known already. `owedAt`: when jobs that run after this one are due. */
export async function closeAttempt(
  writer: Writer,
  end: SpilledEnd,
  owedAt: Instant,
  fence: Fence,
): Promise<Finished> {
  const { runId, attemptId, outcome, reason, exitCode, signal, endedAt } = end;
  const run = await writer.runs.get(runId);
  assert(run !== null, 'an attempt has a run');
  const job = await jobToRun(writer, run);
  const delayMs = job === null ? null : retryDelayMs(end, run, job.policies.retry);
  // What a copy holds as going on may have been tried again since.
  if (delayMs !== null && !(await isUnknownSince(writer, endedAt))) {
    const notBeforeAt = toInstant(endedAt + delayMs);
    const result = { runId, attemptId, outcome, reason, exitCode, signal, endedAt, notBeforeAt };
    if (!(await writer.runs.requeue(result, fence))) return { kind: 'lost' };
    return { kind: 'again', run: { ...run, state: 'queued', notBeforeAt } };
  }
  if (!(await writer.runs.finish(end, fence))) return { kind: 'lost' };
  await oweAfter(writer, run, { outcome, endedAt: owedAt });
  return { kind: 'ended' };
}

/** What cannot be stored is left out: a runner that tells nonsense must not keep its job from being free again. */
function sound(end: AttemptEnd, startedAt: Instant): AttemptEnd {
  return {
    reason: end.reason,
    detail: typeof end.detail === 'string' ? end.detail : null,
    exitCode: Number.isSafeInteger(end.exitCode) ? end.exitCode : null,
    signal: typeof end.signal === 'string' ? end.signal.slice(0, SIGNAL_LENGTH_MAX) : null,
    endedAt: Number.isSafeInteger(end.endedAt) ? end.endedAt : startedAt,
    outputBytes: Number.isSafeInteger(end.outputBytes) ? Math.max(0, end.outputBytes) : 0,
  };
}
