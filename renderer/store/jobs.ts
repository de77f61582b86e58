/** The list of all jobs and what can be done to one of them. Holds what the engine said, never a copy changed in advance. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge, Reply } from '../../shared/ipc/contract';
import type { JobId, JobRow } from '../../shared/model/job';
import type { RunId } from '../../shared/model/run';
import type { Failure } from '../../shared/result';
import { type Attention, createRefresher, reuse } from './refresh';

export type JobsState = {
  /** null until the first answer. */
  readonly rows: readonly JobRow[] | null;
  readonly failure: Failure | null;
  refresh(): void;
  setEnabled(jobId: JobId, isEnabled: boolean): Promise<Reply<'jobs.setEnabled'>>;
  duplicate(jobId: JobId): Promise<Reply<'jobs.duplicate'>>;
  /** `stopRun`: a run that is going on is stopped as well; without it the answer is `busy`. */
  remove(jobId: JobId, stopRun: boolean): Promise<Reply<'jobs.delete'>>;
  restore(jobId: JobId): Promise<Reply<'jobs.restore'>>;
  markSeen(jobId: JobId): Promise<Reply<'jobs.markSeen'>>;
  start(jobId: JobId): Promise<Reply<'runs.start'>>;
  stop(runId: RunId): Promise<Reply<'runs.stop'>>;
  /** The run that is going on now, if there is one. */
  activeRun(jobId: JobId): Promise<RunId | null>;
};

export function createJobsStore(bridge: Bridge, attention: Attention): StoreApi<JobsState> {
  const ask = createRefresher(async () => {
    const reply = await bridge.request('jobs.list', undefined);
    if (!reply.ok) store.setState({ failure: reply.error });
    else
      store.setState((state) => ({
        rows: reuse(state.rows, reply.value, (row) => row.id),
        failure: null,
      }));
  }, attention);
  const store: StoreApi<JobsState> = createStore<JobsState>(() => ({
    rows: null,
    failure: null,
    refresh: ask,
    setEnabled: (jobId, isEnabled) => bridge.request('jobs.setEnabled', { jobId, isEnabled }),
    duplicate: (jobId) => bridge.request('jobs.duplicate', { jobId }),
    remove: (jobId, stopRun) => bridge.request('jobs.delete', { jobId, stopRun }),
    restore: (jobId) => bridge.request('jobs.restore', { jobId }),
    markSeen: (jobId) => bridge.request('jobs.markSeen', { jobId }),
    start: (jobId) => bridge.request('runs.start', { jobId }),
    stop: (runId) => bridge.request('runs.stop', { runId }),
    activeRun: async (jobId) => {
      const reply = await bridge.request('jobs.get', { jobId });
      return reply.ok ? (reply.value.activeRun?.id ?? null) : null;
    },
  }));
  bridge.subscribe('jobs.changed', ask);
  bridge.subscribe('runs.changed', ask);
  ask();
  return store;
}
