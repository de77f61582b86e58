/**
 * An engine on the real clock with a real store on disk, whose laptop can be put to sleep and whose commands never end: what
 * is measured is deciding and recording, not the commands.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadSources } from './sources.mjs';

const sources = {
  engine: 'electron/engine/createEngine.ts',
  jobs: 'electron/engine/jobDefinitions.ts',
  agenda: 'electron/engine/agenda.ts',
  database: 'electron/store/database.ts',
  store: 'electron/store/store.ts',
  ids: 'electron/system/ids.ts',
  realTime: 'electron/system/realTime.ts',
  samples: 'electron/store/samples.ts',
  rig: 'electron/testing/rig.ts',
};

/** @type {Promise<Record<string, any>> | null} */
let loaded = null;

/** The engine's parts by name, bundled once. */
export const parts = () => {
  loaded ??= loadSources(sources);
  return loaded;
};

/**
 * @typedef {object} EngineRig
 * @property {any} engine
 * @property {any} store
 * @property {any} database
 * @property {(ms: number) => void} sleep lets that much wall time pass at once, as suspend does
 * @property {(listener: (name: string, payload: any) => void) => void} listen
 */

/**
 * Runs `work` with an engine that is not started yet.
 * @param {readonly string[]} expressions the schedule of each job
 * @param {(rig: EngineRig) => Promise<void>} work
 */
export async function withEngine(expressions, work) {
  const { engine, database, store, ids, realTime } = await parts();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-bench-'));
  const opened = database.openDatabase({ file: path.join(folder, 'data', 'belfry.db') });
  if (!opened.ok) throw new Error(opened.error.message);
  const ownStore = store.createStore(opened.value);
  let sleptMs = 0;
  /** @type {(name: string, payload: any) => void} */
  let tell = () => undefined;
  const clock = { now: () => Date.now() + sleptMs, monotonic: () => performance.now() };
  const ports = {
    clock,
    timer: realTime.realTimer,
    ids: ids.realIds,
    host: hostOf(() => sleptMs),
    log: { info: () => undefined, warn: () => undefined, error: console.error },
    announce: (/** @type {string} */ name, /** @type {any} */ payload) => tell(name, payload),
    store: ownStore,
    runner: endlessRunner,
    surroundings: {
      check: async () => ({ state: 'met', detail: null }),
      network: () => 'up',
      onChange: () => () => undefined,
    },
    openSandbox: async () => store.createStore(database.openDatabase('memory').value),
  };
  const built = engine.createEngine(ports);
  try {
    await ownStore.transact((/** @type {any} */ writer) => insertJobs(writer, expressions, ports));
    await work({
      engine: built,
      store: ownStore,
      database: opened.value,
      sleep: (ms) => {
        sleptMs += ms;
      },
      listen: (listener) => {
        tell = listener;
      },
    });
    await built.stop({ runs: 'leave' });
    await ownStore.close();
  } finally {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * @param {any} writer
 * @param {readonly string[]} expressions
 * @param {any} ports
 */
async function insertJobs(writer, expressions, { ids, clock }) {
  const { jobs, rig } = await parts();
  const now = clock.now();
  for (const [index, expression] of expressions.entries()) {
    const draft = rig.draftOf({ name: `Job ${index}`, rules: [rig.cron(expression, 'UTC')] });
    await writer.jobs.insert(rig.unwrap(jobs.newJob(draft, { ids, hostZone: 'UTC', now })));
  }
}

/** @param {() => number} sleptMs */
const hostOf = (sleptMs) => ({
  nodeId: 'bench',
  bootId: 'boot',
  pid: process.pid,
  processStart: '1',
  zone: () => 'UTC',
  uptimeMs: () => performance.now() + sleptMs(),
  isAlive: () => 'alive',
});

const identity = { nodeId: 'bench', bootId: 'boot', pid: 1, processGroup: 1, processStart: '1' };
const endlessRunner = {
  start: async () => ({
    kind: 'started',
    attempt: {
      identity,
      ended: new Promise(() => undefined),
      signal: async () => undefined,
      detach: () => undefined,
    },
  }),
  adopt: async () => ({ kind: 'unknown', why: 'nothing is adopted here' }),
};
