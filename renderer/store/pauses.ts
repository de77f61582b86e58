/** The pauses that hold now, and how one begins and ends. The engine says which jobs they hold; here they are only listed. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge, Input, Reply } from '../../shared/ipc/contract';
import type { Pause, PauseId } from '../../shared/model/pause';
import type { Failure } from '../../shared/result';
import { type Attention, createRefresher, reuse } from './refresh';

export type PausesState = {
  /** Newest first; empty until the first answer. */
  readonly pauses: readonly Pause[];
  start(input: Input<'pauses.start'>): Promise<Reply<'pauses.start'>>;
  /** Ends these, and says why one of them could not be ended. One that has ended already is no failure. */
  end(pauseIds: readonly PauseId[]): Promise<Failure | null>;
};

export function createPausesStore(bridge: Bridge, attention: Attention): StoreApi<PausesState> {
  const ask = createRefresher(async () => {
    const reply = await bridge.request('pauses.list', undefined);
    if (!reply.ok) return;
    store.setState(({ pauses }) => ({ pauses: reuse(pauses, reply.value, ({ id }) => id) }));
  }, attention);
  const store: StoreApi<PausesState> = createStore<PausesState>(() => ({
    pauses: [],
    start: async (input) => {
      const reply = await bridge.request('pauses.start', input);
      ask();
      return reply;
    },
    end: async (pauseIds) => {
      const replies = await Promise.all(pauseIds.map((pauseId) => bridge.request('pauses.end', { pauseId })));
      ask();
      const refused = replies.flatMap((reply) => (reply.ok ? [] : [reply.error]));
      return refused.find(({ code }) => code !== 'not_found') ?? null;
    },
  }));
  bridge.subscribe('status.changed', ask);
  bridge.subscribe('jobs.changed', ask);
  ask();
  return store;
}
