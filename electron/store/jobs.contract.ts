/** Jobs: revisions, deletion, and what is counted for them. Part of the contract of the Store port. */

import { describe, expect, test } from 'vitest';
import { BugError } from '../../shared/result';
import type { Store } from '../ports/store';
import { type CurrentStore, insertJobs, jobIdOf, jobOf, minute, runOf, scheduleIdOf } from './samples';

export function jobContract(current: CurrentStore): void {
  storing(current);
  following(current);
}

function storing(current: CurrentStore): void {
  describe('jobs', () => {
    test('a job comes back exactly as it was stored (S-30)', async () => {
      const job = jobOf(1, {
        tags: ['home'],
        notes: 'ä\u0000“x”',
        disabledReason: 'finished',
        isEnabled: false,
      });
      await current().transact((writer) => writer.jobs.insert(job));
      expect(await current().read((reader) => reader.jobs.get(job.id))).toEqual(job);
      expect(await current().read((reader) => reader.jobs.get(jobIdOf(2)))).toBeNull();
    });

    test('a field that is no part of a job is not stored (X-70)', async () => {
      const job = { ...jobOf(1), state: 'running' };
      const insertion = current().transact((writer) => writer.jobs.insert(job));
      await expect(insertion).rejects.toBeInstanceOf(BugError);
      expect(await current().read((reader) => reader.jobs.count())).toBe(0);
    });

    test('a second job with the same id is refused and changes nothing (S-10, X-44)', async () => {
      await insertJobs(current(), 1);
      const second = current().transact((writer) => writer.jobs.insert(jobOf(1, { name: 'Other' })));
      await expect(second).rejects.toBeInstanceOf(BugError);
      expect((await current().read((reader) => reader.jobs.get(jobIdOf(1))))?.name).toBe('Job 1');
    });

    test('the list is sorted by name and knows no deleted job', async () => {
      await current().transact(async (writer) => {
        for (const [number, name] of ['b', 'C', 'a', 'D'].entries()) {
          await writer.jobs.insert(jobOf(number, { name }));
        }
        await writer.jobs.setDeleted(jobIdOf(3), minute(1));
      });
      const { names, count } = await current().read(async (reader) => ({
        names: (await reader.jobs.list()).map((job) => job.name),
        count: await reader.jobs.count(),
      }));
      expect(names).toEqual(['a', 'b', 'C']);
      expect(count).toBe(3);
    });

    test('an edit makes the next revision, and the earlier one can still be read', async () => {
      await insertJobs(current(), 1);
      const edited = jobOf(1, { revision: 2, name: 'Renamed', updatedAt: minute(5) });
      expect(await current().transact((writer) => writer.jobs.update(edited))).toBe(true);
      await current().read(async (reader) => {
        expect(await reader.jobs.get(edited.id)).toEqual(edited);
        expect(await reader.jobs.atRevision(edited.id, 1)).toEqual(jobOf(1));
        expect(await reader.jobs.atRevision(edited.id, 3)).toBeNull();
      });
    });
  });
}

function following(current: CurrentStore): void {
  describe('changes and statistics of jobs', () => {
    test('an edit of any but the current revision is refused (X-78)', async () => {
      await insertJobs(current(), 1);
      const edit = jobOf(1, { revision: 2, name: 'First' });
      const done = await current().transact(async (writer) => [
        await writer.jobs.update({ ...edit, revision: 3 }),
        await writer.jobs.update(edit),
        await writer.jobs.update({ ...edit, name: 'Second' }),
      ]);
      expect(done).toEqual([false, true, false]);
      expect((await current().read((reader) => reader.jobs.get(edit.id)))?.name).toBe('First');
    });

    test('a deleted job can be read and brought back, once', async () => {
      await insertJobs(current(), 1);
      const done = await current().transact(async (writer) => [
        await writer.jobs.setDeleted(jobIdOf(1), minute(3)),
        await writer.jobs.setDeleted(jobIdOf(1), minute(4)),
        await writer.jobs.setDeleted(jobIdOf(2), minute(4)),
      ]);
      expect(done).toEqual([true, false, false]);
      expect((await current().read((reader) => reader.jobs.get(jobIdOf(1))))?.deletedAt).toBe(minute(3));
      const back = await current().transact(async (writer) => [
        await writer.jobs.restore(jobIdOf(1), minute(5)),
        await writer.jobs.restore(jobIdOf(1), minute(6)),
      ]);
      expect(back).toEqual([true, false]);
      expect(await current().read((reader) => reader.jobs.list())).toEqual([jobOf(1)]);
    });

    test('the change number changes with every change of a job and with nothing else', async () => {
      const number = (): Promise<number> => current().read((reader) => reader.jobs.changeNumber());
      const seen = [await number()];
      const steps: ((store: Store) => Promise<unknown>)[] = [
        (store) => insertJobs(store, 1),
        (store) => store.transact((writer) => writer.jobs.update(jobOf(1, { revision: 2 }))),
        (store) => store.transact((writer) => writer.jobs.setDeleted(jobIdOf(1), minute(1))),
        (store) => store.transact((writer) => writer.jobs.restore(jobIdOf(1), minute(2))),
      ];
      for (const step of steps) {
        await step(current());
        seen.push(await number());
      }
      expect(new Set(seen).size).toBe(5);
      await current().transact(async (writer) => {
        await writer.jobs.setSeen(jobIdOf(1), minute(3));
        await writer.runs.insert(runOf(1));
        await writer.schedules.setWatermark(scheduleIdOf(1), minute(9));
      });
      expect(await number()).toBe(seen.at(-1));
    });

    test('a new job has empty statistics, and so has an unknown one', async () => {
      await insertJobs(current(), 1);
      const empty = { runCount: 0, slots: [], lastRunAt: null, seenAt: null, newestAt: null };
      await current().read(async (reader) => {
        expect(await reader.jobs.stats(jobIdOf(1))).toEqual({ jobId: jobIdOf(1), ...empty });
        expect(await reader.jobs.stats(jobIdOf(2))).toEqual({ jobId: jobIdOf(2), ...empty });
        expect([...(await reader.jobs.allStats()).keys()]).toEqual([jobIdOf(1)]);
      });
      await current().transact((writer) => writer.jobs.setSeen(jobIdOf(1), minute(7)));
      expect((await current().read((reader) => reader.jobs.stats(jobIdOf(1)))).seenAt).toBe(minute(7));
    });
  });
}
