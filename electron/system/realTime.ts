/** The Clock and Timer of the real world. Nothing else in Belfry asks the system for the time. */
import { performance } from 'node:perf_hooks';
import { toInstant } from '../../shared/time';
import type { Clock, Timer } from '../ports/world';

/** Node turns a longer delay into one of a millisecond. */
const DELAY_MS_MAX = 2 ** 31 - 1;

/** Wall time in whole milliseconds, and Node's monotonic clock, which stands still during suspend on Linux. */
export const realClock: Clock = {
  now: () => toInstant(Date.now()),
  monotonic: () => performance.now(),
};

/**
 * Plain timers that keep the process alive. A delay beyond about 24 days fires then; who sleeps longer asks again. Whoever only
 * gives way (delay 0) goes on after what waits already, and not after the millisecond that Node makes of it.
 */
export const realTimer: Timer = {
  after: (delayMs, wake) => {
    if (delayMs <= 0) {
      const turn = setImmediate(wake);
      return () => clearImmediate(turn);
    }
    const handle = setTimeout(wake, Math.min(Math.max(delayMs, 0), DELAY_MS_MAX));
    return () => clearTimeout(handle);
  },
};
