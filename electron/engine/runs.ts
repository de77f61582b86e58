/** Runs that a person starts, stops or looks at. A manual run claims no occurrence and moves no schedule (X-64, C-074). */

import type { JobId } from '../../shared/model/job';
import { type Attempt, type Run, RunId, type Trigger } from '../../shared/model/run';
import type { EngineState } from '../../shared/model/settings';
import { fail, ok, type Result } from '../../shared/result';
import { isHeldBy } from '../core/lease';
import type { Store } from '../ports/store';
import type { Clock, Ids } from '../ports/world';
import type { IfActive } from './engine';
import type { Leadership } from './leadership';
import { emptyRun } from './ledger';

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
    ? fail('unavailable', 'Another Belfry process runs your jobs, and it cannot be reached.')
    : fail('unavailable', 'Belfry is not running your jobs at the moment. Try again shortly.');

const noSuchRun = (): Result<never> => fail('not_found', 'This run does not exist any more.');

export function createRuns({ clock, ids, store }: RunPorts, { leading, role }: RunSurroundings): Runs {
  const find = (runId: RunId): Promise<Run | null> => store.read((reader) => reader.runs.get(runId));
  return {
    async start(jobId, trigger) {
      const leadership = leading();
      if (leadership === null || !leadership.isReady()) return elsewhere(role());
      const made = await store.transact(async (writer): Promise<Result<Run>> => {
        if (!isHeldBy(await writer.leases.get(), leadership.fence)) return elsewhere('standby');
        const job = await writer.jobs.get(jobId);
        if (job === null || job.deletedAt !== null)
          return fail('not_found', 'This job does not exist any more.');
        if (await writer.runs.isActive(jobId)) {
          return fail('busy', 'This job is already running. Stop it first, or wait until it ends.');
        }
        const run = emptyRun(job, RunId.parse(ids.next()), trigger, clock.now());
        await writer.runs.insert(run);
        return ok(run);
      });
      if (made.ok) leadership.started(made.value);
      return made;
    },
    startNow: async () => fail('unsupported', 'Belfry cannot do this yet.'),
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
