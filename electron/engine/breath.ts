/**
 * Long work that rests in between, so that nothing else waits for it longer than a blink (D1). Measured by the clock and not
 * by a count: on virtual time nothing takes any time, and nothing rests.
 */

import type { Clock } from '../ports/world';

/** How long work goes on before it rests, in milliseconds. */
const WORK_MS_MAX = 15;

export interface Breath {
  /** Whether it is time to rest. Asked after each small piece of work. */
  isDue(): boolean;
  /** Lets everything else have its turn. */
  rest(): Promise<void>;
}

export function createBreath(clock: Pick<Clock, 'monotonic'>, rest: () => Promise<void>): Breath {
  let beganAt = clock.monotonic();
  return {
    isDue: () => clock.monotonic() - beganAt >= WORK_MS_MAX,
    async rest() {
      await rest();
      beganAt = clock.monotonic();
    },
  };
}
