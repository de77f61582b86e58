/**
 * Writes that must not get lost because the disk was full for a moment: tried again, ever more slowly, for as long as this
 * life of the engine goes on (H-61).
 */

import { type Life, LifeOver } from './life';
import { RETRY_MS_MIN, SLEEP_MS_MAX } from './wakeLoop';

/** For writes that end what was begun, keep the lease, or make room: the last room of the disk is kept for them. */
export const FROM_RESERVE = { mayUseReserve: true } as const;

/**
 * The result of `write` once it succeeds. `onAccess` learns of each try: what it threw, or null. `onRefused` may do something about
 * each failure before the next try, and never fails.
 */
export async function untilWritten<T>(
  life: Life,
  onAccess: (trouble: { readonly error: unknown } | null) => void,
  write: () => Promise<T>,
  onRefused: () => Promise<void> = async () => undefined,
): Promise<T> {
  for (let waitMs = RETRY_MS_MIN; ; waitMs = Math.min(2 * waitMs, SLEEP_MS_MAX)) {
    try {
      const result = await life.hold(write);
      onAccess(null);
      return result;
    } catch (error) {
      if (error instanceof LifeOver) throw error;
      onAccess({ error });
    }
    await onRefused();
    await life.pause(waitMs);
  }
}
