/**
 * Lives on fresh numbers until a time is over, for `npm run simulate`. A fault prints its number, the command that replays it,
 * and the events that it needs.
 */

import { DAY_MS } from '../../shared/time';
import { replayCommand } from './lives';
import { neededEvents } from './shrink';
import { live } from './simulation';

export type FreshLives = {
  readonly until: number;
  readonly hasWrongClocks: boolean;
  readonly days: number;
  /** Now, by a clock that only goes forward, in milliseconds. */
  readonly now: () => number;
  readonly newSeed: () => number;
  readonly print: (line: string) => void;
};

/** How long a fault is looked at, in milliseconds. */
const SHRINK_MS_MAX = 120_000;

/** Answers how many lives were lived, and how many broke a rule. */
export async function liveAfresh(
  facts: FreshLives,
): Promise<{ lives: number; faults: number; days: number }> {
  const { hasWrongClocks, days, now, newSeed, print } = facts;
  let [lives, faults] = [0, 0];
  while (now() < facts.until) {
    const seed = newSeed();
    const options = { seed, days, hasWrongClocks };
    const report = await live(options);
    lives += 1;
    if (report.broken === null) continue;
    faults += 1;
    print(`${report.broken}\nreplay with: ${replayCommand(seed, hasWrongClocks)}`);
    const giveUpAt = now() + SHRINK_MS_MAX;
    const needed = await neededEvents(
      report,
      (skips) => live({ ...options, skips }),
      () => now() > giveUpAt,
    );
    print(`needs ${needed.length} of ${report.events} events: ${needed.join(', ')}`);
  }
  return { lives, faults, days: lives * days };
}

export const yearsOf = (days: number): string => ((days * DAY_MS) / (365.25 * DAY_MS)).toFixed(1);
