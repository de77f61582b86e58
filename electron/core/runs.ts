/**
 * Where a run and an attempt may go, and how an attempt's end becomes an outcome. The only place that names two states in
 * one sentence: the store's updates take their `where state in (…)` from these tables.
 */

import type { EndReason, Outcome, RunState } from '../../shared/model/run';

export type AttemptState = 'running' | 'finished';

/** A run goes back from `running` to `queued` only for another attempt. */
export const runTransitions: Readonly<Record<RunState, readonly RunState[]>> = {
  queued: ['running', 'finished'],
  running: ['queued', 'finished'],
  finished: [],
};

export const attemptTransitions: Readonly<Record<AttemptState, readonly AttemptState[]>> = {
  running: ['finished'],
  finished: [],
};

/** The states from which `to` may be reached. */
export const statesBefore = <S extends string>(transitions: Readonly<Record<S, readonly S[]>>, to: S): S[] =>
  (Object.keys(transitions) as S[]).filter((from) => transitions[from].includes(to));

/** Why Belfry itself brought an attempt to its end, if it did. */
export type StopCause = 'user' | 'timeout' | 'replaced';

/** What is known of an attempt that is over. `reason` is null only for an end that needs no explanation. */
export type Ending = {
  readonly reason: EndReason | null;
  readonly exitCode: number | null;
};

/**
 * The first cause wins: a command that answers a stop or a timeout with exit code 0 was still stopped (S-49, S-75). Exit
 * codes and signals are recorded beside the outcome in any case.
 */
export function outcomeOf(
  ending: Ending,
  stop: StopCause | null,
): { outcome: Outcome; reason: EndReason | null } {
  if (stop === 'user') return { outcome: 'cancelled', reason: 'stopped_by_user' };
  if (stop === 'replaced') return { outcome: 'cancelled', reason: 'replaced' };
  if (stop === 'timeout') return { outcome: 'timed_out', reason: 'timeout' };
  if (ending.reason === 'interrupted' || ending.reason === 'interrupted_restart') {
    return { outcome: 'abandoned', reason: ending.reason };
  }
  if (ending.reason === null && ending.exitCode === 0) return { outcome: 'succeeded', reason: null };
  return { outcome: 'failed', reason: ending.reason ?? (ending.exitCode === null ? 'signal' : 'exit_code') };
}
