/**
 * Watches one live attempt: its time limit, and the stop of a person. Asks first, kills after the grace time (S-74); what
 * it did stays known, because it decides the outcome.
 */

import type { StopCause } from '../core/runs';
import type { LiveAttempt } from '../ports/running';
import type { Log, Timer } from '../ports/world';
import { countDown } from './countdown';

export type Limits = {
  /** What is left of the time limit in milliseconds awake, or null for none. */
  readonly timeoutMs: number | null;
  readonly graceMs: number;
};

export interface Supervision {
  /** The first cause counts; asking again is harmless. */
  stop(cause: StopCause): void;
  stopCause(): StopCause | null;
  /** Ends the watch. The attempt itself is not touched. */
  end(): void;
}

export function supervise(live: LiveAttempt, limits: Limits, ports: { timer: Timer; log: Log }): Supervision {
  const { timer, log } = ports;
  let cause: StopCause | null = null;
  let callOffTimeout = (): void => {};
  let callOffKill = (): void => {};

  const send = async (strength: 'soft' | 'hard'): Promise<void> => {
    try {
      await live.signal(strength);
    } catch (error) {
      log.warn('signal_failed', { strength, pid: live.identity.pid, error });
    }
  };
  const stop = (why: StopCause): void => {
    if (cause !== null) return;
    cause = why;
    callOffTimeout();
    void send('soft');
    callOffKill = countDown(timer, limits.graceMs, () => void send('hard'));
  };
  if (limits.timeoutMs !== null) {
    callOffTimeout = countDown(timer, Math.max(0, limits.timeoutMs), () => stop('timeout'));
  }
  return {
    stop,
    stopCause: () => cause,
    end() {
      callOffTimeout();
      callOffKill();
    },
  };
}
