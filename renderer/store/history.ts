/** The history of one job, newest first, in pages. A change re-asks the newest page and keeps the older ones. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge } from '../../shared/ipc/contract';
import { HISTORY_PAGE_MAX } from '../../shared/ipc/contract';
import type { JobId } from '../../shared/model/job';
import type { HistoryEntry } from '../../shared/model/run';
import type { Failure } from '../../shared/result';
import { type Attention, createRefresher, reuse } from './refresh';

export type HistoryState = {
  readonly jobId: JobId | null;
  /** null until the first answer about `jobId`. */
  readonly entries: readonly HistoryEntry[] | null;
  /** Where the next older page begins; null at the end. */
  readonly next: string | null;
  readonly isLoadingMore: boolean;
  readonly failure: Failure | null;
  open(jobId: JobId | null): void;
  more(): Promise<void>;
  refresh(): void;
};

/** What makes two entries the same line of history. */
export const entryKey = (entry: HistoryEntry): string =>
  entry.entry === 'run'
    ? entry.run.id
    : `${entry.decision.scheduleId} ${entry.decision.plannedAt} ${entry.decision.reason}`;

/** The newest page on top of what was already there below it. */
function joined(
  newest: readonly HistoryEntry[],
  before: readonly HistoryEntry[] | null,
): { readonly entries: readonly HistoryEntry[]; readonly hasOlder: boolean } {
  const last = newest.at(-1);
  if (before === null || last === undefined) return { entries: newest, hasOlder: false };
  const at = before.findIndex((entry) => entryKey(entry) === entryKey(last));
  const older = at < 0 ? [] : before.slice(at + 1);
  return { entries: [...reuse(before, newest, entryKey), ...older], hasOlder: older.length > 0 };
}

export function createHistoryStore(bridge: Bridge, attention: Attention): StoreApi<HistoryState> {
  const ask = createRefresher(async () => {
    const { jobId } = store.getState();
    if (jobId === null) return;
    const reply = await bridge.request('runs.history', { jobId, limit: HISTORY_PAGE_MAX });
    const state = store.getState();
    if (state.jobId !== jobId) return;
    if (!reply.ok) {
      store.setState({ failure: reply.error });
      return;
    }
    const { entries, hasOlder } = joined(reply.value.entries, state.entries);
    store.setState({ entries, next: hasOlder ? state.next : reply.value.next, failure: null });
  }, attention);
  const more = async (): Promise<void> => {
    const { jobId, next, entries, isLoadingMore } = store.getState();
    if (jobId === null || next === null || entries === null || isLoadingMore) return;
    store.setState({ isLoadingMore: true });
    const reply = await bridge.request('runs.history', { jobId, after: next, limit: HISTORY_PAGE_MAX });
    store.setState((state) => {
      if (state.jobId !== jobId || state.next !== next) return { isLoadingMore: false };
      if (!reply.ok) return { isLoadingMore: false, failure: reply.error };
      return {
        isLoadingMore: false,
        entries: [...(state.entries ?? []), ...reply.value.entries],
        next: reply.value.next,
      };
    });
  };
  const store: StoreApi<HistoryState> = createStore<HistoryState>((set, get) => ({
    jobId: null,
    entries: null,
    next: null,
    isLoadingMore: false,
    failure: null,
    open: (jobId) => {
      if (jobId === get().jobId) return;
      set({ jobId, entries: null, next: null, failure: null });
      ask();
    },
    more,
    refresh: ask,
  }));
  bridge.subscribe('runs.changed', ({ jobId }) => {
    if (jobId === store.getState().jobId) ask();
  });
  bridge.subscribe('jobs.changed', ({ jobId }) => {
    // null: perhaps another store lies there now.
    if (jobId === null || jobId === store.getState().jobId) ask();
  });
  return store;
}
