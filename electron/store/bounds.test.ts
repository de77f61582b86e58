/** The store stays within its bounds, and keeps room for ending what was begun. */

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { JOBS_MAX } from '../../shared/model/job';
import type { Store } from '../ports/store';
import { openDatabase } from './database';
import { PAGE_BYTES, pageLimits } from './pragmas';
import { attemptIdOf, endOf, fence, insertJobs, jobOf, minute, runIdOf, runOf, takeLease } from './samples';
import { createStore } from './store';

let folder = '';
const file = (): string => join(folder, 'data', 'belfry.db');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-bounds-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function opened(limits = { ...pageLimits }) {
  const result = openDatabase({ file: file() }, { limits });
  if (!result.ok) throw new Error(result.error.message);
  return { store: createStore(result.value), writer: result.value.writer, limits };
}

const FROM_RESERVE = { mayUseReserve: true };
const full = { name: 'StoreError', code: 'full' };

/** Adds jobs with long notes until no more fit. Returns how many did. */
async function fillUp(store: Store, first: number): Promise<number> {
  for (let number = first; ; number += 1) {
    try {
      await store.transact(({ jobs }) => jobs.insert(jobOf(number, { notes: 'x'.repeat(9_000) })));
    } catch (error) {
      expect(error).toMatchObject(full);
      return number - first;
    }
  }
}

test('the whole is at most 4 GiB, of which 16 MiB are kept back, and 4,096 jobs fit easily (S-02, S-07)', () => {
  expect(pageLimits.pagesMax * PAGE_BYTES).toBe(4 * 1024 ** 3);
  expect(pageLimits.reservePages * PAGE_BYTES).toBe(16 * 1024 ** 2);
  expect(JOBS_MAX).toBe(4_096);
});

test('a store that is full refuses to start anything, and still ends what was begun (S-02, X-51)', async () => {
  const { store, writer, limits } = opened();
  await insertJobs(store, 1);
  await takeLease(store);
  await store.transact(async ({ runs }) => {
    await runs.insert(runOf(1));
    await runs.begin(
      { runId: runIdOf(1), attemptId: attemptIdOf(1), number: 1, startedAt: minute(1) },
      fence,
    );
  });
  limits.pagesMax = Number(writer.pragma('page_count')) + 60;
  limits.reservePages = 30;

  expect(await fillUp(store, 2)).toBeGreaterThan(0);
  const insertRuns = async (first: number, until: number, options?: typeof FROM_RESERVE): Promise<void> => {
    for (let number = first; number < until; number += 1) {
      await store.transact(({ runs }) => runs.insert(runOf(number)), options);
    }
  };
  await expect(insertRuns(100, 10_000)).rejects.toMatchObject(full);
  await insertRuns(10_000, 10_050, FROM_RESERVE);
  const end = endOf(1, { outcome: 'failed', detail: 'x'.repeat(4_000) });
  expect(await store.transact(({ runs }) => runs.finish(end, fence), FROM_RESERVE)).toBeTruthy();
  await store.transact(({ settings }) => settings.setAliveAt(minute(9)), FROM_RESERVE);
  expect(Number(writer.pragma('page_count'))).toBeLessThanOrEqual(limits.pagesMax);
  // The reserve has an end too.
  const tooMuch = store.transact(async ({ jobs }) => {
    for (let number = 1_000; number < 1_100; number += 1)
      await jobs.insert(jobOf(number, { notes: 'x'.repeat(9_000) }));
  }, FROM_RESERVE);
  await expect(tooMuch).rejects.toMatchObject(full);
  expect(writer.pragma('integrity_check')).toBe('ok');

  limits.pagesMax += 100;
  expect(await fillUp(store, 2_000)).toBeGreaterThan(0);
  await store.close();
  expect(statSync(file()).size).toBeLessThanOrEqual(limits.pagesMax * PAGE_BYTES);
});

test('room that was given back is found again without opening anew (S-02)', async () => {
  const { store, writer, limits } = opened();
  await insertJobs(store, 1);
  limits.pagesMax = Number(writer.pragma('page_count')) + 40;
  limits.reservePages = 20;
  await fillUp(store, 2);
  writer.exec('PRAGMA foreign_keys = OFF');
  writer.run('DELETE FROM job_revisions WHERE job_key > 2');
  writer.exec('PRAGMA foreign_keys = ON');
  await store.transact(({ runs }) => runs.insert(runOf(1)));
  await store.close();
});

test('a bound holds against a process that grew the store beyond it (S-02)', async () => {
  const first = opened();
  await insertJobs(first.store, 1);
  const second = opened({ pagesMax: Number(first.writer.pragma('page_count')) - 2, reservePages: 0 });
  expect(await fillUp(second.store, 50)).toBeLessThan(3);
  await first.store.close();
  await second.store.close();
});

test('every text of every table has a bound (S-12, X-50)', async () => {
  const { store, writer } = opened();
  const columns = writer.all(`
    SELECT t.name AS tableName, c.name AS columnName, s.sql AS sql
    FROM pragma_table_list AS t
    JOIN pragma_table_info(t.name) AS c
    JOIN sqlite_schema AS s ON s.name = t.name
    WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND c.type IN ('TEXT', 'BLOB')`);
  expect(columns.length).toBeGreaterThan(40);
  const unbounded = columns.filter(({ columnName, sql }) => {
    const hasLength = new RegExp(`octet_length\\(${columnName}\\) (=|<=|BETWEEN)`).test(String(sql));
    const isClosedList = new RegExp(`CHECK \\(\\s*${columnName} IN \\(`).test(String(sql));
    return !hasLength && !isClosedList;
  });
  expect(unbounded.map(({ tableName, columnName }) => `${tableName}.${columnName}`)).toEqual([]);
  await store.close();
});

test('what is too long is refused by the store itself, whole (S-12, X-50)', async () => {
  const { store, writer } = opened();
  await insertJobs(store, 1);
  await expect(insertJobs(store, 2)).resolves.toBeUndefined();
  expect(() => writer.run('UPDATE jobs SET name = ?', ['x'.repeat(3_000_000)])).toThrow(/CHECK/);
  expect((await store.read(({ jobs }) => jobs.list())).map(({ name }) => name)).toEqual(['Job 1', 'Job 2']);
  await store.close();
});

test('a change of nothing writes nothing, and one of a row writes a few pages (X-49)', async () => {
  const { store } = opened();
  for (let number = 1; number <= 20; number += 1) await insertJobs(store, number);
  const logBytes = (): number => statSync(`${file()}-wal`).size;
  const before = logBytes();
  await store.transact(async ({ jobs }) => jobs.count());
  expect(logBytes()).toBe(before);
  await store.transact(({ settings }) => settings.setAliveAt(minute(3)));
  expect(logBytes() - before).toBeLessThan(6 * PAGE_BYTES);
  await store.close();
});
