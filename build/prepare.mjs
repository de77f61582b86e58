/**
 * What `npm start` and `npm test` do before their own work: dependencies, Electron, the system's libraries, and a build
 * of what is stale. Every step first looks whether there is anything to do, and can be interrupted and run again.
 *
 * Until the dependencies are there only Node's own modules may be loaded, hence the late imports.
 */
import path from 'node:path';
import { installDependencies } from './dependencies.mjs';
import { oneAtATime } from './oneAtATime.mjs';

/** @typedef {import('./electronDist.mjs').ElectronDist} ElectronDist */

export const root = path.resolve(import.meta.dirname, '..');

/**
 * @typedef {object} Preparation
 * @property {boolean} needsElectron
 * @property {boolean} needsBuild
 * @property {boolean} isForTests also what the tests need, such as a display of their own
 * @property {boolean} [isTimed] prints how long each step took
 */

/**
 * Prepares the working copy and answers the Electron to use, or null if none is needed. Rejects with a sentence for the
 * user.
 * @param {Preparation} preparation
 * @returns {Promise<ElectronDist | null>}
 */
export function prepare({ needsElectron, needsBuild, isForTests, isTimed = false }) {
  const step = createStep({ isTimed });
  const announceWait = () => console.log('Waiting for another process that prepares this folder.');
  return oneAtATime(root, announceWait, async () => {
    await step('Dependencies', (say) => installDependencies(root, say));
    const electron = needsElectron
      ? await step('Electron', async (say) => {
          const { resolveElectron } = await import('./electronRuntime.mjs');
          const found = await resolveElectron(say);
          say(`${found.version} from ${found.source}`);
          return found;
        })
      : null;
    if (electron && process.platform === 'linux') {
      const { ensureSystemLibraries } = await import('./systemLibraries.mjs');
      await step('System libraries', (say) =>
        ensureSystemLibraries(electron.executable, { isForTests }, say),
      );
    }
    if (needsBuild) {
      await step('Build', async (say) => {
        const { buildStale } = await import('./build.mjs');
        await buildStale(say);
      });
    }
    return electron;
  });
}

/**
 * Makes a function that runs one step and prints its plain lines, each beginning with the step's name.
 * @param {{ isTimed: boolean }} options
 */
function createStep({ isTimed }) {
  /**
   * @template T
   * @param {string} name
   * @param {(say: (message: string) => void) => Promise<T>} work
   * @returns {Promise<T>}
   */
  return async function step(name, work) {
    const beganAt = performance.now();
    const result = await work((message) => console.log(`${name}: ${message}`));
    if (isTimed) console.log(`${name}: took ${seconds(performance.now() - beganAt)}`);
    return result;
  };
}

/**
 * A duration as people read it, `1.4 s`.
 * @param {number} durationMs
 */
export function seconds(durationMs) {
  return `${(durationMs / 1000).toFixed(1)} s`;
}
