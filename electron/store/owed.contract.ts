/** Occurrences that no calendar knows: owed once, until they are decided. Part of the contract of the Store port. */

import { beforeEach, describe, expect, test } from 'vitest';
import { BugError } from '../../shared/result';
import { toInstant } from '../../shared/time';
import type { PendingOccurrence } from '../core/ledger';
import {
  type CurrentStore,
  insertJobs,
  jobIdOf,
  jobOf,
  minute,
  runIdOf,
  scheduleIdOf,
  scheduleOf,
  skipOf,
} from './samples';

const PENDING_MAX = 100;

const chainAt = (at: number): PendingOccurrence => ({
  at: minute(at),
  trigger: 'chain',
  sourceRunId: runIdOf(at),
});

export function owedContract(current: CurrentStore): void {
  owing(current);
  chains(current);
}

function owing(current: CurrentStore): void {
  describe('what is owed', () => {
    beforeEach(() => insertJobs(current(), 1, 2));
    const add = (pending: PendingOccurrence, schedule = 1): Promise<boolean> =>
      current().transact((writer) => writer.schedules.addPending(scheduleIdOf(schedule), pending));
    const owed = async (): Promise<readonly PendingOccurrence[] | undefined> =>
      (await current().read((reader) => reader.schedules.ofJob(jobIdOf(1))))[0]?.pending;

    test('is told from old to new, with its cause, by all three ways to ask', async () => {
      const event: PendingOccurrence = { at: minute(3), trigger: 'event', sourceRunId: null };
      expect([await add(chainAt(5)), await add(event), await add(chainAt(4))]).toEqual([true, true, true]);
      expect(await owed()).toEqual([event, chainAt(4), chainAt(5)]);
      const all = await current().read((reader) => reader.schedules.active());
      expect(all.map(({ pending }) => pending.length)).toEqual([3, 0]);
    });

    test('is owed once', async () => {
      expect(await add(chainAt(5))).toBe(true);
      expect(await add({ ...chainAt(5), trigger: 'event' })).toBe(false);
      expect(await owed()).toEqual([chainAt(5)]);
      expect(await add(chainAt(5), 2)).toBe(true);
      expect(await add(chainAt(5), 9)).toBe(false);
    });

    test('is not owed again once it is decided, alone or within a range (D3)', async () => {
      await current().transact(async ({ decisions }) => {
        await decisions.insert(skipOf(minute(5)));
        await decisions.insert(skipOf(minute(10), { untilAt: minute(20), count: 11 }));
      });
      for (const at of [5, 10, 15, 20]) expect(await add(chainAt(at)), `minute ${at}`).toBe(false);
      for (const at of [4, 6, 9, 21]) expect(await add(chainAt(at)), `minute ${at}`).toBe(true);
    });

    test('goes when it is decided, and nothing else with it', async () => {
      await add(chainAt(4));
      await add(chainAt(5));
      await add(chainAt(4), 2);
      await current().transact((writer) => writer.schedules.removePending(scheduleIdOf(1), minute(4)));
      expect(await owed()).toEqual([chainAt(5)]);
      expect((await current().read((reader) => reader.schedules.ofJob(jobIdOf(2))))[0]?.pending).toHaveLength(
        1,
      );
    });

    test('has a bound, beyond which it is recorded as skipped and not lost (S-02)', async () => {
      for (let at = 1; at <= PENDING_MAX; at += 1) expect(await add(chainAt(at))).toBe(true);
      expect(await add(chainAt(PENDING_MAX + 1))).toBe(false);
      expect(await add(chainAt(5))).toBe(false);
      expect(await owed()).toHaveLength(PENDING_MAX);
      const decision = await current().read((reader) =>
        reader.decisions.at(scheduleIdOf(1), minute(PENDING_MAX + 1)),
      );
      expect(decision).toMatchObject({ kind: 'skip', reason: 'queue_full', count: 1 });
      expect(await current().read((reader) => reader.decisions.at(scheduleIdOf(1), minute(5)))).toBeNull();
    });

    test('is refused when it is nonsense (X-50)', async () => {
      const wrong = [
        { ...chainAt(1), at: Number.NaN },
        { ...chainAt(1), trigger: 'schedule' },
        { ...chainAt(1), sourceRunId: 'x' },
        { ...chainAt(1), extra: 1 },
      ];
      for (const pending of wrong) {
        await expect(add(pending as unknown as PendingOccurrence)).rejects.toBeInstanceOf(BugError);
      }
      expect(await owed()).toEqual([]);
    });
  });
}

function chains(current: CurrentStore): void {
  describe('jobs that start after another', () => {
    const startsAfter = (
      number: number,
      others: readonly number[],
      changes: Parameters<typeof jobOf>[1] = {},
    ) =>
      jobOf(number, {
        schedules: others.map((other, index) =>
          scheduleOf(number * 10 + index, { kind: 'after_job', jobId: jobIdOf(other), on: 'ended' }),
        ),
        ...changes,
      });
    beforeEach(() =>
      current().transact(async ({ jobs }) => {
        for (const job of [
          jobOf(1),
          startsAfter(2, [1]),
          startsAfter(3, [1, 2]),
          startsAfter(4, [1], { isEnabled: false }),
        ]) {
          await jobs.insert(job);
        }
      }),
    );
    const waiting = async (number: number) =>
      (await current().read((reader) => reader.schedules.waitingFor(jobIdOf(number)))).map(
        ({ scheduleId }) => scheduleId,
      );
    const pairs = async () =>
      (await current().read((reader) => reader.schedules.chains()))
        .map(({ jobId, afterJobId }) => [jobId, afterJobId])
        .sort();

    test('are found by the job that they wait for, if they are on', async () => {
      expect(await waiting(1)).toEqual([scheduleIdOf(20), scheduleIdOf(30)]);
      expect(await waiting(2)).toEqual([scheduleIdOf(31)]);
      expect(await waiting(3)).toEqual([]);
      await current().transact((writer) => writer.jobs.setDeleted(jobIdOf(2), minute(5)));
      expect(await waiting(1)).toEqual([scheduleIdOf(30)]);
    });

    test('are told as pairs, on or off, for the check against circles', async () => {
      expect(await pairs()).toEqual([
        [jobIdOf(2), jobIdOf(1)],
        [jobIdOf(3), jobIdOf(1)],
        [jobIdOf(3), jobIdOf(2)],
        [jobIdOf(4), jobIdOf(1)],
      ]);
      await current().transact((writer) => writer.jobs.setDeleted(jobIdOf(3), minute(5)));
      expect(await pairs()).toHaveLength(2);
    });

    test('follow an edit', async () => {
      const changes = { revision: 2, updatedAt: toInstant(minute(5)) };
      await current().transact(async ({ jobs }) => {
        await jobs.update(startsAfter(2, [3], changes));
        await jobs.update(startsAfter(3, [], changes));
      });
      expect(await waiting(1)).toEqual([]);
      expect(await waiting(3)).toEqual([scheduleIdOf(20)]);
      expect(await pairs()).toEqual([
        [jobIdOf(2), jobIdOf(3)],
        [jobIdOf(4), jobIdOf(1)],
      ]);
    });
  });
}
