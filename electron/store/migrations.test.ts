/** Migrations: released steps never change, and a step that fails leaves the store as it was. */

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from './database';
import { type Migration, migrations } from './migrations';
import { insertJobs } from './samples';
import { createStore } from './store';

/** One line per released step. A line that is here never changes: a store out there was made by it. */
const RELEASED: Readonly<Record<string, string>> = {
  '0001-everything-the-design-names': '9374c4f7f59d77306d48b778ec7a478e47488998b528a02899054ea6db8883b3',
  '0002-ask-active-runs-by-job': '2d4628d759e751b5e7430e760e71b4ad7056e1405c385d4df70b41e95c2831a9',
  '0003-let-runs-wait-and-jobs-pause': '0139d9518dd6696aa4eee751ad20d1ce1c19cc2a1f00bbd015c7339eb54c2686',
  '0004-a-million-runs-and-room-given-back':
    '2002a884e1154e6d9c21d0d3755829724806bb545d2effee7392911c53d3f5fc',
};

const addColumn: Migration = {
  version: migrations.length + 1,
  name: '9999-a-column-for-this-test',
  sql: `ALTER TABLE jobs ADD COLUMN colour TEXT; UPDATE jobs SET colour = 'green'`,
};

let folder = '';
let file = '';

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-migrations-'));
  file = join(folder, 'data', 'belfry.db');
  const store = createStore(opened());
  await insertJobs(store, 1, 2);
  await store.close();
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function opened(steps?: readonly Migration[]): Database {
  const result = openDatabase({ file }, steps === undefined ? {} : { steps });
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** The copies that were made, by their names. */
function backups(): string[] {
  const folderOfCopies = join(dirname(file), 'backups');
  return existsSync(folderOfCopies) ? readdirSync(folderOfCopies).filter((name) => name.endsWith('.db')) : [];
}

function onlyCopy(): string {
  const [name = '', ...others] = backups();
  expect(name).toMatch(/^belfry-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z-migration\.db$/);
  expect(others).toEqual([]);
  return join(dirname(file), 'backups', name);
}

test('released steps are what they were', () => {
  const sums = migrations.map((step) => [step.name, createHash('sha256').update(step.sql).digest('hex')]);
  expect(Object.fromEntries(sums)).toEqual(RELEASED);
});

test('steps are numbered from 1 without a gap, and every table is strict (D2)', () => {
  expect(migrations.map((step) => step.version)).toEqual(migrations.map((_, index) => index + 1));
  const { writer } = opened();
  const loose = writer.all(
    `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0`,
  );
  expect(loose.map((row) => row.name)).toEqual(['sqlite_schema']);
  expect(writer.pragma('user_version')).toBe(migrations.length);
  expect(backups()).toEqual([]);
  writer.close();
});

test('an older store is copied, then migrated, and nothing is lost', async () => {
  const database = opened([...migrations, addColumn]);
  expect(database.writer.all('SELECT name, colour FROM jobs ORDER BY key')).toMatchObject([
    { name: 'Job 1', colour: 'green' },
    { name: 'Job 2', colour: 'green' },
  ]);
  expect(database.writer.pragma('foreign_keys')).toBe(1);
  database.writer.close();
  const copy = onlyCopy();
  if (process.platform !== 'win32') expect(statSync(copy).mode & 0o777).toBe(0o600);
  const before = new DatabaseSync(copy, { readOnly: true });
  expect(before.prepare('SELECT count(*) AS count FROM jobs').get().count).toBe(2);
  expect(before.prepare('PRAGMA user_version').get().user_version).toBe(migrations.length);
  before.close();
});

test('the copy opens as a store when it is put back', async () => {
  opened([...migrations, addColumn]).writer.close();
  file = onlyCopy();
  const store = createStore(opened());
  expect(await store.read((reader) => reader.jobs.count())).toBe(2);
  await store.close();
});

test.each([
  ['a statement that fails', 'DROP TABLE gaps; SELECT nonsense FROM nowhere'],
  ['references to nothing', 'DROP TABLE gaps; DELETE FROM job_revisions'],
])(
  'a step with %s is refused with a copy from before, undone as a whole, and can be tried again',
  async (_, sql) => {
    // The step before it succeeds, and is undone too.
    const failing = { ...addColumn, version: addColumn.version + 1, sql };
    const result = openDatabase({ file }, { steps: [...migrations, addColumn, failing] });
    expect(result).toMatchObject({ ok: false, error: { code: 'migration_failed' } });
    expect(result.ok ? '' : result.error.message).toMatch(/a copy of it lies among the backups\.$/);
    const copy = new DatabaseSync(onlyCopy(), { readOnly: true });
    expect(copy.prepare('SELECT count(*) AS count FROM jobs').get().count).toBe(2);
    copy.close();
    const store = createStore(opened());
    expect(await store.read((reader) => reader.jobs.list())).toHaveLength(2);
    await store.close();
    const kept = onlyCopy();
    const database = opened([...migrations, addColumn]);
    expect(existsSync(kept)).toBe(true);
    expect(database.writer.pragma('user_version')).toBe(addColumn.version);
    database.writer.close();
  },
);
