/** "Why did it run, or not?": one question about one job and one moment, and the engine's answer to it. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge } from '../../shared/ipc/contract';
import type { Explanation } from '../../shared/model/explanation';
import type { JobId } from '../../shared/model/job';
import type { Failure } from '../../shared/result';
import type { Instant } from '../../shared/time';

export type WhyState = {
  /** The job that is asked about; null while nothing is. */
  readonly jobId: JobId | null;
  readonly name: string;
  /** null until a moment is chosen. */
  readonly at: Instant | null;
  readonly explanation: Explanation | null;
  readonly failure: Failure | null;
  /** Opens the question, with an answer at once if a moment is given. */
  ask(jobId: JobId, name: string, at: Instant | null): Promise<void>;
  /** The same job at another moment. */
  askAt(at: Instant): Promise<void>;
  close(): void;
};

const NOTHING = { at: null, explanation: null, failure: null } as const;

export function createWhyStore(bridge: Bridge): StoreApi<WhyState> {
  const explain = async (at: Instant): Promise<void> => {
    const { jobId } = store.getState();
    if (jobId === null) return;
    store.setState({ ...NOTHING, at });
    const reply = await bridge.request('jobs.explain', { jobId, at });
    const now = store.getState();
    if (now.jobId !== jobId || now.at !== at) return;
    store.setState(reply.ok ? { explanation: reply.value } : { failure: reply.error });
  };
  const store: StoreApi<WhyState> = createStore<WhyState>((set) => ({
    jobId: null,
    name: '',
    ...NOTHING,
    ask: async (jobId, name, at) => {
      set({ ...NOTHING, jobId, name });
      if (at !== null) await explain(at);
    },
    askAt: explain,
    close: () => set({ ...NOTHING, jobId: null }),
  }));
  return store;
}
