/**
 * Reading something of the machine so that many who ask cost one look, and watching it only while a change is waited for.
 */
import type { Clock, Timer } from '../ports/world';

/** How soon a change is noticed where the system tells no events. */
export const LOOK_MS = 5_000;
/** A thousand conditions asked at once are one look. */
const FRESH_MS = 1_000;

export type Reading<T> = {
  get(): T;
  forget(): void;
  /** Whether this differs from what was seen last. The first is no news. */
  isNews(seen: string): boolean;
};

/** What was read, kept for FRESH_MS on both clocks: one of them stands still while the machine sleeps. */
export function createReading<T>(clock: Clock, read: () => T): Reading<T> {
  let kept: { readonly value: T; readonly wall: number; readonly monotonic: number } | null = null;
  let last: string | null = null;
  const isFresh = (): boolean =>
    kept !== null &&
    Math.abs(clock.now() - kept.wall) < FRESH_MS &&
    clock.monotonic() - kept.monotonic < FRESH_MS;
  return {
    get: () => {
      if (kept === null || !isFresh()) {
        kept = { value: read(), wall: clock.now(), monotonic: clock.monotonic() };
      }
      return kept.value;
    },
    forget: () => {
      kept = null;
    },
    isNews: (seen) => {
      const isOther = last !== null && last !== seen;
      last = seen;
      return isOther;
    },
  };
}

export interface Watch {
  /** Looks every LOOK_MS from now on, one look at a time, for as long as it is wanted. Harmless twice. */
  start(): void;
  stop(): void;
}

export type WatchPorts = {
  readonly timer: Timer;
  readonly look: () => Promise<void>;
  readonly isWanted: () => boolean;
};

export function createWatch({ timer, look, isWanted }: WatchPorts): Watch {
  let callOff: (() => void) | null = null;
  let turn = 0;
  const arm = (): void => {
    const own = turn;
    callOff = timer.after(LOOK_MS, () => void step(own));
  };
  const step = async (own: number): Promise<void> => {
    await look();
    if (own !== turn) return;
    callOff = null;
    if (isWanted()) arm();
  };
  return {
    start: () => {
      if (callOff === null && isWanted()) arm();
    },
    stop: () => {
      turn += 1;
      callOff?.();
      callOff = null;
    },
  };
}
