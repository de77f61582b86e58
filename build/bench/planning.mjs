/** How long the engine takes to decide: after a week of sleep, and when very many jobs are due in the same second. */
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { Cron } from 'croner';
import nodeCron from 'node-cron';
import { withEngine } from './engineRig.mjs';
import { ms, quantile, watchStalls } from './figures.mjs';

const require = createRequire(import.meta.url);
/** It brings no types. @type {any} */
const nodeSchedule = require('node-schedule');

const JOBS = 4_096;
const EVERY_MINUTE = 500;
const DAY_MS = 24 * 3_600_000;
const WEEK_MS = 7 * DAY_MS;
const CROWDS = [1_000, 10_000];
/** Enough to make everything and to be quiet again before the moment comes. */
const LEAD_MS = 20_000;

export async function benchWeek() {
  const expressions = Array.from({ length: JOBS }, (_, index) =>
    index < EVERY_MINUTE ? '* * * * *' : `${index % 60} ${Math.floor(index / 60) % 24} * * *`,
  );
  await withEngine(expressions, async ({ engine, database, sleep }) => {
    await engine.start();
    sleep(WEEK_MS);
    // Every job is due at least once a day.
    const undecided = () =>
      Number(
        database.writer.get('SELECT count(*) AS n FROM schedules WHERE watermark_at < ?', [
          Date.now() + WEEK_MS - DAY_MS,
        ]).n,
      );
    const { tookMs, stallMs, busyMs } = await watchStalls(async () => {
      engine.notifyResume();
      while (undecided() > 0) await pause(10);
    });
    console.log(
      `after a week of sleep, ${JOBS} jobs of which ${EVERY_MINUTE} run every minute: ` +
        `decided in ${ms(tookMs)} (goal 1000 ms), longest stall ${ms(stallMs)} (goal 50 ms), ${ms(busyMs)} of processor`,
    );
  });
}

export async function benchSameSecond() {
  for (const count of CROWDS) {
    const own = await ownLateness(count);
    const others = [
      [
        'croner',
        await latenessOf(count, (at, call) => void new Cron(expressionOf(at), { timezone: 'UTC' }, call)),
      ],
      [
        'node-cron',
        await latenessOf(
          count,
          (at, call) =>
            void nodeCron.schedule(expressionOf(at), call, { timezone: 'UTC', suppressMissedWarning: true }),
        ),
      ],
      [
        'node-schedule',
        await latenessOf(
          count,
          (at, call) => void nodeSchedule.scheduleJob({ rule: expressionOf(at), tz: 'UTC' }, call),
        ),
      ],
    ];
    const goal = count === 1_000 ? 10 : 50;
    const told = others.map(
      ([name, late]) => `${name} ${ms(Number(late))} (${(Number(late) / own.p99).toFixed(1)}x)`,
    );
    console.log(
      `${count} jobs due in the same second, lateness of the committed start: first ${ms(own.first)}, p99 ${ms(own.p99)} ` +
        `(goal ${goal} ms); ` +
        `p99 of a bare callback: ${told.join(', ')}`,
    );
  }
  nodeSchedule.gracefulShutdown();
}

/** A second LEAD_MS from now, as an expression with seconds. */
const momentFromNow = () => Math.ceil((Date.now() + LEAD_MS) / 1_000) * 1_000;
/** @param {number} at */
const expressionOf = (at) => {
  const date = new Date(at);
  return `${date.getUTCSeconds()} ${date.getUTCMinutes()} ${date.getUTCHours()} * * *`;
};

/** @param {number} count */
async function ownLateness(count) {
  const at = momentFromNow();
  /** @type {number[]} */
  const late = [];
  await withEngine(Array(count).fill(expressionOf(at)), async ({ engine, listen }) => {
    await engine.start();
    const seen = new Set();
    // Told once a run is committed as queued, before it is told again as started.
    listen((name, payload) => {
      if (name !== 'runs.changed' || seen.has(payload.runId)) return;
      seen.add(payload.runId);
      late.push(Date.now() - at);
    });
    while (late.length < count) await pause(200);
  });
  return { first: Math.min(...late), p99: quantile(late, 0.99) };
}

/**
 * @param {number} count
 * @param {(at: number, call: () => void) => void} arm
 */
async function latenessOf(count, arm) {
  const at = momentFromNow();
  /** @type {number[]} */
  const late = [];
  for (let index = 0; index < count; index += 1) arm(at, () => void late.push(Date.now() - at));
  while (late.length < count && Date.now() < at + 120_000) await pause(200);
  return quantile(late, 0.99);
}
