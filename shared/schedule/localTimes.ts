/**
 * The wall times at which a cron expression matches, in a calendar without zones.
 *
 * The days come from `matchingDays`, the times of a day from tables. Zones and clock changes are the business of
 * `cronOccurrences`.
 */
import { DAY_MS, SECOND_MS } from '../time';
import { type CronExpression, parseCron } from './cron';
import { daysOf, type MatchingDays } from './matchingDays';
import { createRecent } from './recent';
import type { LocalMs } from './zone';

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

/** Of one unit (hours, minutes or seconds): the next and the previous value from each, and how many lie below it. */
interface Wheel {
  readonly next: readonly number[];
  readonly previous: readonly number[];
  readonly rank: readonly number[];
  readonly first: number;
  readonly last: number;
  readonly size: number;
}

const NONE = -1;

const createWheel = (values: readonly number[], size: number): Wheel => {
  const next: number[] = [];
  const previous: number[] = [];
  const rank: number[] = [];
  let below = 0;
  for (let i = 0; i <= size; i += 1) {
    const value = values[below];
    rank.push(below);
    next.push(value ?? NONE);
    previous.push(value === i ? i : (values[below - 1] ?? NONE));
    if (value === i) below += 1;
  }
  return { next, previous, rank, first: values[0] ?? NONE, last: values.at(-1) ?? NONE, size: values.length };
};

/** The seconds of a day at which an expression matches. */
interface DayTimes {
  readonly atOrAfter: (second: number) => number;
  readonly atOrBefore: (second: number) => number;
  readonly countBelow: (second: number) => number;
  readonly size: number;
}

const createDayTimes = (cron: CronExpression): DayTimes => {
  const hours = createWheel(cron.fields.hour.values, 24);
  const minutes = createWheel(cron.fields.minute.values, 60);
  const seconds = createWheel(cron.fields.second.values, 60);
  const at = (hour: number, minute: number, second: number): number => hour * 3_600 + minute * 60 + second;
  return {
    size: hours.size * minutes.size * seconds.size,
    atOrAfter: (time) => {
      const hour = Math.floor(time / 3_600);
      const minute = Math.floor(time / 60) % 60;
      if (hours.next[hour] === hour) {
        if (minutes.next[minute] === minute) {
          const second = seconds.next[time % 60] ?? NONE;
          if (second !== NONE) return at(hour, minute, second);
        }
        const later = minutes.next[minutes.next[minute] === minute ? minute + 1 : minute] ?? NONE;
        if (later !== NONE) return at(hour, later, seconds.first);
      }
      const laterHour = hours.next[hours.next[hour] === hour ? hour + 1 : hour] ?? NONE;
      return laterHour === NONE ? NONE : at(laterHour, minutes.first, seconds.first);
    },
    atOrBefore: (time) => {
      const hour = Math.floor(time / 3_600);
      const minute = Math.floor(time / 60) % 60;
      if (hours.previous[hour] === hour) {
        if (minutes.previous[minute] === minute) {
          const second = seconds.previous[time % 60] ?? NONE;
          if (second !== NONE) return at(hour, minute, second);
        }
        const earlier = minutes.previous[minutes.previous[minute] === minute ? minute - 1 : minute] ?? NONE;
        if (earlier !== NONE) return at(hour, earlier, seconds.last);
      }
      const earlierHour = hours.previous[hours.previous[hour] === hour ? hour - 1 : hour] ?? NONE;
      return earlierHour === NONE ? NONE : at(earlierHour, minutes.last, seconds.last);
    },
    countBelow: (time) => {
      const hour = Math.floor(time / 3_600);
      const minute = Math.floor(time / 60) % 60;
      let sum = (hours.rank[hour] ?? 0) * minutes.size * seconds.size;
      if (hours.next[hour] === hour) {
        sum += (minutes.rank[minute] ?? 0) * seconds.size;
        if (minutes.next[minute] === minute) sum += seconds.rank[time % 60] ?? 0;
      }
      return sum;
    },
  };
};

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
      return (match === day ? days.atOrAfter(day + 1) : match) * DAY_MS + times.atOrAfter(0) * SECOND_MS;
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
      return earlier * DAY_MS + times.atOrBefore(DAY_SECONDS - 1) * SECOND_MS;
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
