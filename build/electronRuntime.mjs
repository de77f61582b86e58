/**
 * Finds an Electron to develop and test with (architecture.md, D14), in this order: ELECTRON_OVERRIDE_DIST_PATH; the
 * binary that the `electron` package has downloaded; a fallback prepared earlier; the official download; the fallback.
 * BELFRY_ELECTRON=official or =fallback leaves out the other one.
 *
 *   node build/electronRuntime.mjs                  prints the folder of the distribution
 *   node build/electronRuntime.mjs run . [args]     starts Electron with these arguments
 *   node build/electronRuntime.mjs exec CMD [args]  runs a test program beside it, on a display and a bus of its own
 */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withoutNpm } from './appEnvironment.mjs';
import { describeDist } from './electronDist.mjs';
import { preparedFallback, prepareFallback } from './electronFallback.mjs';
import { runProgram, runToEnd } from './processes.mjs';

/** @typedef {import('./electronDist.mjs').ElectronDist} ElectronDist */

const require = createRequire(import.meta.url);
const root = path.resolve(import.meta.dirname, '..');
const DOWNLOAD_MS_MAX = 10 * 60_000;

/**
 * Answers the Electron to use, and fetches one if there is none yet. Rejects with a sentence for the user if none is
 * to be had.
 * @param {(message: string) => void} [say] is told what takes time
 * @returns {Promise<ElectronDist>}
 */
export async function resolveElectron(say = (message) => console.error(message)) {
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (override) {
    const found = describeDist(path.resolve(override), 'ELECTRON_OVERRIDE_DIST_PATH');
    if (!found) throw new Error(`ELECTRON_OVERRIDE_DIST_PATH names ${override}, but no Electron is there`);
    return found;
  }
  const choice = process.env.BELFRY_ELECTRON;
  const found =
    (choice === 'fallback' ? null : downloadedElectron()) ??
    (choice === 'official' ? null : preparedFallback()) ??
    (choice === 'fallback' ? null : await downloadElectron(say)) ??
    (choice === 'official' ? null : await prepareFallback(say));
  if (!found) {
    throw new Error('No Electron could be downloaded. Set ELECTRON_OVERRIDE_DIST_PATH to the folder of one.');
  }
  return found;
}

/**
 * What Electron is told on this machine before the application's own arguments. Root cannot use Chromium's sandbox,
 * and neither can anyone where the system forbids user namespaces, since a development copy has no setuid helper.
 */
export function sandboxArguments() {
  if (process.platform !== 'linux') return [];
  if (process.getuid?.() === 0) return ['--no-sandbox'];
  const namespace = spawnSync('unshare', ['--user', '--map-root-user', 'true'], { stdio: 'ignore' });
  return namespace.error || namespace.status === 0 ? [] : ['--no-sandbox'];
}

/**
 * The environment in which `electron`, `require('electron')` and Playwright find this distribution.
 * @param {ElectronDist} electron
 * @returns {NodeJS.ProcessEnv}
 */
export function electronEnvironment(electron) {
  const { ELECTRON_RUN_AS_NODE: _, ...env } = withoutNpm(process.env);
  return { ...env, ELECTRON_OVERRIDE_DIST_PATH: electron.dist };
}

/**
 * Runs a test program to its end and answers its exit code. On Linux it gets a virtual display and a session bus of its own, so
 * that it neither needs a desktop nor disturbs one; BELFRY_WATCH=1 shows it on the developer's own.
 * @param {ElectronDist} electron
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ patienceMs: number, limitMs?: number }} [waits] for the end after a signal, and at all
 */
export function runBesideElectron(electron, command, args, waits = { patienceMs: 10_000 }) {
  const env = electronEnvironment(electron);
  env.PATH = `${path.join(root, 'node_modules', '.bin')}${path.delimiter}${env.PATH ?? ''}`;
  if (process.platform !== 'linux' || process.env.BELFRY_WATCH === '1') {
    return runToEnd(command, args, { cwd: root, env, ...waits });
  }
  const { WAYLAND_DISPLAY: _, ...headless } = env;
  const screen = ['-a', '-s', '-screen 0 1440x900x24 -nolisten tcp'];
  return runToEnd('xvfb-run', [...screen, 'dbus-run-session', '--', command, ...args], {
    cwd: root,
    // There is no screen reader on this display, and GTK would start a service for one.
    env: { ...headless, XDG_SESSION_TYPE: 'x11', NO_AT_BRIDGE: '1' },
    ...waits,
  });
}

/** The installed `electron` package; null before the dependencies are installed. */
function electronPackage() {
  const manifestFile = path.join(root, 'node_modules', 'electron', 'package.json');
  if (!fs.existsSync(manifestFile)) return null;
  return {
    folder: path.dirname(manifestFile),
    version: /** @type {string} */ (require(manifestFile).version),
  };
}

function downloadedElectron() {
  const installed = electronPackage();
  // The package writes path.txt last, so without it the download was interrupted.
  if (!installed || !fs.existsSync(path.join(installed.folder, 'path.txt'))) return null;
  const found = describeDist(path.join(installed.folder, 'dist'), 'the electron package');
  return found?.version === installed.version ? found : null;
}

/** @param {(message: string) => void} say */
async function downloadElectron(say) {
  const installed = electronPackage();
  if (!installed) return null;
  say(`trying the official download of Electron ${installed.version}`);
  const install = spawn(process.execPath, [path.join(installed.folder, 'install.js')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: DOWNLOAD_MS_MAX,
  });
  let errors = '';
  install.stderr.on('data', (data) => {
    errors += data;
  });
  const [code, signal] = await once(install, 'close');
  if (code === 0) return downloadedElectron();
  say(`the official download failed: ${errors.split('\n')[0] || signal || `code ${code}`}`);
  return null;
}

/** @param {readonly string[]} argv */
async function main([verb, ...rest]) {
  const electron = await resolveElectron();
  if (verb === undefined) {
    console.log(electron.dist);
    return 0;
  }
  console.error(`Electron ${electron.version} from ${electron.source}`);
  if (verb === 'run') {
    const env = electronEnvironment(electron);
    const { code } = await runProgram(electron.executable, [...sandboxArguments(), ...rest], { env });
    return code;
  }
  const [command, ...args] = rest;
  if (verb === 'exec' && command !== undefined) return runBesideElectron(electron, command, args);
  throw new Error('Usage: electronRuntime.mjs [run <application> [arguments] | exec <command> [arguments]]');
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2)).catch((error) => {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  });
}
