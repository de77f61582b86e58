/** What very many jobs cost: armed in the agenda, listed, and at the start of the engine. */
import { setTimeout as pause } from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import { parts, withEngine } from './engineRig.mjs';
import { ms, quantile, watchStalls } from './figures.mjs';

const ARMED = 100_000;
const LISTED = 4_096;
const LOOKS = 20;
const IDLE_MS = 10_000;
const MB = 1024 * 1024;

v8.setFlagsFromString('--expose-gc');
/** Without it, what is garbage would count. @type {() => void} */
const collect = vm.runInNewContext('gc');

const spread = (/** @type {number} */ index) => `${index % 60} ${Math.floor(index / 60) % 24} * * *`;

export async function benchAgenda() {
  const { agenda, samples, rig } = await parts();
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const bare = used();
  const states = Array.from({ length: ARMED }, (_, index) => ({
    scheduleId: samples.scheduleIdOf(index),
    jobId: samples.jobIdOf(index),
    rule: rig.cron(spread(index), 'UTC'),
    createdAt: samples.minute(0),
    activeSince: samples.minute(0),
    watermarkAt: samples.minute(0),
    pending: [],
    dates: { from: null, until: null, excluded: [] },
    lastEndedAt: null,
  }));
  const withStates = used();
  const beganAt = performance.now();
  const own = new agenda.Agenda('UTC');
  own.load(states, samples.minute(0));
  const tookMs = performance.now() - beganAt;
  const whole = used();
  const each = (/** @type {number} */ bytes) =>
    `${(bytes / MB).toFixed(1)} MB (${(bytes / ARMED).toFixed(0)} bytes each)`;
  console.log(
    `${ARMED} schedules in the agenda: set up in ${ms(tookMs)} (goal 2000 ms), ${each(whole - withStates)} for the agenda ` +
      `(goal 60 MB), ${each(withStates - bare)} for the schedules as they are read`,
  );
  const asks = Array.from({ length: 1_000 }, () => {
    const askedAt = performance.now();
    own.next();
    own.wakeAt();
    return performance.now() - askedAt;
  });
  console.log(`${ARMED} schedules: what is next, p99 ${ms(quantile(asks, 0.99))}`);
}

export async function benchLists() {
  const expressions = Array.from({ length: LISTED }, (_, index) => spread(index));
  await withEngine(expressions, async ({ engine }) => {
    const start = await watchStalls(() => engine.start());
    console.log(
      `engine start, ${LISTED} jobs: ${ms(start.tookMs)}, longest stall ${ms(start.stallMs)} (goal 50 ms)`,
    );
    const first = await watchStalls(() => engine.jobRows());
    console.log(
      `first list of ${LISTED} jobs: ${ms(first.tookMs)}, longest stall ${ms(first.stallMs)} (goal 50 ms)`,
    );
    /** @type {number[]} */
    const took = [];
    for (let look = 0; look < LOOKS; look += 1) took.push((await watchStalls(() => engine.jobRows())).tookMs);
    console.log(
      `list of ${LISTED} jobs again: p50 ${ms(quantile(took, 0.5))}, p99 ${ms(quantile(took, 0.99))} (goal 50 ms)`,
    );
    const used = process.cpuUsage();
    await pause(IDLE_MS);
    const { user, system } = process.cpuUsage(used);
    const perSecond = (user + system) / 1_000 / (IDLE_MS / 1_000);
    console.log(`idle engine, ${LISTED} jobs: ${perSecond.toFixed(2)} ms of processor a second (goal 5 ms)`);
  });
}
