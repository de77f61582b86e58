/** Files that are moved, replaced or deleted under an open store: from then on it neither reads nor writes. */

import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../ports/store';
import { openDatabase } from './database';
import { insertJobs, minute } from './samples';
import { createStore } from './store';

let root = '';
let folder = '';
let file = '';
let store: Store;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'belfry-place-'));
  folder = join(root, 'data');
  file = join(folder, 'belfry.db');
  store = openedStore();
  await insertJobs(store, 1);
});
afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

function openedStore(): Store {
  const database = openDatabase({ file });
  if (!database.ok) throw new Error(database.error.message);
  return createStore(database.value);
}

const write = (): Promise<void> => store.transact((writer) => writer.settings.setAliveAt(minute(1)));
const read = (): Promise<number> => store.read((reader) => reader.jobs.count());

/** Puts a copy in place of the store, as a person does who restores a backup. */
function replaceByCopy(): void {
  copyFileSync(file, join(root, 'copy'));
  renameSync(join(root, 'copy'), file);
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix);
}

// Windows does not let anybody move or delete a file that is open.
describe.skipIf(process.platform === 'win32')('an open store (H-02, D11)', () => {
  test.each([
    ['whose file was replaced by a copy', replaceByCopy],
    [
      'whose file alone was replaced',
      () => {
        copyFileSync(file, `${file}.new`);
        renameSync(`${file}.new`, file);
      },
    ],
    ['whose file was deleted', () => rmSync(file)],
    ['whose file was moved', () => renameSync(file, join(root, 'elsewhere.db'))],
    [
      'whose file was moved and a link left',
      () => {
        renameSync(file, join(root, 'elsewhere.db'));
        symlinkSync(join(root, 'elsewhere.db'), file);
      },
    ],
    ['whose log was deleted', () => rmSync(`${file}-wal`)],
    ['whose shared memory was deleted', () => rmSync(`${file}-shm`)],
    ['whose folder was deleted', () => rmSync(folder, { recursive: true })],
    ['whose folder was moved', () => renameSync(folder, join(root, 'elsewhere'))],
  ])('%s neither reads nor writes, and makes nothing anew', async (_, change) => {
    await read();
    change();
    const before = existsSync(folder) ? readdirSync(folder) : null;
    for (const access of [write, read, write]) {
      await expect(access()).rejects.toMatchObject({ name: 'StoreError', code: 'replaced' });
    }
    await store.close();
    expect(existsSync(folder) ? readdirSync(folder) : null).toEqual(before);
  });

  test('does not commit what was under way while its file was replaced', async () => {
    const outcome = store.transact(async (writer) => {
      await writer.settings.setAliveAt(minute(1));
      replaceByCopy();
    });
    await expect(outcome).rejects.toMatchObject({ code: 'replaced' });
    const other = openedStore();
    expect(await other.read((reader) => reader.settings.aliveAt())).toBeNull();
    await other.close();
  });

  test('does not trust a file that comes back', async () => {
    renameSync(file, join(root, 'elsewhere.db'));
    await expect(write()).rejects.toMatchObject({ code: 'replaced' });
    renameSync(join(root, 'elsewhere.db'), file);
    await expect(write()).rejects.toMatchObject({ code: 'replaced' });
  });

  test('leaves the one that took its place to whoever opened that', async () => {
    replaceByCopy();
    const other = openedStore();
    await insertJobs(other, 2);
    const log = readFileSync(`${file}-wal`);
    await store.close();
    expect(readFileSync(`${file}-wal`)).toEqual(log);
    await insertJobs(other, 3);
    await other.close();
  });

  test('is not mistaken for another one by its own work or by a neighbour that comes and goes', async () => {
    for (const number of [2, 3, 4]) {
      const other = openedStore();
      await insertJobs(other, number);
      await other.close();
      await write();
    }
    expect(await read()).toBe(4);
  });
});
