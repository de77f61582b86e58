/** Requests for the output of runs, in windows over its lines. */

import type { Handlers } from '../../shared/ipc/contract';
import { fail, ok } from '../../shared/result';
import type { OutputReader } from '../ports/running';

export const outputHandlers = (output: OutputReader): Pick<Handlers, 'output.read'> => ({
  'output.read': async ({ runId, from, count }) => {
    const page = await output.read(runId, from, count);
    return page === null ? fail('not_found', 'No output of this run is kept.') : ok(page);
  },
});
