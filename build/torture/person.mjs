/**
 * Somebody who changes jobs through the socket all the time and remembers what was answered: a change that was acknowledged has to
 * be there after any death, and one that got no answer may be there whole or not at all.
 */
import { askFor, Refused } from '../bench/socketClient.mjs';

/** Answers that say for certain that nothing was changed. */
const UNCHANGED = new Set(['busy', 'conflict', 'invalid_input', 'not_found', 'unsupported']);

/** What was acknowledged is not there. */
export class Lost extends Error {}

/** @typedef {{ notes: string, isEnabled: boolean, isDeleted: boolean }} Known */

/**
 * @typedef {object} Remembered
 * @property {string} id
 * @property {string} name
 * @property {number} revision the newest that was acknowledged
 * @property {Known[]} possible how the job may be; several while an answer is missing
 */

/**
 * @typedef {object} Memory
 * @property {Remembered[]} jobs
 * @property {string[]} runIds runs that were started by hand
 * @property {Map<string, boolean[]>} pauses by id, whether it may hold
 * @property {number} acknowledged
 * @property {number} unanswered
 */

/** @returns {Memory} */
export const emptyMemory = () => ({
  jobs: [],
  runIds: [],
  pauses: new Map(),
  acknowledged: 0,
  unanswered: 0,
});

/**
 * Makes one change after the other until `isOver`.
 * @param {{ data: string, memory: Memory, share: readonly Remembered[], chance: import('./chance.mjs').Chance, isOver: () => boolean }} desk
 */
export async function work({ data, memory, share, chance, isOver }) {
  while (!isOver()) {
    const job = chance.pick(share);
    try {
      await settle(data, job);
      await changeOne(data, memory, job, chance);
    } catch (error) {
      if (error instanceof Lost) throw error;
      if (error instanceof Refused) continue;
      // Nobody answers any more: this life of the agent is over.
      return;
    }
  }
}

/** Looks how the job is now, if that is not known. @param {string} data @param {Remembered} job */
async function settle(data, job) {
  if (job.possible.length > 1) job.possible = [await lookAt(data, job)];
}

/** How the job is; deleted ones are not shown. @param {string} data @param {Remembered} job @returns {Promise<Known>} */
async function lookAt(data, job) {
  try {
    const { job: found } = await askFor(data, 'jobs.get', { jobId: job.id });
    return pickPossible(job, { notes: found.notes, isEnabled: found.isEnabled, isDeleted: false });
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'not_found') throw error;
    const [{ notes, isEnabled } = { notes: '', isEnabled: true }] = job.possible;
    return pickPossible(job, { notes, isEnabled, isDeleted: true });
  }
}

/** Throws if it is none of what it may be. @param {Remembered} job @param {Known} found @returns {Known} */
function pickPossible(job, found) {
  const match = job.possible.find((each) => each.notes === found.notes && each.isDeleted === found.isDeleted);
  if (match === undefined)
    throw new Lost(`${job.name} is none of what was acknowledged: ${inWords(job, found)}`);
  return { ...match, isEnabled: found.isEnabled };
}

/** @param {Remembered} job @param {Known} found */
const inWords = (job, found) => `${JSON.stringify(found)}, not ${JSON.stringify(job.possible)}`;

/**
 * @param {string} data
 * @param {Memory} memory
 * @param {Remembered} job
 * @param {import('./chance.mjs').Chance} chance
 */
async function changeOne(data, memory, job, chance) {
  const [before] = job.possible;
  if (before === undefined) return;
  /** @param {Known} after @param {string} request @param {any} input */
  const change = async (after, request, input) => {
    const saved = await acknowledged(memory, () => askFor(data, request, input), {
      open: () => {
        job.possible = [before, after];
      },
      close: (isDone) => {
        job.possible = [isDone ? after : before];
      },
    });
    if (saved?.revision !== undefined) job.revision = saved.revision;
  };
  const jobId = job.id;
  if (before.isDeleted) return change({ ...before, isDeleted: false }, 'jobs.restore', { jobId });
  if (!before.isEnabled)
    return change({ ...before, isEnabled: true }, 'jobs.setEnabled', { jobId, isEnabled: true });
  const act = chance.next();
  if (act < 0.45) {
    const notes = `note ${memory.acknowledged} ${chance.between(0, 1_000_000)}`;
    const { job: present } = await askFor(data, 'jobs.get', { jobId });
    return change({ ...before, notes }, 'jobs.save', {
      jobId,
      revision: present.revision,
      draft: { ...draftFrom(present), notes },
    });
  }
  if (act < 0.6)
    return change({ ...before, isEnabled: false }, 'jobs.setEnabled', { jobId, isEnabled: false });
  if (act < 0.68) return change({ ...before, isDeleted: true }, 'jobs.delete', { jobId, stopRun: true });
  if (act < 0.9) return startByHand(data, memory, jobId, chance);
  return pauseOrNot(data, memory, chance);
}

/**
 * Notes what may be before the answer comes, and what is once it came.
 * @param {Memory} memory
 * @param {() => Promise<any>} ask
 * @param {{ open: () => void, close: (isDone: boolean) => void }} note
 */
async function acknowledged(memory, ask, { open, close }) {
  open();
  memory.unanswered += 1;
  try {
    const value = await ask();
    close(true);
    memory.acknowledged += 1;
    memory.unanswered -= 1;
    return value;
  } catch (error) {
    if (!(error instanceof Refused) || !UNCHANGED.has(error.code)) throw error;
    close(false);
    memory.unanswered -= 1;
    return null;
  }
}

/** @param {string} data @param {Memory} memory @param {string} jobId @param {import('./chance.mjs').Chance} chance */
async function startByHand(data, memory, jobId, chance) {
  const run = await askFor(data, 'runs.start', {
    jobId,
    ifActive: chance.pick(['refuse', 'queue', 'replace']),
  });
  memory.runIds.push(run.id);
  memory.acknowledged += 1;
  if (chance.isTrue(0.2)) await askFor(data, 'runs.stop', { runId: run.id });
}

/** @param {string} data @param {Memory} memory @param {import('./chance.mjs').Chance} chance */
async function pauseOrNot(data, memory, chance) {
  const held = [...memory.pauses].find(([, states]) => states.includes(true));
  if (held === undefined) {
    const scope = { kind: 'tag', tag: 'quiet' };
    const pause = await askFor(data, 'pauses.start', {
      scope,
      note: `${chance.between(0, 1_000)}`,
      until: null,
    });
    memory.pauses.set(pause.id, [true]);
    memory.acknowledged += 1;
    return;
  }
  const [pauseId] = held;
  await acknowledged(memory, () => askFor(data, 'pauses.end', { pauseId }), {
    open: () => memory.pauses.set(pauseId, [true, false]),
    // Refused: somebody has ended it already, or the answer to an earlier try was lost.
    close: () => memory.pauses.set(pauseId, [false]),
  });
}

/** What the editor would send for a job that is unchanged. @param {any} job */
const draftFrom = (job) => ({
  name: job.name,
  settings: job.settings,
  tags: job.tags,
  notes: job.notes,
  isEnabled: job.isEnabled,
  policies: job.policies,
  conditions: job.conditions,
  dates: job.dates,
  schedules: job.schedules,
});
