/**
 * The corruption matrix (S-03): a real store, damaged in every way, is refused with the right word or opened with everything in
 * it. It is never emptied in silence, and a refusal leaves every file of the folder as it was and adds none.
 *
 * Where a flipped byte lies in the content of a row, no check of SQLite can see it; then opening is right, and what is read is
 * right, or a typed corruption, or a job in quarantine, or differs in that row alone.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { StoreError } from '../core/storeError';
import { openDatabase } from './database';
import { migrations } from './migrations';
import { PAGE_BYTES } from './pragmas';
import { insertJobs, runOf, runThrough, takeLease } from './samples';
import { createStore } from './store';

const JOBS = 12;
const RUNS = 30;
/** Above it only what planning needs is checked at the start. */
const LARGE_BYTES = 17 * 1024 * 1024;
const isRoot = process.getuid?.() === 0;
const isWindows = process.platform === 'win32';

let root = '';
let count = 0;
let file = '';

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'belfry-corruption-'));
  await makeStore('small');
  await makeStore('large');
  const large = new DatabaseSync(masterOf('large'));
  large.exec(`
    CREATE TABLE padding (text TEXT) STRICT;
    INSERT INTO padding
    WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 4500)
    SELECT hex(zeroblob(2000)) FROM numbers;
    PRAGMA wal_checkpoint(TRUNCATE)`);
  large.close();
  expect(statSync(masterOf('large')).size).toBeGreaterThan(LARGE_BYTES);
}, 60_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => startFrom('small'));

type Size = 'small' | 'large';
const masterOf = (size: Size): string => join(root, size, 'belfry.db');

async function makeStore(size: Size): Promise<void> {
  const database = openDatabase({ file: masterOf(size) });
  if (!database.ok) throw new Error(database.error.message);
  const store = createStore(database.value);
  await insertJobs(store, ...Array.from({ length: JOBS }, (_, index) => index + 1));
  await takeLease(store);
  for (let number = 1; number <= RUNS; number += 1) {
    await store.transact(({ runs }) => runs.insert(runOf(number)));
    await runThrough(store, number, 'succeeded');
  }
  await store.close();
}

/** Copies a whole store to a folder of its own. */
function startFrom(size: Size): void {
  count += 1;
  file = join(root, `case-${count}`, 'belfry.db');
  mkdirSync(dirname(file), { mode: 0o700 });
  copyFileSync(masterOf(size), file);
  writeFileSync(`${file}.created`, 'marker', { mode: 0o600 });
  chmodSync(file, 0o600);
}

/** Every entry of the folder: what it is, its mode, and its content. */
function contents(): Record<string, string> {
  const folder = dirname(file);
  if (!existsSync(folder)) return {};
  const entries = readdirSync(folder).map((name) => {
    const facts = lstatSync(join(folder, name));
    if (facts.isSymbolicLink()) return [name, `link to ${readlinkSync(join(folder, name))}`];
    if (!facts.isFile()) return [name, facts.isDirectory() ? 'folder' : 'special'];
    const hash = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    return [name, `${facts.mode & 0o777} ${hash}`];
  });
  return Object.fromEntries(entries);
}

type Content = { names: string[]; quarantined: number; runs: number };

/** What can be read, or the word of the refusal. A refusal that changed anything in the folder fails the test. */
async function open(): Promise<string | Content> {
  const before = contents();
  const result = openDatabase({ file });
  if (!result.ok) {
    const after = contents();
    // SQLite reads a log only with an index beside it.
    if ('belfry.db-wal' in before) delete after['belfry.db-shm'];
    expect(after).toEqual(before);
    return result.error.code;
  }
  const store = createStore(result.value);
  try {
    return await store.read(async ({ jobs, runs }) => {
      const listed = await jobs.list();
      const histories = await Promise.all(
        listed.map((job) => runs.history(job.id, { after: null, limit: 100 })),
      );
      return {
        names: listed
          .map(({ name }) => name)
          .sort((one, other) => one.length - other.length || one.localeCompare(other)),
        quarantined: (await jobs.quarantined()).length,
        runs: histories.reduce((sum, { entries }) => sum + entries.length, 0),
      };
    });
  } catch (error) {
    expect(error).toBeInstanceOf(StoreError);
    return `read: ${(error as StoreError).code}`;
  } finally {
    await store.close();
  }
}

const whole: Content = {
  names: Array.from({ length: JOBS }, (_, index) => `Job ${index + 1}`),
  quarantined: 0,
  runs: RUNS,
};

test('the undamaged stores open with everything', async () => {
  expect(await open()).toEqual(whole);
  startFrom('large');
  expect(await open()).toEqual(whole);
});

describe('a store that was cut', () => {
  const odd = [1, 15, 16, 17, 99, 100, 101, 511, 512, 4_095, 4_096, 4_097, 8_191, 8_192, 12_345];
  test.each(odd)('to %i bytes is refused', async (bytes) => {
    truncateSync(file, bytes);
    expect(await open()).toMatch(/^(damaged|not_a_database)$/);
  });

  test('at any page is refused (S-06)', async () => {
    const pages = statSync(file).size / PAGE_BYTES;
    for (let page = 1; page < pages; page += 1) {
      startFrom('small');
      truncateSync(file, page * PAGE_BYTES + (page % 3 === 0 ? 7 : 0));
      expect(await open(), `page ${page}`).toMatch(/^(damaged|not_a_database)$/);
    }
  });

  test('is refused when it is large, too', async () => {
    for (const share of [0.1, 0.5, 0.9, 0.999]) {
      startFrom('large');
      truncateSync(file, Math.floor(statSync(file).size * share));
      expect(await open(), String(share)).toBe('damaged');
    }
  });

  test('to nothing is refused (S-04)', async () => {
    truncateSync(file, 0);
    expect(await open()).toBe('empty');
  });
});

/** The content after one byte was changed: right, typed, or different in one row alone; never less without a word. */
async function flipAndJudge(size: Size, at: number): Promise<'refused' | 'typed' | 'whole' | 'one row'> {
  startFrom(size);
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(file, bytes);
  const found = await open();
  const place = `byte ${at}, page ${Math.floor(at / PAGE_BYTES) + 1}`;
  if (typeof found === 'string') {
    if (found.startsWith('read: ')) expect(found, place).toBe('read: corrupt');
    else expect(found, place).toMatch(/^(damaged|not_a_database|foreign_database|newer_schema|unreadable)$/);
    return found.startsWith('read: ') ? 'typed' : 'refused';
  }
  expect(found.names.length + found.quarantined, place).toBe(JOBS);
  expect(found.runs, place).toBeGreaterThanOrEqual(RUNS - 1 - found.quarantined * RUNS);
  const strange = found.names.filter((name) => !whole.names.includes(name)).length + found.quarantined;
  expect(strange, place).toBeLessThanOrEqual(1);
  return strange === 0 && found.runs === RUNS ? 'whole' : 'one row';
}

describe('a store with one changed byte', () => {
  test('in the header is refused or whole', async () => {
    const verdicts = new Set<string>();
    for (let at = 0; at < 100; at += 1) verdicts.add(await flipAndJudge('small', at));
    expect(verdicts).toContain('refused');
    expect(verdicts).not.toContain('one row');
  }, 60_000);

  test('in its schema, its indexes or its rows loses nothing in silence', async () => {
    const size = statSync(masterOf('small')).size;
    const seen = new Map<string, number>();
    // A prime, so that it meets the heads of pages, their pointers, their free room and their cells alike.
    for (let at = 101; at < size; at += 1_499) {
      const verdict = await flipAndJudge('small', at);
      seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
    }
    expect(seen.get('refused')).toBeGreaterThan(5);
    expect(seen.get('whole')).toBeGreaterThan(5);
  }, 120_000);

  test('in the head of any page is refused or loses nothing in silence', async () => {
    const pages = statSync(masterOf('small')).size / PAGE_BYTES;
    for (let page = 1; page < pages; page += 1) {
      for (const within of [0, 3, 8]) await flipAndJudge('small', page * PAGE_BYTES + within);
    }
  }, 120_000);

  test('above the size that is checked whole, loses nothing in silence either', async () => {
    const small = statSync(masterOf('small')).size;
    for (let at = 101; at < small; at += 14_983) await flipAndJudge('large', at);
  }, 120_000);
});

describe('what is not the store at all is refused', () => {
  const put: Record<string, [string, () => void]> = {
    'another program’s database': [
      'foreign_database',
      () => {
        const other = new DatabaseSync(file);
        other.exec('CREATE TABLE bookmarks (url TEXT); PRAGMA user_version = 1');
        other.close();
      },
    ],
    'a text': ['not_a_database', () => writeFileSync(file, 'Dear diary, '.repeat(500))],
    'random bytes': ['not_a_database', () => writeFileSync(file, Buffer.alloc(50_000, 0xa7))],
    'a folder': ['not_a_file', () => mkdirSync(file)],
    'a link to a store': ['link', () => symlinkSync(masterOf('small'), file)],
    'a link to nothing (X-46)': ['link', () => symlinkSync(join(root, 'nowhere'), file)],
    'nothing, with a marker (S-04, X-46)': ['missing', () => undefined],
    'a FIFO (S-05)': [
      'not_a_file',
      () => void (isWindows ? mkdirSync(file) : execFileSync('mkfifo', [file])),
    ],
  };
  test.each(Object.entries(put))('%s', async (_, [code, make]) => {
    rmSync(file);
    make();
    expect(await open()).toBe(code);
  });

  test('a store of a newer version', async () => {
    const newer = new DatabaseSync(file);
    newer.exec(`PRAGMA user_version = ${migrations.length + 7}; PRAGMA wal_checkpoint(TRUNCATE)`);
    newer.close();
    expect(await open()).toBe('newer_schema');
  });

  test.each(['-wal', '-shm', '-journal', '.created'])(
    'a link or a folder in place of belfry.db%s',
    async (suffix) => {
      rmSync(file + suffix, { force: true });
      symlinkSync(masterOf('small'), file + suffix);
      expect(await open()).toBe('link');
      rmSync(file + suffix);
      mkdirSync(file + suffix);
      expect(await open()).toBe('not_a_file');
    },
  );
});

describe('the log', () => {
  /** Leaves a store as a kill leaves it: five more jobs are committed, and only the log has them. */
  async function crashWithLog(): Promise<void> {
    const result = openDatabase({ file });
    if (!result.ok) throw new Error(result.error.message);
    const store = createStore(result.value);
    const numbers = [1, 2, 3, 4, 5].map((number) => JOBS + number);
    for (const number of numbers) await insertJobs(store, number);
    const folder = dirname(file);
    const copy = join(root, `crashed-${count}`);
    cpSync(folder, copy, { recursive: true });
    await store.close();
    rmSync(folder, { recursive: true });
    renameSync(copy, folder);
    chmodSync(folder, 0o700);
    rmSync(`${file}-shm`);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
  }
  const jobsIn = async (): Promise<number | string> => {
    const found = await open();
    return typeof found === 'string' ? found : found.names.length;
  };

  test('that was left by a kill is read', async () => {
    await crashWithLog();
    expect(await jobsIn()).toBe(JOBS + 5);
  });

  test('that somebody deleted takes with it what only it had, and nothing else', async () => {
    await crashWithLog();
    rmSync(`${file}-wal`);
    expect(await open()).toEqual(whole);
  });

  test('whose sums do not fit is not read', async () => {
    await crashWithLog();
    const strange = readFileSync(`${file}-wal`);
    startFrom('large');
    strange.writeUInt32BE((strange.readUInt32BE(16) ^ 0xffff) >>> 0, 16);
    writeFileSync(`${file}-wal`, strange, { mode: 0o600 });
    expect(await open()).toEqual(whole);
  });

  test('of another store never makes an empty one', async () => {
    await crashWithLog();
    const foreign = readFileSync(`${file}-wal`);
    startFrom('large');
    writeFileSync(`${file}-wal`, foreign, { mode: 0o600 });
    const found = await open();
    if (typeof found === 'string') expect(found).toMatch(/^(damaged|read: corrupt)$/);
    else expect(found.names.length + found.quarantined).toBeGreaterThanOrEqual(JOBS);
  });

  test('that was cut anywhere leaves whole transactions from the front, or is refused', async () => {
    for (const share of [0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99]) {
      startFrom('small');
      await crashWithLog();
      truncateSync(`${file}-wal`, Math.floor(statSync(`${file}-wal`).size * share));
      const found = await jobsIn();
      expect(found, String(share)).toSatisfy(
        (jobs: unknown) => Number(jobs) >= JOBS && Number(jobs) <= JOBS + 5,
      );
    }
  });

  test('with a changed byte leaves whole transactions from the front', async () => {
    startFrom('small');
    await crashWithLog();
    const bytes = readFileSync(`${file}-wal`);
    const crashed = dirname(file);
    for (let at = 3; at < bytes.length; at += Math.ceil(bytes.length / 25)) {
      count += 1;
      file = join(root, `case-${count}`, 'belfry.db');
      cpSync(crashed, dirname(file), { recursive: true });
      chmodSync(dirname(file), 0o700);
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0x10;
      writeFileSync(`${file}-wal`, changed);
      const found = await open();
      if (typeof found === 'string') throw new Error(`byte ${at}: ${found}`);
      expect(found.names.slice(0, JOBS), `byte ${at}`).toEqual(whole.names);
      expect(found.runs, `byte ${at}`).toBe(RUNS);
    }
  });
});

describe.skipIf(isWindows)('whose it is and who may read it (S-01)', () => {
  test.each(['', '-wal', '-shm', '.created'])(
    'a belfry.db%s that others may read is made private',
    async (suffix) => {
      const other = openDatabase({ file });
      if (!other.ok) throw new Error(other.error.message);
      chmodSync(file + suffix, 0o666);
      const again = openDatabase({ file });
      expect(again.ok).toBe(true);
      expect(statSync(file + suffix).mode & 0o777).toBe(0o600);
      if (again.ok) again.value.writer.close();
      other.value.writer.close();
    },
  );

  test('a folder to which everybody may write is refused and left so', async () => {
    chmodSync(dirname(file), 0o777);
    expect(await open()).toBe('open_folder');
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o777);
  });

  test.runIf(isRoot)('a folder or a file of somebody else is refused', async () => {
    chownSync(file, 12_345, 12_345);
    expect(await open()).toBe('foreign_owner');
    chownSync(file, 0, 0);
    chownSync(dirname(file), 12_345, 12_345);
    expect(await open()).toBe('foreign_owner');
  });
});
