/**
 * The engine without Electron: from the line that says what it does until SIGINT or SIGTERM. Runs that are going on then are
 * left alone; whoever runs the jobs next adopts them.
 */

import os from 'node:os';
import type { SchedulerStatus } from '../shared/model/settings';
import { compose } from './compose';
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

/** Resolves with the exit code once the engine has stopped, or could not start. `argv` may name the data folder. */
export async function runHeadless(argv: readonly string[]): Promise<number> {
  const folder = ownDataFolder(argv);
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  try {
    const belfry = await compose({
      dataFolder: folder,
      host: 'agent',
      windowSide: null,
      machineHints: null,
      announce: () => undefined,
      checksOutput: __TEST_BUILD__,
    });
    if (belfry.problem === null) {
      await belfry.start();
      process.stdout.write(`belfry agent: ${present(await belfry.status())}, data in ${folder}\n`);
      await stopped;
    } else {
      process.stderr.write(`belfry agent: ${belfry.problem}\n`);
    }
    await belfry.stop({ runs: 'leave' });
    return belfry.problem === null ? EXIT_DONE : EXIT_FAILED;
  } catch (error) {
    process.stderr.write(`belfry agent: ${error instanceof Error ? error.message : String(error)}\n`);
    return EXIT_FAILED;
  }
}

const present = ({ state, holder }: SchedulerStatus): string =>
  state === 'standby' ? `standing by, process ${holder?.pid} is running your jobs` : 'running your jobs';
