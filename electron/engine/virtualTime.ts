/**
 * Clock and Timer that move on demand, for tests and for the "what would happen" preview. Timers follow the monotonic
 * clock, as those of the systems do; whether that clock goes on while the machine sleeps differs, so it is a choice.
 */

import { type Instant, toInstant } from '../../shared/time';
import type { Clock, Timer } from '../ports/world';

export type VirtualTime = {
  readonly clock: Clock;
  readonly timer: Timer;
  /** Milliseconds since the virtual machine started, sleep included. */
  uptimeMs(): number;
  /** Lets time pass awake: fires in order of due time, then of creation, and lets promises settle between any two. */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock forward or back; nothing else moves. */
  jump(ms: number): void;
  /** Suspends: nothing fires until the end, then whatever became due. */
  sleepFor(ms: number): Promise<void>;
  /** The machine starts anew: what counts from its start begins again. Timers that were armed stay as they are. */
  reboot(): void;
  /** How many timers are armed. */
  pendingCount(): number;
};

export type VirtualTimeOptions = {
  readonly startAt: Instant;
  /** Waits until every promise that can settle has; runs between any two timers. */
  readonly settle: () => Promise<void>;
  readonly monotonicCountsSleep?: boolean;
};

export function createVirtualTime({
  startAt,
  settle,
  monotonicCountsSleep = false,
}: VirtualTimeOptions): VirtualTime {
  let wall: number = startAt;
  let monotonic = 0;
  let uptime = 0;
  const armed = new Set<{ dueAt: number; wake: () => void }>();

  const pass = (ms: number): void => {
    wall += ms;
    monotonic += ms;
    uptime += ms;
  };
  const soonest = () =>
    [...armed].reduce<{ dueAt: number; wake: () => void } | null>(
      // A set keeps the order of creation, and an equal due time does not replace the earlier one.
      (best, entry) => (best === null || entry.dueAt < best.dueAt ? entry : best),
      null,
    );
  const advance = async (ms: number): Promise<void> => {
    const until = monotonic + ms;
    await settle();
    for (let next = soonest(); next !== null && next.dueAt <= until; next = soonest()) {
      // After a sleep the overdue timer lies in the past: without the clamp the monotonic clock would run backwards.
      pass(Math.max(0, next.dueAt - monotonic));
      armed.delete(next);
      next.wake();
      await settle();
    }
    pass(Math.max(0, until - monotonic));
  };

  return {
    clock: { now: () => toInstant(wall), monotonic: () => monotonic },
    timer: {
      after(delayMs, wake) {
        const entry = { dueAt: monotonic + Math.max(0, delayMs), wake };
        armed.add(entry);
        return () => void armed.delete(entry);
      },
    },
    uptimeMs: () => uptime,
    advance,
    jump(ms) {
      wall += ms;
    },
    async sleepFor(ms) {
      wall += ms;
      uptime += ms;
      if (monotonicCountsSleep) monotonic += ms;
      await advance(0);
    },
    reboot() {
      uptime = 0;
    },
    pendingCount: () => armed.size,
  };
}
