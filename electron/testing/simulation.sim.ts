/**
 * Goal: whatever happens to the machine, no rule of invariants.ts and watch.ts is ever broken. Method: lives from fixed
 * numbers, which stay the same for ever, and ten fresh ones; BELFRY_FRESH=100 lives a hundred. A failure prints the number and
 * the command that replays it. Clocks that are days wrong have a file of their own, so that both run at once.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../store/database';
import { livesOfThisRun, replayCommand } from './lives';
import { live } from './simulation';

test.each(livesOfThisRun())('a life of $days days from the number $seed breaks no rule', async (life) => {
  const report = await live({ ...life, hasWrongClocks: false });
  expect(report.broken, `replay with: ${replayCommand(life.seed, false)}`).toBeNull();
  expect(report.events).toBeGreaterThan(10);
});

test.each([1, 2])('a life on disk from the number %i breaks no rule', async (seed) => {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-life-'));
  const open = () => {
    const opened = openDatabase({ file: join(folder, 'belfry.db') });
    if (!opened.ok) throw new Error(opened.error.message);
    return opened.value;
  };
  try {
    const report = await live({ seed, days: 2, hasWrongClocks: true, open });
    expect(report.broken).toBeNull();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
