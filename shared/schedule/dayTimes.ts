/**
 * The times of a day at which a cron expression matches, as sets of hours, minutes and seconds. Everything is answered in a few
 * steps whatever the number of times, and takes a hundred bytes.
 */
import { bitCount, highest, lowest } from './bits';
import type { CronExpression } from './cron';

/** There is no such value. */
export const NONE = -1;

/** The values of one unit: those below 30, and those from 30 on as their distance to it. */
interface Wheel {
  readonly low: number;
  readonly high: number;
  readonly first: number;
  readonly last: number;
  readonly size: number;
}

const HALF = 30;
const ALL = 0x3fff_ffff;

const createWheel = (values: readonly number[]): Wheel => {
  let low = 0;
  let high = 0;
  for (const value of values) {
    if (value < HALF) low |= 1 << value;
    else high |= 1 << (value - HALF);
  }
  return { low, high, first: values[0] ?? NONE, last: values.at(-1) ?? NONE, size: values.length };
};

const has = ({ low, high }: Wheel, value: number): boolean =>
  ((value < HALF ? low >>> value : high >>> (value - HALF)) & 1) === 1;

/** `value` may be as large as the unit itself. */
const nextIn = ({ low, high }: Wheel, value: number): number => {
  if (value >= HALF) {
    const rest = high & (-1 << (value - HALF));
    return rest === 0 ? NONE : HALF + lowest(rest);
  }
  const rest = low & (-1 << value);
  if (rest !== 0) return lowest(rest);
  return high === 0 ? NONE : HALF + lowest(high);
};

/** `value` may be -1. */
const previousIn = ({ low, high }: Wheel, value: number): number => {
  if (value >= HALF) {
    const rest = high & (ALL >>> (2 * HALF - 1 - value));
    if (rest !== 0) return HALF + highest(rest);
    return low === 0 ? NONE : highest(low);
  }
  const rest = low & (ALL >>> (HALF - 1 - value));
  return rest === 0 ? NONE : highest(rest);
};

const countBelowIn = ({ low, high }: Wheel, value: number): number =>
  value <= HALF
    ? bitCount(low & ((1 << value) - 1))
    : bitCount(low) + bitCount(high & ((1 << (value - HALF)) - 1));

/** The seconds of a day at which an expression matches; `NONE` stands for no such second. */
export interface DayTimes {
  readonly atOrAfter: (second: number) => number;
  readonly atOrBefore: (second: number) => number;
  readonly countBelow: (second: number) => number;
  readonly size: number;
  readonly first: number;
  readonly last: number;
  /** Seconds between the two neighbouring times that are closest, infinity if there is only one time. */
  readonly distanceMin: number;
}

const distanceIn = (values: readonly number[]): number =>
  values.reduce((least, value, i) => Math.min(least, value - (values[i - 1] ?? -Infinity)), Infinity);

const distanceOf = ({ hour, minute, second }: CronExpression['fields']): number => {
  const spanOf = (values: readonly number[]): number => (values.at(-1) ?? 0) - (values[0] ?? 0);
  const seconds = spanOf(second.values);
  return Math.min(
    distanceIn(second.values),
    distanceIn(minute.values) * 60 - seconds,
    distanceIn(hour.values) * 3_600 - spanOf(minute.values) * 60 - seconds,
  );
};

/** The times of a day of an expression, which always has at least one. */
export const createDayTimes = (cron: CronExpression): DayTimes => {
  const hours = createWheel(cron.fields.hour.values);
  const minutes = createWheel(cron.fields.minute.values);
  const seconds = createWheel(cron.fields.second.values);
  const at = (hour: number, minute: number, second: number): number => hour * 3_600 + minute * 60 + second;
  return {
    size: hours.size * minutes.size * seconds.size,
    first: at(hours.first, minutes.first, seconds.first),
    last: at(hours.last, minutes.last, seconds.last),
    distanceMin: distanceOf(cron.fields),
    atOrAfter: (time) => {
      const hour = Math.floor(time / 3_600);
      const minute = Math.floor(time / 60) % 60;
      if (has(hours, hour)) {
        const second = has(minutes, minute) ? nextIn(seconds, time % 60) : NONE;
        if (second !== NONE) return at(hour, minute, second);
        const later = nextIn(minutes, minute + 1);
        if (later !== NONE) return at(hour, later, seconds.first);
      }
      const laterHour = nextIn(hours, hour + 1);
      return laterHour === NONE ? NONE : at(laterHour, minutes.first, seconds.first);
    },
    atOrBefore: (time) => {
      const hour = Math.floor(time / 3_600);
      const minute = Math.floor(time / 60) % 60;
      if (has(hours, hour)) {
        const second = has(minutes, minute) ? previousIn(seconds, time % 60) : NONE;
        if (second !== NONE) return at(hour, minute, second);
        const earlier = previousIn(minutes, minute - 1);
        if (earlier !== NONE) return at(hour, earlier, seconds.last);
      }
      const earlierHour = previousIn(hours, hour - 1);
      return earlierHour === NONE ? NONE : at(earlierHour, minutes.last, seconds.last);
    },
    countBelow: (time) => {
      const hour = Math.floor(time / 3_600);
      const minute = Math.floor(time / 60) % 60;
      let sum = countBelowIn(hours, hour) * minutes.size * seconds.size;
      if (has(hours, hour)) {
        sum += countBelowIn(minutes, minute) * seconds.size;
        if (has(minutes, minute)) sum += countBelowIn(seconds, time % 60);
      }
      return sum;
    },
  };
};
