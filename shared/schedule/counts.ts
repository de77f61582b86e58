/**
 * How many occurrences each day of a year map and each hour of a week strip has. Days and hours are those of the computer,
 * whose user looks at them, whatever zone the schedule is in. Everything is counted by days and by sets of minutes (C-040).
 */
import type { DateRange, LocalDate } from '../model/dates';
import { LOCAL_ZONE, type ScheduleRule } from '../model/schedule';
import { assert } from '../result';
import { DAY_MS, HOUR_MS, toInstant } from '../time';
import { excludedSpans } from './dates';
import { dayNumberOf, intersect, type Span, spansOfDays, spansOfLocal } from './localDays';
import { countBetween, type OccurrenceContext, zoneOfRule } from './occurrences';
import { resolveZone } from './zone';

/** More days than this are not counted by one call: ten years. */
export const COUNTED_DAYS_MAX = 3_660;
const HOURS = 24;

/** The first and the last day of a job come with the context, as everywhere; these are the days left out in between. */
export interface CountOptions {
  readonly excluded?: readonly DateRange[];
}

/** One count for each piece, which is a sorted list of spans. */
const countIn = (
  rule: ScheduleRule,
  pieces: readonly (readonly Span[])[],
  context: OccurrenceContext,
  { excluded = [] }: CountOptions,
): number[] => {
  const spans = pieces.flat();
  if (spans.length === 0) return pieces.map(() => 0);
  const from = spans.reduce((least, span) => Math.min(least, span.from), Number.POSITIVE_INFINITY);
  const to = spans.reduce((most, span) => Math.max(most, span.to), Number.NEGATIVE_INFINITY);
  const left = excludedSpans(excluded, zoneOfRule(rule, context), { from, to });
  const count = ({ from, to }: Span): number =>
    countBetween(rule, toInstant(from - 1), toInstant(to - 1), context).count;
  const sum = (spans: readonly Span[]): number => spans.reduce((total, span) => total + count(span), 0);
  return pieces.map((piece) => {
    const all = sum(piece);
    return all === 0 || left.length === 0 ? all : all - sum(intersect(piece, left));
  });
};

/**
 * The number of occurrences of each day from `fromDate` to `toDate`, both included, in their order. A day that does not exist
 * where the computer is has none.
 */
export const countsByDay = (
  rule: ScheduleRule,
  fromDate: LocalDate,
  toDate: LocalDate,
  context: OccurrenceContext,
  options: CountOptions = {},
): number[] => {
  const first = dayNumberOf(fromDate);
  const length = dayNumberOf(toDate) - first + 1;
  assert(length <= COUNTED_DAYS_MAX, `${length} days are more than can be counted at once`);
  const zone = resolveZone(LOCAL_ZONE, context.hostZone);
  const days = Array.from({ length: Math.max(0, length) }, (_, i) => spansOfDays(first + i, first + i, zone));
  return countIn(rule, days, context, options);
};

/**
 * The number of occurrences of each hour of a day, 24 figures: an hour that comes twice that day has those of both, one that
 * does not exist has none.
 */
export const countsByHour = (
  rule: ScheduleRule,
  day: LocalDate,
  context: OccurrenceContext,
  options: CountOptions = {},
): number[] => {
  const midnight = dayNumberOf(day) * DAY_MS;
  const zone = resolveZone(LOCAL_ZONE, context.hostZone);
  const hours = Array.from({ length: HOURS }, (_, hour) =>
    spansOfLocal(midnight + hour * HOUR_MS, midnight + (hour + 1) * HOUR_MS, zone),
  );
  return countIn(rule, hours, context, options);
};
