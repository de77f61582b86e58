/**
 * Opening: what is refused, what is repaired, and that a refused file is byte for byte what it was. Each refusal is made by
 * doing to a real store what went wrong.
 */

import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from './database';
import { migrations } from './migrations';
import { insertJobs, jobOf, minute } from './samples';
import { createStore } from './store';

let root = '';
let file = '';
let count = 0;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'belfry-open-'));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});
beforeEach(() => {
  count += 1;
  file = join(root, String(count), 'belfry.db');
});

const isWindows = process.platform === 'win32';
const modeOf = (path: string): number => statSync(path).mode & 0o777;

function opened(): Database {
  const result = openDatabase({ file });
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

/** A store with a job in it, closed again. */
async function makeStore(): Promise<void> {
  const store = createStore(opened());
  await insertJobs(store, 1);
  await store.close();
}

/** Every file of the folder with the hash of its content. Links and what only SQLite's readers leave are left out. */
function contents(): Record<string, string> {
  const folder = dirname(file);
  const files = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith('-shm') && statSync(join(folder, entry.name)).size > 0,
  );
  return Object.fromEntries(
    files.map(({ name }) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  );
}

/** Tries to open, and checks that nothing changed on disk. */
function refusalCode(): string {
  const before = contents();
  const result = openDatabase({ file });
  if (result.ok) throw new Error('the store was opened');
  expect(result.error.message).toMatch(/^[^/\\]+[.?]$/);
  expect(contents()).toEqual(before);
  return result.error.code;
}

function overwrite(at: number, bytes: Uint8Array): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, bytes, 0, bytes.length, at);
  closeSync(handle);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

describe('a first start', () => {
  test('makes the folder, the store and a marker, all private (S-01)', async () => {
    const database = opened();
    await createStore(database).transact((writer) => writer.jobs.insert(jobOf(1)));
    const names = readdirSync(dirname(file)).sort();
    expect(names).toEqual(['belfry.db', 'belfry.db-shm', 'belfry.db-wal', 'belfry.db.created']);
    if (!isWindows) {
      expect(modeOf(dirname(file))).toBe(0o700);
      expect(names.map((name) => modeOf(join(dirname(file), name)))).toEqual([0o600, 0o600, 0o600, 0o600]);
    }
    database.writer.close();
  });

  test('that was cut off before the store had any content is simply repeated', () => {
    mkdirSync(dirname(file), { mode: 0o700 });
    writeFileSync(file, '');
    opened().writer.close();
    expect(readdirSync(dirname(file))).toContain('belfry.db.created');
  });

  test('that was cut off before the tables were there is simply repeated', async () => {
    mkdirSync(dirname(file), { mode: 0o700 });
    const cutOff = new DatabaseSync(file);
    cutOff.exec('PRAGMA auto_vacuum = INCREMENTAL');
    cutOff.close();
    expect(statSync(file).size).toBe(4_096);
    await makeStore();
  });

  test('works in a folder whose name means something in a URI', async () => {
    file = join(root, String(count), 'ü ?mode=ro&x=%41 #1', 'belfry.db');
    await makeStore();
    const store = createStore(opened());
    expect(await store.read((reader) => reader.jobs.count())).toBe(1);
    await store.close();
    expect(readdirSync(dirname(file))).toContain('belfry.db');
  });
});

describe('a store that is there', () => {
  test('is made private again, with its companions (S-01)', async () => {
    if (isWindows) return;
    await makeStore();
    const other = opened();
    chmodSync(dirname(file), 0o755);
    for (const suffix of ['', '-wal', '-shm', '.created']) chmodSync(file + suffix, 0o644);
    const again = opened();
    expect(modeOf(dirname(file))).toBe(0o700);
    const modes = ['', '-wal', '-shm', '.created'].map((suffix) => modeOf(file + suffix));
    expect(modes).toEqual([0o600, 0o600, 0o600, 0o600]);
    again.writer.close();
    other.writer.close();
  });

  test('gets its marker back', async () => {
    await makeStore();
    rmSync(`${file}.created`);
    opened().writer.close();
    expect(readdirSync(dirname(file))).toContain('belfry.db.created');
  });

  test('opens while another process is in the middle of a transaction', async () => {
    await makeStore();
    const other = opened();
    other.writer.exec('BEGIN IMMEDIATE');
    const store = createStore(opened());
    expect(await store.read((reader) => reader.jobs.count())).toBe(1);
    other.writer.exec('ROLLBACK');
    await store.close();
    other.writer.close();
  });

  test('keeps its id, and another store has another one (H-02)', async () => {
    const first = opened();
    first.writer.close();
    const again = opened();
    again.writer.close();
    file = join(root, `${count}-other`, 'belfry.db');
    const other = opened();
    other.writer.close();
    expect(first.storeId).toMatch(/^[0-9a-f]{32}$/);
    expect(again.storeId).toBe(first.storeId);
    expect(other.storeId).not.toBe(first.storeId);
  });

  test('is written durably and checks its references (D2)', () => {
    const { writer, openReader } = opened();
    const set = [
      'journal_mode',
      'synchronous',
      'foreign_keys',
      'trusted_schema',
      'auto_vacuum',
      'busy_timeout',
    ];
    expect(set.map((name) => writer.pragma(name))).toEqual(['wal', 2, 1, 0, 2, 0]);
    expect(Number(writer.pragma('wal_autocheckpoint')) * 4_096).toBeLessThan(8_000_000);
    expect(writer.pragma('application_id')).toBe(0x426c6672);
    const reader = openReader?.();
    expect(() => reader?.run(`DELETE FROM settings`)).toThrow(expect.objectContaining({ code: 'read_only' }));
    reader?.close();
    writer.close();
  });
});

describe('is refused, and nothing is changed on disk (S-03)', () => {
  test('a link instead of the store (S-05)', async () => {
    await makeStore();
    renameSync(file, `${file}.real`);
    symlinkSync(`${file}.real`, file);
    expect(refusalCode()).toBe('link');
  });

  test('a dangling link: it is not replaced by a fresh store (X-46)', () => {
    mkdirSync(dirname(file), { mode: 0o700 });
    symlinkSync(join(root, 'nowhere'), file);
    expect(refusalCode()).toBe('link');
  });

  test('a link instead of the write-ahead log', async () => {
    await makeStore();
    writeFileSync(join(root, 'elsewhere'), 'x');
    rmSync(`${file}-wal`, { force: true });
    symlinkSync(join(root, 'elsewhere'), `${file}-wal`);
    expect(refusalCode()).toBe('link');
  });

  test('a folder instead of the store (S-05)', () => {
    mkdirSync(file, { recursive: true, mode: 0o700 });
    expect(refusalCode()).toBe('not_a_file');
  });

  test('a store that is gone although there was one (S-04, X-46)', async () => {
    await makeStore();
    rmSync(file);
    expect(refusalCode()).toBe('missing');
  });

  test('a store that has become empty', async () => {
    await makeStore();
    truncateSync(file, 0);
    expect(refusalCode()).toBe('empty');
  });

  test('something that is no database (S-06)', async () => {
    await makeStore();
    writeFileSync(file, 'Dear diary, '.repeat(1_000));
    expect(refusalCode()).toBe('not_a_database');
    writeFileSync(file, 'SQLite format 3\0');
    expect(refusalCode()).toBe('not_a_database');
  });

  test('a database of another program', () => {
    mkdirSync(dirname(file), { mode: 0o700 });
    const foreign = new DatabaseSync(file);
    foreign.exec('CREATE TABLE bookmarks (url TEXT)');
    foreign.close();
    expect(refusalCode()).toBe('foreign_database');
  });

  test('a store of a newer Belfry', async () => {
    await makeStore();
    overwrite(60, uint32(migrations.length + 1));
    expect(refusalCode()).toBe('newer_schema');
  });

  test('a store of a newer Belfry that crashed, so that only its log tells', async () => {
    await makeStore();
    const newer = new DatabaseSync(file);
    newer.exec(`PRAGMA user_version = ${migrations.length + 1}`);
    const left = Object.fromEntries([file, `${file}-wal`].map((path) => [path, readFileSync(path)]));
    newer.close();
    for (const [path, bytes] of Object.entries(left)) writeFileSync(path, bytes);
    expect(refusalCode()).toBe('newer_schema');
  });

  test('a store that was cut in the middle', async () => {
    await makeStore();
    truncateSync(file, Math.floor(statSync(file).size / 2));
    expect(refusalCode()).toBe('damaged');
  });

  test('a store with a page that was overwritten', async () => {
    await makeStore();
    overwrite(4_096 * 8, Buffer.alloc(4_096, 0x5a));
    expect(refusalCode()).toBe('damaged');
  });

  test('a folder or a file of another user', async () => {
    if (isWindows) return;
    await makeStore();
    vi.spyOn(process, 'getuid').mockReturnValue((process.getuid?.() ?? 0) + 1);
    try {
      expect(refusalCode()).toBe('foreign_owner');
    } finally {
      vi.restoreAllMocks();
    }
  });

  test('a folder to which everybody may write', async () => {
    if (isWindows) return;
    await makeStore();
    chmodSync(dirname(file), 0o777);
    expect(refusalCode()).toBe('open_folder');
    expect(modeOf(dirname(file))).toBe(0o777);
  });

  test('a store that another program locks for itself alone', async () => {
    await makeStore();
    const copy = join(dirname(file), 'copy.db');
    copyFileSync(file, copy);
    file = copy;
    const other = new DatabaseSync(file);
    other.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA user_version = 1');
    expect(refusalCode()).toBe('busy');
    other.close();
  });

  test('a folder that cannot be made', () => {
    writeFileSync(join(root, String(count)), 'a file where the folder should be');
    const result = openDatabase({ file });
    expect(result).toMatchObject({ ok: false, error: { code: 'unreadable' } });
  });
});

test('a refusal names the file and no folder', async () => {
  await makeStore();
  rmSync(file);
  const result = openDatabase({ file });
  if (result.ok) throw new Error('the store was opened');
  expect(result.error.message).toContain(basename(file));
  expect(result.error.message).not.toContain(root);
});

test('a store with history above the limit of the whole check is still checked where it counts', async () => {
  const database = opened();
  database.writer.exec(`
    CREATE TABLE padding (text TEXT) STRICT;
    INSERT INTO padding
    WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 4500)
    SELECT hex(zeroblob(2000)) FROM numbers`);
  const store = createStore(database);
  await insertJobs(store, 1);
  await store.transact((writer) => writer.settings.setAliveAt(minute(1)));
  await store.close();
  expect(statSync(file).size).toBeGreaterThan(16 * 1024 * 1024);
  opened().writer.close();
  const pages = new DatabaseSync(file, { readOnly: true });
  const page = pages.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'jobs'`).get().rootpage;
  pages.close();
  overwrite((page - 1) * 4_096, Buffer.alloc(4_096, 0x5a));
  expect(refusalCode()).toBe('damaged');
});
