/**
 * A disk that really is full, and one that really is read-only: a small file system of its own, where the test may mount one.
 * Elsewhere bounds.test.ts and failures.test.ts show the same through the bound of the store.
 */

import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../ports/store';
import { openDatabase } from './database';
import { insertJobs, jobOf } from './samples';
import { createStore } from './store';

let root = '';
let disk = '';
let store: Store | null = null;

function mount(...options: string[]): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', options.join(','), 'tmpfs', disk], { stdio: 'pipe' });
}

function mayMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  disk = mkdtempSync(join(tmpdir(), 'belfry-may-mount-'));
  try {
    mount('size=64k');
    execFileSync('umount', [disk], { stdio: 'pipe' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'status' in error) return false;
    throw error;
  } finally {
    rmSync(disk, { recursive: true, force: true });
  }
}

describe.runIf(mayMount())('on a disk of its own', () => {
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'belfry-full-'));
    disk = join(root, 'disk');
    mkdirSync(disk);
    mount('size=3m', 'mode=700');
  });
  afterEach(async () => {
    try {
      await store?.close();
    } finally {
      store = null;
      // Lazily, because SQLite lets go of its files only when they are collected.
      execFileSync('umount', ['-l', disk], { stdio: 'pipe' });
      rmSync(root, { recursive: true, force: true });
    }
  });

  function opened() {
    const result = openDatabase({ file: join(disk, 'belfry.db') });
    if (!result.ok) throw new Error(result.error.message);
    store = createStore(result.value);
    return { store, writer: result.value.writer };
  }

  /** Takes all the room that there is. */
  function fillDisk(): void {
    for (const size of [65_536, 4_096, 512]) {
      for (;;) {
        try {
          appendFileSync(join(disk, 'ballast'), Buffer.alloc(size, 1));
        } catch (error) {
          expect(error).toMatchObject({ code: 'ENOSPC' });
          break;
        }
      }
    }
  }

  const addMuch = (own: Store, first: number): Promise<void> =>
    own.transact(async ({ jobs }) => {
      for (let number = first; number < first + 20; number += 1) {
        await jobs.insert(jobOf(number, { notes: 'x'.repeat(9_000) }));
      }
    });
  const count = (own: Store): Promise<number> => own.read(({ jobs }) => jobs.count());

  test('that is full, changes fail as such, nothing is lost, and they work again once there is room', async () => {
    const { store: own, writer } = opened();
    await insertJobs(own, 1, 2);
    fillDisk();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(addMuch(own, 100)).rejects.toMatchObject({ name: 'StoreError', code: 'full' });
      expect(await count(own)).toBe(2);
    }
    rmSync(join(disk, 'ballast'));
    await addMuch(own, 100);
    expect(await count(own)).toBe(22);
    expect(writer.pragma('integrity_check')).toBe('ok');
  });

  test('that fills up at any moment leaves every change whole or undone', async () => {
    const { store: own, writer } = opened();
    let done = 0;
    for (let number = 1; ; number += 1) {
      try {
        await own.transact(({ jobs }) => jobs.insert(jobOf(number, { notes: 'x'.repeat(9_000) })));
        done += 1;
      } catch (error) {
        expect(error).toMatchObject({ name: 'StoreError', code: 'full' });
        break;
      }
    }
    expect(done).toBeGreaterThan(20);
    expect(await count(own)).toBe(done);
    expect(writer.pragma('quick_check')).toBe('ok');
  });

  test('that is full cannot be opened on for the first time, and can later', () => {
    fillDisk();
    const first = openDatabase({ file: join(disk, 'belfry.db') });
    expect(first).toMatchObject({ ok: false, error: { code: 'unreadable' } });
    rmSync(join(disk, 'ballast'));
    opened();
  });

  test('that is read-only is refused with a word, and works once it may be written again', async () => {
    // Made elsewhere: a file that is open for writing keeps a disk from being remounted.
    const elsewhere = join(root, 'elsewhere', 'belfry.db');
    const made = openDatabase({ file: elsewhere });
    if (!made.ok) throw new Error(made.error.message);
    const first = createStore(made.value);
    await insertJobs(first, 1);
    await first.close();
    for (const suffix of ['', '.created']) copyFileSync(elsewhere + suffix, join(disk, `belfry.db${suffix}`));
    remount('ro');
    const refused = openDatabase({ file: join(disk, 'belfry.db') });
    expect(refused).toMatchObject({ ok: false, error: { code: 'unreadable' } });
    expect(readdirSync(disk).sort()).toEqual(['belfry.db', 'belfry.db.created']);
    remount('rw');
    const { store: own } = opened();
    await insertJobs(own, 2);
    expect(await count(own)).toBe(2);
  });

  const remount = (how: 'ro' | 'rw'): void => {
    execFileSync('mount', ['-o', `remount,${how}`, disk], { stdio: 'pipe' });
  };
});
