/**
 * Missed occurrences of one schedule: which one runs, which are folded into it, which are dropped, and why (D7). Long
 * spans stay ranges with a count and are never listed (C-040).
 */

import type { CatchUp } from '../../shared/model/policies';
import type { DecisionReason, MissCause } from '../../shared/model/run';
import {
  countBetween,
  nextOccurrence,
  type OccurrenceContext,
  previousOccurrence,
} from '../../shared/schedule/occurrences';
import { type Instant, toInstant } from '../../shared/time';
import type { ScheduleState } from './ledger';

/**
 * An occurrence met within this time counts as on time: it is as long as the engine itself may sleep (30 s), so a timer
 * that stood still during suspend does not turn a due time that came after waking into a missed one.
 */
export const ON_TIME_MS_MAX = 30_000;

/** More occurrences than this are given as this many: a year of a schedule that is due every second is below it. */
export const COUNTED_MAX = 100_000_000;

/** Occurrences that share one answer; `from` and `until` are the oldest and the newest of them. */
export type DueRange = { readonly from: Instant; readonly until: Instant; readonly count: number };

/** What is due of a schedule: the newest occurrence, and the older ones from old to new. */
export type Due = { readonly newestAt: Instant; readonly older: readonly DueRange[] };

/** A span in which no occurrence could be met, and why. `from` is exclusive, `to` inclusive. */
export type MissedSpan = { readonly cause: MissCause; readonly from: Instant; readonly to: Instant };

/** What becomes of a range, or of the newest occurrence. */
export type Answer =
  | { readonly kind: 'start'; readonly reason: DecisionReason; readonly missCause: MissCause | null }
  | { readonly kind: 'merge'; readonly reason: DecisionReason; readonly missCause: MissCause | null }
  | { readonly kind: 'skip'; readonly reason: DecisionReason; readonly missCause: MissCause | null };

/** What the calendar has to know of a schedule. */
export const contextOf = (
  { createdAt, lastEndedAt, dates }: Pick<ScheduleState, 'createdAt' | 'lastEndedAt' | 'dates'>,
  hostZone: string,
): OccurrenceContext =>
  lastEndedAt === null ? { hostZone, createdAt, dates } : { hostZone, createdAt, dates, lastEndedAt };

/**
 * Occurrences after the watermark and not after `now`, or null. The older ones are cut in two where the age limit lies, so
 * that each range has one answer.
 */
export function dueSince(
  schedule: ScheduleState,
  now: Instant,
  ageMsMax: number | null,
  hostZone: string,
): Due | null {
  const context = contextOf(schedule, hostZone);
  const { rule, watermarkAt } = schedule;
  const oldest = nextOccurrence(rule, watermarkAt, context);
  if (oldest === undefined || oldest > now) return null;
  const second = nextOccurrence(rule, oldest, context);
  if (second === undefined || second > now) return { newestAt: oldest, older: [] };

  const newestAt = previousOccurrence(rule, toInstant(now + 1), context) ?? second;
  const rangeBetween = (after: Instant, before: Instant): DueRange[] => {
    const from = nextOccurrence(rule, after, context);
    const until = previousOccurrence(rule, before, context);
    if (from === undefined || until === undefined || from > until) return [];
    const { count } = countBetween(rule, after, until, context, { max: COUNTED_MAX });
    return [{ from, until, count }];
  };
  const limitAt = ageMsMax === null ? watermarkAt : toInstant(now - ageMsMax);
  if (limitAt <= watermarkAt || limitAt >= newestAt) {
    return { newestAt, older: rangeBetween(watermarkAt, newestAt) };
  }
  return {
    newestAt,
    older: [...rangeBetween(watermarkAt, limitAt), ...rangeBetween(toInstant(limitAt - 1), newestAt)],
  };
}

/** The same for ranges that were found to be undecided, from old to new. */
export function dueAmong(
  ranges: readonly DueRange[],
  schedule: ScheduleState,
  now: Instant,
  { ageMsMax, hostZone }: { readonly ageMsMax: number | null; readonly hostZone: string },
): Due | null {
  const newestAt = ranges.at(-1)?.until;
  if (newestAt === undefined) return null;
  const context = contextOf(schedule, hostZone);
  const limitAt = ageMsMax === null ? Number.NEGATIVE_INFINITY : now - ageMsMax;
  /** What of a range lies after one instant and before another. */
  const part = ({ from, until }: DueRange, after: number, before: number): DueRange[] => {
    const first = from > after ? from : nextOccurrence(schedule.rule, toInstant(after), context);
    const last = until < before ? until : previousOccurrence(schedule.rule, toInstant(before), context);
    if (first === undefined || last === undefined || first > last) return [];
    const after1 = toInstant(first - 1);
    return [
      {
        from: first,
        until: last,
        count: countBetween(schedule.rule, after1, last, context, { max: COUNTED_MAX }).count,
      },
    ];
  };
  const older = ranges.flatMap((range) => {
    if (limitAt <= range.from || limitAt > range.until) return part(range, range.from - 1, newestAt);
    return [...part(range, range.from - 1, limitAt), ...part(range, limitAt - 1, newestAt)];
  });
  return { newestAt, older };
}

/** The answer for the newest due occurrence of a schedule whose job is neither paused nor running. */
export function answerNewest(
  at: Instant,
  now: Instant,
  policy: CatchUp,
  spans: readonly MissedSpan[],
): Answer {
  const missCause = missCauseOf(at, now, spans);
  if (missCause === null) return { kind: 'start', reason: 'on_time', missCause };
  const refusal = refuse(at, now, policy);
  return refusal === null
    ? { kind: 'start', reason: 'caught_up', missCause }
    : { kind: 'skip', reason: refusal, missCause };
}

/** The answer for occurrences older than the newest one. What the policy refuses to the newest it refuses to them too. */
export function answerOlder(
  range: DueRange,
  now: Instant,
  policy: CatchUp,
  spans: readonly MissedSpan[],
): Answer {
  const missCause = missCauseOf(range.until, now, spans) ?? 'busy';
  const refusal = refuse(range.until, now, policy);
  return refusal === null
    ? { kind: 'merge', reason: 'merged', missCause }
    : { kind: 'skip', reason: refusal, missCause };
}

const refuse = (at: Instant, now: Instant, policy: CatchUp): DecisionReason | null => {
  if (policy.mode === 'none') return 'catch_up_off';
  return policy.ageMsMax !== null && now - at > policy.ageMsMax ? 'too_old' : null;
};

/** Why an occurrence could not be met on time, or null if it can be met now. */
export function missCauseOf(at: Instant, now: Instant, spans: readonly MissedSpan[]): MissCause | null {
  const span = spans.find(({ from, to }) => from < at && at <= to);
  // With the app closed nobody waited for the occurrence, however little late it is now (C-043).
  if (span?.cause === 'not_running') return span.cause;
  if (now - at <= ON_TIME_MS_MAX) return null;
  return span?.cause ?? 'busy';
}
