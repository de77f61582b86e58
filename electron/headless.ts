/**
 * The engine without Electron: from the line that says what it does until SIGINT or SIGTERM. Runs that are going on then are
 * left alone; whoever runs the jobs next adopts them.
 */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { SchedulerStatus } from '../shared/model/settings';
import { type Belfry, compose } from './compose';
import { dataFolder } from './system/dataFolder';

const EXIT_DONE = 0;
const EXIT_FAILED = 1;

/** The data folder of the user who started this process. */
export const ownDataFolder = (argv: readonly string[]): string =>
  dataFolder({
    platform: process.platform,
    env: process.env,
    home: os.homedir(),
    workingFolder: process.cwd(),
    argv,
  });

/** Where the build puts the bundle for slow work with store files, seen from the script that was started. */
export const storeWorkerBeside = (script: string): string =>
  path.resolve(fs.realpathSync(script), '..', '..', 'storeWorker', 'storeWorker.cjs');

/**
 * Resolves with the exit code once the engine has stopped, or could not start. `argv` may name the data folder; for `storeWorker`
 * see ComposeOptions.
 */
export async function runHeadless(
  argv: readonly string[],
  storeWorker: string | null = null,
): Promise<number> {
  const folder = ownDataFolder(argv);
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  try {
    let present: Belfry | null = null;
    const belfry = await compose({
      dataFolder: folder,
      host: 'agent',
      windowSide: null,
      machineHints: null,
      // Another store may have taken the place of the first, and may have been refused. Nobody is here to mend that.
      announce: (name) => {
        if (name === 'status.changed' && present !== null && present.problem !== null) stop();
      },
      checksOutput: __TEST_BUILD__,
      storeWorker,
    });
    present = belfry;
    if (belfry.problem === null) {
      await belfry.start();
      process.stdout.write(`belfry agent: ${inWords(await belfry.status())}, data in ${folder}\n`);
      await stopped;
    }
    if (belfry.problem !== null) {
      process.stderr.write(`belfry agent: ${belfry.problem}\n`);
    }
    const exitCode = belfry.problem === null ? EXIT_DONE : EXIT_FAILED;
    await belfry.stop({ runs: 'leave' });
    return exitCode;
  } catch (error) {
    process.stderr.write(`belfry agent: ${error instanceof Error ? error.message : String(error)}\n`);
    return EXIT_FAILED;
  }
}

const inWords = ({ state, holder }: SchedulerStatus): string =>
  state === 'standby' ? `standing by, process ${holder?.pid} is running your jobs` : 'running your jobs';
