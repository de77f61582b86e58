/**
 * Goal: whatever happens to the machine, no rule of invariants.ts is ever broken. Method: lives from fixed numbers, which
 * stay the same for ever, and from a few fresh ones; a failure prints the number and the command that replays it.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../store/database';
import { live } from './simulation';

const FIXED = [1, 2, 3, 5, 8, 13, 21, 34];
const FRESH_COUNT = 4;
const DAYS = 4;

const replayed = process.env.BELFRY_SEED;
const fresh = Array.from({ length: FRESH_COUNT }, () => Math.floor(Math.random() * 2 ** 31));
const seeds = replayed === undefined ? [...FIXED, ...fresh] : [Number(replayed)];

const replay = (seed: number): string =>
  `replay with: BELFRY_SEED=${seed} npx vitest run --project simulation simulation.sim`;

test.each(seeds)('a life from the number %i breaks no rule', async (seed) => {
  const report = await live({ seed, days: DAYS });
  expect(report.broken, replay(seed)).toBeNull();
  expect(report.events).toBeGreaterThan(10);
});

test.each(seeds.slice(0, 2))('a life on disk from the number %i breaks no rule', async (seed) => {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-life-'));
  const open = () => {
    const opened = openDatabase({ file: join(folder, 'belfry.db') });
    if (!opened.ok) throw new Error(opened.error.message);
    return opened.value;
  };
  try {
    const report = await live({ seed, days: 1, open });
    expect(report.broken, replay(seed)).toBeNull();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
