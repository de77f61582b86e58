/** One job in full, for the detail pane. An answer about another job than the one that is open now is dropped. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge, JobDetail } from '../../shared/ipc/contract';
import type { JobId } from '../../shared/model/job';
import type { Failure } from '../../shared/result';
import { type Attention, createRefresher } from './refresh';

export type JobState = {
  readonly jobId: JobId | null;
  /** null until the first answer about `jobId`. */
  readonly detail: JobDetail | null;
  readonly failure: Failure | null;
  open(jobId: JobId | null): void;
  refresh(): void;
};

export function createJobStore(bridge: Bridge, attention: Attention): StoreApi<JobState> {
  const ask = createRefresher(async () => {
    const { jobId } = store.getState();
    if (jobId === null) return;
    const reply = await bridge.request('jobs.get', { jobId });
    if (store.getState().jobId !== jobId) return;
    store.setState(reply.ok ? { detail: reply.value, failure: null } : { failure: reply.error });
  }, attention);
  const store: StoreApi<JobState> = createStore<JobState>((set, get) => ({
    jobId: null,
    detail: null,
    failure: null,
    open: (jobId) => {
      if (jobId === get().jobId) return;
      set({ jobId, detail: null, failure: null });
      ask();
    },
    refresh: ask,
  }));
  bridge.subscribe('jobs.changed', ({ jobId }) => {
    if (jobId === null || jobId === store.getState().jobId) ask();
  });
  bridge.subscribe('runs.changed', ({ jobId }) => {
    if (jobId === store.getState().jobId) ask();
  });
  return store;
}
