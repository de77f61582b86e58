/**
 * What is due of one schedule, in pieces that share an answer: what is owed, and what its calendar holds since the watermark.
 * The newest one that is met on time is a piece of its own, the head; what is older counts as missed.
 */

import type { ScheduleRule } from '../../shared/model/schedule';
import { spansBetween } from '../../shared/schedule/localDays';
import { zoneOfRule } from '../../shared/schedule/occurrences';
import type { Instant } from '../../shared/time';
import { type DueRange, isOnTime, isOwedOnTime, takeNewest } from './catchUp';
import type { PendingOccurrence, ScheduleState } from './ledger';
import { type Grounds, type Segment, segmentsAmong, segmentsSince, verdictAt } from './segments';

export type Piece = Segment & {
  readonly schedule: ScheduleState;
  /** Why it is owed, or null if the calendar holds it. */
  readonly owed: PendingOccurrence['trigger'] | null;
  /** Met on time and the newest of its schedule; always a single occurrence that nothing keeps from running. */
  readonly isHead: boolean;
  /** Decided occurrences may lie between this piece and its neighbours. */
  readonly isApart: boolean;
};

export type DueOptions = {
  /** Found to be undecided while the watermark says nothing (ADR 16), or null as usual. */
  readonly undecided: readonly DueRange[] | null;
  /** Runs of the job are queued or running. */
  readonly hasActive: boolean;
};

const isAfterEnd = (rule: ScheduleRule): boolean => rule.kind === 'interval' && rule.basis === 'after_end';

/** From old to new, what is owed before what the calendar holds. */
export function piecesOf(grounds: Grounds, now: Instant, { undecided, hasActive }: DueOptions): Piece[] {
  const owed = grounds.schedule.pending
    .filter(({ at }) => at <= now)
    .map((each) => owedPiece(each, grounds, now));
  // "After the last end" has no moment while a run goes on.
  if (hasActive && isAfterEnd(grounds.schedule.rule)) return owed;
  const segments = undecided === null ? segmentsSince(now, grounds) : segmentsAmong(undecided, grounds);
  const isApart = undecided !== null && undecided.length > 1;
  const planned = headApart(segments, grounds, now).map((part) => ({
    ...part,
    schedule: grounds.schedule,
    owed: null,
    isApart,
  }));
  return owed.length === 0 ? planned : [...owed, ...planned];
}

function owedPiece(pending: PendingOccurrence, grounds: Grounds, now: Instant): Piece {
  const { at, trigger } = pending;
  const { schedule, hostZone } = grounds;
  const judged = verdictAt(at, grounds);
  const isOff = judged.missCause !== null && isOutsideDates(at, schedule, hostZone);
  const verdict = isOff ? { skip: 'date_excluded' as const, missCause: null } : judged;
  const isHead = (verdict.skip === null || verdict.skip === 'too_old') && isOwedOnTime(pending, now);
  const occurrence = { from: at, until: at, count: 1, schedule, owed: trigger, isHead, isApart: true };
  return { ...occurrence, skip: isHead ? null : verdict.skip, missCause: verdict.missCause };
}

/** A calendar ends with the last day by itself; what happens on another day is refused here. */
function isOutsideDates(at: Instant, { rule, dates }: ScheduleState, hostZone: string): boolean {
  if (dates.from === null && dates.until === null) return false;
  const spans = spansBetween(dates.from, dates.until, zoneOfRule(rule, { hostZone }));
  return !spans.some(({ from, to }) => from <= at && at < to);
}

function headApart(
  segments: readonly Segment[],
  { schedule, hostZone }: Grounds,
  now: Instant,
): (Segment & { isHead: boolean })[] {
  const headIndex = segments.findLastIndex(({ skip }) => skip === null);
  const newest = segments[headIndex];
  const isMet = newest?.missCause != null && isOnTime(newest.until, now, newest.missCause);
  return segments.flatMap((segment, index) => {
    if (index !== headIndex || !isMet) return [{ ...segment, isHead: false }];
    const head = { ...segment, from: segment.until, count: 1, isHead: true };
    if (segment.count === 1) return [head];
    const { rest } = takeNewest(segment, 1, schedule, hostZone);
    return rest === null ? [head] : [{ ...segment, ...rest, isHead: false }, head];
  });
}
