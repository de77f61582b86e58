/** Transactions and snapshots: all or nothing, one at a time, and no way to hang. Part of the contract of the Store port. */

import { describe, expect, test, vi } from 'vitest';
import { BugError } from '../../shared/result';
import { type CurrentStore, insertJobs, jobIdOf, jobOf } from './samples';

export function transactionContract(current: CurrentStore): void {
  isolation(current);
  turns(current);
}

function isolation(current: CurrentStore): void {
  describe('transactions', () => {
    test('an exception undoes everything and is thrown on', async () => {
      const failure = new Error('no');
      const failing = current().transact(async (writer) => {
        await writer.jobs.insert(jobOf(1));
        throw failure;
      });
      await expect(failing).rejects.toBe(failure);
      expect(await current().read((reader) => reader.jobs.count())).toBe(0);
      await insertJobs(current(), 1);
      expect(await current().read((reader) => reader.jobs.count())).toBe(1);
    });

    test('transactions never interleave, whatever they wait for', async () => {
      const order: string[] = [];
      await Promise.all(
        [1, 2, 3].map((number) =>
          current().transact(async (writer) => {
            order.push(`begin ${number}`);
            await writer.jobs.insert(jobOf(number));
            await new Promise((proceed) => setImmediate(proceed));
            order.push(`count ${await writer.jobs.count()}`);
          }),
        ),
      );
      expect(order).toEqual(['begin 1', 'count 1', 'begin 2', 'count 2', 'begin 3', 'count 3']);
    });
  });
}

function turns(current: CurrentStore): void {
  describe('turns', () => {
    test('a read is a snapshot, and the next read sees what was committed', async () => {
      await insertJobs(current(), 1);
      let enter = (): void => undefined;
      let leave = (): void => undefined;
      const entered = new Promise<void>((resolve) => {
        enter = resolve;
      });
      const mayLeave = new Promise<void>((resolve) => {
        leave = resolve;
      });
      const reading = current().read(async (reader) => {
        const before = await reader.jobs.count();
        enter();
        await mayLeave;
        return [before, await reader.jobs.count()];
      });
      await entered;
      const writing = insertJobs(current(), 2);
      await new Promise((proceed) => setImmediate(proceed));
      leave();
      await writing;
      expect(await reading).toEqual([1, 1]);
      expect(await current().read((reader) => reader.jobs.count())).toBe(2);
    });

    test('a transaction or a read inside a transaction is a bug, and does not wait for itself', async () => {
      await current().transact(async () => {
        await expect(current().transact(async () => undefined)).rejects.toBeInstanceOf(BugError);
        await expect(current().read(async () => undefined)).rejects.toBeInstanceOf(BugError);
      });
    });

    test('what is started by a transaction and goes on after it may use the store', async () => {
      let later: Promise<number> | undefined;
      await current().transact(async () => {
        later = new Promise((proceed) => setTimeout(proceed, 0)).then(() =>
          current().read((reader) => reader.jobs.count()),
        );
      });
      expect(await later).toBe(0);
    });

    test('a writer and a reader that outlive their turn throw', async () => {
      const writer = await current().transact(async (handle) => handle);
      const reader = await current().read(async (handle) => handle);
      await expect(writer.jobs.insert(jobOf(1))).rejects.toBeInstanceOf(BugError);
      await expect(reader.jobs.count()).rejects.toBeInstanceOf(BugError);
      expect(await current().read((handle) => handle.jobs.count())).toBe(0);
    });

    test('a transaction that never ends is cut off, and neither reads nor writes wait for it for ever', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        const stuck = current().transact(async (writer) => {
          await writer.jobs.insert(jobOf(1));
          return new Promise<never>(() => undefined);
        });
        const outcome = expect(stuck).rejects.toMatchObject({ name: 'StoreError', code: 'busy' });
        const next = insertJobs(current(), 2);
        const read = current().read((reader) => reader.jobs.get(jobIdOf(1)));
        await vi.advanceTimersByTimeAsync(10_000);
        await outcome;
        await next;
        expect(await read).toBeNull();
        expect(await current().read((reader) => reader.jobs.count())).toBe(1);
      } finally {
        vi.useRealTimers();
      }
    });

    test('work that was cut off lands nothing later, neither what it wrote before nor what it writes afterwards (X-33)', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        let goOn = (): void => undefined;
        const pause = new Promise<void>((resolve) => {
          goOn = resolve;
        });
        let late: Promise<unknown> = Promise.resolve();
        const slow = current().transact((writer) => {
          late = (async () => {
            await writer.jobs.insert(jobOf(1));
            await pause;
            await writer.jobs.insert(jobOf(2));
          })();
          return late;
        });
        const outcome = expect(slow).rejects.toMatchObject({ name: 'StoreError', code: 'busy' });
        await vi.advanceTimersByTimeAsync(10_000);
        await outcome;
        // Somebody else's transaction is open while the late one goes on.
        await current().transact(async (writer) => {
          await writer.jobs.insert(jobOf(3));
          goOn();
          await expect(late).rejects.toBeInstanceOf(BugError);
        });
        const names = await current().read(async (reader) =>
          (await reader.jobs.list()).map(({ name }) => name),
        );
        expect(names).toEqual([jobOf(3).name]);
      } finally {
        vi.useRealTimers();
      }
    });

    test('a closed store refuses everything, and closing twice is harmless', async () => {
      const last = insertJobs(current(), 1);
      await current().close();
      await last;
      await current().close();
      await expect(current().read((reader) => reader.jobs.count())).rejects.toBeInstanceOf(BugError);
      await expect(insertJobs(current(), 2)).rejects.toBeInstanceOf(BugError);
    });
  });
}
