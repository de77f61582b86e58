/** Jobs that start after other jobs. In a circle each run would start the next without end, so a circle is never stored. */

import type { JobId } from '../../shared/model/job';

/** `jobId` starts after runs of `afterJobId`. */
export type Chain = { readonly jobId: JobId; readonly afterJobId: JobId };

/**
 * The way back if `jobId` were to start after `afterJobId`: the jobs from `afterJobId` to `jobId`, each of which starts after
 * the next one. Null if there is no such way, and with it no circle.
 */
export function circleOf(jobId: JobId, afterJobId: JobId, chains: readonly Chain[]): JobId[] | null {
  const cameFrom = new Map<JobId, JobId | null>([[afterJobId, null]]);
  const reached = [afterJobId];
  for (const present of reached) {
    if (present === jobId) return wayTo(jobId, cameFrom);
    for (const chain of chains) {
      if (chain.jobId !== present || cameFrom.has(chain.afterJobId)) continue;
      cameFrom.set(chain.afterJobId, present);
      reached.push(chain.afterJobId);
    }
  }
  return null;
}

function wayTo(jobId: JobId, cameFrom: ReadonlyMap<JobId, JobId | null>): JobId[] {
  const way: JobId[] = [];
  for (let step: JobId | null | undefined = jobId; step != null; step = cameFrom.get(step)) way.unshift(step);
  return way;
}
