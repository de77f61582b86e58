/**
 * The parts that the build makes, and whether each is still what its sources say. Uses Node's own modules only, so that
 * a start with nothing to build loads no build tool.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/**
 * Where a bundle runs decides what it may leave to its surroundings: `electron` and `node` differ in that the latter
 * has no Electron to ask for.
 * @typedef {'electron' | 'node' | 'page' | 'files'} Surroundings
 * @typedef {{ name: string, runsIn: Surroundings, entry: string, sources: readonly string[] }} Part
 */

const ENGINE_SIDE = ['electron', 'shared'];

/** Each part becomes the folder out/<name>; a further entry is one more line. @type {readonly Part[]} */
export const parts = [
  { name: 'main', runsIn: 'electron', entry: 'electron/main.ts', sources: ENGINE_SIDE },
  { name: 'preload', runsIn: 'electron', entry: 'electron/preload.ts', sources: ENGINE_SIDE },
  { name: 'agent', runsIn: 'node', entry: 'electron/agent.ts', sources: ENGINE_SIDE },
  { name: 'storeWorker', runsIn: 'node', entry: 'electron/storeWorker.ts', sources: ENGINE_SIDE },
  { name: 'cli', runsIn: 'node', entry: 'electron/cli.ts', sources: ENGINE_SIDE },
  { name: 'renderer', runsIn: 'page', entry: 'renderer/index.html', sources: ['renderer', 'shared'] },
  { name: 'icons', runsIn: 'files', entry: 'build/icons', sources: ['build/icons'] },
];

/** What every part depends on besides its own sources. */
const COMMON_SOURCES = [
  'package.json',
  'package-lock.json',
  'build/parts.mjs',
  'build/build.mjs',
  'build/bundles.mjs',
];
const NOT_BUILT = /\.(test|sim)\.tsx?$|\.md$/;
const STAMP = '.sources';

/**
 * The folder that a part is built into.
 * @param {string} root
 * @param {Part} part
 */
export function partFolder(root, part) {
  return path.join(root, 'out', part.name);
}

/**
 * The parts whose sources are not those that they were last built from, each with the stamp to leave after building.
 * @param {string} root
 * @param {{ isTestBuild: boolean }} options
 */
export function staleParts(root, { isTestBuild }) {
  /** @type {Map<string, string>} */
  const known = new Map();
  const digest = (/** @type {string} */ source) => {
    const found = known.get(source) ?? digestOf(root, source);
    known.set(source, found);
    return found;
  };
  return parts
    .map((part) => {
      const sources = [...COMMON_SOURCES, ...part.sources].map(digest).join('\n');
      return { part, stamp: createHash('sha256').update(`${isTestBuild}\n${sources}`).digest('hex') };
    })
    .filter(({ part, stamp }) => readStamp(partFolder(root, part)) !== stamp);
}

/**
 * Says of a folder from which sources its contents were built; to be written before the folder is put in place.
 * @param {string} folder
 * @param {string} stamp
 */
export function writeStamp(folder, stamp) {
  fs.writeFileSync(path.join(folder, STAMP), stamp);
}

/** @param {string} folder */
function readStamp(folder) {
  const file = path.join(folder, STAMP);
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null;
}

/**
 * One digest over the names and contents of a file, or of all files in a folder that end up in a bundle.
 * @param {string} root
 * @param {string} source
 */
function digestOf(root, source) {
  const hash = createHash('sha256');
  for (const file of filesIn(path.join(root, source)).sort()) {
    hash.update(`${path.relative(root, file)}\0`).update(fs.readFileSync(file));
  }
  return hash.digest('hex');
}

/**
 * @param {string} place
 * @returns {string[]}
 */
function filesIn(place) {
  if (!fs.existsSync(place)) return [];
  if (!fs.statSync(place).isDirectory()) return NOT_BUILT.test(place) ? [] : [place];
  return fs.readdirSync(place).flatMap((name) => filesIn(path.join(place, name)));
}
