/** Around damaged pages everything is read that lies before, between and behind them, for an export and for a repair alike. */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openConnection } from './connection';
import { openDatabase } from './database';
import { exportStore } from './exportStore';
import { uriOf } from './pragmas';
import { repairStore } from './repairStore';
import { insertJobs, minute, runIdOf, runOf } from './samples';
import { createStore } from './store';
import { walkTable } from './tableWalk';

const PAGE_BYTES = 4_096;
const RUNS = 3_000;

let folder = '';
let file = '';

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-walk-'));
  file = path.join(folder, 'belfry.db');
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const look = () => openConnection(`${uriOf(file, 'ro')}&immutable=1`, { isReadOnly: true, busyMs: 0 });

/** A closed store with runs whose keys are 1 to RUNS, on some hundred pages. */
async function filledStore(): Promise<void> {
  const opened = openDatabase({ file });
  if (!opened.ok) throw new Error(opened.error.message);
  const store = createStore(opened.value);
  await insertJobs(store, 1);
  await store.transact(async ({ runs }) => {
    for (let number = 1; number <= RUNS; number += 1) await runs.insert(runOf(number));
  });
  await store.close();
}

/** Leaf pages of a table, in the order of its rows, read from the file itself (sqlite.org/fileformat2.html, section 1.6). */
function leavesOf(table: string): number[] {
  const connection = look();
  const root = Number(connection.get('SELECT rootpage FROM sqlite_schema WHERE name = ?', [table])?.rootpage);
  connection.close();
  const bytes = fs.readFileSync(file);
  const leaves = (page: number): number[] => {
    const start = (page - 1) * PAGE_BYTES;
    if (bytes[start] === 0x0d) return [page];
    const cells = bytes.readUInt16BE(start + 3);
    const children = Array.from({ length: cells }, (_, cell) =>
      bytes.readUInt32BE(start + bytes.readUInt16BE(start + 12 + 2 * cell)),
    );
    return [...children, bytes.readUInt32BE(start + 8)].flatMap(leaves);
  };
  return leaves(root);
}

function damage(pages: readonly number[]): void {
  const bytes = fs.readFileSync(file);
  for (const page of pages) bytes.fill(0xa5, (page - 1) * PAGE_BYTES, page * PAGE_BYTES);
  fs.writeFileSync(file, bytes);
}

/** Keys of the rows on each leaf, looked up while the store is whole. */
function numbersLost(leaves: readonly number[], damaged: readonly number[]): number {
  const bytes = fs.readFileSync(file);
  return damaged
    .map((place) => bytes.readUInt16BE((Number(leaves[place]) - 1) * PAGE_BYTES + 3))
    .reduce((sum, count) => sum + count, 0);
}

const keysRead = (): { keys: number[]; gapCount: number } => {
  const connection = look();
  const keys: number[] = [];
  const table = { name: 'runs', columns: ['key'], key: ['rowid'], isNumbered: true };
  const gapCount = walkTable(connection, table, (rows) => keys.push(...rows.map(({ key }) => Number(key))));
  connection.close();
  return { keys, gapCount };
};

test.each([
  ['in the middle', (last: number) => [Math.floor(last / 2)], 1],
  ['that are neighbours', (last: number) => [10, 11, 12].filter((place) => place < last), 1],
  ['at three places', (last: number) => [5, Math.floor(last / 2), last - 5], 3],
  ['at the beginning', () => [0], 1],
  ['at the end', (last: number) => [last], 1],
  ['at the beginning, in the middle and at the end', (last: number) => [0, Math.floor(last / 2), last], 3],
])('pages %s cost the rows on them and no others', async (_, choose, places) => {
  await filledStore();
  const leaves = leavesOf('runs');
  expect(leaves.length).toBeGreaterThan(30);
  const damaged = choose(leaves.length - 1);
  const lost = numbersLost(leaves, damaged);
  damage(damaged.map((place) => Number(leaves[place])));
  const { keys, gapCount } = keysRead();
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.length).toBe(RUNS - lost);
  expect(gapCount).toBe(places);
});

test('a table that is whole is read once, without a gap', async () => {
  await filledStore();
  expect(keysRead()).toEqual({ keys: Array.from({ length: RUNS }, (_, index) => index + 1), gapCount: 0 });
});

test('an export and a repair hold the runs on both sides of a damaged page, and say that something is missing', async () => {
  await filledStore();
  const leaves = leavesOf('runs');
  const damaged = [Math.floor(leaves.length / 2)];
  const lost = numbersLost(leaves, damaged);
  damage(damaged.map((place) => Number(leaves[place])));
  const target = path.join(folder, 'export.json');
  const source = look();
  expect(exportStore(source, target)).toEqual({ jobCount: 1, runCount: RUNS - lost, gapCount: 1 });
  const exported = JSON.parse(fs.readFileSync(target, 'utf8'));
  expect(exported.gapCount).toBe(1);
  const ids = exported.runs.map(({ id }: { id: string }) => id);
  expect([ids[0], ids.at(-1)]).toEqual([runIdOf(1), runIdOf(RUNS)]);
  expect(exported.runs.at(-1)).toMatchObject({ jobId: exported.jobs[0].id, state: 'queued' });

  const fresh = path.join(folder, 'fresh.db');
  fs.writeFileSync(fresh, '');
  const repaired = openConnection(uriOf(fresh, 'rw'), { isReadOnly: false, busyMs: 0 });
  const report = repairStore(source, repaired, { at: minute(99), onProgress: () => undefined });
  expect(report).toMatchObject({ runCount: RUNS - lost, gapCount: 1 });
  repaired.close();
  source.close();
});

test('a job whose row is lost is exported by its definition, and its runs stay', async () => {
  await filledStore();
  damage(leavesOf('jobs'));
  const target = path.join(folder, 'export.json');
  const source = look();
  expect(exportStore(source, target)).toMatchObject({ jobCount: 1, runCount: RUNS });
  source.close();
  const exported = JSON.parse(fs.readFileSync(target, 'utf8'));
  expect(exported.jobs).toEqual([
    expect.objectContaining({ id: null, definition: expect.objectContaining({ name: 'Job 1' }) }),
  ]);
  expect(exported.runs[0]).toMatchObject({ id: runIdOf(1), jobId: null });
});
