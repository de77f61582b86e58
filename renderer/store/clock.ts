/**
 * The present moment as the window shows it. It ticks once a minute, and once a second only while something on screen
 * counts seconds; hidden windows do not tick at all.
 */
import { type Instant, MINUTE_MS, SECOND_MS, toInstant } from '../../shared/time';
import type { Attention } from './refresh';

export type Pace = 'second' | 'minute';

export type Clock = {
  /** The very moment, for what is done now; views read the last tick. */
  now(): Instant;
  /** The moment of the last tick of this pace; the same until the next, so that a view can compare it. */
  read(pace: Pace): Instant;
  /** Calls `listener` with each tick of this pace until it is called off. */
  subscribe(pace: Pace, listener: () => void): () => void;
};

const LENGTH_MS: Readonly<Record<Pace, number>> = { second: SECOND_MS, minute: MINUTE_MS };

export function createClock(now: () => number, attention: Attention): Clock {
  const paces: readonly Pace[] = ['second', 'minute'];
  const listeners: Record<Pace, Set<() => void>> = { second: new Set(), minute: new Set() };
  const timers: Record<Pace, ReturnType<typeof setTimeout> | undefined> = {
    second: undefined,
    minute: undefined,
  };
  const last: Record<Pace, Instant> = { second: toInstant(now()), minute: toInstant(now()) };

  const stop = (pace: Pace): void => {
    clearTimeout(timers[pace]);
    timers[pace] = undefined;
  };
  const plan = (pace: Pace): void => {
    stop(pace);
    if (listeners[pace].size === 0 || attention.isHidden()) return;
    const length = LENGTH_MS[pace];
    timers[pace] = setTimeout(() => tick(pace), length - (now() % length));
  };
  const tick = (pace: Pace): void => {
    last[pace] = toInstant(now());
    for (const listener of listeners[pace]) listener();
    plan(pace);
  };
  attention.onChange(() => {
    for (const pace of paces) {
      if (attention.isHidden()) stop(pace);
      else tick(pace);
    }
  });
  return {
    now: () => toInstant(now()),
    read: (pace) => last[pace],
    subscribe: (pace, listener) => {
      if (listeners[pace].size === 0) last[pace] = toInstant(now());
      listeners[pace].add(listener);
      if (timers[pace] === undefined) plan(pace);
      return () => {
        listeners[pace].delete(listener);
        if (listeners[pace].size === 0) stop(pace);
      };
    },
  };
}
