/** The attempts of the runs whose rows are unfolded. They are asked for again whenever their run changes. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge } from '../../shared/ipc/contract';
import type { Attempt, RunId } from '../../shared/model/run';

export type AttemptsState = {
  /** Of each unfolded run, oldest first; empty until the first answer. */
  readonly byRun: ReadonlyMap<RunId, readonly Attempt[]>;
  toggle(runId: RunId): void;
};

export function createAttemptsStore(bridge: Bridge): StoreApi<AttemptsState> {
  const ask = async (runId: RunId): Promise<void> => {
    const reply = await bridge.request('runs.attempts', { runId });
    const { byRun } = store.getState();
    if (!reply.ok || !byRun.has(runId)) return;
    store.setState({ byRun: new Map(byRun).set(runId, reply.value) });
  };
  const store: StoreApi<AttemptsState> = createStore<AttemptsState>((set, get) => ({
    byRun: new Map(),
    toggle: (runId) => {
      const byRun = new Map(get().byRun);
      if (byRun.delete(runId)) {
        set({ byRun });
        return;
      }
      set({ byRun: byRun.set(runId, []) });
      void ask(runId);
    },
  }));
  bridge.subscribe('runs.changed', ({ runId }) => {
    if (store.getState().byRun.has(runId)) void ask(runId);
  });
  return store;
}
