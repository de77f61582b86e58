/**
 * What the end of a run means to others: jobs that run after it are owed an occurrence, in the transaction of the end, so
 * that a crash loses none of the two.
 */

import type { Outcome, Run } from '../../shared/model/run';
import type { AfterJobRule } from '../../shared/model/schedule';
import { assertNever } from '../../shared/result';
import { type Instant, toInstant } from '../../shared/time';
import type { ScheduleState } from '../core/ledger';
import type { Writer } from '../ports/store';

/** Ends in one and the same millisecond that are told apart. */
const SAME_MOMENT_MAX = 100;

/** A run that timed out has failed; one that was stopped or cut off has neither failed nor succeeded. */
function isFor(on: AfterJobRule['on'], outcome: Outcome): boolean {
  switch (on) {
    case 'succeeded':
      return outcome === 'succeeded';
    case 'failed':
      return outcome === 'failed' || outcome === 'timed_out';
    case 'ended':
      return true;
    default:
      return assertNever(on);
  }
}

/** Owes an occurrence to each schedule that waits for such an end of this job. A test run starts nothing. */
export async function oweAfter(
  writer: Writer,
  run: Pick<Run, 'id' | 'jobId' | 'trigger'>,
  { outcome, endedAt }: { readonly outcome: Outcome; readonly endedAt: Instant },
): Promise<void> {
  if (run.trigger === 'test') return;
  for (const state of await writer.schedules.waitingFor(run.jobId)) {
    if (state.rule.kind !== 'after_job' || !isFor(state.rule.on, outcome)) continue;
    const at = await firstFree(writer, state, endedAt);
    await writer.schedules.addPending(state.scheduleId, { at, trigger: 'chain', sourceRunId: run.id });
  }
}

/** The moment, or the next millisecond that no other end has taken: an occurrence is known by its instant. */
async function firstFree(
  writer: Writer,
  { scheduleId, pending }: ScheduleState,
  from: Instant,
): Promise<Instant> {
  for (let shift = 0; shift < SAME_MOMENT_MAX; shift += 1) {
    const at = toInstant(from + shift);
    if (pending.some((owed) => owed.at === at)) continue;
    if ((await writer.decisions.at(scheduleId, at)) === null) return at;
  }
  return from;
}

type QueuedEnd = Parameters<Writer['runs']['closeQueued']>[1];

/** Closes a run that waits, with what follows from that. False if it does not wait any more. */
export async function closeQueued(writer: Writer, run: Run, end: QueuedEnd): Promise<boolean> {
  if (!(await writer.runs.closeQueued(run.id, end))) return false;
  await oweAfter(writer, run, end);
  return true;
}
