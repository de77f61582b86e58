/**
 * Excluded dates: what falls on one, and what comes next that does not.
 *
 * An occurrence falls on the day that the clock of its schedule shows at that instant; one that a gap moved over midnight counts
 * for the day it moved to. Whole ranges are jumped over, so a schedule of every second and a year off cost the same as any other.
 */
import type { DateRange, Dates } from '../model/dates';
import type { ScheduleRule } from '../model/schedule';
import { DAY_MS, type Instant, toInstant } from '../time';
import {
  type DayNumber,
  dateOfDay,
  dayNumberAt,
  dayNumberOf,
  intersect,
  type Span,
  spansOfDays,
} from './localDays';
import { countBetween, nextOccurrence, type OccurrenceContext, zoneOfRule } from './occurrences';

interface DayRange {
  readonly first: DayNumber;
  readonly last: DayNumber;
}

/** Sorted; ranges that overlap or follow each other without a day in between are one. */
const mergedDays = (excluded: readonly DateRange[]): DayRange[] => {
  const ranges = excluded
    .map(({ from, until }) => ({ first: dayNumberOf(from), last: dayNumberOf(until) }))
    .sort((a, b) => a.first - b.first);
  const merged: DayRange[] = [];
  for (const range of ranges) {
    const before = merged.at(-1);
    if (before === undefined || range.first > before.last + 1) merged.push(range);
    else if (range.last > before.last) merged[merged.length - 1] = { first: before.first, last: range.last };
  }
  return merged;
};

/** Whether the clock of `zone` shows an excluded day at `at`. */
export const isExcluded = (at: Instant, zone: string, excluded: readonly DateRange[]): boolean => {
  if (excluded.length === 0) return false;
  const date = dateOfDay(dayNumberAt(at, zone));
  return excluded.some(({ from, until }) => from <= date && date <= until);
};

/** The first day from `day` on that is not excluded. */
export const firstFreeDay = (day: DayNumber, excluded: readonly DateRange[]): DayNumber => {
  const range = mergedDays(excluded).find(({ first, last }) => first <= day && day <= last);
  return range === undefined ? day : range.last + 1;
};

/** The instants from `stretch.from` until before `stretch.to` that lie on excluded days: sorted, without overlaps. */
export const excludedSpans = (excluded: readonly DateRange[], zone: string, stretch: Span): Span[] => {
  // Far ranges are left out before anything is looked up; a day of any zone begins and ends within a day of UTC's.
  const isNear = ({ first, last }: DayRange): boolean =>
    (last + 2) * DAY_MS > stretch.from && (first - 1) * DAY_MS < stretch.to;
  const spans = mergedDays(excluded)
    .filter(isNear)
    .flatMap(({ first, last }) => spansOfDays(first, last, zone));
  return intersect(
    spans.sort((a, b) => a.from - b.from),
    [stretch],
  );
};

/**
 * The first occurrence after `after` that lies between the first and the last day and on no excluded one, or undefined if there
 * is none. `dates` stand in place of those of the context.
 */
export const nextRunnable = (
  rule: ScheduleRule,
  after: Instant,
  context: OccurrenceContext,
  dates: Dates,
): Instant | undefined => {
  const bounded = { ...context, dates };
  let next = nextOccurrence(rule, after, bounded);
  const zone = zoneOfRule(rule, context);
  if (next === undefined || !isExcluded(next, zone, dates.excluded)) return next;
  for (const { from, to } of excludedSpans(dates.excluded, zone, {
    from: next,
    to: Number.POSITIVE_INFINITY,
  })) {
    if (next < from) break;
    if (next >= to) continue;
    next = nextOccurrence(rule, toInstant(to - 1), bounded);
    if (next === undefined) return undefined;
  }
  return next;
};

/**
 * How many occurrences lie after `after` and not after `until`, those on excluded days left out. Counted by days, not listed.
 * `dates` stand in place of those of the context.
 */
export const countRunnable = (
  rule: ScheduleRule,
  after: Instant,
  until: Instant,
  context: OccurrenceContext,
  dates: Dates,
): number => {
  const bounded = { ...context, dates };
  const count = (from: number, to: number): number =>
    countBetween(rule, toInstant(from), toInstant(to), bounded, { max: Number.MAX_SAFE_INTEGER }).count;
  const stretch = { from: after + 1, to: until + 1 };
  const all = count(after, until);
  if (all === 0 || dates.excluded.length === 0) return all;
  const left = excludedSpans(dates.excluded, zoneOfRule(rule, context), stretch);
  return left.reduce((sum, { from, to }) => sum - count(from - 1, to - 1), all);
};
