/**
 * The engine without Electron: from the line that says what it does until SIGINT or SIGTERM. Runs that are going on then are
 * left alone; whoever runs the jobs next adopts them.
 */

import os from 'node:os';
import { compose } from './compose';
import { dataFolder } from './system/dataFolder';

const EXIT_DONE = 0;
const EXIT_STORE_REFUSED = 1;

/** The data folder of the user who started this process. */
export const ownDataFolder = (argv: readonly string[]): string =>
  dataFolder({
    platform: process.platform,
    env: process.env,
    home: os.homedir(),
    workingFolder: process.cwd(),
    argv,
  });

/** Resolves with the exit code once the engine has stopped. `argv` may name the data folder. */
export async function runHeadless(argv: readonly string[]): Promise<number> {
  const folder = ownDataFolder(argv);
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  const belfry = await compose({
    dataFolder: folder,
    host: 'agent',
    windowSide: null,
    announce: () => undefined,
    checksOutput: __TEST_BUILD__,
  });
  if (belfry.problem !== null) {
    process.stderr.write(`belfry agent: ${belfry.problem}\n`);
    await belfry.stop({ runs: 'leave' });
    return EXIT_STORE_REFUSED;
  }
  await belfry.start();
  const status = await belfry.status();
  process.stdout.write(
    status.state === 'standby'
      ? `belfry agent: standing by, process ${status.holder?.pid} is running your jobs, data in ${folder}\n`
      : `belfry agent: running your jobs, data in ${folder}\n`,
  );
  await stopped;
  await belfry.stop({ runs: 'leave' });
  return EXIT_DONE;
}
