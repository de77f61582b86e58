/** Schedules: a watermark never moves back, and no edit fires anything old (D3). Part of the contract of the Store port. */

import { describe, expect, test } from 'vitest';
import { everyDay } from '../../shared/model/dates';
import { BugError } from '../../shared/result';
import type { Instant } from '../../shared/time';
import type { Store } from '../ports/store';
import {
  type CurrentStore,
  hourly,
  insertJobs,
  jobIdOf,
  jobOf,
  minute,
  nightly,
  scheduleIdOf,
  scheduleOf,
  skipOf,
} from './samples';

const owed = { at: minute(0), trigger: 'creation', sourceRunId: null } as const;

export function scheduleContract(current: CurrentStore): void {
  watermarks(current);
  edits(current);
}

const watermarksOf = async (store: Store): Promise<Record<string, Instant>> => {
  const states = await store.read((reader) => reader.schedules.active());
  return Object.fromEntries(states.map((state) => [state.scheduleId, state.watermarkAt]));
};

function watermarks(current: CurrentStore): void {
  describe('schedules', () => {
    test('a new schedule has everything up to its creation decided (D3)', async () => {
      await insertJobs(current(), 1);
      expect(await current().read((reader) => reader.schedules.active())).toEqual([
        {
          scheduleId: scheduleIdOf(1),
          jobId: jobIdOf(1),
          rule: hourly,
          createdAt: minute(0),
          activeSince: minute(0),
          watermarkAt: minute(0),
          pending: [],
          dates: everyDay,
          lastEndedAt: null,
        },
      ]);
    });

    test('schedules of jobs that are off or deleted are not active', async () => {
      await current().transact(async (writer) => {
        for (const number of [1, 2, 3]) await writer.jobs.insert(jobOf(number, { isEnabled: number !== 2 }));
        await writer.jobs.setDeleted(jobIdOf(3), minute(1));
      });
      expect(Object.keys(await watermarksOf(current()))).toEqual([scheduleIdOf(1)]);
      await current().read(async (reader) => {
        expect(await reader.schedules.ofJob(jobIdOf(1))).toHaveLength(1);
        expect(await reader.schedules.ofJob(jobIdOf(2))).toEqual([]);
        expect(await reader.schedules.ofJob(jobIdOf(9))).toEqual([]);
      });
    });

    test('a watermark never moves back', async () => {
      await insertJobs(current(), 1);
      for (const at of [minute(10), minute(5)]) {
        await current().transact((writer) => writer.schedules.setWatermark(scheduleIdOf(1), at));
      }
      expect(await watermarksOf(current())).toEqual({ [scheduleIdOf(1)]: minute(10) });
    });

    test('once the clock went back, what is owed grows from there until the clock has passed the watermark', async () => {
      await insertJobs(current(), 1);
      const owed = () =>
        current().transact(async (writer) => (await writer.schedules.active())[0]?.owedSince ?? null);
      const move = (at: number) =>
        current().transact((writer) => writer.schedules.setWatermark(scheduleIdOf(1), minute(at)));
      await move(60);
      await current().transact((writer) => writer.schedules.rewind(minute(60)));
      expect(await owed()).toBeNull();
      await current().transact((writer) => writer.schedules.rewind(minute(30)));
      expect(await owed()).toBe(minute(30));
      await move(40);
      expect(await owed()).toBe(minute(40));
      await current().transact((writer) => writer.schedules.rewind(minute(50)));
      expect(await owed()).toBe(minute(40));
      await current().transact((writer) => writer.schedules.rewind(minute(20)));
      expect(await owed()).toBe(minute(20));
      expect(await watermarksOf(current())).toEqual({ [scheduleIdOf(1)]: minute(60) });
      await move(60);
      expect(await owed()).toBeNull();
    });

    test('what is owed beyond the moment that the clock went back to is owed then', async () => {
      await insertJobs(current(), 1);
      const pending = { at: minute(30), trigger: 'event', sourceRunId: null } as const;
      await current().transact((writer) => writer.schedules.addPending(scheduleIdOf(1), pending));
      await current().transact((writer) => writer.schedules.rewind(minute(10)));
      const [state] = await current().read((reader) => reader.schedules.active());
      expect(state?.pending).toEqual([{ ...pending, at: minute(10) }]);
    });

    test('a watermark of a schedule that does not exist is a bug', async () => {
      const move = current().transact((writer) => writer.schedules.setWatermark(scheduleIdOf(1), minute(1)));
      await expect(move).rejects.toBeInstanceOf(BugError);
    });
  });
}

function edits(current: CurrentStore): void {
  describe('schedules of jobs that are edited', () => {
    const edit = (changes: Parameters<typeof jobOf>[1]): Promise<boolean> =>
      current().transact((writer) => writer.jobs.update(jobOf(1, changes)));

    test('an edit that leaves a rule alone leaves its watermark alone', async () => {
      await insertJobs(current(), 1);
      await current().transact((writer) => writer.schedules.setWatermark(scheduleIdOf(1), minute(10)));
      await edit({ revision: 2, name: 'Renamed', updatedAt: minute(20) });
      expect(await watermarksOf(current())).toEqual({ [scheduleIdOf(1)]: minute(10) });
    });

    test('a changed rule and a new schedule start at the edit, and fire nothing old (D3)', async () => {
      await insertJobs(current(), 1);
      await current().transact((writer) => writer.schedules.addPending(scheduleIdOf(1), owed));
      const schedules = [scheduleOf(1, nightly), scheduleOf(11)];
      await edit({ revision: 2, schedules, updatedAt: minute(20) });
      const states = await current().read((reader) => reader.schedules.active());
      expect(states.map((state) => [state.scheduleId, state.rule, state.watermarkAt])).toEqual([
        [scheduleIdOf(1), nightly, minute(20)],
        [scheduleIdOf(11), hourly, minute(20)],
      ]);
      expect(states[0]?.pending).toEqual([]);
    });

    test('a removed schedule is no longer active, and starts anew when it comes back', async () => {
      await insertJobs(current(), 1);
      await current().transact((writer) => writer.decisions.insert(skipOf(minute(1))));
      await edit({ revision: 2, schedules: [], updatedAt: minute(20) });
      expect(await watermarksOf(current())).toEqual({});
      expect(
        await current().read((reader) => reader.decisions.at(scheduleIdOf(1), minute(1))),
      ).not.toBeNull();
      await edit({ revision: 3, updatedAt: minute(30) });
      expect(await watermarksOf(current())).toEqual({ [scheduleIdOf(1)]: minute(30) });
    });

    test('switching a job on makes up nothing of the time it was off (S-35, X-63)', async () => {
      await insertJobs(current(), 1);
      await edit({ revision: 2, isEnabled: false, updatedAt: minute(10) });
      await edit({ revision: 3, isEnabled: true, updatedAt: minute(500) });
      expect(await watermarksOf(current())).toEqual({ [scheduleIdOf(1)]: minute(500) });
    });

    test('switching a job off forgets the creation minute it still owed (S-35)', async () => {
      await insertJobs(current(), 1);
      await current().transact((writer) => writer.schedules.addPending(scheduleIdOf(1), owed));
      await edit({ revision: 2, isEnabled: false, updatedAt: minute(1) });
      await edit({ revision: 3, updatedAt: minute(2) });
      expect((await current().read((reader) => reader.schedules.active()))[0]?.pending).toEqual([]);
    });

    test('bringing a deleted job back makes up nothing of the time it was gone (D3)', async () => {
      await insertJobs(current(), 1);
      await current().transact((writer) => writer.jobs.setDeleted(jobIdOf(1), minute(10)));
      await current().transact((writer) => writer.jobs.restore(jobIdOf(1), minute(500)));
      expect(await watermarksOf(current())).toEqual({ [scheduleIdOf(1)]: minute(500) });
    });
  });
}
