/**
 * Which places there are for runs (D8): four at once, and one that only a person can fill, so that "run now" does not wait
 * behind a night's catch-up.
 */

import type { Run, Trigger } from '../../shared/model/run';

export const POOL_MAX = 4;
/** Places that only runs by hand may take, besides those of the pool. */
export const HAND_PLACES_MAX = 1;

/** Runs that a person asked for: they wait for no condition and no jitter, and claim no occurrence. */
export const isByHand = (trigger: Trigger): boolean =>
  trigger === 'manual' || trigger === 'cli' || trigger === 'test';

/** Who may start now: anybody, only a run by hand, or nobody. */
export type FreePlace = 'any' | 'by_hand' | 'none';

export function freePlace(running: Iterable<Pick<Run, 'trigger'>>): FreePlace {
  let count = 0;
  let byHandCount = 0;
  for (const { trigger } of running) {
    count += 1;
    if (isByHand(trigger)) byHandCount += 1;
  }
  // The place of its own is taken first, so that a run by hand does not use up the pool.
  if (count - Math.min(byHandCount, HAND_PLACES_MAX) < POOL_MAX) return 'any';
  return byHandCount < HAND_PLACES_MAX ? 'by_hand' : 'none';
}
