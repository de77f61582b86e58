/** Whether a schedule can ever be due, and if not, why. Decided by searching real dates (product 35), not by rules. */
import type { ScheduleRule } from '../model/schedule';
import { type CronExpression, parseCron } from './cron';
import { listWords, monthName, ordinal } from './dayWords';
import { daysOf } from './matchingDays';

const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Any day will do: the calendar repeats after 400 years and the search goes that far. */
const SOME_DAY = 20_000;

const explain = (cron: CronExpression): string => {
  const { dayOfMonth, month, dayOfWeek } = cron.fields;
  const isAnyLong = month.values.some((m) =>
    [...dayOfMonth.values, ...dayOfMonth.nearest].some((day) => day <= (LONGEST[m - 1] ?? 31)),
  );
  const isMissingDay =
    !dayOfMonth.isEvery && !dayOfMonth.isLastDay && !dayOfMonth.isLastWeekday && !isAnyLong;
  if (!isMissingDay) {
    const weekdays = dayOfWeek.text;
    return `No date is both “${dayOfMonth.text}” in the day of the month and “${weekdays}” in the weekday${month.values.length === 12 ? '' : ` in ${listWords(month.values.map(monthName))}`}.`;
  }
  const days = [...new Set([...dayOfMonth.values, ...dayOfMonth.nearest])].sort((a, b) => a - b);
  const [day = 0] = days;
  if (days.length === 1 && month.values.length === 1)
    return `${day} ${monthName(month.values[0] ?? 1)} does not exist.`;
  const verb = month.values.length === 1 ? 'has' : 'have';
  return `${listWords(month.values.map(monthName))} ${verb} no ${listWords(days.map(ordinal), 'or')}.`;
};

/**
 * The reason, as a sentence, why a rule is never due; undefined if it is due at some time, or has mistakes of another
 * kind. Whether a single time has passed is not asked here.
 */
export const neverFires = (rule: ScheduleRule): string | undefined => {
  if (rule.kind !== 'cron') return undefined;
  const parsed = parseCron(rule.expression);
  if (!parsed.ok) return undefined;
  const isEver = daysOf(parsed.value, rule.dayMatch).atOrAfter(SOME_DAY) !== Number.POSITIVE_INFINITY;
  return isEver ? undefined : explain(parsed.value);
};
