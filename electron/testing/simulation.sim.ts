/**
 * Goal: whatever happens to the machine, no rule of invariants.ts is ever broken. Method: lives from fixed numbers, which
 * stay the same for ever, and from a few fresh ones; a failure prints the number and the command that replays it.
 */

import { expect, test } from 'vitest';
import { live } from './simulation';

const FIXED = [1, 2, 3, 5, 8, 13, 21, 34];
const FRESH_COUNT = 4;
const DAYS = 4;

const replayed = process.env.BELFRY_SEED;
const fresh = Array.from({ length: FRESH_COUNT }, () => Math.floor(Math.random() * 2 ** 31));
const seeds = replayed === undefined ? [...FIXED, ...fresh] : [Number(replayed)];

test.each(seeds)('a life from the number %i breaks no rule', async (seed) => {
  const report = await live({ seed, days: DAYS });
  const command = `BELFRY_SEED=${seed} npx vitest run --project simulation`;
  expect(report.broken, `replay with: ${command}`).toBeNull();
  expect(report.events).toBeGreaterThan(10);
});
