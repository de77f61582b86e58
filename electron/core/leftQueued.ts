/**
 * Runs that an earlier life queued and never began. After an absence they are missed like any other occurrence, so the
 * catch-up policy is asked about them again (D7): what it does not run is taken back, with the reason.
 */

import type { CatchUp } from '../../shared/model/policies';
import type { DecisionReason, Run, RunId } from '../../shared/model/run';
import { type Instant, MINUTE_MS } from '../../shared/time';
import { ON_TIME_MS_MAX } from './catchUp';
import { isByHand } from './pool';

/**
 * After a shorter absence the queue goes on as it was: its runs had been met, and wait no longer for it than they might
 * have for a place. Longer than the lease goes without renewal, which is as exactly as the absence is known.
 */
export const ABSENCE_MS_MAX = 2 * MINUTE_MS;

export type LeftRun = Pick<
  Run,
  'id' | 'trigger' | 'scheduleId' | 'plannedAt' | 'notBeforeAt' | 'attemptCount'
>;

export type Withdrawal = { readonly runId: RunId; readonly reason: DecisionReason };

/** Which of one job's queued runs are taken back. */
export function leftQueued(
  queued: readonly LeftRun[],
  policy: CatchUp,
  { now, absentMs }: { readonly now: Instant; readonly absentMs: number },
): Withdrawal[] {
  if (absentMs <= ABSENCE_MS_MAX) return [];
  const missed = queued
    .flatMap(({ id, trigger, scheduleId, plannedAt, notBeforeAt, attemptCount }) => {
      if (attemptCount > 0 || scheduleId === null || plannedAt === null || isByHand(trigger)) return [];
      // Its jitter is not over, or barely: it can still start when it was to start.
      const isOnTime = Math.max(plannedAt, notBeforeAt ?? plannedAt) >= now - ON_TIME_MS_MAX;
      return isOnTime ? [] : [{ runId: id, plannedAt }];
    })
    .sort((a, b) => b.plannedAt - a.plannedAt);
  if (policy.mode === 'none') return missed.map(({ runId }) => ({ runId, reason: 'catch_up_off' }));
  const countMax = policy.mode === 'once' ? 1 : policy.countMax;
  return missed.flatMap(({ runId, plannedAt }, place): Withdrawal[] => {
    if (policy.ageMsMax !== null && now - plannedAt > policy.ageMsMax) return [{ runId, reason: 'too_old' }];
    return place < countMax ? [] : [{ runId, reason: 'catch_up_cap' }];
  });
}
