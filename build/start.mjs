/**
 * `npm start`: prepares what is missing and opens the app. Without a display it starts the same engine headless.
 *
 *   npm start -- --timing             prints how long each step took, and the time until the window is drawn
 *   npm start -- --hidden other/args  all other arguments go to the app
 */
import { requireNode } from './nodeVersion.mjs';

requireNode();
const { prepare, root, seconds } = await import('./prepare.mjs');
const { runProgram } = await import('./processes.mjs');
const { withoutNpm } = await import('./appEnvironment.mjs');

/** What the main process prints, asked by BELFRY_TIMING, when its window is on the screen. */
const WINDOW_DRAWN = /^belfry: window drawn/m;

/**
 * @param {readonly string[]} argv
 * @returns {Promise<number>} the exit code of the app
 */
async function start(argv) {
  const isTimed = argv.includes('--timing');
  const appArguments = argv.filter((argument) => argument !== '--timing' && argument !== '--');
  const isHeadless = process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY;
  const electron = await prepare({
    needsElectron: !isHeadless,
    needsBuild: true,
    isForTests: false,
    isTimed,
  });
  const ending = electron
    ? await startWindow(electron, appArguments, isTimed)
    : await startHeadless(appArguments);
  return ending.code;
}

/**
 * @param {import('./electronDist.mjs').ElectronDist} electron
 * @param {readonly string[]} appArguments
 * @param {boolean} isTimed
 */
async function startWindow(electron, appArguments, isTimed) {
  const { electronEnvironment, sandboxArguments } = await import('./electronRuntime.mjs');
  const flags = sandboxArguments();
  if (flags.length > 0)
    console.log("Belfry: opening, without Chromium's sandbox, which this user or system cannot have");
  else console.log('Belfry: opening');
  return runProgram(electron.executable, [...flags, root, ...appArguments], {
    cwd: root,
    env: { ...electronEnvironment(electron), ...(isTimed ? { BELFRY_TIMING: '1' } : {}) },
    ...(isTimed ? { onOutput: reportWindow } : {}),
  });
}

/** @param {string} text */
function reportWindow(text) {
  if (WINDOW_DRAWN.test(text)) console.log(`Belfry: start to window took ${seconds(performance.now())}`);
}

/** @param {readonly string[]} appArguments */
function startHeadless(appArguments) {
  console.log('Belfry: there is no display here, so the engine runs without a window; Ctrl-C stops it');
  return runProgram(process.execPath, ['out/agent/agent.cjs', ...appArguments], {
    cwd: root,
    env: withoutNpm(process.env),
  });
}

try {
  process.exitCode = await start(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
