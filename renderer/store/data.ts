/**
 * How much room Belfry takes, and the copies of its store. Measuring reads the whole folder, so nothing is asked before somebody
 * looks.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge, Reply } from '../../shared/ipc/contract';
import type { Backup, BackupId, DataFacts, RescueReport } from '../../shared/model/data';
import type { Failure } from '../../shared/result';
import { type Attention, createRefresher } from './refresh';

export type DataTask = 'copy' | 'check' | 'restore';

export type DataState = {
  /** Somebody looks. */
  readonly isOpen: boolean;
  readonly facts: DataFacts | null;
  /** Newest first; null until the first answer. */
  readonly backups: readonly Backup[] | null;
  readonly failure: Failure | null;
  /** What goes on now. */
  readonly task: DataTask | null;
  /** What putting a copy back has done, until it is closed. */
  readonly report: RescueReport | null;
  open(): void;
  close(): void;
  copy(): Promise<Reply<'backups.create'>>;
  check(): Promise<Reply<'data.check'>>;
  restore(backupId: BackupId): Promise<Reply<'backups.restore'>>;
  reveal(): Promise<Reply<'data.reveal'>>;
  closeReport(): void;
};

export function createDataStore(bridge: Bridge, attention: Attention): StoreApi<DataState> {
  const ask = createRefresher(async () => {
    const [facts, backups] = await Promise.all([
      bridge.request('data.get', undefined),
      bridge.request('backups.list', undefined),
    ]);
    const refused = [facts, backups].find((reply) => !reply.ok);
    store.setState({
      ...(facts.ok ? { facts: facts.value } : {}),
      ...(backups.ok ? { backups: backups.value } : {}),
      failure: refused === undefined || refused.ok ? null : refused.error,
    });
  }, attention);
  const during = async <R>(task: DataTask, work: () => Promise<R>): Promise<R> => {
    store.setState({ task });
    try {
      return await work();
    } finally {
      store.setState({ task: null });
      if (store.getState().isOpen) ask();
    }
  };
  const store: StoreApi<DataState> = createStore<DataState>((set) => ({
    isOpen: false,
    facts: null,
    backups: null,
    failure: null,
    task: null,
    report: null,
    open: () => {
      set({ isOpen: true });
      ask();
    },
    close: () => set({ isOpen: false }),
    copy: () => during('copy', () => bridge.request('backups.create', undefined)),
    check: () =>
      during('check', async () => {
        const reply = await bridge.request('data.check', undefined);
        if (reply.ok) set({ facts: reply.value });
        return reply;
      }),
    restore: (backupId) =>
      during('restore', async () => {
        const reply = await bridge.request('backups.restore', { backupId });
        if (reply.ok) set({ report: reply.value, isOpen: false });
        return reply;
      }),
    reveal: () => bridge.request('data.reveal', undefined),
    closeReport: () => set({ report: null }),
  }));
  bridge.subscribe('data.changed', () => {
    if (store.getState().isOpen) ask();
  });
  return store;
}
