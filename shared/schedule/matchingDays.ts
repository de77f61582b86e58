/**
 * The days on which a cron expression matches, in a calendar without zones, as one bit per day of a month.
 *
 * Whatever a day field can say depends on nothing but the length of the month and the weekday of its first, so a month costs a few
 * operations and nothing has to be remembered (ADR 17).
 */
import { DAY_MS } from '../time';
import { bitCount, highest, lowest } from './bits';
import type { CronExpression } from './cron';
import type { CronField } from './cronField';

/** The calendar repeats after 400 years: days that are not met within so many months are never met. */
const CYCLE_MONTHS = 4_800;

/** Days are counted from 1970-01-01. */
type Day = number;
/** Months are counted from the year 0: twelve times the year, plus 0 for January. */
type Month = number;
/** Bit 0 is the first day of the month. */
type Mask = number;

/** The years that are searched: from 1 to 2999, as croner does. */
const FIRST_DAY: Day = -719_162;
const LAST_DAY: Day = Date.UTC(2999, 11, 31) / DAY_MS;
const FIRST_MONTH: Month = 12;
const LAST_MONTH: Month = 2999 * 12 + 11;
const ALL_DAYS: Mask = 0x7fff_ffff;
const WEEK = 7;
const SATURDAY = 6;
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

const createDays = (maskOf: (month: Month) => Mask): MatchingDays => {
  const monthAtOrAfter = (from: Month): Month => {
    const end = Math.min(from + CYCLE_MONTHS, LAST_MONTH);
    for (let month = from; month <= end; month += 1) if (maskOf(month) !== 0) return month;
    return Number.POSITIVE_INFINITY;
  };
  const monthAtOrBefore = (from: Month): Month => {
    const end = Math.max(from - CYCLE_MONTHS, FIRST_MONTH);
    for (let month = from; month >= end; month -= 1) if (maskOf(month) !== 0) return month;
    return Number.NEGATIVE_INFINITY;
  };
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
      const later = monthAtOrAfter(month + 1);
      return later === Number.POSITIVE_INFINITY ? later : firstDayOf(later) + lowest(maskOf(later));
    },
    atOrBefore: (day) => {
      if (day < FIRST_DAY) return Number.NEGATIVE_INFINITY;
      const until = Math.min(day, LAST_DAY);
      const month = monthOf(until);
      const first = firstDayOf(month);
      const rest = maskOf(month) & (ALL_DAYS >>> (30 - (until - first)));
      if (rest !== 0) return first + highest(rest);
      const earlier = monthAtOrBefore(month - 1);
      return earlier === Number.NEGATIVE_INFINITY ? earlier : firstDayOf(earlier) + highest(maskOf(earlier));
    },
    count,
  };
};

/** The days of the month that the first day field names, for each length and first weekday of a month. */
type DayRule = (length: number, firstWeekday: number) => Mask;

const bitOf = (day: number): Mask => 1 << (day - 1);
const weekdayOf = (day: number, firstWeekday: number): number => (firstWeekday + day - 1) % WEEK;

/** `nW`: the weekday nearest to day n, which never leaves its month; a month without day n has none. */
const nearestWeekday = (day: number, length: number, firstWeekday: number): Mask => {
  if (day > length) return 0;
  const weekday = weekdayOf(day, firstWeekday);
  if (weekday === SATURDAY) return bitOf(day > 1 ? day - 1 : day + 2);
  if (weekday === 0) return bitOf(day < length ? day + 1 : day - 2);
  return bitOf(day);
};

const lastWeekday = (length: number, firstWeekday: number): Mask => {
  const weekday = weekdayOf(length, firstWeekday);
  return bitOf(weekday === SATURDAY ? length - 1 : weekday === 0 ? length - 2 : length);
};

const dayOfMonthRule = (field: CronField): DayRule => {
  if (field.isEvery) return () => ALL_DAYS;
  const plain = field.values.reduce((mask, day) => mask | bitOf(day), 0);
  return (length, firstWeekday) => {
    let mask = plain;
    if (field.isLastDay) mask |= bitOf(length);
    if (field.isLastWeekday) mask |= lastWeekday(length, firstWeekday);
    for (const day of field.nearest) mask |= nearestWeekday(day, length, firstWeekday);
    return mask;
  };
};

const dayOfWeekRule = (field: CronField): DayRule => {
  if (field.isEvery) return () => ALL_DAYS;
  /** By the weekday of the first of the month. */
  const plain: Mask[] = [];
  for (let first = 0; first < WEEK; first += 1) {
    let mask = 0;
    for (const weekday of field.values) {
      for (let day = (weekday - first + WEEK) % WEEK; day < 31; day += WEEK) mask |= 1 << day;
    }
    plain.push(mask);
  }
  return (length, firstWeekday) => {
    let mask = plain[firstWeekday] ?? 0;
    for (const { weekday, n } of field.nth) {
      const day = 1 + ((weekday - firstWeekday + WEEK) % WEEK) + (n - 1) * WEEK;
      if (day <= length) mask |= bitOf(day);
    }
    for (const weekday of field.lastOf) {
      mask |= bitOf(length - ((weekdayOf(length, firstWeekday) - weekday + WEEK) % WEEK));
    }
    return mask;
  };
};

/** The days of an expression; `both` asks for day of month and weekday at once. */
export const daysOf = (cron: CronExpression, dayMatch: 'either' | 'both'): MatchingDays => {
  const isEither = cron.areBothDaysRestricted && dayMatch === 'either';
  const months = cron.fields.month.values.reduce((set, month) => set | (1 << (month - 1)), 0);
  const dayOfMonth = dayOfMonthRule(cron.fields.dayOfMonth);
  const dayOfWeek = dayOfWeekRule(cron.fields.dayOfWeek);
  return createDays((month) => {
    if (((months >>> (month % 12)) & 1) === 0) return 0;
    const first = firstDayOf(month);
    const length = firstDayOf(month + 1) - first;
    const firstWeekday = (((first + FIRST_WEEKDAY) % WEEK) + WEEK) % WEEK;
    const ofMonth = dayOfMonth(length, firstWeekday);
    const ofWeek = dayOfWeek(length, firstWeekday);
    return (isEither ? ofMonth | ofWeek : ofMonth & ofWeek) & (ALL_DAYS >>> (31 - length));
  });
};
