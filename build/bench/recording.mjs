/** What a run costs in the store (S1), and many runs of one tick in one transaction (S2), durable as in life. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parts } from './engineRig.mjs';
import { ms, quantile } from './figures.mjs';

const JOB_COUNTS = [16, 4_096];
const RUNS = 1_000;
const S1_GOAL_MS = 0.45;
const S2_GOAL_MS = 25;

export async function benchRecording() {
  const { database, store, samples } = await parts();
  for (const jobCount of JOB_COUNTS) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-bench-'));
    try {
      const opened = database.openDatabase({ file: path.join(folder, 'data', 'belfry.db') });
      if (!opened.ok) throw new Error(opened.error.message);
      const own = store.createStore(opened.value);
      const numbers = Array.from({ length: jobCount }, (_, index) => index + 1);
      await samples.insertJobs(own, ...numbers);
      await samples.takeLease(own);
      await single(own, samples, jobCount);
      await together(own, samples, jobCount);
      await own.close();
    } finally {
      fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }
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

/** @param {any} own @param {any} samples @param {number} jobCount */
async function single(own, samples, jobCount) {
  /** @type {number[]} */
  const took = [];
  for (let number = 1; number <= RUNS; number += 1) {
    const { decision, run, start } = planned(samples, number, jobCount);
    await own.transact(async (/** @type {any} */ { decisions, runs }) => {
      await decisions.insert(decision);
      await runs.insert(run);
    });
    const beganAt = performance.now();
    await own.transact((/** @type {any} */ { runs }) => runs.begin(start, samples.fence));
    await own.transact((/** @type {any} */ { runs }) => runs.finish(samples.endOf(number), samples.fence));
    took.push(performance.now() - beganAt);
  }
  const [p50, p99] = [quantile(took, 0.5), quantile(took, 0.99)];
  console.log(
    `a run recorded, start and finish, two durable transactions, ${jobCount} jobs: p50 ${ms(p50)} ` +
      `(goal ${S1_GOAL_MS} ms, ${(p50 / S1_GOAL_MS).toFixed(1)}x of it), p99 ${ms(p99)}`,
  );
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
