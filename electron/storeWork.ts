/**
 * Runs the slow tasks beside the main thread: one worker thread per task, begun when it is needed and ended with it. Where no
 * bundle of the worker is at hand, as in unit tests, the task runs here and blocks.
 */

import { Worker } from 'node:worker_threads';
import type { RepairProgress } from '../shared/model/data';
import { StoreError, type StoreErrorCode } from './core/storeError';
import {
  type StoreTaskName,
  type StoreTasks,
  type StoreWork,
  storeTasks,
  type TaskOptions,
} from './store/storeTasks';

/** What the worker tells. */
export type WorkerMessage =
  | { readonly kind: 'progress'; readonly progress: RepairProgress }
  | { readonly kind: 'done'; readonly result: unknown }
  | {
      readonly kind: 'failed';
      readonly code: StoreErrorCode | null;
      readonly message: string;
      /** See detailOf. */
      readonly detail: string | null;
    };

/** `entry`: the bundle of electron/storeWorker.ts, or null to work in this thread. */
export function createStoreWork(entry: string | null): StoreWork & { end(): Promise<void> } {
  const workers = new Set<Worker>();
  return {
    run: async (name, input, options = {}) => {
      options.signal?.throwIfAborted();
      const result =
        entry === null
          ? await runHere(name, input, options)
          : await runInWorker(entry, { name, input }, options, workers);
      return result as ReturnType<StoreTasks[typeof name]>;
    },
    /** Cuts off whatever is going on. */
    end: async () => {
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}

async function runHere(name: StoreTaskName, input: unknown, { onProgress }: TaskOptions): Promise<unknown> {
  const task = storeTasks[name] as (
    input: unknown,
    onProgress: (progress: RepairProgress) => void,
  ) => unknown;
  return task(input, onProgress ?? (() => undefined));
}

function runInWorker(
  entry: string,
  task: { readonly name: StoreTaskName; readonly input: unknown },
  { signal, onProgress }: TaskOptions,
  workers: Set<Worker>,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(entry, { workerData: task });
    workers.add(worker);
    const abort = (): void => {
      void worker.terminate();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    worker.on('message', (message: WorkerMessage) => {
      if (message.kind === 'progress') onProgress?.(message.progress);
      else if (message.kind === 'done') resolve(message.result);
      else {
        const { code, message: text, detail } = message;
        const options = detail === null ? {} : { cause: detail };
        reject(code === null ? new Error(text, options) : new StoreError(code, text, options));
      }
    });
    worker.on('error', (cause) =>
      reject(new StoreError('io', 'The work with the data of Belfry failed.', { cause })),
    );
    worker.on('exit', () => {
      workers.delete(worker);
      signal?.removeEventListener('abort', abort);
      reject(new StoreError('io', 'The work with the data of Belfry was cut off.'));
    });
  });
}
