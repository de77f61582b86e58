/** Keeps docs/guarantees.md and the ids cited in code and tests the same list, both ways. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
/** H and S: behaviours. X: holes to mend. C-001 and up: cases from bug reports. V- vectors are data and have notes of their own. */
const CITED = /\b(?:[HSX]-\d{2}|C-\d{3})\b/g;

const sources = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((name) => name !== '' && fs.existsSync(path.join(root, name)));
const citedIds = new Set(
  sources.flatMap((name) => fs.readFileSync(path.join(root, name), 'utf8').match(CITED) ?? []),
);
const indexed = fs
  .readFileSync(path.join(root, 'docs', 'guarantees.md'), 'utf8')
  .split('\n')
  .flatMap((line) => /^- \*\*([HSXC]-\d{2,3})\*\* (.+)$/.exec(line)?.[1] ?? []);

/** A line that names one or several rows, then a colon and the reason. */
const notApplying = fs
  .readFileSync(path.join(root, 'docs', 'guarantees.md'), 'utf8')
  .split('\n')
  .flatMap((line) => /^- ((?:[HSX]-\d{2}(?:, )?)+): ./.exec(line)?.[1]?.split(', ') ?? []);

const rows = (prefix: 'H' | 'S', from: number, until: number): string[] =>
  Array.from(
    { length: until - from + 1 },
    (_, place) => `${prefix}-${String(from + place).padStart(2, '0')}`,
  );

test('every row of the older schedulers about the store, time, runs and recovery is proven, or it says why it does not apply', () => {
  const wanted = [...rows('H', 1, 83), ...rows('S', 1, 55), ...rows('S', 71, 77)];
  expect(wanted.filter((id) => !indexed.includes(id) && !notApplying.includes(id))).toEqual([]);
  expect(notApplying.filter((id) => indexed.includes(id))).toEqual([]);
});

test('every id that code or tests cite is explained once in docs/guarantees.md', () => {
  expect(citedIds.size).toBeGreaterThan(20);
  expect([...citedIds].filter((id) => !indexed.includes(id)).sort()).toEqual([]);
  expect(indexed.filter((id, place) => indexed.indexOf(id) !== place)).toEqual([]);
});

test('docs/guarantees.md explains nothing that is not there', () => {
  expect(indexed.filter((id) => !citedIds.has(id))).toEqual([]);
});
