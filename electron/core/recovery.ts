/**
 * What becomes of an attempt that an older epoch left open: it is adopted, closed with its true end, closed as
 * interrupted, or tried again. Never guessed, never killed, and never repeated unless the job allows it and the process is
 * provably gone (D4, S-52 to S-54). A command that provably never began is no repetition: its run goes back to the queue.
 */

import type { AfterInterruption } from '../../shared/model/policies';
import type { EndReason } from '../../shared/model/run';
import { assertNever } from '../../shared/result';
import type { Ending } from './runs';

/** A job that takes Belfry or the machine down with it must not do so for ever. */
export const ATTEMPTS_AFTER_INTERRUPTION_MAX = 3;

/** What looking for the process told. */
export type Finding =
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly end: Ending }
  | { readonly kind: 'gone'; readonly restarted: boolean }
  | { readonly kind: 'never_started' }
  | { readonly kind: 'unknown'; readonly why: string };

export type RecoveryAction =
  | { readonly kind: 'adopt' }
  /** Its true end is known. */
  | { readonly kind: 'close' }
  | { readonly kind: 'abandon'; readonly reason: EndReason; readonly disablesJob: boolean }
  | { readonly kind: 'repeat'; readonly reason: EndReason };

export function recoveryOf(
  finding: Finding,
  facts: {
    readonly afterInterruption: AfterInterruption;
    /** Earlier attempts of the run that were cut off, or never began. */
    readonly lostCount: number;
  },
): RecoveryAction {
  const mayRepeat = facts.lostCount + 1 < ATTEMPTS_AFTER_INTERRUPTION_MAX;
  switch (finding.kind) {
    case 'running':
      return { kind: 'adopt' };
    case 'ended':
      return { kind: 'close' };
    case 'gone': {
      const reason = finding.restarted ? 'interrupted_restart' : 'interrupted';
      return facts.afterInterruption === 'repeat' && mayRepeat
        ? { kind: 'repeat', reason }
        : { kind: 'abandon', reason, disablesJob: facts.afterInterruption === 'pause' };
    }
    case 'never_started':
      // Bounded like a repetition, in case it is the start itself that takes Belfry down.
      return mayRepeat
        ? { kind: 'repeat', reason: 'interrupted' }
        : { kind: 'abandon', reason: 'interrupted', disablesJob: false };
    case 'unknown':
      // The command may still be at work: the person has to look before it runs again.
      return { kind: 'abandon', reason: 'interrupted', disablesJob: true };
    default:
      return assertNever(finding);
  }
}
