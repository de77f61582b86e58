/** `belfry`, the command line. Its commands stand in commandLine.ts; `agent` becomes the engine itself. */

import { runCommand } from './commandLine';
import { openOffline } from './compose';
import { ownDataFolder, runHeadless, storeWorkerBeside } from './headless';
import { realTimer } from './system/realTime';

const argv = process.argv.slice(2);

const ending =
  argv.find((argument) => !argument.startsWith('-')) === 'agent'
    ? runHeadless(argv, storeWorkerBeside(process.argv[1] ?? ''))
    : runCommand(argv, {
        dataFolder: ownDataFolder(argv),
        timer: realTimer,
        openOffline: () =>
          openOffline({
            dataFolder: ownDataFolder(argv),
            storeWorker: storeWorkerBeside(process.argv[1] ?? ''),
          }),
        print: (text) => void process.stdout.write(`${text}\n`),
        complain: (text) => void process.stderr.write(`${text}\n`),
      });

ending.then((exitCode) => {
  process.exitCode = exitCode;
});
