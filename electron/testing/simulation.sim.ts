/**
 * Goal: whatever happens to the machine, no rule of invariants.ts is ever broken. Method: lives from fixed numbers, which
 * stay the same for ever, and from fresh ones on request: BELFRY_FRESH=40 lives forty, BELFRY_WRONG_CLOCKS=1 gives those clocks
 * that are days wrong for seconds, too. A failure prints the number and the command that replays it.
 *
 * Fresh lives are not part of the ordinary run yet: after several clock faults in a row one in thirty, with wrong clocks
 * one in four, still finds an occurrence that stays undecided or is decided too early (ADR 4).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../store/database';
import { live } from './simulation';

const FIXED = [1, 2, 3, 5, 8, 13, 21, 34];
const FRESH_COUNT = Number(process.env.BELFRY_FRESH ?? 0);
const DAYS = 4;

const replayed = process.env.BELFRY_SEED;
const fresh = Array.from({ length: FRESH_COUNT }, () => Math.floor(Math.random() * 2 ** 31));
const seeds = replayed === undefined ? [...FIXED, ...fresh] : [Number(replayed)];
const isWanted = process.env.BELFRY_WRONG_CLOCKS === '1';
const hasWrongClocks = (seed: number): boolean => isWanted || FIXED.includes(seed);

const replay = (seed: number): string =>
  `replay with: ${isWanted ? 'BELFRY_WRONG_CLOCKS=1 ' : ''}BELFRY_SEED=${seed} npx vitest run --project simulation simulation.sim`;

test.each(seeds)('a life from the number %i breaks no rule', async (seed) => {
  const report = await live({ seed, days: DAYS, hasWrongClocks: hasWrongClocks(seed) });
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
    const report = await live({ seed, days: 1, hasWrongClocks: hasWrongClocks(seed), open });
    expect(report.broken, replay(seed)).toBeNull();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
