/** `belfry agent`: runs the jobs without a window, under plain Node, until it is asked to stop. */

import { runHeadless, storeWorkerBeside } from './headless';

runHeadless(process.argv.slice(2), storeWorkerBeside(process.argv[1] ?? '')).then((exitCode) => {
  process.exitCode = exitCode;
});
