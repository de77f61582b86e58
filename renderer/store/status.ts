/** What the engine is doing as a whole: the heartbeat, pauses, and trouble that concerns every job. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge, Reply } from '../../shared/ipc/contract';
import type { SchedulerStatus } from '../../shared/model/settings';
import type { Failure } from '../../shared/result';
import { type Attention, createRefresher } from './refresh';

export type StatusState = {
  /** null until the first answer. */
  readonly status: SchedulerStatus | null;
  readonly failure: Failure | null;
  /** The user has asked for it, and waits. */
  readonly isTakingOver: boolean;
  setPaused(isPaused: boolean): Promise<Reply<'engine.setPaused'>>;
  /** Asks the process that runs the jobs to let go of them. */
  takeOver(): Promise<Reply<'engine.takeOver'>>;
  refresh(): void;
};

export function createStatusStore(bridge: Bridge, attention: Attention): StoreApi<StatusState> {
  const ask = createRefresher(async () => {
    const reply = await bridge.request('engine.status', undefined);
    store.setState(reply.ok ? { status: reply.value, failure: null } : { failure: reply.error });
  }, attention);
  const store: StoreApi<StatusState> = createStore<StatusState>(() => ({
    status: null,
    failure: null,
    isTakingOver: false,
    setPaused: async (isPaused) => {
      const reply = await bridge.request('engine.setPaused', { isPaused });
      if (reply.ok) store.setState({ status: reply.value });
      return reply;
    },
    takeOver: async () => {
      store.setState({ isTakingOver: true });
      const reply = await bridge.request('engine.takeOver', undefined);
      store.setState({ isTakingOver: false, ...(reply.ok ? { status: reply.value } : {}) });
      return reply;
    },
    refresh: ask,
  }));
  bridge.subscribe('status.changed', ask);
  bridge.subscribe('runs.changed', ask);
  ask();
  return store;
}
