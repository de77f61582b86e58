/**
 * Every change to a job that a person can ask for. What is due is decided before a definition changes, so that an edit
 * neither fires nor loses anything (D3, X-15); the answer comes after the change took effect (H-75).
 */

import { JOBS_MAX, type Job, type JobId } from '../../shared/model/job';
import type { Run, RunId } from '../../shared/model/run';
import { HOLDER_UNREACHABLE } from '../../shared/model/settings';
import { fail, ok, type Result } from '../../shared/result';
import type { Instant } from '../../shared/time';
import { creationOccurrence } from '../core/creation';
import type { Store, Writer } from '../ports/store';
import type { Announce, Clock, Host, Ids } from '../ports/world';
import { noSuchJob, refuseAbsent } from './absentJob';
import { chainMistakes, refuseRestoring } from './chains';
import type { SaveJob } from './engine';
import { copiedJob, editedJob, newJob } from './jobDefinitions';

export type JobPorts = {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly host: Host;
  readonly store: Store;
  readonly announce: Announce;
};

/** What the changes need of the engine around them. All of it does nothing while another process runs the jobs. */
export type JobSurroundings = {
  /** Decides what is due now. */
  readonly settle: () => Promise<void>;
  readonly edited: (jobId: JobId, change: { readonly before: number; readonly after: number }) => void;
  /** This engine runs the jobs, so it is the one that can stop their runs. */
  readonly canStop: () => boolean;
  /** Stops a run of this engine; false if it is none. */
  readonly stopRun: (runId: RunId) => Promise<boolean>;
};

export interface Jobs {
  save(input: SaveJob): Promise<Result<Job>>;
  setEnabled(input: { readonly jobId: JobId; readonly isEnabled: boolean }): Promise<Result<Job>>;
  duplicate(jobId: JobId): Promise<Result<Job>>;
  delete(input: { readonly jobId: JobId; readonly stopRun: boolean }): Promise<Result<undefined>>;
  restore(jobId: JobId): Promise<Result<Job | null>>;
  markSeen(jobId: JobId): Promise<Result<undefined>>;
}

const changedElsewhere = (): Result<never> =>
  fail('conflict', 'This job was changed elsewhere since you opened it.');
const tooMany = (): Result<never> =>
  fail('invalid_input', `Belfry holds at most ${JOBS_MAX} jobs. Delete one first.`);

export function createJobs(ports: JobPorts, surroundings: JobSurroundings): Jobs {
  const { clock, ids, host, store, announce } = ports;

  /** Runs one change in one transaction, and answers once the scheduler has heard of it. */
  const change = async <T extends Pick<Job, 'id'>>(
    work: (writer: Writer) => Promise<Result<T>>,
  ): Promise<Result<T>> => {
    await surroundings.settle();
    const { result, before, after } = await store.transact(async (writer) => ({
      before: await writer.jobs.changeNumber(),
      result: await work(writer),
      after: await writer.jobs.changeNumber(),
    }));
    if (!result.ok || before === after) return result;
    surroundings.edited(result.value.id, { before, after });
    await surroundings.settle();
    announce('jobs.changed', { jobId: result.value.id });
    announce('status.changed', {});
    return result;
  };
  const definitionPorts = () => ({ ids, hostZone: host.zone(), now: clock.now() });

  const save = (input: SaveJob): Promise<Result<Job>> =>
    change(async (writer) => {
      const rules = input.draft.schedules.map(({ rule }) => rule);
      if (input.jobId === undefined) {
        const chains = await chainMistakes(writer, rules, null);
        return insert(writer, newJob(input.draft, definitionPorts(), chains), host.zone());
      }
      const before = await presentJob(writer, input.jobId);
      if (before === null) return refuseAbsent(writer, input.jobId);
      if (input.revision !== undefined && input.revision !== before.revision) return changedElsewhere();
      const chains = await chainMistakes(writer, rules, before);
      const job = editedJob(before, input.draft, definitionPorts(), chains);
      if (!job.ok) return job;
      if (!(await writer.jobs.update(job.value))) return changedElsewhere();
      await leaveNewDaysUndone(writer, before, job.value);
      return job;
    });

  return {
    save,
    setEnabled: ({ jobId, isEnabled }) =>
      change(async (writer) => {
        const before = await presentJob(writer, jobId);
        if (before === null) return refuseAbsent(writer, jobId);
        if (before.isEnabled === isEnabled) return ok(before);
        const job: Job = {
          ...before,
          isEnabled,
          disabledReason: isEnabled ? null : 'user',
          revision: before.revision + 1,
          updatedAt: clock.now(),
        };
        return (await writer.jobs.update(job)) ? ok(job) : changedElsewhere();
      }),
    duplicate: (jobId) =>
      change(async (writer) => {
        const job = await presentJob(writer, jobId);
        if (job === null) return refuseAbsent(writer, jobId);
        return insert(writer, ok(copiedJob(job, definitionPorts())), host.zone());
      }),
    async delete({ jobId, stopRun }) {
      let active: RunId[] = [];
      const deleted = await change(async (writer) => {
        const runs = await writer.runs.activeOf(jobId);
        active = runs.map(({ id }) => id);
        const refusal = refuseDeleting(runs, { stopRun, canStop: surroundings.canStop() });
        if (refusal !== null) return refusal;
        return (await setDeleted(writer, jobId, clock.now())) ? ok({ id: jobId }) : noSuchJob();
      });
      if (!deleted.ok) return deleted;
      for (const runId of active) await surroundings.stopRun(runId);
      return ok(undefined);
    },
    async restore(jobId) {
      const restored = await change((writer) => restoreDeleted(writer, jobId, clock.now()));
      return restored.ok ? ok(restored.value.job) : restored;
    },
    async markSeen(jobId) {
      await store.transact((writer) => writer.jobs.setSeen(jobId, clock.now()));
      announce('jobs.changed', { jobId });
      announce('status.changed', {});
      return ok(undefined);
    },
  };
}

/** Why a job with these active runs is not deleted now, or null. */
function refuseDeleting(
  active: readonly Run[],
  { stopRun, canStop }: { readonly stopRun: boolean; readonly canStop: boolean },
): Result<never> | null {
  if (active.length > 0 && !stopRun) {
    return fail('busy', 'This job is running. Stop it too, or delete it after it ends.');
  }
  // What only waits is closed by whoever runs the jobs when it hears of this.
  const isRunning = active.some(({ state }) => state === 'running');
  return isRunning && !canStop ? fail('unavailable', HOLDER_UNREACHABLE) : null;
}

type Restored = { readonly id: JobId; readonly job: Job | null };

/** One that cannot be read comes back as it was: without a revision of its own it is off, so nothing of it is owed. */
async function restoreDeleted(writer: Writer, jobId: JobId, now: Instant): Promise<Result<Restored>> {
  const deleted = await writer.jobs.get(jobId);
  const { deletedAt } = deleted ?? (await writer.jobs.unreadable(jobId)) ?? { deletedAt: null };
  if (deletedAt === null) return noSuchJob();
  if ((await writer.jobs.count()) >= JOBS_MAX) return tooMany();
  const refusal = deleted && (await refuseRestoring(writer, deleted));
  if (refusal !== null) return refusal;
  await writer.jobs.restore(jobId, now);
  if (deleted === null) return ok({ id: jobId, job: null });
  // A revision of its own says since when the job is on again: nothing older is owed, whatever the clock was (D3).
  const job: Job = { ...deleted, deletedAt: null, revision: deleted.revision + 1, updatedAt: now };
  return (await writer.jobs.update(job)) ? ok({ id: jobId, job }) : changedElsewhere();
}

/** Its own pauses end with it. False if there is no such job. */
async function setDeleted(writer: Writer, jobId: JobId, now: Instant): Promise<boolean> {
  for (const { id, scope } of await writer.pauses.at(now)) {
    if (scope.kind === 'job' && scope.jobId === jobId) await writer.pauses.end(id, now);
  }
  return writer.jobs.setDeleted(jobId, now);
}

/** The job unless it is deleted. */
async function presentJob(writer: Writer, jobId: JobId): Promise<Job | null> {
  const job = await writer.jobs.get(jobId);
  return job === null || job.deletedAt !== null ? null : job;
}

/**
 * Days that were none of the job's until now were decided by nobody; the watermark lies before them. They are not made up, like
 * anything older than an edit (D3).
 */
async function leaveNewDaysUndone(writer: Writer, before: Job, job: Job): Promise<void> {
  if (JSON.stringify(before.dates) === JSON.stringify(job.dates)) return;
  for (const { id } of job.schedules) await writer.schedules.setWatermark(id, job.updatedAt);
}

async function insert(writer: Writer, made: Result<Job>, hostZone: string): Promise<Result<Job>> {
  if (!made.ok) return made;
  const job = made.value;
  if ((await writer.jobs.count()) >= JOBS_MAX) {
    return tooMany();
  }
  await writer.jobs.insert(job);
  for (const { id, rule } of job.isEnabled ? job.schedules : []) {
    const at = creationOccurrence(rule, job.createdAt, { hostZone, dates: job.dates });
    if (at !== null) await writer.schedules.addPending(id, { at, trigger: 'creation', sourceRunId: null });
  }
  return made;
}
