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

test('every id that code or tests cite is explained once in docs/guarantees.md', () => {
  expect(citedIds.size).toBeGreaterThan(20);
  expect([...citedIds].filter((id) => !indexed.includes(id)).sort()).toEqual([]);
  expect(indexed.filter((id, place) => indexed.indexOf(id) !== place)).toEqual([]);
});

test('docs/guarantees.md explains nothing that is not there', () => {
  expect(indexed.filter((id) => !citedIds.has(id))).toEqual([]);
});
