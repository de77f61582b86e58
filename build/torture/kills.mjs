/**
 * Kills the agent with SIGKILL again and again, at moments that a seed chooses: while it starts, while it works and is changed,
 * while it makes a copy, while it stops. In between it is left alone for a moment and everything is looked at.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { askFor } from '../bench/socketClient.mjs';
import { createChance } from './chance.mjs';
import {
  brokenRules,
  ghosts,
  holes,
  leftovers,
  lostChanges,
  withDeadStore,
  withLiveStore,
  wrongStarts,
} from './check.mjs';
import { readEvidence } from './evidence.mjs';
import { chained, loadOf } from './jobs.mjs';
import { emptyMemory, work } from './person.mjs';
import { makePlace, until } from './place.mjs';

/** Changes go on at three places at once, each with jobs of its own. */
const PERSONS = 3;
/** A copy of the dead store is looked at after each death until it is this large, later only now and then. */
const SMALL_BYTES = 8 * 1024 * 1024;
const WORK_MS_MAX = 1_500;
const STOP_MS_MAX = 150;
const COPY_MS_MAX = 120;
/** How long after a start something may still be called running that an earlier life left behind. */
const RECOVERY_MS_MAX = 20_000;
const CALM_MS = 1_500;
const DRAIN_MS_MAX = 120_000;

/** @typedef {'starting' | 'working' | 'copying' | 'stopping'} Moment */

/**
 * @typedef {object} Report
 * @property {number} seed
 * @property {number} kills
 * @property {Record<Moment, number>} moments
 * @property {number} runs
 * @property {number} begins commands that began
 * @property {number} abandoned runs that were cut off
 * @property {number} acknowledged changes
 * @property {number} unanswered changes
 * @property {number[]} readyMs from the start of a process to its leading, after a kill
 * @property {string[]} faults
 * @property {string | null} folder kept because of faults
 */

/**
 * @param {{ program: import('./program.mjs').Program, kills: number, seed: number, checkEach?: number, until?: number, say?: (line: string) => void }} order
 *   `until`: on the clock of `performance`, when to stop earlier
 * @returns {Promise<Report>}
 */
export async function tortureByKills({
  program,
  kills,
  seed,
  checkEach = 25,
  until: endAt = Infinity,
  say = () => undefined,
}) {
  const chance = createChance(seed);
  const place = makePlace('belfry-torture-');
  const memory = emptyMemory();
  /** @type {Report} */
  const report = {
    seed,
    kills: 0,
    moments: { starting: 0, working: 0, copying: 0, stopping: 0 },
    ...{ runs: 0, begins: 0, abandoned: 0, acknowledged: 0, unanswered: 0 },
    readyMs: [],
    faults: [],
    folder: null,
  };
  const scene = { program, place, memory, chance, report };
  try {
    const onceEach = await settle(scene);
    while (report.kills < kills && report.faults.length === 0 && performance.now() < endAt) {
      await liveAndDie(scene);
      if (report.kills % checkEach === 0) {
        await calm(scene, onceEach);
        say(`${report.kills} kills, ${report.runs} runs, ${memory.acknowledged} changes`);
      }
    }
    if (report.faults.length === 0) await endWell(scene, onceEach);
  } catch (error) {
    report.faults.push(error instanceof Error ? error.message : String(error));
  }
  await place.endAll();
  report.acknowledged = memory.acknowledged;
  report.unanswered = memory.unanswered;
  if (report.faults.length === 0) place.remove();
  else report.folder = place.home;
  return report;
}

/**
 * @typedef {object} Scene
 * @property {import('./program.mjs').Program} program
 * @property {import('./place.mjs').Place} place
 * @property {import('./person.mjs').Memory} memory
 * @property {import('./chance.mjs').Chance} chance
 * @property {Report} report
 */

/** Starts an agent that has to lead. @param {Scene} scene */
async function lead({ program, place, report }) {
  const agent = place.start(program.agent);
  if ((await agent.ready) !== 'leading') throw new Error(`the agent does not lead: ${agent.words()}`);
  if (report.kills > 0) report.readyMs.push(performance.now() - agent.startedAt);
  return agent;
}

/** Makes the jobs, and stops. @param {Scene} scene */
async function settle(scene) {
  const { place, memory } = scene;
  const agent = await lead(scene);
  const load = loadOf(place.evidence);
  /** @param {import('./jobs.mjs').Load} item */
  const save = async (item) => {
    const job = await askFor(place.data, 'jobs.save', { draft: item.draft });
    const known = { notes: '', isEnabled: true, isDeleted: false };
    if (item.part === 'edited')
      memory.jobs.push({ id: job.id, name: item.name, revision: job.revision, possible: [known] });
    return job;
  };
  /** @type {any} */
  let last = null;
  for (const item of load) last = await save(item);
  const next = chained(place.evidence, last.id);
  await save(next);
  agent.signal('SIGTERM');
  if ((await agent.ended) !== 0) throw new Error(`the agent did not end well: ${agent.words()}`);
  return new Set([...load, next].filter(({ isOnceEach }) => isOnceEach).map(({ name }) => name));
}

/** @param {import('./chance.mjs').Chance} chance @returns {Moment} */
function pickMoment(chance) {
  const share = chance.next();
  if (share < 0.25) return 'starting';
  if (share < 0.85) return 'working';
  return share < 0.92 ? 'copying' : 'stopping';
}

/** One life of the agent, up to its death. @param {Scene} scene */
async function liveAndDie(scene) {
  const { program, place, memory, chance, report } = scene;
  const moment = pickMoment(chance);
  const usualMs = median(report.readyMs) ?? 500;
  if (moment === 'starting') {
    const agent = place.start(program.agent);
    await pause(chance.between(0, Math.ceil(1.2 * usualMs)));
    await kill(agent);
  } else {
    const agent = await lead(scene);
    let isOver = false;
    const workers = Array.from({ length: PERSONS }, (_, number) =>
      work({
        data: place.data,
        memory,
        share: memory.jobs.filter((__, index) => index % PERSONS === number),
        chance,
        isOver: () => isOver,
      }),
    );
    const delays = { working: WORK_MS_MAX, copying: COPY_MS_MAX, stopping: STOP_MS_MAX };
    if (moment !== 'working') await pause(chance.between(0, 400));
    if (moment === 'copying') askFor(place.data, 'backups.create', undefined).catch(() => undefined);
    if (moment === 'stopping') agent.signal('SIGTERM');
    await pause(chance.between(0, delays[moment]));
    await kill(agent);
    isOver = true;
    await Promise.all(workers);
  }
  report.kills += 1;
  report.moments[moment] += 1;
  report.faults.push(...withSmallDeadStore(scene));
}

/** @param {import('./place.mjs').Agent} agent */
async function kill(agent) {
  agent.signal('SIGKILL');
  await agent.ended;
}

/** @param {Scene} scene @returns {string[]} */
const withSmallDeadStore = ({ place, memory }) =>
  withDeadStore(place, (tables) => {
    const size = /** @type {any} */ (
      tables.prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size').get()
    );
    return size.bytes > SMALL_BYTES ? [] : [...brokenRules(tables), ...lostChanges(tables, memory)];
  });

/** A start that nobody disturbs: what was left behind is settled, and everything is in order. @param {Scene} scene @param {ReadonlySet<string>} onceEach */
async function calm(scene, onceEach) {
  const { place } = scene;
  const agent = await lead(scene);
  await pause(CALM_MS);
  await settled(scene);
  lookAtAll(scene, onceEach);
  agent.signal('SIGKILL');
  await agent.ended;
  scene.report.faults.push(...withDeadStore(place, brokenRules));
}

/** Waits until nothing is called running that is not. @param {Scene} scene */
async function settled({ place, report }) {
  /** @type {string[]} */
  let left = [];
  const look = () => {
    left = withLiveStore(place.data, ghosts);
    return left.length === 0;
  };
  await until('recovery', look, RECOVERY_MS_MAX).catch(() => report.faults.push(...left));
}

/** @param {Scene} scene @param {ReadonlySet<string>} onceEach */
function lookAtAll({ place, memory, report }, onceEach) {
  const before = readEvidence(place.evidence);
  withLiveStore(place.data, (tables) => {
    report.faults.push(
      ...brokenRules(tables),
      ...lostChanges(tables, memory),
      ...wrongStarts(tables, before, place.evidence, onceEach),
      ...holes(tables, GRIDS),
    );
    const count = /** @type {any} */ (
      tables.prepare("SELECT count(*) AS runs, total(outcome = 'abandoned') AS abandoned FROM runs").get()
    );
    report.runs = count.runs;
    report.abandoned = count.abandoned;
    report.begins = before.begins.length;
  });
}

/** Jobs that nobody edits, and how far apart their due times are. */
const GRIDS = [
  ...['skip', 'skip-long', 'none'].map((name) => ({ name, stepMs: 1_000 })),
  { name: 'all', stepMs: 3_000 },
  { name: 'grid', stepMs: 2_000 },
];

/** Switches everything off, lets what goes on end, quits, and looks once more. @param {Scene} scene @param {ReadonlySet<string>} onceEach */
async function endWell(scene, onceEach) {
  const { place, memory, report } = scene;
  const agent = await lead(scene);
  await pause(CALM_MS);
  await settled(scene);
  lookAtAll(scene, onceEach);
  for (const { id } of await askFor(place.data, 'jobs.list', undefined)) {
    await askFor(place.data, 'jobs.setEnabled', { jobId: id, isEnabled: false });
  }
  memory.jobs = [];
  const isIdle = () =>
    withLiveStore(
      place.data,
      (tables) => tables.prepare("SELECT 1 FROM runs WHERE state <> 'finished'").get() === undefined,
    );
  await until('every run has ended', isIdle, DRAIN_MS_MAX);
  lookAtAll(scene, onceEach);
  agent.signal('SIGTERM');
  if ((await agent.ended) !== 0) report.faults.push(`the agent did not end well: ${agent.words()}`);
  report.faults.push(...withDeadStore(place, brokenRules));
  report.faults.push(...leftovers(place.data).map((name) => `something is left over: ${name}`));
}

/** @param {readonly number[]} values */
export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
