/**
 * What is read and written because a clock was wrong (ADR 4): decisions about instants that lie in the future again are
 * taken back, and what nobody decided below a watermark is looked up. The watermark itself never goes back.
 */

import type { ScheduleId } from '../../shared/model/schedule';
import type { Instant } from '../../shared/time';
import type { DueRange } from '../core/catchUp';
import type { Fence } from '../core/lease';
import { isHeldBy } from '../core/lease';
import type { ScheduleState } from '../core/ledger';
import { keptOf, undecidedRanges } from '../core/wrongClock';
import type { Reader, Store } from '../ports/store';
import type { Log } from '../ports/world';
import type { Agenda, DecidedAhead } from './agenda';

/** Decisions of one schedule that are read to find what lies between them, newest first. */
const DECIDED_MAX = 500;
/** The same over all schedules of one step, so that a step stays short. */
const DECIDED_IN_STEP_MAX = 20_000;
/** Decisions about the future of one schedule; an hour of a schedule that is due every second. */
const AHEAD_MAX = 3_600;

export type RepairPorts = { readonly store: Store; readonly fence: Fence; readonly log: Log };

/**
 * Takes back every merge and skip of an occurrence that is later than `now`: only a clock that was ahead can have made it.
 * Decisions to run stay, because those occurrences did run. Nothing is taken back of a job that is younger than `now`: then
 * it is this clock that is wrong. False if the lease is lost.
 */
export async function reopenFuture(
  { store, fence, log }: RepairPorts,
  now: Instant,
  hostZone: string,
): Promise<boolean> {
  const ahead = await store.read((reader) => reader.decisions.unrunAfter(now));
  if (ahead.length === 0) return true;
  return store.transact(async (writer) => {
    if (!isHeldBy(await writer.leases.get(), fence)) return false;
    let count = 0;
    for (const { jobId, decision } of await writer.decisions.unrunAfter(now)) {
      const job = await writer.jobs.get(jobId);
      const rule = job?.schedules.find(({ id }) => id === decision.scheduleId)?.rule;
      if (!job || rule === undefined || job.createdAt > now) continue;
      const kept = keptOf(decision, now, rule, { hostZone, createdAt: job.createdAt });
      await writer.decisions.reopen(decision, kept);
      count += decision.count - (kept?.count ?? 0);
    }
    if (count === 0) return true;
    log.warn('decisions_reopened', { count });
    // Dying now must not leave a sign of life in the future: the next life looks from there for what is undecided.
    await writer.settings.setAliveAt(now);
    return true;
  });
}

/** What is decided about the time after `agenda.reachedAt` of those schedules that are ahead of it. */
export async function readDecidedAhead(
  reader: Reader,
  states: readonly ScheduleState[],
  agenda: Agenda,
): Promise<DecidedAhead> {
  const decided = new Map<ScheduleId, { plannedAt: Instant; untilAt: Instant }[]>();
  for (const state of states) {
    if (!agenda.isAhead(state)) continue;
    const span = { after: agenda.reachedAt, until: state.watermarkAt, max: AHEAD_MAX };
    decided.set(state.scheduleId, (await reader.decisions.between(state.scheduleId, span)).reverse());
  }
  return decided;
}

/** The occurrences up to `now` that nobody decided, of schedules whose watermark says nothing about it. */
export async function readUndecided(
  reader: Reader,
  due: readonly ScheduleState[],
  now: Instant,
  agenda: Agenda,
): Promise<Map<ScheduleId, DueRange[]>> {
  const undecided = new Map<ScheduleId, DueRange[]>();
  const max = Math.max(2, Math.min(DECIDED_MAX, Math.floor(DECIDED_IN_STEP_MAX / due.length)));
  for (const state of due) {
    const from = agenda.rewoundTo(state.scheduleId, now);
    if (from === null) continue;
    const decided = await reader.decisions.between(state.scheduleId, { after: from, until: now, max });
    const limits = { hostZone: agenda.hostZone, isCut: decided.length >= max };
    undecided.set(state.scheduleId, undecidedRanges(state, { from, now }, decided, limits));
  }
  return undecided;
}
