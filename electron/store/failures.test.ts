/** The store when the disk or the data let it down: told apart by code, nothing half-done, and usable again afterwards. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Store } from '../ports/store';
import type { Connection } from './connection';
import { openDatabase } from './database';
import { pauseOf } from './pauses.contract';
import { type PageLimits, pageLimits } from './pragmas';
import {
  insertJobs,
  jobIdOf,
  jobOf,
  minute,
  runIdOf,
  runOf,
  runThrough,
  scheduleIdOf,
  scheduleOf,
  takeLease,
} from './samples';
import { createStore } from './store';

let folder = '';
let writer: Connection;
let store: Store;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-failures-'));
  ({ store, writer } = openedStore());
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function openedStore(limits: PageLimits = pageLimits): { store: Store; writer: Connection } {
  const database = openDatabase({ file: join(folder, 'data', 'belfry.db') }, { limits });
  if (!database.ok) throw new Error(database.error.message);
  return { store: createStore(database.value), writer: database.value.writer };
}

const writeMuch = (): Promise<void> =>
  store.transact(async (handle) => {
    await handle.settings.setAliveAt(minute(1));
    for (let number = 0; number < 50; number += 1) {
      await handle.jobs.insert(jobOf(number, { notes: 'x'.repeat(9_000) }));
    }
  });

const countJobs = (): Promise<number> => store.read((reader) => reader.jobs.count());

describe('the disk', () => {
  test('that is full keeps the store as it was, and it goes on when there is room again', async () => {
    await store.close();
    const limits = { pagesMax: Number.MAX_SAFE_INTEGER, reservePages: 0 };
    ({ store, writer } = openedStore(limits));
    limits.pagesMax = Number(writer.pragma('page_count')) + 20;
    await expect(writeMuch()).rejects.toMatchObject({ name: 'StoreError', code: 'full' });
    await store.read(async (reader) => {
      expect(await reader.jobs.count()).toBe(0);
      expect(await reader.settings.aliveAt()).toBeNull();
    });
    limits.pagesMax = 1_000_000;
    await writeMuch();
    expect(await countJobs()).toBe(50);
  });

  test('that has become read-only is told apart from a full one', async () => {
    writer.exec('PRAGMA query_only = ON');
    await expect(writeMuch()).rejects.toMatchObject({ name: 'StoreError', code: 'read_only' });
    writer.exec('PRAGMA query_only = OFF');
    await writeMuch();
  });
});

describe('another process that writes', () => {
  test('is waited for without blocking this one', async () => {
    const other = openedStore();
    other.writer.exec('BEGIN IMMEDIATE');
    const waiting = insertJobs(store, 1);
    // Reads go on meanwhile.
    expect(await countJobs()).toBe(0);
    other.writer.exec('COMMIT');
    await waiting;
    expect(await countJobs()).toBe(1);
    await other.store.close();
  });

  test('and does not stop is reported as busy after five seconds', async () => {
    const other = openedStore();
    other.writer.exec('BEGIN IMMEDIATE');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const outcome = expect(insertJobs(store, 1)).rejects.toMatchObject({ code: 'busy' });
      await vi.advanceTimersByTimeAsync(5_100);
      await outcome;
    } finally {
      vi.useRealTimers();
    }
    other.writer.exec('ROLLBACK');
    await insertJobs(store, 1);
    await other.store.close();
  });
});

describe('a job whose row cannot be read (S-08, X-45)', () => {
  const breakJob = (definition: string): void => {
    writer.run(`UPDATE job_revisions SET definition = ? WHERE job_key = 2`, [definition]);
  };
  beforeEach(() => insertJobs(store, 1, 2, 3));

  test.each(['{}', '[1]', 'null', '{"name":"Job 2","extra":true}'])(
    'is put aside with %s, told of, and harms no other',
    async (definition) => {
      breakJob(definition);
      await store.read(async ({ jobs, schedules }) => {
        expect((await jobs.list()).map((job) => job.name)).toEqual(['Job 1', 'Job 3']);
        expect(await jobs.get(jobIdOf(2))).toBeNull();
        expect(await jobs.atRevision(jobIdOf(2), 1)).toBeNull();
        const quarantined = await jobs.quarantined();
        expect(quarantined).toEqual([{ jobId: jobIdOf(2), why: expect.stringContaining('revision 1') }]);
        const planned = (await schedules.active()).map((schedule) => schedule.scheduleId);
        expect(planned).toEqual([scheduleIdOf(1), scheduleIdOf(3)]);
      });
      expect(writer.get('SELECT definition FROM job_revisions WHERE job_key = 2')?.definition).toBe(
        definition,
      );
    },
  );

  test('is mended by an edit', async () => {
    breakJob('{}');
    const mended = jobOf(2, { revision: 2, schedules: [scheduleOf(22)], updatedAt: minute(5) });
    expect(await store.transact((handle) => handle.jobs.update(mended))).toBe(true);
    await store.read(async ({ jobs, schedules }) => {
      expect(await jobs.quarantined()).toEqual([]);
      expect(await jobs.get(jobIdOf(2))).toEqual(mended);
      expect((await schedules.ofJob(jobIdOf(2))).map((each) => each.scheduleId)).toEqual([scheduleIdOf(22)]);
    });
  });
});

test('pauses that have ended go when ten thousand more were made, those that hold stay (S-02)', async () => {
  const between = () => store.read(({ pauses }) => pauses.between(minute(0), minute(99)));
  await store.transact(async ({ pauses }) => {
    for (const number of [1, 2, 3, 4]) await pauses.insert(pauseOf(number));
    for (const number of [1, 3]) await pauses.end(pauseOf(number).id, minute(5));
  });
  writer.run('UPDATE pauses SET key = key + 10000 WHERE key >= 3');
  await store.transact(({ pauses }) => pauses.insert(pauseOf(6)));
  expect((await between()).map(({ since }) => (since - minute(0)) / 60_000)).toEqual([2, 3, 4, 6]);
});

test('a run that cannot be read is left out of history and stops what must know it', async () => {
  await insertJobs(store, 1);
  await store.transact(async ({ runs }) => {
    await runs.insert(runOf(1));
    await runs.insert(runOf(2));
  });
  writer.run(`UPDATE runs SET miss_cause = 'a word of a later version' WHERE queued_at = ?`, [minute(1)]);
  const page = await store.read(({ runs }) => runs.history(jobIdOf(1), { after: null, limit: 5 }));
  expect(page.entries).toHaveLength(1);
  const active = store.read(({ runs }) => runs.active());
  await expect(active).rejects.toMatchObject({ name: 'StoreError', code: 'corrupt' });
});

test('a revision that was rolled back is never shown for the one that took its number', async () => {
  await insertJobs(store, 1);
  const edit = (name: string) => jobOf(1, { revision: 2, name });
  const failing = store.transact(async ({ jobs }) => {
    await jobs.update(edit('Rolled back'));
    await jobs.list();
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  await store.transact(({ jobs }) => jobs.update(edit('Kept')));
  expect((await store.read(({ jobs }) => jobs.list()))[0]?.name).toBe('Kept');
});

test('a job that was handed out cannot be changed behind the back of the store', async () => {
  await insertJobs(store, 1);
  const job = await store.read(({ jobs }) => jobs.get(jobIdOf(1)));
  expect(() => job?.schedules.push(scheduleOf(9))).toThrow(TypeError);
});

describe('rows of the newer tables that were damaged behind our back (S-02, S-09)', () => {
  /** Past every CHECK of the schema, as a hand with another tool would. */
  const damage = (sql: string, parameters: (string | number | null)[] = []): void => {
    writer.exec('PRAGMA ignore_check_constraints = ON');
    writer.run(sql, parameters);
    writer.exec('PRAGMA ignore_check_constraints = OFF');
  };
  beforeEach(() => insertJobs(store, 1, 2));

  test.each([
    ['an unknown cause', `'a "word"'`, 'NULL'],
    ['a NUL and half a character', `CAST(x'6100ff22c3' AS TEXT)`, 'NULL'],
    ['bytes that close the JSON', `'"}],{"'`, 'NULL'],
    ['a source that is no id', `'chain'`, `x'0102'`],
    ['a source that is far too long', `'chain'`, 'zeroblob(100000)'],
  ])('an owed occurrence with %s is left out, and every schedule goes on', async (_, trigger, source) => {
    const good = { at: minute(3), trigger: 'event', sourceRunId: null } as const;
    await store.transact(({ schedules }) => schedules.addPending(scheduleIdOf(1), good));
    damage(`INSERT INTO pending_occurrences (schedule_key, planned_at, trigger, source_run_id)
      VALUES (1, 5, ${trigger}, ${source})`);
    const active = await store.read(({ schedules }) => schedules.active());
    expect(active.map(({ pending }) => pending)).toEqual([[good], []]);
  });

  test('a pause that cannot be read holds everything, says so, and can be ended', async () => {
    await store.transact(({ pauses }) => pauses.insert(pauseOf(1, { scope: { kind: 'tag', tag: 'disk' } })));
    damage('UPDATE pauses SET tag = ?', ['x'.repeat(200)]);
    const at = () => store.read(({ pauses }) => pauses.at(minute(5)));
    expect(await at()).toEqual([pauseOf(1, { note: expect.stringContaining('cannot be read') })]);
    await store.transact(({ pauses }) => pauses.end(pauseOf(1).id, minute(6)));
    expect(await store.read(({ pauses }) => pauses.at(minute(7)))).toEqual([]);
  });

  test.each(['{', '[1', '["x"]', '{"a":1}', 'null'])(
    'a list shows a run whose waits are %s',
    async (waits) => {
      await store.transact(({ runs }) => runs.insert(runOf(1)));
      damage('UPDATE runs SET waits = ?', [waits]);
      const listed = await store.read(({ runs }) => runs.activeByJob());
      expect(listed.get(jobIdOf(1))?.wait).toBeNull();
    },
  );

  test('a late result that cannot be read is told, not made up', async () => {
    await takeLease(store);
    await store.transact(({ runs }) => runs.insert(runOf(1)));
    await runThrough(store, 1, 'failed');
    damage(`UPDATE attempts SET late_recorded_at = 5, late_ended_at = NULL`);
    const attempts = store.read(({ runs }) => runs.attempts(runIdOf(1)));
    await expect(attempts).rejects.toMatchObject({ name: 'StoreError', code: 'corrupt' });
  });
});
