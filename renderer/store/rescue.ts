/**
 * The way out when the store could not be opened: what is wrong, and one thing at a time that is done about it. What was done is
 * kept as a report until somebody has read it, although the store is open by then.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge, Input, Output, Reply } from '../../shared/ipc/contract';
import type { RescueState as Refused, RescueReport } from '../../shared/model/data';
import type { Failure } from '../../shared/result';
import { type Attention, createRefresher } from './refresh';

export type RescueTask = 'retry' | 'act' | 'export';

export type RescueState = {
  /** null while the store is open, and until the first answer. */
  readonly refused: Refused | null;
  /** What goes on now. */
  readonly task: RescueTask | null;
  /** Why the last thing that was tried did not work. */
  readonly failure: Failure | null;
  /** What was done, until it is closed. */
  readonly report: RescueReport | null;
  /** Says whether the store is open now. */
  retry(): Promise<boolean>;
  act(what: Input<'rescue.act'>): Promise<void>;
  cancelRepair(): Promise<void>;
  /** What was written, or null if nothing was. */
  saveReadable(): Promise<Output<'rescue.export'>>;
  reveal(): Promise<void>;
  quit(): Promise<void>;
  closeReport(): void;
};

export function createRescueStore(bridge: Bridge, attention: Attention): StoreApi<RescueState> {
  const ask = createRefresher(async () => {
    const reply = await bridge.request('rescue.get', undefined);
    if (reply.ok) store.setState({ refused: reply.value });
  }, attention);

  /** One at a time; what it could not do is kept for the view. */
  const during = async <T>(task: RescueTask, work: () => Promise<T>, otherwise: T): Promise<T> => {
    if (store.getState().task !== null) return otherwise;
    store.setState({ task, failure: null });
    try {
      return await work();
    } finally {
      store.setState({ task: null });
    }
  };
  const told = <T extends Reply<'app.quit'> | Reply<'rescue.act'> | Reply<'rescue.export'>>(reply: T): T => {
    if (!reply.ok) store.setState({ failure: reply.error });
    return reply;
  };

  const store: StoreApi<RescueState> = createStore<RescueState>((set) => ({
    refused: null,
    task: null,
    failure: null,
    report: null,
    retry: () =>
      during(
        'retry',
        async () => {
          const reply = await bridge.request('rescue.retry', undefined);
          set(reply.ok ? { refused: reply.value } : { failure: reply.error });
          return reply.ok && reply.value === null;
        },
        false,
      ),
    act: (what) =>
      during(
        'act',
        async () => {
          const reply = told(await bridge.request('rescue.act', what));
          if (reply.ok) set({ report: reply.value, refused: null });
          else ask();
        },
        undefined,
      ),
    cancelRepair: async () => void told(await bridge.request('rescue.cancelRepair', undefined)),
    saveReadable: () =>
      during(
        'export',
        async () => {
          const reply = told(await bridge.request('rescue.export', undefined));
          return reply.ok ? reply.value : null;
        },
        null,
      ),
    reveal: async () => void told(await bridge.request('data.reveal', undefined)),
    quit: async () => void told(await bridge.request('app.quit', undefined)),
    closeReport: () => set({ report: null }),
  }));
  bridge.subscribe('status.changed', ask);
  bridge.subscribe('data.changed', ask);
  ask();
  return store;
}
