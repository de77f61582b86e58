/**
 * Builds what is stale into out/, each part into a folder that is renamed into place when it is complete.
 *
 *   node build/build.mjs                builds
 *   node build/build.mjs --test-build   with the hooks for tests in the bundles
 *   node build/build.mjs --dev          shows the app; changes of the window appear at once, others restart it
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { oneAtATime } from './oneAtATime.mjs';
import { partFolder, staleParts, writeStamp } from './parts.mjs';

/** @typedef {import('./parts.mjs').Part} Part */

const root = path.resolve(import.meta.dirname, '..');

/**
 * Builds the parts that are stale and names them through `say`.
 * @param {(message: string) => void} say
 * @param {{ isTestBuild?: boolean }} [options]
 */
export async function buildStale(say, { isTestBuild = false } = {}) {
  const stale = staleParts(root, { isTestBuild });
  if (stale.length === 0) {
    say('up to date');
    return;
  }
  say(`building ${stale.map(({ part }) => part.name).join(', ')}`);
  await keepingNodeEnv(() =>
    Promise.all(stale.map(({ part, stamp }) => buildPart(part, stamp, isTestBuild))),
  );
}

/**
 * Vite says in this process's own environment that it builds for production. Whatever is started afterwards, the app and
 * its jobs or the tests, must not inherit that.
 * @template T
 * @param {() => Promise<T>} work
 */
export async function keepingNodeEnv(work) {
  const before = process.env.NODE_ENV;
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

/**
 * @param {Part} part
 * @param {string} stamp
 * @param {boolean} isTestBuild
 */
async function buildPart(part, stamp, isTestBuild) {
  const folder = partFolder(root, part);
  const work = path.join(root, 'out', `.${part.name}-new`);
  fs.rmSync(work, { recursive: true, force: true });
  if (part.runsIn === 'files') {
    fs.cpSync(path.join(root, part.entry), work, { recursive: true });
  } else {
    const [{ build }, { bundleConfig }] = await Promise.all([import('vite'), import('./bundles.mjs')]);
    await build(bundleConfig(part, { outDir: work, isTestBuild }));
  }
  writeStamp(work, stamp);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.renameSync(work, folder);
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const say = (/** @type {string} */ message) => console.log(`Build: ${message}.`);
  if (process.argv.includes('--dev')) {
    const { develop } = await import('./develop.mjs');
    process.exitCode = await develop();
  } else {
    const isTestBuild = process.argv.includes('--test-build');
    await oneAtATime(
      root,
      () => say('waiting for another process that prepares this folder'),
      () => buildStale(say, { isTestBuild }),
    );
  }
}
