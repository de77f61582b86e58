/**
 * A million runs (H1, H2): lists, searches and counts, beside the ways that read everything; pruning in portions, beside one
 * statement; and what a run takes on the disk.
 *
 *   BELFRY_BENCH_RUNS=100000 npm run bench -- history     with fewer
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { parts } from './engineRig.mjs';
import { ms, quantile } from './figures.mjs';

const JOBS = 4_096;
const RUNS = Number(process.env.BELFRY_BENCH_RUNS ?? 1_000_000);
const ROUNDS = 60;
/** As many as the engine removes at a time. */
const PORTION = 200;

export async function benchHistory() {
  const { database, store, samples } = await parts();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-history-'));
  try {
    const file = path.join(folder, 'data', 'belfry.db');
    const opened = database.openDatabase({ file }).value;
    const own = store.createStore(opened);
    await samples.insertJobs(own, ...Array.from({ length: JOBS }, (_, index) => index + 1));
    const emptyBytes = sizeOf(opened.writer);
    addRuns(opened.writer);
    const withoutWords = sizeOf(opened.writer);
    addWords(opened.writer);
    const bytes = sizeOf(opened.writer);
    opened.writer.foldLog();
    console.log(
      `${RUNS} runs: ${((withoutWords - emptyBytes) / RUNS).toFixed(0)} bytes a run (goal 300), and ` +
        `${((bytes - withoutWords) / RUNS).toFixed(0)} for the words of errors (goal 150)`,
    );
    await lists(own, samples);
    anchors(file);
    await prune(own, file);
    await own.close();
  } finally {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @param {any} writer */
const sizeOf = (writer) => Number(writer.pragma('page_count')) * Number(writer.pragma('page_size'));

const OUTCOMES = `CASE n % 20 WHEN 0 THEN 'failed' WHEN 1 THEN 'timed_out' ELSE 'succeeded' END`;

/** Spread over two years, a run of each job in turn; every tenth has output, every twentieth an error. @param {any} writer */
function addRuns(writer) {
  const stepMs = Math.round((2 * 365 * 86_400_000) / RUNS);
  writer.exec(`
    BEGIN;
    INSERT INTO runs (id, job_key, revision, trigger, state, outcome, reason, detail, merged_count, queued_at, started_at,
      ended_at, duration_ms, exit_code, attempt_count, was_adopted, output_bytes)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${RUNS})
    SELECT randomblob(16), n % ${JOBS} + 1, 1, 'schedule', 'finished', ${OUTCOMES},
      CASE n % 20 WHEN 0 THEN 'program_not_found' END,
      CASE n % 20 WHEN 0 THEN 'The program “tool' || (n % 997) || '” was not found.' END,
      0, n * ${stepMs}, n * ${stepMs}, n * ${stepMs} + 500, 500, 0, 1, 0, CASE n % 10 WHEN 0 THEN 1000 ELSE 0 END
    FROM numbers;
    INSERT INTO day_counts (day, outcome, count, duration_ms)
    SELECT ended_at / 86400000, outcome, count(*), sum(duration_ms) FROM runs GROUP BY 1, 2;
    UPDATE job_stats SET run_count = ${Math.floor(RUNS / JOBS)}, output_bytes = ${Math.floor(RUNS / JOBS / 10) * 1_000};
    COMMIT`);
}

/** @param {any} writer */
function addWords(writer) {
  writer.exec('INSERT INTO run_words (rowid, detail) SELECT key, detail FROM runs WHERE detail IS NOT NULL');
}

/** @param {any} own @param {any} samples */
async function lists(own, samples) {
  const jobId = samples.jobIdOf(7);
  const day = 86_400_000;
  const middle = 365 * day;
  /** @type {[string, number, any][]} */
  const questions = [
    ['newest 50 of all', 2, {}],
    ['newest 50 of a job', 2, { jobId }],
    ['newest 50 that failed', 2, { outcome: 'failed' }],
    ['newest 50 of a job that failed', 2, { jobId, outcome: 'failed' }],
    ['50 of a day in the middle', 2, { from: middle, until: middle + day }],
    ['search: a rare word of errors', 20, { text: 'tool996' }],
    ['search: a word of every error', 20, { text: 'program' }],
    ['search: a word of every job', 20, { text: 'job' }],
    ['search: a word of one job', 20, { text: 'job 4096' }],
    ['search: nothing', 20, { text: 'nonsense' }],
    ['search: a word in one job', 20, { text: 'program', jobId }],
  ];
  for (const [name, bar, query] of questions) {
    const ask = (/** @type {string | null} */ after) =>
      own.read((/** @type {any} */ { runs }) => runs.find(query, { after, limit: 50 }));
    await measure(name, bar, () => ask(null));
  }
  /** @type {string | null} */
  let after = null;
  for (let page = 0; page < 200; page += 1) {
    ({ next: after } = await own.read((/** @type {any} */ { runs }) => runs.find({}, { after, limit: 200 })));
  }
  await measure('page 801 of all', 2, () =>
    own.read((/** @type {any} */ { runs }) => runs.find({}, { after, limit: 50 })),
  );
  await measure('counts of two years by day, and in all', 5, () =>
    own.read((/** @type {any} */ { runs }) => runs.counts({ from: 0, until: 730 * day })),
  );
  await measure('4,096 jobs with their last run', 30, () =>
    own.read(async (/** @type {any} */ { jobs }) => [await jobs.list(), await jobs.allStats()]),
  );
}

/** @param {string} name @param {number} bar @param {() => Promise<unknown>} ask */
async function measure(name, bar, ask) {
  await ask();
  /** @type {number[]} */
  const took = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const beganAt = performance.now();
    await ask();
    took.push(performance.now() - beganAt);
  }
  const median = quantile(took, 0.5);
  console.log(
    `  ${name}: p50 ${ms(median)}, p99 ${ms(quantile(took, 0.99))} (bar ${bar} ms)${median <= bar ? '' : ' MISSED'}`,
  );
}

/** The same questions asked the obvious way. @param {string} file */
function anchors(file) {
  const plain = new DatabaseSync(file, { readOnly: true });
  const time = (/** @type {string} */ name, /** @type {string} */ sql) => {
    const beganAt = performance.now();
    plain.prepare(sql).all();
    console.log(`  the obvious way, ${name}: ${ms(performance.now() - beganAt)}`);
  };
  time(
    'a page by OFFSET',
    `SELECT id FROM runs ORDER BY queued_at DESC LIMIT 50 OFFSET ${Math.floor(RUNS / 2)}`,
  );
  time('a search by LIKE', `SELECT id FROM runs WHERE detail LIKE '%nonsense%' LIMIT 50`);
  time('counts by GROUP BY', 'SELECT outcome, ended_at / 86400000, count(*) FROM runs GROUP BY 1, 2');
  plain.close();
}

/** @param {any} own @param {string} file */
async function prune(own, file) {
  const now = 2 * 365 * 86_400_000;
  const rules = {
    runDays: 365,
    failureDays: 365,
    runsPerJobMax: null,
    outputDays: 30,
    outputMegabytesMax: null,
  };
  const before = fs.statSync(file).size;
  /** @type {number[]} */
  const looks = [];
  /** @type {number[]} */
  const locks = [];
  let gone = 0;
  const beganAt = performance.now();
  for (;;) {
    const askedAt = performance.now();
    const ids = await own.read((/** @type {any} */ { retention }) =>
      retention.expiredRuns(rules, { now, max: PORTION }),
    );
    looks.push(performance.now() - askedAt);
    if (ids.length === 0) break;
    const lockedAt = performance.now();
    gone += await own.transact((/** @type {any} */ { retention }) => retention.removeRuns(ids));
    locks.push(performance.now() - lockedAt);
  }
  for (let free = 1; free > 0; ) {
    const lockedAt = performance.now();
    free = await own.transact((/** @type {any} */ { retention }) => retention.giveBack(PORTION));
    locks.push(performance.now() - lockedAt);
  }
  const longest = Math.max(...locks);
  console.log(
    `  ${gone} old runs go in portions of ${PORTION}: ${((performance.now() - beganAt) / 1_000).toFixed(1)} s, longest lock ` +
      `${ms(longest)} (bar 50 ms)${longest <= 50 ? '' : ' MISSED'}, longest look ${ms(Math.max(...looks))}`,
  );
  const logBytes = fs.statSync(`${file}-wal`).size;
  await own.read((/** @type {any} */ { jobs }) => jobs.count());
  console.log(
    `  the log was ${(logBytes / 1024 / 1024).toFixed(1)} MiB at the end (bar 64); the file ${(before / 1024 / 1024).toFixed(0)} MiB before`,
  );
}
