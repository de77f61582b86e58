/**
 * What becomes of everything that is due of one job at one moment, over all its schedules together (ADR 13). What is on time
 * goes by the overlap policy, what was missed by the catch-up policy, and every start by the limit per hour.
 */

import { nextOccurrence } from '../../shared/schedule/occurrences';
import type { Instant } from '../../shared/time';
import { contextOf, type DueRange, takeNewest } from './catchUp';
import type { Piece } from './due';
import { jitteredAt } from './jitter';
import { type Room, roomForMissed, roomForOnTime, runsEach } from './overlap';
import type { JobView, MergeTarget, PlannedDecision } from './plan';

type Start = Extract<PlannedDecision, { kind: 'start' }>;
/** `isApart`: never one range with its neighbours, because what lies between them may be decided. */
type Ruled = { readonly decision: PlannedDecision; readonly isApart: boolean };
type Moment = { readonly now: Instant; readonly hostZone: string };

/** One list for what is on time and one for each other run, so that runs can be put in the order in which they start. */
export function decideJob(pieces: readonly Piece[], job: JobView, moment: Moment): PlannedDecision[][] {
  const { catchUp, overlap, runsPerHourMax } = job.policies;
  const startsLeft = runsPerHourMax === null ? Number.POSITIVE_INFINITY : runsPerHourMax - job.startedInHour;
  const room = roomForMissed(overlap, job.active, catchUp.mode);
  const isBlocked = room.kind === 'skip' && room.reason === 'overlap';
  const isEach = runsEach(overlap, job.active, catchUp.mode);

  const lead = newestOf(pieces.filter(({ isHead }) => isHead));
  const led = lead === null ? null : decideLead(lead, job, startsLeft, moment);
  const ruled: Ruled[] = lead === null || led === null ? [] : [{ decision: led, isApart: lead.isApart }];
  const missed: Piece[] = [];
  for (const piece of pieces) {
    if (piece === lead) continue;
    if (led !== null && piece.isHead && (!isEach || piece.until === led.until)) {
      ruled.push(follow(piece, led));
    } else if (piece.skip !== null && piece.skip !== 'too_old') ruled.push(skip(piece, piece.skip, null));
    else if (isBlocked) ruled.push(skip(piece, 'overlap', null));
    else if (catchUp.mode === 'none') ruled.push(skip(piece, 'catch_up_off', piece.missCause));
    else if (piece.skip !== null) ruled.push(skip(piece, piece.skip, piece.missCause));
    else missed.push(piece);
  }
  const hasLeadStarted = led?.kind === 'start';
  const left = hasLeadStarted ? startsLeft - 1 : startsLeft;
  const { hostZone } = moment;
  if (isEach && room.kind === 'start') {
    const limits = { countMax: catchUp.countMax, startsLeft: left, hostZone };
    ruled.push(...catchUpEach(missed, hasLeadStarted ? led : null, limits));
  } else {
    ruled.push(...catchUpOnce(missed, led, { room, startsLeft: left, hostZone }));
  }
  return inBlocks(ruled);
}

/** The first of several at the same instant. */
function newestOf(pieces: readonly Piece[]): Piece | null {
  return pieces.reduce<Piece | null>(
    (best, piece) => (best === null || piece.until > best.until ? piece : best),
    null,
  );
}

/** The newest occurrence that is met on time. */
function decideLead(piece: Piece, job: JobView, startsLeft: number, moment: Moment): PlannedDecision {
  const room = roomForOnTime(job.policies.overlap, job.active);
  if (room.kind === 'skip') return skip(piece, room.reason, null).decision;
  if (room.kind === 'merge') return merge(piece, { kind: 'run', runId: room.runId }, null).decision;
  if (startsLeft < 1) return skip(piece, 'rate_limit', null).decision;
  return {
    ...occurrencesOf(piece),
    kind: 'start',
    reason: piece.owed ?? 'on_time',
    missCause: null,
    trigger: piece.owed ?? 'schedule',
    mergedCount: 0,
    notBeforeAt: notBeforeOf(piece, job.policies.jitterMs, moment),
  };
}

/** The creation minute is to run at once, and what is caught up is late already. */
function notBeforeOf(piece: Piece, jitterMs: number, { now, hostZone }: Moment): Instant | null {
  if (jitterMs === 0 || piece.owed === 'creation') return null;
  const { schedule, until } = piece;
  const nextAt =
    piece.owed === null ? nextOccurrence(schedule.rule, until, contextOf(schedule, hostZone)) : undefined;
  const at = jitteredAt(schedule.jobId, until, { jitterMs, nextAt: nextAt ?? null });
  return at > now ? at : null;
}

/** Another schedule of the job is due at the same step: one run answers both. */
function follow(piece: Piece, led: PlannedDecision): Ruled {
  return led.kind === 'skip' ? skip(piece, led.reason, null) : merge(piece, targetOf(led), null);
}

/** One run answers all that were missed: the one that is on time, one that waits already, or one for the newest. */
function catchUpOnce(
  missed: readonly Piece[],
  led: PlannedDecision | null,
  { room, startsLeft, hostZone }: { room: Room; startsLeft: number; hostZone: string },
): Ruled[] {
  if (led !== null && led.kind !== 'skip') {
    return missed.map((piece) => merge(piece, targetOf(led), piece.missCause));
  }
  if (room.kind === 'skip') return missed.map((piece) => skip(piece, room.reason, null));
  if (room.kind === 'merge') {
    return missed.map((piece) => merge(piece, { kind: 'run', runId: room.runId }, piece.missCause));
  }
  const newest = newestOf(missed);
  if (newest === null) return [];
  if (startsLeft < 1) return missed.map((piece) => skip(piece, 'rate_limit', null));
  const start = catchUpStart(newest, newest.until);
  return missed.flatMap((piece): Ruled[] => {
    if (piece !== newest) return [merge(piece, targetOf(start), piece.missCause)];
    const { rest } = takeNewest(piece, 1, piece.schedule, hostZone);
    const started = { decision: start, isApart: piece.isApart };
    return rest === null
      ? [started]
      : [merge({ ...piece, ...rest }, targetOf(start), piece.missCause), started];
  });
}

/** The newest missed moments of the job get a run each; several schedules at one moment share it. */
function catchUpEach(
  missed: readonly Piece[],
  lead: Start | null,
  { countMax, startsLeft, hostZone }: { countMax: number; startsLeft: number; hostZone: string },
): Ruled[] {
  const starts = new Map<Instant, Start>(lead === null ? [] : [[lead.until, lead]]);
  const parts = missed.map((piece) => ({
    piece,
    ...takeNewest(piece, countMax + starts.size, piece.schedule, hostZone),
  }));
  const moments = [...new Set(parts.flatMap(({ taken }) => taken))]
    .filter((at) => !starts.has(at))
    .sort((a, b) => b - a)
    .slice(0, countMax);
  const mayStart = new Set(moments.slice(0, Math.max(0, startsLeft)));
  const isWithinCap = new Set([...moments, ...starts.keys()]);
  return parts.flatMap(({ piece, taken, rest }) => {
    const ruled: Ruled[] = [];
    const beyond = taken.filter((at) => !isWithinCap.has(at));
    for (const at of taken) {
      if (!isWithinCap.has(at)) continue;
      const single = { ...piece, from: at, until: at, count: 1 };
      const sameMoment = starts.get(at);
      if (sameMoment !== undefined) ruled.push(merge(single, targetOf(sameMoment), piece.missCause));
      else if (!mayStart.has(at)) ruled.push(skip(single, 'rate_limit', null));
      else {
        const start = catchUpStart(piece, at);
        starts.set(at, start);
        ruled.push({ decision: start, isApart: piece.isApart });
      }
    }
    const older = olderRange(beyond, rest);
    if (older !== null) ruled.push(skip({ ...piece, ...older }, 'catch_up_cap', piece.missCause));
    return ruled;
  });
}

/** `beyond` is newest first, and all of it newer than `rest`. */
function olderRange(beyond: readonly Instant[], rest: DueRange | null): DueRange | null {
  const [until] = beyond;
  const oldest = beyond.at(-1);
  if (until === undefined || oldest === undefined) return rest;
  return { from: rest?.from ?? oldest, until, count: beyond.length + (rest?.count ?? 0) };
}

const occurrencesOf = ({ schedule, from, until, count }: Piece) => ({
  scheduleId: schedule.scheduleId,
  jobId: schedule.jobId,
  from,
  until,
  count,
});

const skip = (
  piece: Piece,
  reason: PlannedDecision['reason'],
  missCause: PlannedDecision['missCause'],
): Ruled => ({
  decision: { ...occurrencesOf(piece), kind: 'skip', reason, missCause },
  isApart: piece.isApart,
});

const merge = (piece: Piece, into: MergeTarget, missCause: PlannedDecision['missCause']): Ruled => ({
  decision: { ...occurrencesOf(piece), kind: 'merge', reason: 'merged', missCause, into },
  isApart: piece.isApart,
});

/** No jitter and no stagger: it is late already, and the pool keeps many from starting at one instant. */
const catchUpStart = (piece: Piece, at: Instant): Start => ({
  ...occurrencesOf({ ...piece, from: at, until: at, count: 1 }),
  kind: 'start',
  reason: 'caught_up',
  missCause: piece.missCause,
  trigger: 'catch_up',
  mergedCount: 0,
  notBeforeAt: null,
});

function targetOf(decision: Exclude<PlannedDecision, { kind: 'skip' }>): MergeTarget {
  return decision.kind === 'merge'
    ? decision.into
    : { kind: 'start', scheduleId: decision.scheduleId, plannedAt: decision.until };
}

/**
 * Starts learn how many they stand for, neighbours with one answer become one range, and every start after the first becomes
 * a list of its own.
 */
function inBlocks(ruled: readonly Ruled[]): PlannedDecision[][] {
  const mergedInto = new Map<string, number>();
  for (const { decision } of ruled) {
    if (decision.kind !== 'merge' || decision.into.kind !== 'start') continue;
    const key = keyOf(decision.into.scheduleId, decision.into.plannedAt);
    mergedInto.set(key, (mergedInto.get(key) ?? 0) + decision.count);
  }
  const counted = ruled.map(({ decision, isApart }): Ruled => {
    if (decision.kind !== 'start') return { decision, isApart };
    const mergedCount = mergedInto.get(keyOf(decision.scheduleId, decision.until)) ?? 0;
    return { decision: { ...decision, mergedCount }, isApart };
  });
  const main: PlannedDecision[] = [];
  const others: PlannedDecision[][] = [];
  let hasStart = counted.some(({ decision }) => decision.kind === 'start' && decision.reason !== 'caught_up');
  for (const decision of joined(counted)) {
    if (decision.kind !== 'start' || decision.reason !== 'caught_up') main.push(decision);
    else if (hasStart) others.push([decision]);
    else {
      main.push(decision);
      hasStart = true;
    }
  }
  return main.length === 0 ? others : [main, ...others];
}

const keyOf = (scheduleId: string, at: Instant): string => `${scheduleId} ${at}`;

/** By schedule, from old to new. */
function joined(ruled: readonly Ruled[]): PlannedDecision[] {
  const bySchedule = new Map<string, Ruled[]>();
  for (const each of ruled) {
    const { scheduleId } = each.decision;
    bySchedule.set(scheduleId, [...(bySchedule.get(scheduleId) ?? []), each]);
  }
  return [...bySchedule.values()].flatMap((ofSchedule) => {
    const decisions: PlannedDecision[] = [];
    let isLastApart = true;
    for (const { decision, isApart } of ofSchedule.sort((a, b) => a.decision.from - b.decision.from)) {
      const last = decisions.at(-1);
      if (last !== undefined && !isApart && !isLastApart && hasSameAnswer(last, decision)) {
        decisions[decisions.length - 1] = {
          ...last,
          until: decision.until,
          count: last.count + decision.count,
        };
      } else decisions.push(decision);
      isLastApart = isApart;
    }
    return decisions;
  });
}

const hasSameAnswer = (a: PlannedDecision, b: PlannedDecision): boolean => {
  if (a.kind === 'start' || a.kind !== b.kind || a.reason !== b.reason || a.missCause !== b.missCause)
    return false;
  return a.kind === 'skip' || (b.kind === 'merge' && JSON.stringify(a.into) === JSON.stringify(b.into));
};
