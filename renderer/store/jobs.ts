/** The list of all jobs and what can be done to one of them. Holds what the engine said, never a copy changed in advance. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge, Reply } from '../../shared/ipc/contract';
import type { JobId, JobRow } from '../../shared/model/job';
import type { RunId } from '../../shared/model/run';
import type { Failure } from '../../shared/result';
import { type Attention, createPacedRefresher, REST_MS, reuse } from './refresh';

/** From this many rows on the whole list is too dear to be asked for ten times in a second. */
const LONG_LIST_ROWS = 500;
/** While many runs begin and end, a long list is renewed this often, unless the user has done something to it. */
export const LONG_LIST_REST_MS = 1_000;

export type IfActive = 'queue' | 'replace' | 'beside';

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
  /** `ifActive`: what happens if a run of it goes on; without it the answer is `busy` then. */
  start(jobId: JobId, ifActive?: IfActive): Promise<Reply<'runs.start'>>;
  startNow(runId: RunId): Promise<Reply<'runs.startNow'>>;
  checkAndResume(jobId: JobId): Promise<Reply<'jobs.checkAndResume'>>;
  /** Whether its policy allows several runs at once. */
  mayRunBeside(jobId: JobId): Promise<boolean>;
  stop(runId: RunId): Promise<Reply<'runs.stop'>>;
  /** The run that is going on now, if there is one. */
  activeRun(jobId: JobId): Promise<RunId | null>;
};

export function createJobsStore(bridge: Bridge, attention: Attention): StoreApi<JobsState> {
  const isLong = (): boolean => (store.getState().rows?.length ?? 0) >= LONG_LIST_ROWS;
  const work = async (): Promise<void> => {
    const reply = await bridge.request('jobs.list', undefined);
    if (!reply.ok) store.setState({ failure: reply.error });
    else
      store.setState((state) => ({
        rows: reuse(state.rows, reply.value, (row) => row.id),
        failure: null,
      }));
  };
  const { ask, askNow } = createPacedRefresher(work, attention, () =>
    isLong() ? LONG_LIST_REST_MS : REST_MS,
  );
  /** What the user did is seen at once. */
  const seen = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    const reply = await answer;
    askNow();
    return reply;
  };
  const store: StoreApi<JobsState> = createStore<JobsState>(() => ({
    rows: null,
    failure: null,
    refresh: askNow,
    setEnabled: (jobId, isEnabled) => seen(bridge.request('jobs.setEnabled', { jobId, isEnabled })),
    duplicate: (jobId) => seen(bridge.request('jobs.duplicate', { jobId })),
    remove: (jobId, stopRun) => seen(bridge.request('jobs.delete', { jobId, stopRun })),
    restore: (jobId) => seen(bridge.request('jobs.restore', { jobId })),
    markSeen: (jobId) => seen(bridge.request('jobs.markSeen', { jobId })),
    start: (jobId, ifActive) =>
      seen(bridge.request('runs.start', { jobId, ...(ifActive === undefined ? {} : { ifActive }) })),
    startNow: (runId) => seen(bridge.request('runs.startNow', { runId })),
    checkAndResume: (jobId) => seen(bridge.request('jobs.checkAndResume', { jobId })),
    mayRunBeside: async (jobId) => {
      const reply = await bridge.request('jobs.get', { jobId });
      return reply.ok && reply.value.job.policies.overlap.mode === 'allow';
    },
    stop: (runId) => seen(bridge.request('runs.stop', { runId })),
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
