/**
 * Missed occurrences (D7): what counts as missed, why it was, and which of them get a run of their own under "all". Long
 * stretches stay ranges with a count and are never listed (C-040).
 */

import type { MissCause } from '../../shared/model/run';
import { countBetween, type OccurrenceContext, previousOccurrence } from '../../shared/schedule/occurrences';
import { type Instant, MINUTE_MS, toInstant } from '../../shared/time';
import type { PendingOccurrence, ScheduleState } from './ledger';

/**
 * An occurrence met within this time counts as on time: it is as long as the engine itself may sleep (30 s), so a timer
 * that stood still during suspend does not turn a due time that came after waking into a missed one.
 */
export const ON_TIME_MS_MAX = 30_000;

/** More occurrences than this are given as this many: a year of a schedule that is due every second is below it. */
export const COUNTED_MAX = 100_000_000;

/** Occurrences that share one answer; `from` and `until` are the oldest and the newest of them. */
export type DueRange = { readonly from: Instant; readonly until: Instant; readonly count: number };

/** A span in which no occurrence could be met, and why. `from` is exclusive, `to` inclusive. */
export type MissedSpan = { readonly cause: MissCause; readonly from: Instant; readonly to: Instant };

/** What the calendar has to know of a schedule. */
export const contextOf = (
  { createdAt, lastEndedAt, dates }: Pick<ScheduleState, 'createdAt' | 'lastEndedAt' | 'dates'>,
  hostZone: string,
): OccurrenceContext =>
  lastEndedAt === null ? { hostZone, createdAt, dates } : { hostZone, createdAt, dates, lastEndedAt };

/** Why an occurrence that is not met on time was not; a machine that was there all the time was merely busy. */
export const missCauseAt = (at: Instant, spans: readonly MissedSpan[]): MissCause =>
  spans.find(({ from, to }) => from < at && at <= to)?.cause ?? 'busy';

/** Whether an occurrence of a calendar is met on time. `missCause`: what `missCauseAt` says of it. */
export const isOnTime = (at: Instant, now: Instant, missCause: MissCause): boolean =>
  // With the app closed nobody waited for the occurrence, however little late it is now (C-043).
  missCause !== 'not_running' && missCause !== 'off' && now - at <= ON_TIME_MS_MAX;

/**
 * The same for one that is owed. Its cause is an act of a living engine or of a person, so a span around it says nothing;
 * the creation minute may have passed nearly whole before there was a job at all (S-31).
 */
export const isOwedOnTime = ({ at, trigger }: PendingOccurrence, now: Instant): boolean =>
  now - at <= ON_TIME_MS_MAX + (trigger === 'creation' ? MINUTE_MS : 0);

/** The newest `max` occurrences of a range, newest first, and the range without them (null if nothing is left). */
export function takeNewest(
  range: DueRange,
  max: number,
  state: ScheduleState,
  hostZone: string,
): { readonly taken: Instant[]; readonly rest: DueRange | null } {
  const context = contextOf(state, hostZone);
  const taken: Instant[] = [];
  let newest: Instant | undefined = range.until;
  while (newest !== undefined && newest >= range.from && taken.length < max) {
    taken.push(newest);
    if (taken.length === range.count) return { taken, rest: null };
    newest = previousOccurrence(state.rule, newest, context);
  }
  if (newest === undefined || newest < range.from) return { taken, rest: null };
  // A count that stopped at its limit says nothing about how many are left.
  const count =
    range.count < COUNTED_MAX
      ? range.count - taken.length
      : countBetween(state.rule, toInstant(range.from - 1), newest, context, { max: COUNTED_MAX }).count;
  return { taken, rest: { from: range.from, until: newest, count } };
}
