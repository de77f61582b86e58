/**
 * Keeps a burst of events from flooding window and command lines: the first goes out at once, those that follow within
 * BATCH_MS are sent together, each distinct one once. Listeners ask again anyway, so nothing is lost by leaving out twins.
 */

import type { Announce, Timer } from '../ports/world';

/** Ten batches a second are as fast as a person can see. */
export const BATCH_MS = 100;
/** A batch that grows beyond this goes out early. */
export const BATCH_EVENTS_MAX = 1_000;

/** An `Announce` that passes on to `announce` at most one batch in BATCH_MS. */
export function batchAnnouncements(announce: Announce, timer: Timer): Announce {
  const waiting = new Map<string, () => void>();
  let isPausing = false;

  const flush = (): void => {
    const batch = [...waiting.values()];
    waiting.clear();
    for (const send of batch) send();
  };
  const pause = (): void => {
    isPausing = true;
    timer.after(BATCH_MS, () => {
      isPausing = false;
      if (waiting.size === 0) return;
      flush();
      pause();
    });
  };

  return (name, payload) => {
    if (!isPausing) {
      announce(name, payload);
      pause();
      return;
    }
    waiting.set(`${name} ${JSON.stringify(payload)}`, () => announce(name, payload));
    if (waiting.size >= BATCH_EVENTS_MAX) flush();
  };
}
