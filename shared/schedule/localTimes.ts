/**
 * The wall times at which a cron expression matches, in a calendar without zones.
 *
 * croner finds the days (leap years, `L`, `nW`, `d#n`, either or both) in plain UTC, where no clock ever changes; the
 * times of a day come from tables. Zones and clock changes are the business of `occurrences`.
 */
import { Cron } from 'croner';
import { DAY_MS, SECOND_MS } from '../time';
import { type CronExpression, parseCron } from './cron';
import { createRecent } from './recent';
import type { LocalMs } from './zone';

/** croner holds an array of 10,000 years, 83 kB, in each pattern. Schedules with the same days share one. */
const DAY_PATTERNS_MAX = 64;
/** Months of one pattern that are remembered: ten years. */
const MONTHS_MAX = 120;
const EXPRESSIONS_MAX = 512;
const DAY_SECONDS = DAY_MS / SECOND_MS;

/** Days are counted from 1970-01-01. */
type Day = number;

/** croner's calendar runs from the year 1 to the year 2999. */
const FIRST_DAY: Day = -719_162;
const LAST_DAY: Day = Date.UTC(2999, 11, 31) / DAY_MS;

/** The days on which an expression matches. Plus or minus infinity stands for no such day. */
export interface MatchingDays {
  readonly atOrAfter: (day: Day) => Day;
  readonly atOrBefore: (day: Day) => Day;
  /** Matching days from `from` until before `until`. */
  readonly count: (from: Day, until: Day) => number;
}

/** The wall times at which an expression matches. Plus or minus infinity stands for no such time. */
export interface LocalTimes {
  readonly kind: CronExpression['kind'];
  readonly atOrAfter: (local: LocalMs) => LocalMs;
  readonly before: (local: LocalMs) => LocalMs;
  /** Matches from `from` until before `until`, counted by days and not one by one (C-040). */
  readonly count: (from: LocalMs, until: LocalMs) => number;
}

const monthOf = (day: Day): number => {
  const date = new Date(day * DAY_MS);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
};

const firstDayOf = (month: number): Day => {
  const date = new Date(0);
  date.setUTCFullYear(Math.floor(month / 12), month % 12, 1);
  return date.getTime() / DAY_MS;
};

const dateOf = (day: Day): Date => new Date(day * DAY_MS);

const createMatchingDays = (key: string): MatchingDays => {
  const [days, dayMatch] = key.split('|');
  const cron = new Cron(`0 0 ${days}`, {
    utcOffset: 0,
    mode: '5-or-6-parts',
    fixedTimeRule: 'no-wildcard',
    domAndDow: dayMatch === 'both',
  });
  const inMonth = createRecent(MONTHS_MAX, (month: number): readonly Day[] => {
    const found: Day[] = [];
    const end = firstDayOf(month + 1);
    for (let day = firstDayOf(month); day < end; day += 1) if (cron.match(dateOf(day))) found.push(day);
    return found;
  });
  const searchForward = createRecent(MONTHS_MAX, (month: number): Day => {
    const next = cron.nextRun(new Date(firstDayOf(month) * DAY_MS - SECOND_MS));
    return next === null ? Number.POSITIVE_INFINITY : next.getTime() / DAY_MS;
  });
  const searchBackward = createRecent(MONTHS_MAX, (month: number): Day => {
    const [previous] = cron.previousRuns(1, dateOf(firstDayOf(month + 1)));
    return previous === undefined ? Number.NEGATIVE_INFINITY : previous.getTime() / DAY_MS;
  });
  return {
    atOrAfter: (day) => {
      if (day > LAST_DAY) return Number.POSITIVE_INFINITY;
      const month = monthOf(Math.max(day, FIRST_DAY));
      const find = (candidate: Day): boolean => candidate >= day;
      return inMonth(month).find(find) ?? inMonth(month + 1)[0] ?? searchForward(month + 2);
    },
    atOrBefore: (day) => {
      if (day < FIRST_DAY) return Number.NEGATIVE_INFINITY;
      const month = monthOf(Math.min(day, LAST_DAY));
      const find = (candidate: Day): boolean => candidate <= day;
      return inMonth(month).findLast(find) ?? inMonth(month - 1).at(-1) ?? searchBackward(month - 2);
    },
    count: (from, until) => {
      let sum = 0;
      const end = Math.min(until, LAST_DAY + 1);
      for (let day = Math.max(from, FIRST_DAY); day < end; ) {
        const month = monthOf(day);
        const monthEnd = firstDayOf(month + 1);
        const matches = inMonth(month);
        const isWhole = day === firstDayOf(month) && monthEnd <= end;
        sum += isWhole ? matches.length : matches.filter((match) => match >= day && match < end).length;
        day = monthEnd;
      }
      return sum;
    },
  };
};

const matchingDays = createRecent(DAY_PATTERNS_MAX, createMatchingDays);

/** The days of an expression; `both` asks for day of month and weekday at once. */
export const daysOf = (cron: CronExpression, dayMatch: 'either' | 'both'): MatchingDays =>
  matchingDays(`${cron.days}|${dayMatch}`);

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
  for (let i = 0; i <= size; i += 1) {
    next.push(values.find((value) => value >= i) ?? NONE);
    previous.push(values.findLast((value) => value <= i) ?? NONE);
    rank.push(values.filter((value) => value < i).length);
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
    return days.count(day, day + 1) === 0 ? 0 : times.countBelow(second - day * DAY_SECONDS);
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
