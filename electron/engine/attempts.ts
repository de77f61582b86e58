/**
 * What is written about an attempt: its beginning before anything is spawned (D4, S-42), its process, its end. Every write
 * carries the fence; `lost` means that it no longer holds and nothing was written.
 */

import type { Job } from '../../shared/model/job';
import type { AttemptId, Run, RunId } from '../../shared/model/run';
import { type Instant, toInstant } from '../../shared/time';
import type { Fence } from '../core/lease';
import { outcomeOf, type StopCause } from '../core/runs';
import type { AttemptEnd, AttemptOrder, ProcessIdentity } from '../ports/running';
import type { Store, Writer } from '../ports/store';
import type { Clock } from '../ports/world';

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
      await writer.runs.closeQueued(runId, end);
      return { kind: 'dropped' };
    }
    const number = run.attemptCount + 1;
    if (!(await writer.runs.begin({ runId, attemptId, number, startedAt }, fence))) return { kind: 'lost' };
    return { kind: 'begun', job, startedAt, order: orderFor(run, job, attemptId, number, startedAt) };
  });
}

/** The job as it was when the run was queued, or null if the run should no longer start. */
async function jobToRun(writer: Writer, run: Run): Promise<Job | null> {
  const current = await writer.jobs.get(run.jobId);
  if (current === null || current.deletedAt !== null) return null;
  const isPlanned = run.scheduleId !== null;
  if (isPlanned && !current.isEnabled) return null;
  return current.revision === run.revision ? current : writer.jobs.atRevision(run.jobId, run.revision);
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
): Promise<boolean> => store.transact((writer) => writer.runs.recordProcess(attemptId, identity, fence));

const SIGNAL_LENGTH_MAX = 40;

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

/** Closes the attempt and its run in the caller's transaction. False if the lease is lost. */
export function finishAttempt(writer: Writer, finish: Finish, fence: Fence): Promise<boolean> {
  const { startedAt } = finish;
  const end = sound(finish.end, startedAt);
  // The wall clock may have been set back in between; a duration is never negative (S-48).
  const endedAt = toInstant(Math.max(end.endedAt, startedAt));
  const durationMs = finish.durationMs === 'by_wall' ? endedAt - startedAt : finish.durationMs;
  return writer.runs.finish(
    {
      runId: finish.runId,
      attemptId: finish.attemptId,
      ...outcomeOf(end, finish.stop),
      detail: end.detail,
      exitCode: end.exitCode,
      signal: end.signal,
      endedAt,
      durationMs: durationMs === null ? null : Math.round(durationMs),
      outputBytes: end.outputBytes,
      wasAdopted: finish.wasAdopted,
    },
    fence,
  );
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
