/**
 * Type-checks every room with what may exist there.
 *
 *   node build/typecheck.mjs            all rooms
 *   node build/typecheck.mjs --runtime  the engine's side once more, against the types of the older Electron that tests
 *                                       may run on, so that nothing is used which exists only in the newer one
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { tarEntries } from './archives.mjs';
import { devCacheFolder } from './electronDist.mjs';
import { FALLBACK_ELECTRON_VERSION } from './electronFallback.mjs';
import { fetchNpmPackage } from './npmPackage.mjs';

const root = path.resolve(import.meta.dirname, '..');
const ROOMS = ['pure', 'electron', 'renderer', 'e2e', 'build'];
const OLDER_TYPES = {
  spec: `electron@${FALLBACK_ELECTRON_VERSION}`,
  integrity:
    'sha512-SG/nmSsK9Qg1p6wAW+ZfqU+AV8cmXMTIklUL18NnOKfZLlum4ZsDoVdmmmlL39ZmeCaq27dr7CgslRPahfoVJg==',
};

/**
 * Runs the compiler on one configuration, with its messages on our output.
 * @param {string} configuration
 */
async function hasErrors(configuration) {
  const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const child = spawn(process.execPath, [compiler, '-p', configuration], { cwd: root, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code !== 0;
}

/** Answers the older Electron's electron.d.ts, which is fetched once and kept in the cache for development. */
async function olderTypes() {
  const file = path.join(devCacheFolder(), `electron-types-${FALLBACK_ELECTRON_VERSION}`, 'electron.d.ts');
  if (fs.existsSync(file)) return file;
  const work = path.join(devCacheFolder(), `types.${process.pid}-${randomUUID().slice(0, 8)}`);
  fs.mkdirSync(work, { recursive: true });
  fs.mkdirSync(path.dirname(file), { recursive: true });
  try {
    const tar = await fetchNpmPackage(OLDER_TYPES, work);
    const types = [...tarEntries(tar)].find(({ name }) => name === 'package/electron.d.ts');
    if (!types) throw new Error(`${OLDER_TYPES.spec} holds no electron.d.ts`);
    fs.writeFileSync(path.join(work, 'electron.d.ts'), types.data);
    fs.renameSync(path.join(work, 'electron.d.ts'), file);
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
  return file;
}

/** Writes a configuration for the engine's side in which `electron` means the older one. */
async function olderConfiguration() {
  const file = path.join(root, 'out', 'typecheck-runtime', 'tsconfig.json');
  const types = await olderTypes();
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const configuration = {
    extends: path.join(root, 'tsconfig.electron.json'),
    compilerOptions: { paths: { electron: [types] }, typeRoots: [path.join(root, 'node_modules', '@types')] },
    include: ['electron', 'shared', 'build/constants.d.ts'].map((source) => path.join(root, source)),
  };
  fs.writeFileSync(file, JSON.stringify(configuration));
  return file;
}

async function main() {
  if (process.argv.includes('--runtime')) {
    console.log(`Checking electron/ against the types of Electron ${FALLBACK_ELECTRON_VERSION}.`);
    return (await hasErrors(await olderConfiguration())) ? 1 : 0;
  }
  const results = await Promise.all(ROOMS.map((room) => hasErrors(`tsconfig.${room}.json`)));
  return results.some(Boolean) ? 1 : 0;
}

process.exitCode = await main();
