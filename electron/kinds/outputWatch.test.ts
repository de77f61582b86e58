import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchOutput } from './outputWatch';

let folder = '';
let pending: { delayMs: number; wake: () => void } | null = null;
const looks: string[] = [];
let grown = 0;
let stop = (): void => {};

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-watch-'));
  fs.writeFileSync(path.join(folder, 'stdout'), '');
  fs.writeFileSync(path.join(folder, 'stderr'), '');
  looks.length = 0;
  grown = 0;
  stop = watchOutput({
    folder,
    quietMs: 1_000,
    timer: {
      after: (delayMs, wake) => {
        const one = { delayMs, wake };
        pending = one;
        return () => {
          if (pending === one) pending = null;
        };
      },
    },
    look: (cause, first) => {
      looks.push(`${cause} ${first}`);
      return grown;
    },
  });
});
afterEach(() => {
  stop();
  fs.rmSync(folder, { recursive: true });
});

const append = (name: string): void => fs.appendFileSync(path.join(folder, name), 'x');
const sees = (look: string): Promise<void> =>
  vi.waitFor(() => expect(looks).toContain(look), { timeout: 10_000, interval: 5 });
/** Lets the clock do the next tick. */
function tick(): void {
  const next = pending;
  pending = null;
  next?.wake();
}

test('looks as soon as a stream grows, that stream first, without waiting for the clock', async () => {
  append('stderr');
  await sees('notice stderr');
  expect(looks).not.toContain('notice stdout');
  append('stdout');
  await sees('notice stdout');
  expect(pending?.delayMs).toBe(100);
});

test('looks when the result comes, and not for our own files', async () => {
  append('index');
  append('stdout.copy0');
  append('result');
  await sees('notice stdout');
  expect(looks.length).toBeLessThanOrEqual(2);
});

test('is quiet while nothing happens, quick while something does, and quicker in a flood', async () => {
  tick();
  expect([looks, pending?.delayMs]).toEqual([['tick stdout'], 1_000]);
  grown = 10;
  tick();
  expect(pending?.delayMs).toBe(100);
  grown = 2 * 1024 * 1024;
  tick();
  expect(pending?.delayMs).toBe(20);
  grown = 0;
  tick();
  expect(pending?.delayMs).toBe(1_000);
});

test('too many notices within a tick are given up until it is quiet again (C-090)', async () => {
  // Two files in turn, because the system folds equal notices into one.
  while (looks.length < 201) {
    append('stdout');
    append('stderr');
    await new Promise(setImmediate);
  }
  const before = looks.length;
  append('stdout');
  await new Promise<void>((resolve) => {
    const watcher = fs.watch(folder, () => {
      watcher.close();
      resolve();
    });
    append('stderr');
  });
  expect(looks.length).toBe(before);
  tick();
  expect(pending?.delayMs).toBe(100);
  tick();
  expect(pending?.delayMs).toBe(1_000);
  looks.length = 0;
  append('stdout');
  await sees('notice stdout');
});

test('looks no more once it is stopped', async () => {
  stop();
  expect(pending).toBeNull();
  const heard = new Promise<void>((resolve) => {
    const watcher = fs.watch(folder, () => {
      watcher.close();
      resolve();
    });
  });
  append('stdout');
  await heard;
  expect(looks).toEqual([]);
});

test('works by the clock alone where the folder cannot be watched', () => {
  const other: string[] = [];
  let wake = (): void => {};
  const end = watchOutput({
    folder: path.join(folder, 'missing'),
    quietMs: 1_000,
    timer: {
      after: (_, next) => {
        wake = next;
        return () => {};
      },
    },
    look: (cause) => {
      other.push(cause);
      return 0;
    },
  });
  wake();
  wake();
  end();
  expect(other).toEqual(['tick', 'tick']);
});
