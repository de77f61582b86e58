/**
 * What happened between two looks at the clocks: did the machine sleep, did somebody set the clock? Needed because resume
 * events come late or not at all (C-034, X-02), and because systems differ: on some the monotonic clock and its timers
 * stand still during suspend, on others they go on.
 */

import type { Instant } from '../../shared/time';

/** Smaller differences are rounding, scheduling and the gentle corrections of time synchronisation. */
export const CLOCK_TOLERANCE_MS = 2_000;
/** A timer that is later than this was not merely kept waiting by a busy machine. */
export const LATE_MEANS_ASLEEP_MS = 30_000;

export type Reading = {
  readonly wall: Instant;
  readonly monotonic: number;
  /** Milliseconds since the machine started, sleep included; null where it is not known. */
  readonly uptime: number | null;
};

export type Passage = {
  /** How long the machine slept; 0 if it did not. */
  readonly asleepMs: number;
  /** How far the wall clock was set, forward or (negative) back; 0 if it was not. */
  readonly steppedMs: number;
};

/** Compares two readings; `expectedMs` is how long the sleeper meant to sleep in between. */
export function passageBetween(before: Reading, after: Reading, expectedMs: number): Passage {
  const wall = after.wall - before.wall;
  const monotonic = after.monotonic - before.monotonic;
  const uptime = before.uptime === null || after.uptime === null ? null : after.uptime - before.uptime;
  const late = monotonic - expectedMs;
  const asleepWhileCounted = late > LATE_MEANS_ASLEEP_MS ? late : 0;
  if (uptime === null) {
    // Sleep and a clock set forward look the same here; sleep is by far the commoner.
    const ahead = wall - monotonic;
    if (ahead > CLOCK_TOLERANCE_MS) return { asleepMs: ahead, steppedMs: 0 };
    return { asleepMs: asleepWhileCounted, steppedMs: ahead < -CLOCK_TOLERANCE_MS ? ahead : 0 };
  }
  const uncounted = uptime - monotonic;
  const stepped = wall - Math.max(uptime, monotonic);
  return {
    asleepMs: uncounted > CLOCK_TOLERANCE_MS ? uncounted : asleepWhileCounted,
    steppedMs: Math.abs(stepped) > CLOCK_TOLERANCE_MS ? stepped : 0,
  };
}
