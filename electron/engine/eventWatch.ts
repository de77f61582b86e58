/**
 * What schedules of the kind `event` wait for: Belfry starts, the laptop woke up, the network is back. What was noticed is
 * kept until its occurrences are committed as owed, so that trouble with the store delays it and loses nothing.
 */

import type { EventRule } from '../../shared/model/schedule';
import { type Instant, toInstant } from '../../shared/time';

/** A shorter sleep wakes nothing up. */
export const WAKE_MS_MIN = 5_000;
/** The network has to stay for as long before it counts as back: it often comes twice after waking. */
export const NETWORK_STEADY_MS = 3_000;

export type EventWatch = {
  /** Looks at the machine; called in every step. */
  look(now: Instant, asleepMs: number): void;
  /** What happened and is not committed yet. */
  open(): readonly EventRule['on'][];
  /** It is committed as owed. */
  settle(events: readonly EventRule['on'][]): void;
  /** When the network is to be looked at again, or null. */
  lookAt(): Instant | null;
};

/** `isStart`: this process has just started, and leads from its start. */
export function createEventWatch(
  network: () => 'up' | 'down' | 'unknown',
  { isStart }: { readonly isStart: boolean },
): EventWatch {
  const happened = new Set<EventRule['on']>(isStart ? ['start'] : []);
  let wasDown = false;
  let upSince: Instant | null = null;

  const lookAtNetwork = (now: Instant): void => {
    const state = network();
    if (state === 'down') wasDown = true;
    if (state !== 'up' || !wasDown) {
      upSince = null;
      return;
    }
    // A clock that went back must not make it wait.
    if (upSince === null || upSince > now) upSince = now;
    if (now - upSince < NETWORK_STEADY_MS) return;
    happened.add('network');
    wasDown = false;
    upSince = null;
  };

  return {
    look(now, asleepMs) {
      if (asleepMs >= WAKE_MS_MIN) happened.add('wake');
      lookAtNetwork(now);
    },
    open: () => [...happened],
    settle(events) {
      for (const event of events) happened.delete(event);
    },
    lookAt: () => (upSince === null ? null : toInstant(upSince + NETWORK_STEADY_MS)),
  };
}
