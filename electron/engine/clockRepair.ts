/**
 * What is read and written because a clock was wrong (ADR 16). When a clock is found to have gone back, in one transaction
 * what was decided about the future is taken back, and each schedule whose watermark is ahead remembers since when it owes
 * (`owedSince`). All of it is in the store, so it is true after a death too.
 */

import type { ScheduleId } from '../../shared/model/schedule';
import type { Instant } from '../../shared/time';
import type { DueRange } from '../core/catchUp';
import { isHeldBy } from '../core/lease';
import type { ScheduleState } from '../core/ledger';
import type { PlannedDecision } from '../core/plan';
import { believedSince, decidedUntil, keptOf, seenAt, undecidedRanges } from '../core/wrongClock';
import type { Reader, Store, Writer } from '../ports/store';
import type { Log } from '../ports/world';
import type { DecidedAhead } from './agenda';
import type { Life } from './life';

/** Decisions of one schedule that are read to find what lies between them, newest first. */
const DECIDED_MAX = 2_000;
/** The same over all schedules of one step, so that a step stays short. */
const DECIDED_IN_STEP_MAX = 20_000;
/** Decisions about the future of one schedule; an hour of a schedule that is due every second. */
const AHEAD_MAX = 3_600;

export type RepairPorts = { readonly store: Store; readonly life: Life; readonly log: Log };

export type WentBack = {
  /** Where the clock was found to be. */
  readonly to: Instant;
  /** Where it was in this life before, or null at its start. */
  readonly from: Instant | null;
};

/**
 * Puts the ledger right after a clock went back. Decisions to run stay, because those occurrences did run. A clock that is
 * not to be believed changes nothing: then nothing is due before it has reached the watermarks, and nothing that waits may
 * start before `believedFrom`.
 */
export async function goBack(
  { store, life, log }: RepairPorts,
  { to, from }: WentBack,
  hostZone: string,
): Promise<'done' | 'lost' | { readonly believedFrom: Instant }> {
  const beganAt = await life.hold(() => store.read((reader) => reader.schedules.beganAt()));
  const believedFrom = believedSince(beganAt);
  if (Math.max(to, from ?? to) < believedFrom) {
    log.warn('clock_not_believed', { at: to });
    return { believedFrom };
  }
  return life.hold(() =>
    store.transact(async (writer) => {
      if (!isHeldBy(await writer.leases.get(), life.fence)) return 'lost';
      const count = await reopen(writer, to, hostZone);
      await writer.schedules.rewind(to);
      const aliveAt = await writer.settings.aliveAt();
      // Dying now must not leave a sign of life in the future: the next life tells from it what was missed.
      if (aliveAt !== null && aliveAt > to) await writer.settings.setAliveAt(to);
      if (count > 0) log.warn('decisions_reopened', { count });
      return 'done';
    }),
  );
}

/** Takes back every merge and skip of an occurrence that is later than `to`: only a clock that was ahead can have made it. */
async function reopen(writer: Writer, to: Instant, hostZone: string): Promise<number> {
  let count = 0;
  for (const { jobId, decision } of await writer.decisions.unrunAfter(to)) {
    const job = await writer.jobs.get(jobId);
    const rule = job?.schedules.find(({ id }) => id === decision.scheduleId)?.rule;
    // Of a rule that is gone what has begun to come stays as it is.
    if (rule === undefined && decision.plannedAt <= to) continue;
    const context = { hostZone, createdAt: job?.createdAt ?? to };
    const kept = rule === undefined ? null : keptOf(decision, to, rule, context);
    await writer.decisions.reopen(decision, kept);
    count += decision.count - (kept?.count ?? 0);
  }
  return count;
}

/** What is decided later than `owedSince` of the schedules that have one. */
export async function readDecidedAhead(
  reader: Reader,
  states: readonly ScheduleState[],
): Promise<DecidedAhead> {
  const decided = new Map<ScheduleId, { plannedAt: Instant; untilAt: Instant }[]>();
  for (const { scheduleId, owedSince, watermarkAt } of states) {
    if (owedSince == null) continue;
    const span = { after: owedSince, until: watermarkAt, max: AHEAD_MAX };
    decided.set(scheduleId, (await reader.decisions.between(scheduleId, span)).reverse());
  }
  return decided;
}

/** Its moments follow from when a run ended, so none was ever planned before. */
const isAfterEnd = ({ rule }: ScheduleState): boolean =>
  rule.kind === 'interval' && rule.basis === 'after_end';

export type Undecided = {
  /** Occurrences up to now that nobody decided, of schedules whose watermark says nothing about it. */
  readonly ranges: ReadonlyMap<ScheduleId, readonly DueRange[]>;
  /**
   * Those of them that are older than the last edit, so that they are not owed (D3). They are skipped with a row, because an
   * edit is old by the present clock, and that may be the wrong one: then the row is taken back.
   */
  readonly forgone: readonly PlannedDecision[];
};

export async function readUndecided(
  reader: Reader,
  due: readonly ScheduleState[],
  now: Instant,
  hostZone: string,
): Promise<Undecided> {
  const ranges = new Map<ScheduleId, DueRange[]>();
  const forgone: PlannedDecision[] = [];
  const rewound = due.filter(({ owedSince }) => owedSince != null);
  const max = Math.max(2, Math.min(DECIDED_MAX, Math.floor(DECIDED_IN_STEP_MAX / rewound.length)));
  for (const state of rewound) {
    const { scheduleId, jobId, owedSince } = state;
    const after = owedSince ?? state.watermarkAt;
    const decided = await reader.decisions.between(scheduleId, { after, until: now, max });
    const limits = { hostZone, isCut: decided.length >= max };
    const owedFrom = decidedUntil(state, now);
    ranges.set(scheduleId, undecidedRanges(state, { from: owedFrom, now }, decided, limits));
    if (owedFrom === after || isAfterEnd(state)) continue;
    const earlier = decided.filter(({ plannedAt }) => plannedAt <= owedFrom);
    const asThen = seenAt(state, after);
    for (const range of undecidedRanges(asThen, { from: after, now: owedFrom }, earlier, limits)) {
      const reason = { reason: 'too_old', missCause: 'clock_forward' } as const;
      forgone.push({ kind: 'skip', scheduleId, jobId, ...range, ...reason });
    }
  }
  return { ranges, forgone };
}
