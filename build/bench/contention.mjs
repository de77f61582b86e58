/**
 * Processes that change the store all the time: how long each waits for its turn, beside bare SQLite with its own busy
 * handler. `node build/bench/contention.mjs`, or as part of the bench.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ms, quantile } from './figures.mjs';
import { loadSources } from './sources.mjs';

const PROCESSES = 4;
const TRANSACTIONS = 300;
const WAIT_GOAL_MS = 1_000;
const SQLITE_BUSY_MS = 10_000;

/** @typedef {{ waits: number[], endedAt: number, from: number, stallMs: number }} Share */

export async function benchContention() {
  for (const kind of /** @type {const} */ (['belfry', 'sqlite'])) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-contention-'));
    try {
      const file = path.join(folder, 'data', 'belfry.db');
      const { database } = await loadSources({ database: 'electron/store/database.ts' });
      database.openDatabase({ file }).value.writer.close();
      report(kind, await contend(kind, file));
    } finally {
      fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

/** @param {'belfry' | 'sqlite'} kind @param {string} file @returns {Promise<Share[]>} */
async function contend(kind, file) {
  const children = Array.from({ length: PROCESSES }, (_, number) =>
    fork(fileURLToPath(import.meta.url), ['write', kind, file, String(number)]),
  );
  await Promise.all(children.map((child) => once(child, 'message')));
  const ends = children.map(async (child) => {
    const [share] = await once(child, 'message');
    return share;
  });
  for (const child of children) child.send('go');
  return Promise.all(ends);
}

/** @param {string} kind @param {Share[]} shares */
function report(kind, shares) {
  const name = kind === 'belfry' ? 'the store' : 'bare SQLite';
  for (const [number, { waits, stallMs }] of shares.entries()) {
    const longest = Math.max(...waits);
    console.log(
      `contention, ${name}, process ${number + 1}: longest ${ms(longest)}, p99 ${ms(quantile(waits, 0.99))}, main thread held up to ${ms(stallMs)}` +
        (kind === 'belfry'
          ? ` (goal: below ${WAIT_GOAL_MS} ms)${longest < WAIT_GOAL_MS ? '' : ' MISSED'}`
          : ''),
    );
  }
  const began = Math.min(...shares.map((share) => share.from));
  const ended = Math.max(...shares.map((share) => share.endedAt));
  console.log(
    `contention, ${name}: ${((PROCESSES * TRANSACTIONS * 1_000) / (ended - began)).toFixed(0)} changes a second in all`,
  );
}

/** @param {string} kind @param {string} file @param {number} number @returns {Promise<() => Promise<void>>} */
async function writerOf(kind, file, number) {
  if (kind === 'belfry') {
    const { database, store } = await loadSources({
      database: 'electron/store/database.ts',
      store: 'electron/store/store.ts',
    });
    const own = store.createStore(database.openDatabase({ file }).value);
    let count = 0;
    return () =>
      own.transact(async (/** @type {any} */ { settings }) => {
        count += 1;
        await settings.setAliveAt(count);
      });
  }
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const bare = new DatabaseSync(file, { timeout: SQLITE_BUSY_MS });
  bare.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  const update = bare.prepare(
    `INSERT INTO settings VALUES (?, '1') ON CONFLICT (key) DO UPDATE SET value = value + 1`,
  );
  return async () => {
    bare.exec('BEGIN IMMEDIATE');
    update.run(`contention_${number}`);
    bare.exec('COMMIT');
  };
}

/** @param {string} kind @param {string} file @param {number} number */
async function write(kind, file, number) {
  const change = await writerOf(kind, file, number);
  process.send?.('ready');
  await once(process, 'message');
  const waits = [];
  let stallMs = 0;
  let turnedAt = performance.now();
  const turns = setInterval(() => {
    stallMs = Math.max(stallMs, performance.now() - turnedAt);
    turnedAt = performance.now();
  }, 1);
  const from = Date.now();
  for (let done = 0; done < TRANSACTIONS; done += 1) {
    const beganAt = performance.now();
    await change();
    waits.push(performance.now() - beganAt);
    await new Promise((proceed) => setImmediate(proceed));
  }
  clearInterval(turns);
  process.send?.({ waits, endedAt: Date.now(), from, stallMs }, () => process.exit(0));
}

const [role, kind = '', file = '', number] = process.argv.slice(2);
if (role === 'write') await write(kind, file, Number(number));
else if (process.argv[1] === fileURLToPath(import.meta.url)) await benchContention();
