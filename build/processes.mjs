/**
 * Runs other programs for the build scripts, so that one signal to us reaches them exactly once and nothing of them
 * stays behind.
 *
 * The child gets a session of its own: a Ctrl-C in the terminal then comes only through us, and not a second time,
 * which Chromium would take as an order to die without tidying up.
 */
import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';

/** @typedef {{ code: number, interruptedBy: NodeJS.Signals | null }} Ending */

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {boolean} [isGroup] signals go to everything it started, and at its end nothing of that is left
 * @property {number} [patienceMs] how long it may go on after a signal before it is killed; without it, for ever
 * @property {number} [limitMs] how long it may take at all; then it is killed, which counts as a failure
 * @property {(text: string) => void} [onOutput] gets what it writes to standard output, which is shown all the same
 */

const FORWARDED_SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
/** npm passes a terminal's signal on to us although we had it already; what comes within this time is the same one. */
const SAME_SIGNAL_MS = 1000;
const NOT_STARTED = 127;

/**
 * Runs a program to its end, without input and with its output on ours.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<Ending>} code 127 if it could not be started, 128 + n if signal n ended it
 */
export function runProgram(command, args, { cwd, env, isGroup = false, patienceMs, limitMs, onOutput } = {}) {
  return new Promise((resolve) => {
    /** @type {NodeJS.Signals | null} */
    let interruptedBy = null;
    const send = (/** @type {NodeJS.Signals} */ signal) => {
      if (isGroup && process.platform !== 'win32') signalGroup(child.pid, signal);
      else child.kill(signal);
    };
    /** @type {NodeJS.Timeout[]} */
    const timers = [];
    const killAfter = (/** @type {number | undefined} */ delayMs, /** @type {string} */ reason) => {
      if (delayMs === undefined) return;
      const kill = () => {
        console.error(`${path.basename(command)} ${args[0] ?? ''} is killed: ${reason}.`);
        send('SIGKILL');
      };
      timers.push(setTimeout(kill, delayMs));
    };
    // Before the program is there: a signal that came first would end us and leave the program behind.
    const stopForwarding = forwardSignals((signal) => {
      interruptedBy = signal;
      send(signal);
      killAfter(patienceMs, `it goes on after ${signal}`);
    });
    const finish = (/** @type {number} */ code) => {
      stopForwarding();
      for (const timer of timers) clearTimeout(timer);
      resolve({ code, interruptedBy });
    };
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', onOutput ? 'pipe' : 'inherit', 'inherit'],
      detached: process.platform !== 'win32',
    });
    killAfter(limitMs, 'it takes too long');
    child.stdout?.on('data', (data) => {
      process.stdout.write(data);
      onOutput?.(String(data));
    });
    child.on('error', (error) => {
      console.error(`${command}: ${error.message}`);
      finish(NOT_STARTED);
    });
    child.on('exit', (code, signal) => {
      if (isGroup) send('SIGTERM');
      finish(code ?? 128 + (signal ? os.constants.signals[signal] : 0));
    });
  });
}

/**
 * Runs a program with all that it starts, and answers its exit code. If we were asked to stop meanwhile, this process
 * ends as the signal would have ended it.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 */
export async function runToEnd(command, args, options = {}) {
  const { code, interruptedBy } = await runProgram(command, args, { ...options, isGroup: true });
  if (interruptedBy) process.exit(128 + os.constants.signals[interruptedBy]);
  return code;
}

/**
 * The same for a program that must succeed: rejects if it fails.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 */
export async function runStep(command, args, options = {}) {
  const code = await runToEnd(command, args, options);
  if (code !== 0) throw new Error(`${[command, ...args].join(' ')} ended with code ${code}.`);
}

/**
 * How to start npm: as it started us, or by name.
 * @param {readonly string[]} args
 * @returns {[command: string, args: string[]]}
 */
export function npmCommand(args) {
  const cli = process.env.npm_execpath;
  return cli?.endsWith('npm-cli.js') ? [process.execPath, [cli, ...args]] : ['npm', [...args]];
}

/**
 * Calls `send` for each signal that asks us to stop, instead of dying; answers how to undo that.
 * @param {(signal: NodeJS.Signals) => void} send
 */
function forwardSignals(send) {
  /** @type {Map<NodeJS.Signals, number>} */
  const lastAt = new Map();
  const forward = (/** @type {NodeJS.Signals} */ signal) => {
    const now = performance.now();
    if (now - (lastAt.get(signal) ?? Number.NEGATIVE_INFINITY) > SAME_SIGNAL_MS) send(signal);
    lastAt.set(signal, now);
  };
  for (const signal of FORWARDED_SIGNALS) process.on(signal, forward);
  return () => {
    for (const signal of FORWARDED_SIGNALS) process.off(signal, forward);
  };
}

/**
 * @param {number | undefined} pid
 * @param {NodeJS.Signals} signal
 */
function signalGroup(pid, signal) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}
