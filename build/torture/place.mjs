/**
 * A data folder with a home of its own around it, the agents that are started on it, and the end of every process that was
 * started there: agents, shims and commands carry the folder in their environment.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_MS = 10;
const READY_MS_MAX = 60_000;

/** @typedef {'leading' | 'standby' | 'ended'} Start */

/**
 * @typedef {object} Agent
 * @property {number} pid
 * @property {number} startedAt on the clock of `performance`
 * @property {Promise<Start>} ready what it said first; `ended` if it ended before
 * @property {Promise<number | null>} ended its exit code; null after a signal
 * @property {() => boolean} isAlive
 * @property {() => string} words everything that it said
 * @property {(signal: NodeJS.Signals) => void} signal
 */

/**
 * @typedef {object} Place
 * @property {string} home
 * @property {string} data
 * @property {string} evidence where the commands leave their marks
 * @property {(script: string, args?: readonly string[], env?: Record<string, string>) => Agent} start an agent or a command line
 * @property {() => Promise<void>} endAll kills what is left of this place
 * @property {() => void} remove
 */

/** @param {string} prefix @returns {Place} */
export function makePlace(prefix) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), prefix));
  const folder = (/** @type {string} */ name) => {
    const made = path.join(home, name);
    fs.mkdirSync(made, { mode: 0o700 });
    return made;
  };
  const surroundings = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: home,
    LANG: 'C.UTF-8',
    TMPDIR: folder('tmp'),
    XDG_RUNTIME_DIR: folder('runtime'),
    XDG_CONFIG_HOME: folder('config'),
  };
  const data = path.join(home, 'data');
  return {
    home,
    data,
    evidence: folder('evidence'),
    start: (script, args = [], env = {}) =>
      follow(
        spawn(process.execPath, [script, ...args, `--user-data-dir=${data}`], {
          cwd: home,
          env: { ...surroundings, ...env },
          stdio: ['ignore', 'pipe', 'pipe'],
          detached: true,
        }),
      ),
    endAll: () => endAllOf(home),
    remove: () => fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** @param {import('node:child_process').ChildProcessByStdio<null, import('node:stream').Readable, import('node:stream').Readable>} child @returns {Agent} */
function follow(child) {
  let words = '';
  /** @type {(start: Start) => void} */
  let tell = () => undefined;
  /** @type {Promise<Start>} */
  const ready = new Promise((resolve) => {
    tell = resolve;
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      words += text;
      if (words.includes('agent: running your jobs')) tell('leading');
      else if (words.includes('agent: standing by')) tell('standby');
    });
  }
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => {
    child.on('exit', (code) => {
      tell('ended');
      resolve(code);
    });
    child.on('error', (error) => {
      words += error.message;
      tell('ended');
      resolve(null);
    });
  });
  return {
    pid: child.pid ?? 0,
    startedAt: performance.now(),
    ready,
    ended,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    words: () => words,
    signal: (signal) => void child.kill(signal),
  };
}

/**
 * Asks again and again until it is true. Rejects with `what` after `msMax`.
 * @param {string} what
 * @param {() => unknown} isTrue
 * @param {number} [msMax]
 */
export async function until(what, isTrue, msMax = READY_MS_MAX) {
  const beganAt = performance.now();
  while (!(await isTrue())) {
    if (performance.now() - beganAt > msMax) throw new Error(`not within ${msMax} ms: ${what}`);
    await pause(LOOK_MS);
  }
}

/**
 * Processes whose environment names this folder. Zombies have none any more.
 * @param {string} folder
 */
export const processesOf = (folder) =>
  fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => readOrNothing(`/proc/${pid}/environ`).includes(folder))
    .map(Number);

/**
 * Whether a process with this entry in its environment goes on.
 * @param {number} pid
 * @param {string} entry
 */
export const isProcessWith = (pid, entry) =>
  readOrNothing(`/proc/${pid}/environ`).split('\0').includes(entry);

/** @param {string} file */
function readOrNothing(file) {
  try {
    return fs.readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

/** @param {string} folder */
async function endAllOf(folder) {
  await until('every process of the folder is gone', () => {
    const left = processesOf(folder);
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended between the look and the signal.
      }
    }
    return left.length === 0;
  });
}
