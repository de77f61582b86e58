/**
 * A span of time awake: counts in pieces and lets no piece count for more than itself, so that suspend does not use up the
 * time limit of a run, whether or not the system's monotonic clock goes on while it sleeps (S-73, X-13).
 */

import type { Timer } from '../ports/world';
import { SLEEP_MS_MAX } from './wakeLoop';

/** Calls `end` once after `ms` awake, in any case no sooner. Returns how to call it off. */
export function countDown(timer: Timer, ms: number, end: () => void): () => void {
  let callOff = (): void => {};
  const wait = (leftMs: number): void => {
    const pieceMs = Math.min(leftMs, SLEEP_MS_MAX);
    callOff = timer.after(pieceMs, () => {
      if (leftMs > pieceMs) wait(leftMs - pieceMs);
      else end();
    });
  };
  wait(ms);
  return () => callOff();
}
