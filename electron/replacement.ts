/** What lies under the name of the store after another process has put something else there. */

import fs from 'node:fs';
import type { Instant } from '../shared/time';
import { openDatabase } from './store/database';
import { createStore } from './store/store';
import { realClock, realTimer } from './system/realTime';

/** How often it is looked, and the pause before each look. */
const LOOKS_MAX = 10;
const PAUSE_MS = 1_000;

/**
 * Whether it is a store that a Belfry put back later than `openedAt`: then it says for itself what is not known any more. A file
 * that somebody else put there may be an old one, after which everything would run once more.
 */
export async function wasPutBackSince(file: string, openedAt: Instant): Promise<boolean> {
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    await new Promise<void>((proceed) => void realTimer.after(PAUSE_MS, proceed));
    // Nothing is to be made anew where everything was thrown away.
    if (![file, `${file}.created`].every((each) => fs.existsSync(each))) continue;
    const opened = openDatabase({ file });
    if (!opened.ok) continue;
    const store = createStore(opened.value);
    const pauses = await store.read((reader) => reader.pauses.between(openedAt, realClock.now()));
    await store.close();
    return pauses.some(({ cause, endedAt }) => cause === 'restored' && (endedAt ?? 0) >= openedAt);
  }
  return false;
}
