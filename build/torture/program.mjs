/**
 * The agent and the command line as bundles of their own, with the hooks for tests: what somebody is building or running in
 * out/ stays as it is. They lie below the root, where packages are found.
 */
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'vite';
import { bundleConfig } from '../bundles.mjs';
import { parts } from '../parts.mjs';

const root = path.resolve(import.meta.dirname, '..', '..');
const NAMES = ['agent', 'cli', 'storeWorker'];

/**
 * @typedef {object} Program
 * @property {string} agent path of the script
 * @property {string} cli path of the script
 * @property {() => void} remove
 */

/** @returns {Promise<Program>} */
export async function buildProgram() {
  const folder = path.join(root, 'out', 'torture', String(process.pid));
  for (const part of parts.filter(({ name }) => NAMES.includes(name))) {
    await build(bundleConfig(part, { outDir: path.join(folder, part.name), isTestBuild: true }));
  }
  return {
    agent: path.join(folder, 'agent', 'agent.cjs'),
    cli: path.join(folder, 'cli', 'cli.cjs'),
    remove: () => fs.rmSync(folder, { recursive: true, force: true }),
  };
}
