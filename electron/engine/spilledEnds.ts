/**
 * Ends of attempts that the store could not take: kept beside it from the first refusal on, forgotten once it has them, and
 * stored by the next life before that looks at anything else (H-61). Whether another attempt follows, and which jobs run
 * after it, is decided when the end is stored, by the same function as ever.
 */

import type { JobId } from '../../shared/model/job';
import type { RunId } from '../../shared/model/run';
import { BugError } from '../../shared/result';
import { toInstant } from '../../shared/time';
import { isHeldBy } from '../core/lease';
import type { Spill, SpilledEnd } from '../ports/data';
import type { Store, Writer } from '../ports/store';
import type { Clock, Log } from '../ports/world';
import { closeAttempt, endOf, type Finish } from './attempts';
import { recordLate } from './lateResults';
import { LeaseLost, type Life } from './life';
import { FROM_RESERVE } from './persistence';

type KeptEnd = {
  /** After each refusal of the store, until it is kept. */
  readonly keep: () => Promise<void>;
  /** The store has it. */
  readonly forget: () => Promise<void>;
};

/** One end on its way into the store. Neither call fails: what cannot be kept is still tried to be stored. */
export function createKeptEnd(finish: Finish, { spill, log }: { spill?: Spill; log: Log }): KeptEnd {
  const { runId, attemptId } = finish;
  let isKept = false;
  return {
    async keep() {
      if (spill === undefined || isKept) return;
      try {
        isKept = await spill.keep(endOf(finish));
        if (!isKept) log.error('end_not_spilled', { runId });
      } catch (error) {
        log.error('end_not_spilled', { runId, error });
      }
    },
    async forget() {
      if (isKept) await forgetEnd(spill, attemptId, log);
    },
  };
}

/** An end that stays behind is found to be stored already at the next start. */
async function forgetEnd(
  spill: Spill | undefined,
  attemptId: SpilledEnd['attemptId'],
  log: Log,
): Promise<void> {
  try {
    await spill?.forget([attemptId]);
  } catch (error) {
    log.warn('spilled_end_not_forgotten', { attemptId, error });
  }
}

export type ReplayPorts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  readonly life: Life;
  readonly spill?: Spill;
};

/** Stores what earlier lives could not. Throws what the store throws, and LeaseLost; what is not stored by then stays kept. */
export async function replaySpilled(
  ports: ReplayPorts,
  onRecovered: (run: { readonly runId: RunId; readonly jobId: JobId }) => void,
): Promise<void> {
  const { spill, life, log } = ports;
  if (spill === undefined) return;
  const ends = await life.hold(() => allOf(spill, log));
  for (const end of ends) {
    const replayed = await life.hold(() => replay(end, ports));
    log.info('spilled_end_replayed', { runId: end.runId, as: replayed.kind });
    if (replayed.kind === 'ours') continue;
    await life.hold(() => forgetEnd(spill, end.attemptId, log));
    if (replayed.kind === 'stored') onRecovered({ runId: end.runId, jobId: replayed.jobId });
  }
}

/** A file that cannot be read must not keep Belfry from running jobs: recovery looks for the processes then. */
async function allOf(spill: Spill, log: Log): Promise<SpilledEnd[]> {
  try {
    return await spill.all();
  } catch (error) {
    log.error('spill_unreadable', { error });
    return [];
  }
}

type Replayed =
  | { readonly kind: 'stored'; readonly jobId: JobId }
  /** Its run was closed meanwhile by somebody who did not know the end. */
  | { readonly kind: 'late' }
  /** Nobody waits for it: it is stored already, or of a run that this store does not know. */
  | { readonly kind: 'dropped' }
  /** This life watches the attempt itself, and stores the end itself. */
  | { readonly kind: 'ours' };

async function replay(end: SpilledEnd, { store, clock, life, log }: ReplayPorts): Promise<Replayed> {
  try {
    return await store.transact((writer) => storeEnd(writer, end, { now: clock.now(), life }), FROM_RESERVE);
  } catch (error) {
    if (!(error instanceof BugError)) throw error;
    log.error('spilled_end_nonsense', { runId: end.runId, error });
    return { kind: 'dropped' };
  }
}

async function storeEnd(
  writer: Writer,
  end: SpilledEnd,
  { now, life }: { readonly now: ReturnType<Clock['now']>; readonly life: Life },
): Promise<Replayed> {
  if (!isHeldBy(await writer.leases.get(), life.fence)) throw new LeaseLost('during recovery');
  const { runId, attemptId } = end;
  const open = (await writer.runs.openAttempts()).find((attempt) => attempt.attemptId === attemptId);
  if (open !== undefined && open.runId === runId) {
    if (open.epoch === life.fence.epoch) return { kind: 'ours' };
    if (!(await writer.runs.takeOver(attemptId, open.epoch, life.fence))) {
      throw new LeaseLost('during recovery');
    }
    // The clock may have been set back since: what is to follow must not wait for it.
    const owedAt = toInstant(Math.min(end.endedAt, now));
    const { kind } = await closeAttempt(writer, end, owedAt, life.fence);
    if (kind === 'lost') throw new LeaseLost('during recovery');
    return { kind: 'stored', jobId: open.jobId };
  }
  const closed = (await writer.runs.attempts(runId)).find(({ id }) => id === attemptId);
  const isUntold = closed?.outcome === 'abandoned' && end.outcome !== 'abandoned';
  const isLate = isUntold && (await recordLate(writer, { runId, attemptId }, end, now));
  return { kind: isLate ? 'late' : 'dropped' };
}
