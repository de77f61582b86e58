/**
 * Whether an attempt that did not succeed is followed by another one of the same run, and how long after. Only
 * failures that may pass by themselves are tried again; what a person has to mend, and what a person stopped, is not.
 */

import type { Retry } from '../../shared/model/policies';
import type { EndReason, Outcome, Trigger } from '../../shared/model/run';

/** Of each reason whether waiting may help. The reason alone never makes a retry: the job has to want it. */
const MAY_PASS: Readonly<Record<EndReason, boolean>> = {
  exit_code: true,
  signal: true,
  timeout: true,
  /** A drive that is not there yet. */
  folder_missing: true,
  env_file_unreadable: true,
  /** Too many processes, or no memory, for a moment. */
  spawn_failed: true,
  /** The person has to mend the job first. */
  program_not_found: false,
  not_executable: false,
  shell_not_found: false,
  /** Nobody knows what it did: afterInterruption decides, not the retries (D4). */
  interrupted: false,
  interrupted_restart: false,
  /** Somebody, or a newer run, wanted it to end. */
  stopped_by_user: false,
  replaced: false,
  job_off: false,
  data_restored: false,
  /** It had its time to wait. */
  condition_not_met: false,
};

export type AttemptResult = {
  readonly outcome: Outcome;
  readonly reason: EndReason | null;
  readonly exitCode: number | null;
};

/**
 * Milliseconds from the end of attempt `attemptCount` to the start of the next one, or null if it was the last. A test run
 * shows one attempt and is never tried again.
 */
export function retryDelayMs(
  { outcome, reason, exitCode }: AttemptResult,
  run: { readonly trigger: Trigger; readonly attemptCount: number; readonly attemptsMax: number },
  retry: Retry,
): number | null {
  if (outcome !== 'failed' && outcome !== 'timed_out') return null;
  if (run.trigger === 'test' || run.attemptCount >= run.attemptsMax) return null;
  if (reason !== null && !MAY_PASS[reason]) return null;
  if (retry.exitCodes !== null) {
    // A timed-out command ended because of us, whatever code it gave.
    if (outcome === 'timed_out' || exitCode === null || !retry.exitCodes.includes(exitCode)) return null;
  }
  return delayAfter(run.attemptCount, retry);
}

/** The delay after the attempt of that number; also the furthest that a stored start of the next may lie ahead. */
export const delayAfter = (attemptNumber: number, { delayMs, growth, delayMsMax }: Retry): number =>
  growth === 'fixed' ? delayMs : Math.min(delayMs * 2 ** Math.max(0, attemptNumber - 1), delayMsMax);
