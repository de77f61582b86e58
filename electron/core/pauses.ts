/** Which pauses hold a job, and when (S-35). A pause begins with its first moment and is over at its last. */

import type { Job } from '../../shared/model/job';
import type { Pause } from '../../shared/model/pause';
import type { DecisionReason } from '../../shared/model/run';
import { assertNever } from '../../shared/result';
import type { Instant } from '../../shared/time';

/** Those whose scope holds the job, in the same order. */
export const pausesOf = (job: Pick<Job, 'id' | 'tags'>, pauses: readonly Pause[]): Pause[] =>
  pauses.filter(({ scope }) => {
    switch (scope.kind) {
      case 'all':
        return true;
      case 'tag':
        return job.tags.includes(scope.tag);
      case 'job':
        return scope.jobId === job.id;
      default:
        return assertNever(scope);
    }
  });

/** When it ended or will end; null while nobody knows. */
export const endOfPause = ({ until, endedAt }: Pick<Pause, 'until' | 'endedAt'>): Instant | null =>
  endedAt !== null && (until === null || endedAt < until) ? endedAt : until;

/**
 * Those that a person began and may end. The others mark what is not known since a copy of the data was put back; nobody sees
 * them, not even where the clock went back into them.
 */
export const begunByHand = (pauses: readonly Pause[]): Pause[] =>
  pauses.filter(({ cause }) => cause === 'user');

/** Whether it holds at that moment. */
export function isPausedAt(pause: Pick<Pause, 'since' | 'until' | 'endedAt'>, at: Instant): boolean {
  const end = endOfPause(pause);
  return pause.since <= at && (end === null || at < end);
}

/** What was not decided before a copy was put back may have run since that copy was made, or have been missed long before. */
function isUnknownAt(pause: Pause, at: Instant): boolean {
  const end = endOfPause(pause);
  return pause.cause === 'restored' && (end === null || at < end);
}

export type PauseReason = Extract<
  DecisionReason,
  'paused_all' | 'paused_tag' | 'paused_job' | 'data_restored'
>;

/** The reason of a skip at that moment, or null if none of the job's pauses holds. The widest scope is named. */
export function pauseReasonAt(pauses: readonly Pause[], at: Instant): PauseReason | null {
  let reason: PauseReason | null = null;
  for (const pause of pauses) {
    // Whatever was paused besides, and however old it is: it is not known whether it ran.
    if (isUnknownAt(pause, at)) return 'data_restored';
    if (!isPausedAt(pause, at)) continue;
    if (pause.scope.kind === 'all') reason = 'paused_all';
    else if (pause.scope.kind === 'tag' && reason !== 'paused_all') reason = 'paused_tag';
    else reason ??= 'paused_job';
  }
  return reason;
}
