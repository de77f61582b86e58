/** `belfry agent`: runs the jobs without a window, under plain Node, until it is asked to stop. */

import { runHeadless } from './headless';

runHeadless(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
