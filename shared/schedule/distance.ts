/**
 * How close together the occurrences of a rule can come on ordinary days, from its sets of days and times and not by listing.
 * Nights of a clock change are left out: jitter is bounded by the next occurrence anyway, whatever the clock does.
 */
import { type CronRule, isCalendarRule, type ScheduleRule } from '../model/schedule';
import { DAY_MS, SECOND_MS } from '../time';
import { parseCron } from './cron';
import { createDayTimes } from './dayTimes';
import { daysOf, type MatchingDays } from './matchingDays';

/** Dates and weekdays come together in every way within 28 years; a few more hold a whole round from any of them. */
const FIRST_DAY = Date.UTC(2024, 0, 1) / DAY_MS;
const LAST_DAY = Date.UTC(2064, 0, 1) / DAY_MS;

const shortestDays = (days: MatchingDays): number => {
  let least = Number.POSITIVE_INFINITY;
  let before = days.atOrAfter(FIRST_DAY);
  while (before < LAST_DAY && least > 1) {
    const next = days.atOrAfter(before + 1);
    least = Math.min(least, next - before);
    before = next;
  }
  return least;
};

const cronDistance = (rule: CronRule): number => {
  const parsed = parseCron(rule.expression);
  if (!parsed.ok) return Number.POSITIVE_INFINITY;
  const { distanceMin, first, last } = createDayTimes(parsed.value);
  const overNight = (days: number): number => days * DAY_MS - (last - first) * SECOND_MS;
  // Where the times of one day are closer than those of two days could be, the days do not matter.
  if (distanceMin * SECOND_MS <= overNight(1)) return distanceMin * SECOND_MS;
  return Math.min(distanceMin * SECOND_MS, overNight(shortestDays(daysOf(parsed.value, rule.dayMatch))));
};

/**
 * The shortest time between two occurrences of a rule, in milliseconds; infinity if there are no two, or if no calendar knows
 * them. Of an interval after the last end it is the interval.
 */
export const shortestDistance = (rule: ScheduleRule): number => {
  if (!isCalendarRule(rule) || rule.kind === 'once') return Number.POSITIVE_INFINITY;
  return rule.kind === 'cron' ? cronDistance(rule) : rule.everyMs;
};
