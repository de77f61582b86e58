/**
 * One span in which this engine holds the lease, with the epoch it holds it under. Every continuation after an await asks
 * it before it acts, so that nothing half-finished comes back to life after a stop or a lost lease (H-20, X-05, X-06).
 */

import type { Fence } from '../core/lease';
import type { Timer } from '../ports/world';

/** Thrown by `hold` and `pause` when the life ended during the wait. Ends a flow quietly; never a fault. */
export class LifeOver extends Error {
  override readonly name = 'LifeOver';
}

/** Thrown when a write found the lease lost; the new holder does the rest. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export interface Life {
  readonly fence: Fence;
  readonly isOver: boolean;
  end(): void;
  /** The result of `work`, unless this life is over by then or already: then throws LifeOver. */
  hold<T>(work: () => Promise<T>): Promise<T>;
  /** Waits, and throws LifeOver at once when this life ends meanwhile. */
  pause(ms: number): Promise<void>;
}

export function createLife(fence: Fence, timer: Timer): Life {
  let isOver = false;
  const pauses = new Set<() => void>();
  const check = (): void => {
    if (isOver) throw new LifeOver('this life of the engine has ended');
  };
  return {
    fence,
    get isOver() {
      return isOver;
    },
    end() {
      isOver = true;
      for (const wake of pauses) wake();
    },
    async hold(work) {
      check();
      try {
        const result = await work();
        check();
        return result;
      } catch (error) {
        // What failed after the end is no longer anybody's concern.
        check();
        throw error;
      }
    },
    async pause(ms) {
      check();
      await new Promise<void>((resolve) => {
        const callOff = timer.after(ms, () => wake());
        const wake = (): void => {
          callOff();
          pauses.delete(wake);
          resolve();
        };
        pauses.add(wake);
      });
      check();
    },
  };
}
