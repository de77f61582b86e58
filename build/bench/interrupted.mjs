/**
 * How soon another process can write after the one that was in the middle of a change was killed, beside the JSON file under its
 * lock. `node build/bench/interrupted.mjs`, or as part of the bench.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ms, quantile } from './figures.mjs';
import { openJsonStore } from './jsonStore.mjs';
import { loadSources } from './sources.mjs';

const ROUNDS = 20;
const GOAL_MS = 5;
const JOBS = 16;

export async function benchInterrupted() {
  for (const kind of /** @type {const} */ (['belfry', 'json'])) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-interrupted-'));
    try {
      const { write, close } = await writerOf(kind, folder);
      await write(() => undefined);
      const took = [];
      for (let round = 0; round < ROUNDS; round += 1) took.push(await afterKill(kind, folder, write));
      await close();
      const [p50, max] = [quantile(took, 0.5), Math.max(...took)];
      const name = kind === 'belfry' ? 'the store' : 'a JSON file under a lock';
      const goal = kind === 'belfry' ? ` (goal: below ${GOAL_MS} ms)` : '';
      console.log(
        `first change after kill -9 in the middle of another, ${name}: p50 ${ms(p50)}, max ${ms(max)}${goal}`,
      );
    } finally {
      fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

/** @typedef {(inside: () => void) => Promise<void>} Write one change; `inside` is called in the middle of it */

/** @param {'belfry' | 'json'} kind @param {string} folder @param {Write} write */
async function afterKill(kind, folder, write) {
  const child = fork(fileURLToPath(import.meta.url), ['hang', kind, folder]);
  await once(child, 'message');
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  // A process that is not waited for would still look alive.
  await gone;
  const beganAt = performance.now();
  await write(() => undefined);
  return performance.now() - beganAt;
}

/** @param {string} kind @param {string} folder @returns {Promise<{ write: Write, close: () => Promise<void> }>} */
async function writerOf(kind, folder) {
  if (kind === 'json') {
    const store = openJsonStore(path.join(folder, 'jobs.json'));
    const job = (/** @type {number} */ number) => ({
      ...{ id: `${number}`, name: `Job ${number}`, line: 'true', isEnabled: true },
      ...{ createdAt: 0, state: 'idle', messages: [] },
    });
    const write = async (/** @type {() => void} */ inside) =>
      store.change((jobs) => {
        for (let number = jobs.length; number < JOBS; number += 1) jobs.push(job(number));
        inside();
      });
    return { write, close: async () => undefined };
  }
  const { database, store } = await loadSources({
    database: 'electron/store/database.ts',
    store: 'electron/store/store.ts',
  });
  const own = store.createStore(
    database.openDatabase({ file: path.join(folder, 'data', 'belfry.db') }).value,
  );
  let count = 0;
  const write = (/** @type {() => void} */ inside) =>
    own.transact(async (/** @type {any} */ { settings }) => {
      count += 1;
      await settings.setAliveAt(count);
      inside();
    });
  return { write, close: () => own.close() };
}

/** Stays in the middle of a change until it is killed. @param {string} kind @param {string} folder */
async function hang(kind, folder) {
  const { write } = await writerOf(kind, folder);
  await write(() => {
    process.send?.('inside');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
}

const [role, kind = '', folder = ''] = process.argv.slice(2);
if (role === 'hang') await hang(kind, folder);
else if (process.argv[1] === fileURLToPath(import.meta.url)) await benchInterrupted();
