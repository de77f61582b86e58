/**
 * The days on which a cron expression matches, in a calendar without zones, as one bit per day of a month.
 *
 * Numbers, ranges and steps need nothing but the length of the month and the weekday of its first. `L`, `W` and `#` are
 * croner's business: it is asked in plain UTC, where no clock ever changes, and its answers are kept month by month.
 */
import { Cron } from 'croner';
import { DAY_MS, SECOND_MS } from '../time';
import { bitCount, highest, lowest } from './bits';
import type { CronExpression } from './cron';
import { createRecent } from './recent';

/** croner holds an array of 10,000 years, 83 kB, in each pattern. Schedules with the same days share one. */
const DAY_PATTERNS_MAX = 64;
/** Months of one pattern that are remembered: ten years. */
const MONTHS_MAX = 120;
/** The calendar repeats after 400 years: days that are not met within so many months are never met. */
const CYCLE_MONTHS = 4_800;

/** Days are counted from 1970-01-01. */
type Day = number;
/** Months are counted from the year 0: twelve times the year, plus 0 for January. */
type Month = number;
/** Bit 0 is the first day of the month. */
type Mask = number;

/** The years that are searched: croner's calendar runs from the year 1 to the year 2999. */
const FIRST_DAY: Day = -719_162;
const LAST_DAY: Day = Date.UTC(2999, 11, 31) / DAY_MS;
const FIRST_MONTH: Month = 12;
const LAST_MONTH: Month = 2999 * 12 + 11;
const ALL_DAYS: Mask = 0x7fff_ffff;
const WEEK = 7;
/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = 4;

/** The days on which an expression matches. Plus or minus infinity stands for no such day. */
export interface MatchingDays {
  readonly has: (day: Day) => boolean;
  readonly atOrAfter: (day: Day) => Day;
  readonly atOrBefore: (day: Day) => Day;
  /** Matching days from `from` until before `until`. */
  readonly count: (from: Day, until: Day) => number;
}

/** What one sort of expression knows: the days of a month, and the nearest month that has any. */
interface Months {
  readonly maskOf: (month: Month) => Mask;
  /** The first month from this one on that has a matching day, and not before croner's calendar; plus infinity for none. */
  readonly atOrAfter: (month: Month) => Month;
  readonly atOrBefore: (month: Month) => Month;
}

/** As the calendar is without its leap days, years begin with March: 153 days are five months. */
const monthOf = (day: Day): Month => {
  const shifted = day + 719_468;
  const era = Math.floor(shifted / 146_097);
  const ofEra = shifted - era * 146_097;
  const year = Math.floor(
    (ofEra - Math.floor(ofEra / 1_460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  );
  const ofYear = ofEra - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  return (era * 400 + year) * 12 + 2 + Math.floor((5 * ofYear + 2) / 153);
};

const firstDayOf = (month: Month): Day => {
  const fromMarch = month - 2;
  const year = Math.floor(fromMarch / 12);
  const ofYear = Math.floor((153 * (fromMarch - year * 12) + 2) / 5);
  return (
    year * 365 + Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400) + ofYear - 719_468
  );
};

const lengthOf = (month: Month): number => firstDayOf(month + 1) - firstDayOf(month);

const createDays = ({ maskOf, atOrAfter, atOrBefore }: Months): MatchingDays => {
  const count = (from: Day, until: Day): number => {
    let sum = 0;
    const begin = Math.max(from, FIRST_DAY);
    const end = Math.min(until, LAST_DAY + 1);
    if (begin >= end) return 0;
    const [first, last] = [monthOf(begin), monthOf(end - 1)];
    for (let month = first; month <= last; month += 1) {
      let mask = maskOf(month);
      if (month === first) mask &= -1 << (begin - firstDayOf(month));
      if (month === last) mask &= ALL_DAYS >>> (30 - (end - 1 - firstDayOf(month)));
      sum += bitCount(mask);
    }
    return sum;
  };
  return {
    has: (day) => {
      if (day < FIRST_DAY || day > LAST_DAY) return false;
      const month = monthOf(day);
      return ((maskOf(month) >>> (day - firstDayOf(month))) & 1) === 1;
    },
    atOrAfter: (day) => {
      if (day > LAST_DAY) return Number.POSITIVE_INFINITY;
      const from = Math.max(day, FIRST_DAY);
      const month = monthOf(from);
      const first = firstDayOf(month);
      const rest = maskOf(month) & (-1 << (from - first));
      if (rest !== 0) return first + lowest(rest);
      const later = atOrAfter(month + 1);
      return later === Number.POSITIVE_INFINITY ? later : firstDayOf(later) + lowest(maskOf(later));
    },
    atOrBefore: (day) => {
      if (day < FIRST_DAY) return Number.NEGATIVE_INFINITY;
      const until = Math.min(day, LAST_DAY);
      const month = monthOf(until);
      const first = firstDayOf(month);
      const rest = maskOf(month) & (ALL_DAYS >>> (30 - (until - first)));
      if (rest !== 0) return first + highest(rest);
      const earlier = atOrBefore(month - 1);
      return earlier === Number.NEGATIVE_INFINITY ? earlier : firstDayOf(earlier) + highest(maskOf(earlier));
    },
    count,
  };
};

/** Days of numbers, ranges and steps only. */
const createPlainMonths = (cron: CronExpression, dayMatch: 'either' | 'both'): Months => {
  const { dayOfMonth, month: months, dayOfWeek } = cron.fields;
  const isEither = cron.areBothDaysRestricted && dayMatch === 'either';
  const days = dayOfMonth.isEvery
    ? ALL_DAYS
    : dayOfMonth.values.reduce((mask, day) => mask | (1 << (day - 1)), 0);
  /** By the weekday of the first of the month. */
  const weekdays: Mask[] = [];
  for (let first = 0; first < WEEK; first += 1) {
    let mask = 0;
    for (const weekday of dayOfWeek.values) {
      for (let day = (weekday - first + WEEK) % WEEK; day < 31; day += WEEK) mask |= 1 << day;
    }
    weekdays.push(dayOfWeek.isEvery ? ALL_DAYS : mask);
  }
  const monthSet = months.values.reduce((set, month) => set | (1 << (month - 1)), 0);
  const maskOf = (month: Month): Mask => {
    if (((monthSet >>> (month % 12)) & 1) === 0) return 0;
    const first = firstDayOf(month);
    const weekday = (((first + FIRST_WEEKDAY) % WEEK) + WEEK) % WEEK;
    const ofWeek = weekdays[weekday] ?? 0;
    return (isEither ? days | ofWeek : days & ofWeek) & (ALL_DAYS >>> (31 - lengthOf(month)));
  };
  return {
    maskOf,
    atOrAfter: (from) => {
      const end = Math.min(from + CYCLE_MONTHS, LAST_MONTH);
      for (let month = from; month <= end; month += 1) if (maskOf(month) !== 0) return month;
      return Number.POSITIVE_INFINITY;
    },
    atOrBefore: (from) => {
      const end = Math.max(from - CYCLE_MONTHS, FIRST_MONTH);
      for (let month = from; month >= end; month -= 1) if (maskOf(month) !== 0) return month;
      return Number.NEGATIVE_INFINITY;
    },
  };
};

/** Days that croner finds: those of `L`, `W` and `#`, and whatever stands beside them. */
const createCronerMonths = (days: string, dayMatch: 'either' | 'both'): Months => {
  const cron = new Cron(`0 0 ${days}`, {
    utcOffset: 0,
    mode: '5-or-6-parts',
    fixedTimeRule: 'no-wildcard',
    domAndDow: dayMatch === 'both',
  });
  const maskOf = createRecent(MONTHS_MAX, (month: Month): Mask => {
    const first = firstDayOf(month);
    const length = lengthOf(month);
    let mask = 0;
    for (let day = 0; day < length; day += 1) {
      if (cron.match(new Date((first + day) * DAY_MS))) mask |= 1 << day;
    }
    return mask;
  });
  const searchForward = createRecent(MONTHS_MAX, (month: Month): Month => {
    const next = cron.nextRun(new Date(firstDayOf(month) * DAY_MS - SECOND_MS));
    return next === null ? Number.POSITIVE_INFINITY : monthOf(next.getTime() / DAY_MS);
  });
  const searchBackward = createRecent(MONTHS_MAX, (month: Month): Month => {
    const [previous] = cron.previousRuns(1, new Date(firstDayOf(month + 1) * DAY_MS));
    return previous === undefined ? Number.NEGATIVE_INFINITY : monthOf(previous.getTime() / DAY_MS);
  });
  return {
    maskOf,
    atOrAfter: (month) => (month <= LAST_MONTH && maskOf(month) !== 0 ? month : searchForward(month + 1)),
    atOrBefore: (month) => (month >= FIRST_MONTH && maskOf(month) !== 0 ? month : searchBackward(month - 1)),
  };
};

const cronerDays = createRecent(DAY_PATTERNS_MAX, (key: string): MatchingDays => {
  const [days = '', dayMatch] = key.split('|');
  return createDays(createCronerMonths(days, dayMatch === 'both' ? 'both' : 'either'));
});

const isPlain = ({ fields: { dayOfMonth, dayOfWeek } }: CronExpression): boolean =>
  !dayOfMonth.isLastDay &&
  !dayOfMonth.isLastWeekday &&
  dayOfMonth.nearest.length === 0 &&
  dayOfWeek.nth.length === 0 &&
  dayOfWeek.lastOf.length === 0;

/** The days of an expression; `both` asks for day of month and weekday at once. */
export const daysOf = (cron: CronExpression, dayMatch: 'either' | 'both'): MatchingDays =>
  isPlain(cron) ? createDays(createPlainMonths(cron, dayMatch)) : cronerDays(`${cron.days}|${dayMatch}`);
