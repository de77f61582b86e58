/**
 * Looks at the packaged app as it lies on the disk: the fuses of its binary, what is outside its archive, and that
 * nothing of development is inside. That it starts and works is for e2e/packaged.e2e.ts to say.
 */
import fs from 'node:fs';
import path from 'node:path';
import { getCurrentFuseWire } from '@electron/fuses';
import { asarEntries } from './archives.mjs';
import { expectedWire } from './fuses.mjs';

const root = path.resolve(import.meta.dirname, '..');
const SQLITE = 'node_modules/@photostructure/sqlite';

/** Everything outside the archive is outside its protection, so each such file is listed here. */
const EXPECTED_UNPACKED = [`${SQLITE}/prebuilds/linux-${process.arch}/@photostructure+sqlite.glibc.node`];
/** What the packaged resources hold; the profile comes with the .deb, for systems that restrict Chromium's sandbox. */
const EXPECTED_RESOURCES = ['app.asar', 'app.asar.unpacked'];
const ALLOWED_RESOURCES = ['apparmor-profile'];
/** Packages that are not bundled. */
const EXPECTED_MODULES = ['@photostructure/sqlite', 'node-gyp-build'];
/** Files of development that must not be in the archive. */
const UNWANTED = /\.(map|tsx?|svg|e2e|test)$|(^|\/)\.sources$|^out\/(agent|cli)\//;
/** What a content security policy must not contain; only the policy of the development server does. */
const LOOSER_POLICY = /'unsafe-(inline|eval|hashes)'|wss?:\/\//;
const FUSE_ON = '1'.charCodeAt(0);
const FUSE_OFF = '0'.charCodeAt(0);

/**
 * Answers everything that is wrong with the packaged app, in sentences; empty if all is well.
 * @param {string} [folder] the unpacked app
 * @returns {Promise<string[]>}
 */
export async function verifyPackage(folder = path.join(root, 'release', 'linux-unpacked')) {
  const resources = path.join(folder, 'resources');
  const archive = path.join(resources, 'app.asar');
  if (!fs.existsSync(archive)) return [`${archive} does not exist.`];
  const entries = asarEntries(fs.readFileSync(archive));
  const unpacked = filesIn(path.join(resources, 'app.asar.unpacked'));
  return [
    ...(await fuseProblems(path.join(folder, 'belfry'))),
    ...differences('resources/', fs.readdirSync(resources), EXPECTED_RESOURCES, ALLOWED_RESOURCES),
    ...differences('app.asar.unpacked/', unpacked, EXPECTED_UNPACKED),
    ...differences('node_modules/', modulesOf(entries.map(({ name }) => name)), EXPECTED_MODULES),
    ...entries.filter(({ name }) => UNWANTED.test(name)).map(({ name }) => `${name} must not be packaged.`),
    ...entries.filter(({ name }) => name === 'out/main/main.cjs').flatMap(policyProblems),
  ];
}

/** @param {string} executable */
async function fuseProblems(executable) {
  const { version: _, ...wire } = await getCurrentFuseWire(executable);
  return Object.entries(wire).flatMap(([position, state]) => {
    const fuse = expectedWire[Number(position)];
    if (!fuse) return [`Fuse ${position} is not in the table of build/fuses.mjs.`];
    const expected = fuse.isOn ? FUSE_ON : FUSE_OFF;
    return Number(state) === expected ? [] : [`Fuse ${fuse.name} is ${state}, not ${expected}.`];
  });
}

/** @param {{ name: string, read: () => Buffer }} entry */
function policyProblems({ name, read }) {
  const found = LOOSER_POLICY.exec(read().toString('utf8'));
  return found ? [`${name} contains the looser policy ${found[0]}.`] : [];
}

/**
 * @param {string} place
 * @param {string[]} actual
 * @param {string[]} expected
 * @param {string[]} [allowed]
 */
function differences(place, actual, expected, allowed = []) {
  const known = [...expected, ...allowed];
  return [
    ...actual.filter((name) => !known.includes(name)).map((name) => `${place}${name} is not expected.`),
    ...expected.filter((name) => !actual.includes(name)).map((name) => `${place}${name} is missing.`),
  ];
}

/**
 * The names of the packages among the paths of files.
 * @param {string[]} files
 */
function modulesOf(files) {
  const names = files.map((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

/**
 * @param {string} folder
 * @returns {string[]} paths relative to the folder
 */
function filesIn(folder) {
  if (!fs.existsSync(folder)) return [];
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}
