/**
 * What the overlap policy says when something is due while runs of its job are active (D8). One that waits, be it for a
 * place, its jitter, a retry or a condition, is active as well. Which run makes way for which is the dispatcher's business.
 */

import type { CatchUp, Overlap } from '../../shared/model/policies';
import type { DecisionReason, Run, RunId } from '../../shared/model/run';

export type ActiveRunView = Pick<Run, 'id' | 'state' | 'trigger' | 'queuedAt' | 'startedAt' | 'attemptCount'>;

/** `merge`: that run has not begun and will stand for it. */
export type Room =
  | { readonly kind: 'start' }
  | { readonly kind: 'merge'; readonly runId: RunId }
  | { readonly kind: 'skip'; readonly reason: DecisionReason };

const START: Room = { kind: 'start' };
const OVERLAP: Room = { kind: 'skip', reason: 'overlap' };
const QUEUE_FULL: Room = { kind: 'skip', reason: 'queue_full' };

/**
 * Queued, never begun, and planned: it can still stand for more. One that a person queued stands for that person alone
 * and one that waits for a retry has begun.
 */
const isWaiting = ({ state, attemptCount, trigger }: ActiveRunView): boolean =>
  state === 'queued' && attemptCount === 0 && trigger !== 'manual' && trigger !== 'cli' && trigger !== 'test';

/** For an occurrence that is on time. */
export function roomForOnTime(overlap: Overlap, active: readonly ActiveRunView[]): Room {
  const waiting = active.filter(isWaiting);
  const newest = waiting.at(-1);
  switch (overlap.mode) {
    case 'skip':
      return active.length > 0 ? OVERLAP : START;
    case 'queue_one':
    case 'replace':
      // Under `replace` one that never began need not begin only to be stopped.
      return newest === undefined ? START : { kind: 'merge', runId: newest.id };
    case 'queue_all':
      return waiting.length >= overlap.countMax ? QUEUE_FULL : START;
    case 'allow':
      return active.length >= overlap.countMax ? OVERLAP : START;
  }
}

/**
 * For missed occurrences, to which the catch-up policy adds its own number. Behind a run that has begun they overlapped with
 * it. One that has not begun hinders nothing: it was queued for an earlier occurrence and is the run that stands for them all.
 */
export function roomForMissed(
  overlap: Overlap,
  active: readonly ActiveRunView[],
  mode: CatchUp['mode'],
): Room {
  const waiting = active.filter(isWaiting);
  const newest = waiting.at(-1);
  const begunCount = active.length - waiting.length;
  if (overlap.mode === 'skip' && begunCount > 0) return OVERLAP;
  if (overlap.mode === 'allow' && begunCount >= overlap.countMax) return OVERLAP;
  if (newest !== undefined && !runsEach(overlap, active, mode)) return { kind: 'merge', runId: newest.id };
  if (overlap.mode === 'queue_all' && waiting.length >= overlap.countMax) return QUEUE_FULL;
  if (overlap.mode === 'allow' && active.length >= overlap.countMax) return OVERLAP;
  return START;
}

/**
 * Whether each missed occurrence gets a run of its own. Under `replace` the next would stop the one before, so the newest counts;
 * under `queue_one` one waits while something of the job is active.
 */
export const runsEach = (
  overlap: Overlap,
  active: readonly ActiveRunView[],
  mode: CatchUp['mode'],
): boolean =>
  mode === 'all' && overlap.mode !== 'replace' && (overlap.mode !== 'queue_one' || active.length === 0);
