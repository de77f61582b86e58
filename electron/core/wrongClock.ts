/**
 * What has to be put right once a clock was wrong (ADR 16): which decisions about the future are taken back, and which
 * occurrences below a watermark nobody decided. Ranges are counted and never listed (C-040).
 */

import type { Decision } from '../../shared/model/run';
import type { IntervalRule, ScheduleRule } from '../../shared/model/schedule';
import {
  countBetween,
  nextOccurrence,
  type OccurrenceContext,
  previousOccurrence,
} from '../../shared/schedule/occurrences';
import { DAY_MS, type Instant, toInstant } from '../../shared/time';
import { COUNTED_MAX, contextOf, type DueRange } from './catchUp';
import type { ScheduleState } from './ledger';

/** A clock that is earlier than everything in the store by more than this is wrong now, and was not wrong before. */
export const BEFORE_STORE_MS_MAX = 30 * DAY_MS;

/**
 * The earliest clock that is believed when a life begins. `beganAt`: when the oldest job was made, or null. A flat battery shows
 * then as a clock that is years too early; one that was believed and went back under our eyes was most likely put right.
 */
export const believedSince = (beganAt: Instant | null): Instant =>
  toInstant(beganAt === null ? Number.MIN_SAFE_INTEGER : beganAt - BEFORE_STORE_MS_MAX);

/**
 * The schedule as a clock at `now` sees it: what a wrong clock dated later counts as of now, so that an interval waits one
 * interval at most (H-46). A grid from the creation goes back without end then, and its occurrences stay the same.
 */
export function seenAt(state: ScheduleState, now: Instant): ScheduleState {
  const { createdAt, lastEndedAt, rule } = state;
  if (createdAt <= now && (lastEndedAt === null || lastEndedAt <= now)) return state;
  const isOwnGrid = rule.kind === 'interval' && rule.anchorAt === createdAt && createdAt > now;
  return {
    ...state,
    rule: isOwnGrid ? withoutBeginning(rule) : rule,
    createdAt: toInstant(Math.min(createdAt, now)),
    lastEndedAt: lastEndedAt === null ? null : toInstant(Math.min(lastEndedAt, now)),
  };
}

const withoutBeginning = (rule: IntervalRule): IntervalRule =>
  rule.anchorAt === undefined ? rule : { ...rule, anchorAt: toInstant(rule.anchorAt % rule.everyMs) };

/** The rule under which an occurrence before the origin of its grid was decided. */
const ruleBefore = (rule: ScheduleRule, plannedAt: Instant): ScheduleRule =>
  rule.kind === 'interval' && rule.anchorAt !== undefined && rule.anchorAt > plannedAt
    ? withoutBeginning(rule)
    : rule;

/**
 * The instant up to which everything of a schedule is decided. While it lies below a watermark, nothing older than the last
 * edit is owed (D3); an edit that is dated later than now was made under a clock that was ahead, and owes nothing less.
 */
export function decidedUntil(
  { watermarkAt, owedSince = null, activeSince }: ScheduleState,
  now: Instant,
): Instant {
  if (owedSince === null) return watermarkAt;
  return activeSince > owedSince && activeSince <= now ? activeSince : owedSince;
}

/**
 * What stays of a merge or a skip when the clock is found to be at `now`: null if nothing of it has come yet. `present` may
 * be a newer rule than it was decided under, so the count is kept within what it was.
 */
export function keptOf(
  decision: Decision,
  now: Instant,
  present: ScheduleRule,
  context: OccurrenceContext,
): { untilAt: Instant; count: number } | null {
  const { plannedAt, untilAt, count } = decision;
  const rule = ruleBefore(present, plannedAt);
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
