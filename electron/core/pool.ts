/**
 * Which queued runs may start (D8): four at once, oldest first, and one place that only a person can fill, so that "run
 * now" does not wait behind a night's catch-up.
 */

import type { Run, Trigger } from '../../shared/model/run';

export const POOL_MAX = 4;
/** Places that only runs by hand may take, besides those of the pool. */
export const HAND_PLACES_MAX = 1;

const isByHand = (trigger: Trigger): boolean =>
  trigger === 'manual' || trigger === 'cli' || trigger === 'test';

/** The next run to start, or null while nothing may. `queued` is in the order of waiting. */
export function nextToStart<R extends Pick<Run, 'trigger'>>(
  queued: readonly R[],
  running: readonly Pick<Run, 'trigger'>[],
): R | null {
  const byHandCount = running.filter(({ trigger }) => isByHand(trigger)).length;
  // The place of its own is taken first, so that a run by hand does not use up the pool.
  const inPoolCount = running.length - Math.min(byHandCount, HAND_PLACES_MAX);
  const isPoolFree = inPoolCount < POOL_MAX;
  const isHandFree = byHandCount < HAND_PLACES_MAX;
  return queued.find(({ trigger }) => isPoolFree || (isHandFree && isByHand(trigger))) ?? null;
}
