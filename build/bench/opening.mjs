/** Opening a store of 4,096 jobs and a million runs (S4): after it was closed, and after a kill that left its log behind. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parts } from './engineRig.mjs';
import { ms, quantile } from './figures.mjs';

const JOBS = 4_096;
const RUNS = 1_000_000;
const ROUNDS = 20;
const GOAL_MS = 150;

export async function benchOpening() {
  const { database, store, samples } = await parts();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-opening-'));
  try {
    const file = path.join(folder, 'data', 'belfry.db');
    const opened = database.openDatabase({ file }).value;
    const own = store.createStore(opened);
    await samples.insertJobs(own, ...Array.from({ length: JOBS }, (_, index) => index + 1));
    addRuns(opened.writer);
    opened.writer.foldLog();
    await fillLog(own);
    const killed = path.join(folder, 'killed', 'belfry.db');
    fs.mkdirSync(path.dirname(killed), { mode: 0o700 });
    for (const suffix of ['', '-wal', '.created']) fs.copyFileSync(file + suffix, killed + suffix);
    const logMiB = (fs.statSync(`${killed}-wal`).size / 1024 / 1024).toFixed(1);
    report(`after a kill, with a log of ${logMiB} MiB`, [await openOnce(database, store, killed)]);
    await own.close();
    const times = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await openOnce(database, store, file));
    report(`after a close, ${(fs.statSync(file).size / 1024 / 1024).toFixed(0)} MiB`, times);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @param {any} writer */
function addRuns(writer) {
  writer.exec(`
    INSERT INTO runs (id, job_key, revision, trigger, state, outcome, merged_count, queued_at, started_at, ended_at,
      duration_ms, exit_code, attempt_count, was_adopted, output_bytes)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${RUNS})
    SELECT randomblob(16), n % ${JOBS} + 1, 1, 'schedule', 'finished', 'succeeded', 0, n * 60000, n * 60000, n * 60000 + 500,
      500, 0, 1, 0, 100
    FROM numbers`);
}

/** As full as the log is when nobody is in its way. @param {any} own */
async function fillLog(own) {
  for (let number = 0; number < 300; number += 1) {
    await own.transact((/** @type {any} */ { settings }) => settings.setAliveAt(number));
  }
}

/** Until the first answer. @param {any} database @param {any} store @param {string} file */
async function openOnce(database, store, file) {
  const beganAt = performance.now();
  const opened = database.openDatabase({ file });
  if (!opened.ok) throw new Error(opened.error.message);
  const own = store.createStore(opened.value);
  await own.read((/** @type {any} */ { jobs }) => jobs.count());
  const tookMs = performance.now() - beganAt;
  await own.close();
  return tookMs;
}

/** @param {string} when @param {number[]} times */
function report(when, times) {
  const longest = Math.max(...times);
  console.log(
    `opening ${JOBS} jobs and ${RUNS} runs ${when}: median ${ms(quantile(times, 0.5))}, longest ${ms(longest)}` +
      ` (goal: below ${GOAL_MS} ms)${longest < GOAL_MS ? '' : ' MISSED'}`,
  );
}
