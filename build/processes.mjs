/**
 * Runs other programs for the build scripts, so that one signal to us reaches them exactly once.
 *
 * The child gets a session of its own: a Ctrl-C in the terminal then comes only through us, and not a second time,
 * which Chromium would take as an order to die without tidying up.
 */
import { spawn } from 'node:child_process';
import os from 'node:os';

const FORWARDED_SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
/** npm passes a terminal's signal on to us although we had it already; what comes within this time is the same one. */
const SAME_SIGNAL_MS = 1000;

/**
 * Runs a program to its end with its output on ours and answers its exit code; 127 if it could not be started.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {object} [options]
 * @param {string} [options.cwd]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {boolean} [options.isGroup] signals go to everything it started, and at its end nothing of that is left
 * @returns {Promise<number>}
 */
export function runProgram(command, args, { cwd, env, isGroup = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: process.platform !== 'win32',
    });
    const send = (/** @type {NodeJS.Signals} */ signal) => {
      if (isGroup && process.platform !== 'win32') signalGroup(child.pid, signal);
      else child.kill(signal);
    };
    const stopForwarding = forwardSignals(send);
    child.on('error', (error) => {
      stopForwarding();
      console.error(`${command}: ${error.message}`);
      resolve(127);
    });
    child.on('exit', (code, signal) => {
      stopForwarding();
      if (isGroup) send('SIGTERM');
      resolve(code ?? 128 + (signal ? os.constants.signals[signal] : 0));
    });
  });
}

/**
 * Calls `send` for each signal that asks us to stop, instead of dying; answers how to undo that.
 * @param {(signal: NodeJS.Signals) => void} send
 */
function forwardSignals(send) {
  let lastAt = Number.NEGATIVE_INFINITY;
  const forward = (/** @type {NodeJS.Signals} */ signal) => {
    const now = performance.now();
    if (now - lastAt > SAME_SIGNAL_MS) send(signal);
    lastAt = now;
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
