/** Runs that a person starts, stops or looks at. A manual run claims no occurrence and moves no schedule (X-64, C-074). */

import type { Job, JobId } from '../../shared/model/job';
import { type Attempt, type Run, RunId, type Trigger } from '../../shared/model/run';
import { type EngineState, HOLDER_UNREACHABLE } from '../../shared/model/settings';
import { assertNever, fail, ok, type Result } from '../../shared/result';
import { isHeldBy } from '../core/lease';
import { isByHand } from '../core/pool';
import type { Store } from '../ports/store';
import type { Clock, Ids } from '../ports/world';
import { refuseAbsent } from './absentJob';
import type { IfActive } from './engine';
import type { Leadership } from './leadership';
import { emptyRun } from './ledger';

/** Runs of one job that a person has queued behind others. */
export const QUEUED_BY_HAND_MAX = 10;

export type RunPorts = { readonly clock: Clock; readonly ids: Ids; readonly store: Store };

export type RunSurroundings = {
  readonly leading: () => Leadership | null;
  readonly role: () => EngineState;
};

export interface Runs {
  start(jobId: JobId, trigger: Trigger, ifActive?: IfActive): Promise<Result<Run>>;
  startNow(runId: RunId): Promise<Result<undefined>>;
  attempts(runId: RunId): Promise<Result<Attempt[]>>;
  stop(runId: RunId): Promise<Result<undefined>>;
  get(runId: RunId): Promise<Result<Run>>;
}

const elsewhere = (role: EngineState): Result<never> =>
  role === 'standby'
    ? fail('unavailable', HOLDER_UNREACHABLE)
    : fail('unavailable', 'Belfry is not running your jobs at the moment. Try again shortly.');

const noSuchRun = (): Result<never> => fail('not_found', 'This run does not exist any more.');

export function createRuns({ clock, ids, store }: RunPorts, { leading, role }: RunSurroundings): Runs {
  const find = (runId: RunId): Promise<Run | null> => store.read((reader) => reader.runs.get(runId));
  return {
    async start(jobId, trigger, ifActive = 'refuse') {
      const leadership = leading();
      if (leadership === null || !leadership.isReady()) return elsewhere(role());
      const made = await store.transact(async (writer): Promise<Result<Made>> => {
        if (!isHeldBy(await writer.leases.get(), leadership.fence)) return elsewhere('standby');
        const job = await writer.jobs.get(jobId);
        if (job === null || job.deletedAt !== null) return refuseAbsent(writer, jobId);
        const active = (await writer.runs.isActive(jobId)) ? await writer.runs.activeOf(jobId) : [];
        const refusal = refusalOf(job, active, ifActive);
        if (refusal !== null) return fail('busy', refusal);
        const run = emptyRun(job, RunId.parse(ids.next()), trigger, clock.now());
        await writer.runs.insert(run);
        return ok({ run, job, active });
      });
      if (!made.ok) return made;
      const { run, job, active } = made.value;
      // It waits behind the others in any case, so nothing is lost if one of them cannot be stopped.
      leadership.started(run, job);
      if (ifActive === 'replace') {
        for (const { id } of active) await leadership.dispatcher.stop(id, 'replaced');
      }
      return ok(run);
    },
    async startNow(runId) {
      if (await leading()?.dispatcher.startNow(runId)) return ok(undefined);
      const run = await find(runId);
      if (run === null) return noSuchRun();
      if (run.state === 'running') return fail('conflict', 'This run has already started.');
      return run.state === 'finished' ? fail('conflict', 'This run has already ended.') : elsewhere(role());
    },
    async attempts(runId) {
      return ok(await store.read((reader) => reader.runs.attempts(runId)));
    },
    async stop(runId) {
      if (await leading()?.dispatcher.stop(runId, 'user')) return ok(undefined);
      const run = await find(runId);
      if (run === null) return noSuchRun();
      return run.state === 'finished' ? fail('conflict', 'This run has already ended.') : elsewhere(role());
    },
    async get(runId) {
      const run = await find(runId);
      return run === null ? noSuchRun() : ok(run);
    },
  };
}

type Made = { readonly run: Run; readonly job: Job; readonly active: readonly Run[] };

/** Why a start by hand is refused while those runs of the job are queued or go on, or null if it is not. */
function refusalOf(job: Job, active: readonly Run[], ifActive: IfActive): string | null {
  if (active.length === 0) return null;
  switch (ifActive) {
    case 'refuse':
      return 'This job is already running. Stop it first, or wait until it ends.';
    case 'queue': {
      const waitingCount = active.filter(
        ({ state, trigger }) => state === 'queued' && isByHand(trigger),
      ).length;
      return waitingCount < QUEUED_BY_HAND_MAX
        ? null
        : `${QUEUED_BY_HAND_MAX} runs of this job that you started are waiting already.`;
    }
    case 'replace':
      return null;
    case 'beside': {
      const { mode, countMax } = job.policies.overlap;
      if (mode !== 'allow')
        return 'This job does not allow several runs at once. Change that under Overlap first.';
      return active.length < countMax
        ? null
        : 'As many runs of this job are going on as it allows at once. Stop one first, or wait until one ends.';
    }
    default:
      return assertNever(ifActive);
  }
}
