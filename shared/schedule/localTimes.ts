/**
 * The wall times at which a cron expression matches, in a calendar without zones.
 *
 * The days come from `matchingDays`, the times of a day from `dayTimes`. Zones and clock changes are the business of
 * `cronOccurrences`.
 */
import { DAY_MS, SECOND_MS } from '../time';
import { type CronExpression, parseCron } from './cron';
import { createDayTimes, NONE } from './dayTimes';
import { daysOf, type MatchingDays } from './matchingDays';
import { createRecent } from './recent';
import type { LocalMs } from './zone';

/** Expressions that are remembered for each way to match days, whatever the number of jobs. */
const EXPRESSIONS_MAX = 512;
const DAY_SECONDS = DAY_MS / SECOND_MS;

/** The wall times at which an expression matches. Plus or minus infinity stands for no such time. */
export interface LocalTimes {
  readonly kind: CronExpression['kind'];
  readonly atOrAfter: (local: LocalMs) => LocalMs;
  readonly before: (local: LocalMs) => LocalMs;
  /** Matches from `from` until before `until`, counted by days and not one by one (C-040). */
  readonly count: (from: LocalMs, until: LocalMs) => number;
}

const createLocalTimes = (cron: CronExpression, days: MatchingDays): LocalTimes => {
  const times = createDayTimes(cron);
  const countBelow = (second: number): number => {
    const day = Math.floor(second / DAY_SECONDS);
    return days.has(day) ? times.countBelow(second - day * DAY_SECONDS) : 0;
  };
  return {
    kind: cron.kind,
    atOrAfter: (local) => {
      const second = Math.ceil(local / SECOND_MS);
      const day = Math.floor(second / DAY_SECONDS);
      const match = days.atOrAfter(day);
      if (match === day) {
        const time = times.atOrAfter(second - day * DAY_SECONDS);
        if (time !== NONE) return (day * DAY_SECONDS + time) * SECOND_MS;
      }
      return (match === day ? days.atOrAfter(day + 1) : match) * DAY_MS + times.first * SECOND_MS;
    },
    before: (local) => {
      const second = Math.ceil(local / SECOND_MS) - 1;
      const day = Math.floor(second / DAY_SECONDS);
      const match = days.atOrBefore(day);
      if (match === day) {
        const time = times.atOrBefore(second - day * DAY_SECONDS);
        if (time !== NONE) return (day * DAY_SECONDS + time) * SECOND_MS;
      }
      const earlier = match === day ? days.atOrBefore(day - 1) : match;
      return earlier * DAY_MS + times.last * SECOND_MS;
    },
    count: (from, until) => {
      const first = Math.ceil(from / SECOND_MS);
      const end = Math.ceil(until / SECOND_MS);
      if (first >= end) return 0;
      const wholeDays = days.count(Math.floor(first / DAY_SECONDS), Math.floor(end / DAY_SECONDS));
      return wholeDays * times.size + countBelow(end) - countBelow(first);
    },
  };
};

const createAnswers = (dayMatch: 'either' | 'both') =>
  createRecent(EXPRESSIONS_MAX, (expression: string): LocalTimes | false => {
    const parsed = parseCron(expression);
    return parsed.ok && createLocalTimes(parsed.value, daysOf(parsed.value, dayMatch));
  });

const answers = { either: createAnswers('either'), both: createAnswers('both') };

/** The wall times of an expression, or undefined if it has mistakes. */
export const localTimesOf = (expression: string, dayMatch: 'either' | 'both'): LocalTimes | undefined =>
  answers[dayMatch](expression) || undefined;
