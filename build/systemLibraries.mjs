/**
 * Makes sure that a Linux system has what Electron needs: asks the linker first and touches the package manager only if
 * something is missing. Where we may not install, the user gets the one line to type.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { runStep } from './processes.mjs';

/** Debian packages that bring every library Electron links to (tried in a minimal Debian 12). */
const ELECTRON_PACKAGES = ['libgtk-3-0', 'libnss3', 'libasound2', 'libgbm1', 'dbus'];
/** The Python of the system, since another one in PATH would not see Debian's modules. */
const SYSTEM_PYTHON = '/usr/bin/python3';
/** How long apt-get waits for another installation to end. */
const APT_LOCK_SECONDS = 300;
/** What the tests need besides: a display, a session bus, and a stand-in for the desktop on it. */
const TEST_NEEDS = [
  { name: 'xvfb-run', packages: ['xvfb'], isThere: () => isInPath('xvfb-run') && isInPath('Xvfb') },
  { name: 'xauth', packages: ['xauth'], isThere: () => isInPath('xauth') },
  { name: 'dbus-run-session', packages: ['dbus'], isThere: () => isInPath('dbus-run-session') },
  {
    name: 'python3 with dbus and gi',
    packages: ['python3-dbus', 'python3-gi'],
    isThere: () => spawnSync(SYSTEM_PYTHON, ['-c', 'import dbus, gi.repository.GLib']).status === 0,
  },
];

/**
 * Checks for Electron's libraries, and for the needs of the tests if asked to. Rejects with what to do if something is
 * missing and cannot be installed.
 * @param {string} executable Electron's
 * @param {{ isForTests: boolean }} options
 * @param {(message: string) => void} say
 */
export async function ensureSystemLibraries(executable, { isForTests }, say) {
  const missing = findMissing(executable, isForTests);
  if (missing.names.length === 0) {
    say('all there');
    return;
  }
  say(`missing ${missing.names.join(', ')}`);
  if (!isInPath('apt-get')) {
    throw new Error(`Install these with the package manager of your system: ${missing.names.join(', ')}.`);
  }
  await installDebianPackages(missing.packages, say);
  const still = findMissing(executable, isForTests);
  if (still.names.length > 0)
    throw new Error(`Still missing after the installation: ${still.names.join(', ')}.`);
}

/**
 * @param {string} executable
 * @param {boolean} isForTests
 */
function findMissing(executable, isForTests) {
  // Where there is no ldd, Electron itself will say what it lacks.
  const libraries = (spawnSync('ldd', [executable], { encoding: 'utf8' }).stdout ?? '')
    .split('\n')
    .filter((line) => line.endsWith('=> not found'))
    .map((line) => line.trim().replace(/ => .*/, ''));
  const needs = isForTests ? TEST_NEEDS.filter((need) => !need.isThere()) : [];
  return {
    names: [...libraries, ...needs.map((need) => need.name)],
    packages: [
      ...new Set([
        ...(libraries.length > 0 ? ELECTRON_PACKAGES : []),
        ...needs.flatMap((need) => need.packages),
      ]),
    ],
  };
}

/**
 * @param {string[]} packages
 * @param {(message: string) => void} say
 */
async function installDebianPackages(packages, say) {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status !== 0) {
    const names = packages.map(currentDebianName).join(' ');
    throw new Error(
      `Type this, then start again:\n\n  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${names}\n`,
    );
  }
  const [command, ...prefix] = isRoot ? ['env'] : ['sudo', '-n', 'env'];
  const quiet = [
    'DEBIAN_FRONTEND=noninteractive',
    'apt-get',
    '-qq',
    '-o',
    `DPkg::Lock::Timeout=${APT_LOCK_SECONDS}`,
  ];
  const aptGet = (/** @type {string[]} */ ...args) => runStep(command, [...prefix, ...quiet, ...args]);
  say('asking apt-get for the current package lists');
  // One unreachable source among several fails the update as a whole, although the rest may have all that is needed.
  await aptGet('update').catch((error) => say(`${error.message} Trying with the lists that are here.`));
  const names = packages.map(currentDebianName);
  say(`installing ${names.join(' ')}`);
  await aptGet('install', '-y', '--no-install-recommends', ...names);
}

/**
 * Newer Debian and Ubuntu releases name some of these packages with the suffix t64.
 * @param {string} name
 */
function currentDebianName(name) {
  const renamed = spawnSync('apt-cache', ['show', `${name}t64`], { stdio: 'ignore' });
  return renamed.status === 0 ? `${name}t64` : name;
}

/** @param {string} command */
function isInPath(command) {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((folder) => fs.existsSync(path.join(folder, command)));
}
