/**
 * The occurrences of a cron rule in its zone: wall times mapped to instants, with the clock-change rules of D6.
 *
 * A search walks the stretches of constant offset, in which wall time and real time run alike. A fixed-time schedule
 * gets one occurrence at the end of a gap that swallowed any of its times, and one pass of a repeated hour; a frequent
 * one follows real time and runs whenever its wall time is shown (cases.md section 1, G1 to G3, F1 and F2).
 */
import type { CronRule } from '../model/schedule';
import { BugError } from '../result';
import { DAY_MS, HOUR_MS } from '../time';
import { type LocalTimes, localTimesOf } from './localTimes';
import { type LocalMs, offsetsOf, type Stretch, type ZoneOffsets } from './zone';

/** The farthest that two offsets of one zone lie apart, with a margin: a move across the date line. */
const CLOCK_CHANGE_MS_MAX = 26 * HOUR_MS;

/** What the searches need of a rule, resolved once. */
export interface CronWalk {
  readonly times: LocalTimes;
  readonly offsets: ZoneOffsets;
  readonly isFixed: boolean;
  readonly gap: CronRule['gap'];
  readonly repeat: CronRule['repeat'];
}

/** Resolves a rule that `validateSchedule` passed. Throws a BugError for one with a mistake in its expression. */
export const cronWalkOf = (rule: CronRule, zone: string): CronWalk => {
  const times = localTimesOf(rule.expression, rule.dayMatch);
  if (times === undefined) throw new BugError(`not a cron expression: ${rule.expression}`);
  const isFixed = times.kind === 'fixed';
  return { times, offsets: offsetsOf(zone), isFixed, gap: rule.gap, repeat: rule.repeat };
};

/** The first wall time from `from` that the clock of this stretch shows and that is to run. */
const lowOf = (walk: CronWalk, stretch: Stretch, from: LocalMs): LocalMs =>
  walk.isFixed && walk.repeat === 'first' ? Math.max(from, stretch.isRepeatBelow) : from;

const highOf = (walk: CronWalk, stretch: Stretch, until: LocalMs): LocalMs =>
  walk.isFixed && walk.repeat === 'second' ? Math.min(until, stretch.repeatsFrom) : until;

/**
 * The first wall time of the expression that the gap at the beginning of a stretch swallowed, or undefined. A date that
 * does not exist at all has no run (G2).
 */
export const firstInGap = (times: LocalTimes, stretch: Stretch): LocalMs | undefined => {
  if (stretch.gapFrom === undefined) return undefined;
  const gapUntil = stretch.from + stretch.offsetMs;
  let match = times.atOrAfter(stretch.gapFrom);
  while (match < gapUntil) {
    const midnight = Math.floor(match / DAY_MS) * DAY_MS;
    const isWholeDateMissing = midnight >= stretch.gapFrom && midnight + DAY_MS <= gapUntil;
    if (!isWholeDateMissing) return match;
    match = times.atOrAfter(midnight + DAY_MS);
  }
  return undefined;
};

const isMadeUp = (walk: CronWalk, stretch: Stretch): boolean =>
  walk.isFixed && walk.gap === 'run_after' && firstInGap(walk.times, stretch) !== undefined;

/** The first occurrence after `after`, or undefined. */
export const nextCron = (walk: CronWalk, after: number): number | undefined => {
  let done = after;
  for (;;) {
    const stretch = walk.offsets.stretchAt(done + 1);
    if (stretch.from > done && isMadeUp(walk, stretch)) return stretch.from;
    const low = lowOf(walk, stretch, Math.max(done + 1, stretch.from) + stretch.offsetMs);
    const end = stretch.until + stretch.offsetMs;
    const match = walk.times.atOrAfter(low);
    if (match < highOf(walk, stretch, end)) return match - stretch.offsetMs;
    if (match === Number.POSITIVE_INFINITY && end - low > CLOCK_CHANGE_MS_MAX) return undefined;
    done = stretch.until - 1;
    // Nothing matches before `match`, except wall times below `low` that a clock change might bring back; it cannot
    // after so long a stretch. So the stretches in between need not be looked up.
    if (end - low > CLOCK_CHANGE_MS_MAX) done = Math.max(done, match - stretch.offsetMs - 2 * DAY_MS);
  }
};

/** The last occurrence before `before`, or undefined. */
export const previousCron = (walk: CronWalk, before: number): number | undefined => {
  let done = before;
  for (;;) {
    const stretch = walk.offsets.stretchAt(done - 1);
    const high = highOf(walk, stretch, Math.min(done, stretch.until) + stretch.offsetMs);
    const start = stretch.from + stretch.offsetMs;
    const match = walk.times.before(high);
    if (match >= lowOf(walk, stretch, start)) return match - stretch.offsetMs;
    if (stretch.from < done && isMadeUp(walk, stretch)) return stretch.from;
    if (match === Number.NEGATIVE_INFINITY && high - start > CLOCK_CHANGE_MS_MAX) return undefined;
    done = stretch.from;
    if (high - start > CLOCK_CHANGE_MS_MAX) done = Math.min(done, match - stretch.offsetMs + 2 * DAY_MS);
  }
};

/** How many occurrences lie after `after` and not after `until`; it stops soon after it has counted `enough`. */
export const countCron = (walk: CronWalk, after: number, until: number, enough: number): number => {
  let sum = 0;
  let done = after;
  while (done < until && sum <= enough) {
    const stretch = walk.offsets.stretchAt(done + 1);
    const start = stretch.from + stretch.offsetMs;
    const low = lowOf(walk, stretch, Math.max(done + 1, stretch.from) + stretch.offsetMs);
    const end = Math.min(stretch.until, until + 1) + stretch.offsetMs;
    sum += walk.times.count(low, highOf(walk, stretch, end));
    // A time that exists at the end of the gap and a swallowed one are one occurrence (G1).
    const isCounted = walk.times.atOrAfter(start) === start;
    if (stretch.from > done && !isCounted && isMadeUp(walk, stretch)) sum += 1;
    done = stretch.until - 1;
    const match = walk.times.atOrAfter(low);
    if (end - low > CLOCK_CHANGE_MS_MAX) done = Math.max(done, match - stretch.offsetMs - 2 * DAY_MS);
  }
  return sum;
};
