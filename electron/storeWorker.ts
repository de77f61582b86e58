/** A thread that does one slow task with store files and ends. What it is to do comes with it; see storeWork.ts. */

import { parentPort, workerData } from 'node:worker_threads';
import type { RepairProgress } from '../shared/model/data';
import { detailOf, StoreError } from './core/storeError';
import { type StoreTaskName, storeTasks } from './store/storeTasks';
import type { WorkerMessage } from './storeWork';

const tell = (message: WorkerMessage): void => parentPort?.postMessage(message);

const { name, input } = workerData as { readonly name: StoreTaskName; readonly input: unknown };
const task = storeTasks[name] as (input: unknown, onProgress: (progress: RepairProgress) => void) => unknown;
try {
  tell({ kind: 'done', result: task(input, (progress) => tell({ kind: 'progress', progress })) });
} catch (error) {
  const code = error instanceof StoreError ? error.code : null;
  const [message, detail] = error instanceof Error ? [error.message, detailOf(error)] : [String(error), null];
  tell({ kind: 'failed', code, message, detail });
}
