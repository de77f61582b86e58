import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { countPlaywright, countVitest, describeCounts, sumCounts } from './testReports.mjs';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-reports-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

function report(contents: unknown): string {
  const file = path.join(folder, 'report.json');
  fs.writeFileSync(file, typeof contents === 'string' ? contents : JSON.stringify(contents));
  return file;
}

const vitest = (numPassedTests: number, numFailedTests = 0, numPendingTests = 0, numTodoTests = 0) =>
  report({ numPassedTests, numFailedTests, numPendingTests, numTodoTests });
const playwright = (expected: number, unexpected = 0, flaky = 0, skipped = 0) =>
  report({ stats: { expected, unexpected, flaky, skipped } });

test('counts what the runners say', () => {
  expect(countVitest(vitest(5, 2, 1, 1), 1)).toEqual({ passed: 5, failed: 2, skipped: 2 });
  expect(countPlaywright(playwright(3, 1, 0, 2), 1)).toEqual({ passed: 3, failed: 1, skipped: 2 });
});

test('a test that passed only at the second try has failed', () => {
  expect(countPlaywright(playwright(3, 0, 1), 0)).toEqual({ passed: 3, failed: 1, skipped: 0 });
});

test('a failure that no test shows counts as one', () => {
  expect(countVitest(vitest(5), 1)).toEqual({ passed: 5, failed: 1, skipped: 0 });
  expect(countPlaywright(playwright(3), 1)).toEqual({ passed: 3, failed: 1, skipped: 0 });
});

test('a run that tested nothing has failed', () => {
  expect(countVitest(vitest(0), 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(countPlaywright(playwright(0, 0, 0, 4), 0)).toEqual({ passed: 0, failed: 1, skipped: 4 });
});

test('a runner that left no report, or half of one, has failed', () => {
  expect(countVitest(path.join(folder, 'none.json'), 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(countPlaywright(report('{"stats": {"exp'), 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test('the closing line holds the sums', () => {
  const sum = sumCounts([
    { passed: 1, failed: 0, skipped: 2 },
    { passed: 4, failed: 1, skipped: 0 },
  ]);
  expect(describeCounts(sum)).toBe('5 passed, 1 failed, 2 skipped');
});
