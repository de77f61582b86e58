/**
 * What a run costs in the store (S1), beside two bare transactions and a rewritten JSON file, and many runs of one tick in one
 * transaction (S2): all durable as in life.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bareSqlite, jsonFile } from './anchors.mjs';
import { parts } from './engineRig.mjs';
import { ms, quantile } from './figures.mjs';

const JOB_COUNTS = [16, 4_096];
const RUNS = 1_000;
const S1_GOAL_MS = 0.45;
const S2_GOAL_MS = 25;
/** Blocks of each take turns, so that a machine that does other things too is slow for all of them. */
const BLOCKS = 20;
/** A rewritten file takes so long that fewer will do. */
const JSON_RUNS_PER_BLOCK = 2;
const BARE_BAR = 3;
const FLAT_BAR = 1.3;
const JSON_BAR = 250;

export async function benchRecording() {
  const { database, store, samples } = await parts();
  /** @type {number[]} */
  const medians = [];
  for (const jobCount of JOB_COUNTS) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-bench-'));
    try {
      const opened = database.openDatabase({ file: path.join(folder, 'data', 'belfry.db') });
      if (!opened.ok) throw new Error(opened.error.message);
      const own = store.createStore(opened.value);
      const numbers = Array.from({ length: jobCount }, (_, index) => index + 1);
      await samples.insertJobs(own, ...numbers);
      await samples.takeLease(own);
      medians.push(await single(own, samples, { jobCount, folder }));
      await together(own, samples, jobCount);
      await own.close();
    } finally {
      fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }
  const [few = Number.NaN, many = Number.NaN] = medians;
  console.log(
    `a run recorded, ${JOB_COUNTS[1]} jobs against ${JOB_COUNTS[0]}: ${(many / few).toFixed(2)}x (bar: at most ${FLAT_BAR}x)`,
  );
}

/** @param {any} samples @param {number} number @param {number} jobCount */
function planned(samples, number, jobCount) {
  const job = (number % jobCount) + 1;
  const at = samples.minute(number);
  const occurrence = { scheduleId: samples.scheduleIdOf(job), plannedAt: at };
  return {
    decision: samples.skipOf(at, {
      ...occurrence,
      untilAt: at,
      kind: 'run',
      reason: 'on_time',
      runId: samples.runIdOf(number),
    }),
    run: samples.runOf(number, { ...occurrence, jobId: samples.jobIdOf(job), trigger: 'schedule' }),
    start: {
      runId: samples.runIdOf(number),
      attemptId: samples.attemptIdOf(number),
      number: 1,
      startedAt: at,
    },
  };
}

/**
 * @param {any} own
 * @param {any} samples
 * @param {{ jobCount: number, folder: string }} where
 * @returns {Promise<number>} the median in milliseconds
 */
async function single(own, samples, { jobCount, folder }) {
  const bare = bareSqlite(folder, jobCount);
  const json = jsonFile(folder, jobCount);
  /** @type {Record<'belfry' | 'bare' | 'json', number[]>} */
  const took = { belfry: [], bare: [], json: [] };
  const perBlock = RUNS / BLOCKS;
  for (let block = 0; block < BLOCKS; block += 1) {
    for (let number = 1 + block * perBlock; number <= (block + 1) * perBlock; number += 1) {
      took.belfry.push(await recordOne(own, samples, number, jobCount));
    }
    for (let number = block * perBlock; number < (block + 1) * perBlock; number += 1) {
      took.bare.push(timed(bare, number));
    }
    for (let number = 0; number < JSON_RUNS_PER_BLOCK; number += 1) took.json.push(timed(json, number));
  }
  bare.close();
  const [p50, p99] = [quantile(took.belfry, 0.5), quantile(took.belfry, 0.99)];
  const [bareMs, jsonMs] = [quantile(took.bare, 0.5), quantile(took.json, 0.5)];
  console.log(
    `a run recorded, start and finish, two durable transactions, ${jobCount} jobs: p50 ${ms(p50)} ` +
      `(goal ${S1_GOAL_MS} ms, ${(p50 / S1_GOAL_MS).toFixed(1)}x of it), p99 ${ms(p99)}; ` +
      `two bare transactions ${ms(bareMs)}, so ${(p50 / bareMs).toFixed(2)}x of them (bar: at most ${BARE_BAR}x); ` +
      `a rewritten JSON file ${ms(jsonMs)}, ${(jsonMs / p50).toFixed(0)} times as long` +
      (jobCount === JOB_COUNTS.at(-1) ? ` (bar: at least ${JSON_BAR})` : ''),
  );
  return p50;
}

/** @param {import('./anchors.mjs').Anchor} anchor @param {number} number */
function timed(anchor, number) {
  const beganAt = performance.now();
  anchor.start(number);
  anchor.finish(number);
  return performance.now() - beganAt;
}

/** @param {any} own @param {any} samples @param {number} number @param {number} jobCount */
async function recordOne(own, samples, number, jobCount) {
  const { decision, run, start } = planned(samples, number, jobCount);
  await own.transact(async (/** @type {any} */ { decisions, runs }) => {
    await decisions.insert(decision);
    await runs.insert(run);
  });
  const beganAt = performance.now();
  await own.transact((/** @type {any} */ { runs }) => runs.begin(start, samples.fence));
  await own.transact((/** @type {any} */ { runs }) => runs.finish(samples.endOf(number), samples.fence));
  return performance.now() - beganAt;
}

/** @param {any} own @param {any} samples @param {number} jobCount */
async function together(own, samples, jobCount) {
  const all = Array.from({ length: RUNS }, (_, index) => planned(samples, RUNS + index + 1, jobCount));
  await own.transact(async (/** @type {any} */ { decisions, runs }) => {
    for (const { decision, run } of all) {
      await decisions.insert(decision);
      await runs.insert(run);
    }
  });
  const beganAt = performance.now();
  await own.transact(async (/** @type {any} */ { runs }) => {
    for (const { start } of all) await runs.begin(start, samples.fence);
    for (let number = RUNS + 1; number <= 2 * RUNS; number += 1)
      await runs.finish(samples.endOf(number), samples.fence);
  });
  const took = performance.now() - beganAt;
  console.log(
    `${RUNS} starts and finishes in one durable transaction, ${jobCount} jobs: ${ms(took)} ` +
      `(goal ${S2_GOAL_MS} ms, ${(took / S2_GOAL_MS).toFixed(1)}x of it)`,
  );
}
