/**
 * What has to be put right once a clock was wrong (ADR 4): which decisions about the future are taken back, and which
 * occurrences below a watermark nobody decided. Ranges are counted and never listed (C-040).
 */

import type { Decision } from '../../shared/model/run';
import type { ScheduleRule } from '../../shared/model/schedule';
import {
  countBetween,
  nextOccurrence,
  type OccurrenceContext,
  previousOccurrence,
} from '../../shared/schedule/occurrences';
import { type Instant, toInstant } from '../../shared/time';
import { COUNTED_MAX, contextOf, type DueRange } from './catchUp';
import type { ScheduleState } from './ledger';

/** The end of a run that a wrong clock dated later than `now` counts as of now: an interval after it must go on. */
export const endedBy = (state: ScheduleState, now: Instant): ScheduleState =>
  state.lastEndedAt !== null && state.lastEndedAt > now ? { ...state, lastEndedAt: now } : state;

/**
 * What stays of a merge or a skip when the clock is found to be at `now`: null if nothing of it has come yet. `rule` may be
 * a newer one than it was decided under, so the count is kept within what it was.
 */
export function keptOf(
  decision: Decision,
  now: Instant,
  rule: ScheduleRule,
  context: OccurrenceContext,
): { untilAt: Instant; count: number } | null {
  const { plannedAt, untilAt, count } = decision;
  if (plannedAt > now) return null;
  const newestAt = previousOccurrence(rule, toInstant(Math.min(now, untilAt - 1) + 1), context);
  if (newestAt === undefined || newestAt <= plannedAt || count <= 2) return { untilAt: plannedAt, count: 1 };
  const counted = countBetween(rule, toInstant(plannedAt - 1), newestAt, context, { max: COUNTED_MAX }).count;
  return { untilAt: newestAt, count: Math.min(Math.max(counted, 2), count - 1) };
}

/**
 * The occurrences after `from` and up to `now` that no decision covers, from old to new. `decided` holds what is decided
 * there, newest first; if it `isCut`, nothing older than its last one is looked at.
 */
export function undecidedRanges(
  state: ScheduleState,
  span: { readonly from: Instant; readonly now: Instant },
  decided: readonly Decision[],
  { hostZone, isCut }: { readonly hostZone: string; readonly isCut: boolean },
): DueRange[] {
  const context = contextOf(state, hostZone);
  const ranges: DueRange[] = [];
  const addBetween = (after: Instant, until: Instant): void => {
    const from = nextOccurrence(state.rule, after, context);
    if (from === undefined || from > until) return;
    const newest = previousOccurrence(state.rule, toInstant(until + 1), context) ?? from;
    const { count } = countBetween(state.rule, after, newest, context, { max: COUNTED_MAX });
    ranges.unshift({ from, until: newest, count });
  };
  let until = span.now;
  for (const { plannedAt, untilAt } of decided) {
    addBetween(toInstant(Math.max(untilAt, span.from)), until);
    until = toInstant(Math.min(until, plannedAt - 1));
  }
  if (!isCut) addBetween(span.from, until);
  return ranges;
}
