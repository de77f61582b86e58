/**
 * Runs that wait, are tried again, stand for more than one occurrence, or are taken back before they began. Part of the
 * contract of the Store port.
 */

import { beforeEach, describe, expect, test } from 'vitest';
import type { Wait } from '../../shared/model/condition';
import { type Run, WAITS_MAX } from '../../shared/model/run';
import { BugError } from '../../shared/result';
import { toInstant } from '../../shared/time';
import {
  attemptIdOf,
  type CurrentStore,
  endOf,
  fence,
  insertJobs,
  jobIdOf,
  jobOf,
  minute,
  runIdOf,
  runOf,
  runThrough,
  scheduleIdOf,
  skipOf,
  takeLease,
} from './samples';

/** Planned for the minute of its number, of schedule 1. */
const plannedOf = (number: number, changes: Partial<Run> = {}): Run =>
  runOf(number, {
    trigger: 'schedule',
    scheduleId: scheduleIdOf(1),
    plannedAt: minute(number),
    ...changes,
  });

const startDecision = (number: number) =>
  skipOf(minute(number), { kind: 'run', reason: 'on_time', runId: runIdOf(number) });

const waitFor = (number: number, changes: Partial<Wait> = {}): Wait => ({
  kind: 'network',
  detail: null,
  since: minute(number),
  until: minute(number + 3),
  otherwise: 'skip',
  endedAt: null,
  end: null,
  ...changes,
});

export function waitingRunContract(current: CurrentStore): void {
  waits(current);
  retries(current);
  withdrawals(current);
  lookups(current);
}

const rigOf = (current: CurrentStore) => ({
  get: (number: number) => current().read((reader) => reader.runs.get(runIdOf(number))),
  insert: (...runs: Run[]): Promise<void> =>
    current().transact(async (writer) => {
      for (const run of runs) await writer.runs.insert(run);
    }),
  begin: (number: number, attempt = 1) =>
    current().transact((writer) =>
      writer.runs.begin(
        {
          runId: runIdOf(number),
          attemptId: attemptIdOf(number * 10 + attempt),
          number: attempt,
          startedAt: minute(number + attempt - 1),
        },
        fence,
      ),
    ),
});

function waits(current: CurrentStore): void {
  describe('a run that waits', () => {
    const { get, insert, begin } = rigOf(current);
    beforeEach(async () => {
      await insertJobs(current(), 1);
      await takeLease(current());
    });

    test('keeps what it waited for, and a list shows the wait that goes on', async () => {
      await insert(plannedOf(1));
      const over = waitFor(1, {
        kind: 'host_answers',
        detail: 'nas.local:22',
        endedAt: minute(2),
        end: 'met',
      });
      await current().transact((writer) => writer.runs.setWaits(runIdOf(1), [over, waitFor(2)]));
      expect((await get(1))?.waits).toEqual([over, waitFor(2)]);
      const listed = () =>
        current().read(async ({ runs }) => (await runs.activeByJob()).get(jobIdOf(1))?.wait);
      expect(await listed()).toEqual(waitFor(2));
      await current().transact((writer) => writer.runs.setWaits(runIdOf(1), [over]));
      expect(await listed()).toBeNull();
    });

    test('has a bound on what it waited for, and a wait that is nonsense is refused (S-02, X-50)', async () => {
      await insert(plannedOf(1));
      const set = (list: readonly Wait[]) =>
        current().transact((writer) => writer.runs.setWaits(runIdOf(1), list));
      const longest = Array.from({ length: WAITS_MAX }, (_, at) =>
        waitFor(at, { detail: '\u0001'.repeat(300) }),
      );
      await set(longest);
      expect((await get(1))?.waits).toEqual(longest);
      await expect(set([...longest, waitFor(99)])).rejects.toBeInstanceOf(BugError);
      await expect(set([waitFor(1, { detail: 'x'.repeat(301) })])).rejects.toBeInstanceOf(BugError);
      await expect(set([{ ...waitFor(1), extra: 1 } as Wait])).rejects.toBeInstanceOf(BugError);
      expect((await get(1))?.waits).toEqual(longest);
    });

    test('has an earliest start that can be moved and taken away while it is queued', async () => {
      await insert(plannedOf(1, { notBeforeAt: minute(2), attemptsMax: 4 }));
      expect(await get(1)).toMatchObject({ notBeforeAt: minute(2), attemptsMax: 4 });
      const set = (at: ReturnType<typeof minute> | null) =>
        current().transact((writer) => writer.runs.setNotBefore(runIdOf(1), at));
      await set(minute(9));
      expect((await get(1))?.notBeforeAt).toBe(minute(9));
      await set(null);
      expect((await get(1))?.notBeforeAt).toBeNull();
      await begin(1);
      await set(minute(9));
      expect((await get(1))?.notBeforeAt).toBeNull();
    });

    test('can stand for more occurrences only as long as it is queued', async () => {
      await insert(plannedOf(1, { mergedCount: 2 }));
      const add = (count: number) => current().transact((writer) => writer.runs.addMerged(runIdOf(1), count));
      expect(await add(3)).toBe(true);
      expect((await get(1))?.mergedCount).toBe(5);
      for (const count of [0, -1, 0.5, Number.NaN]) await expect(add(count)).rejects.toBeInstanceOf(BugError);
      await begin(1);
      expect(await add(1)).toBe(false);
    });

    test('is closed unstarted with the reason, and leaves its mark', async () => {
      await insert(plannedOf(1), plannedOf(2));
      const end = {
        outcome: 'failed',
        reason: 'condition_not_met',
        detail: 'No network',
        endedAt: minute(5),
      } as const;
      expect(await current().transact((writer) => writer.runs.closeQueued(runIdOf(1), end))).toBe(true);
      expect(await get(1)).toMatchObject({
        ...{ state: 'finished', outcome: 'failed', reason: 'condition_not_met', detail: 'No network' },
        ...{ startedAt: null, endedAt: minute(5), durationMs: null },
      });
      const stats = await current().read((reader) => reader.jobs.stats(jobIdOf(1)));
      expect(stats.slots).toEqual([{ mark: 'f', durationMs: null }]);
      expect(await current().transact((writer) => writer.runs.closeQueued(runIdOf(1), end))).toBe(false);
    });
  });
}

function retries(current: CurrentStore): void {
  describe('a run that is tried again', () => {
    const { get, insert, begin } = rigOf(current);
    beforeEach(async () => {
      await insertJobs(current(), 1);
      await takeLease(current());
      await insert(plannedOf(1, { attemptsMax: 2 }));
      await begin(1);
    });
    const failed = {
      runId: runIdOf(1),
      attemptId: attemptIdOf(11),
      outcome: 'failed',
      reason: 'exit_code',
      exitCode: 3,
      signal: null,
      endedAt: minute(2),
      notBeforeAt: minute(7),
    } as const;
    const attempts = () => current().read((reader) => reader.runs.attempts(runIdOf(1)));

    test('waits for its next attempt, keeps those before, and ends once', async () => {
      expect(await current().transact((writer) => writer.runs.requeue(failed, fence))).toBe(true);
      expect(await get(1)).toMatchObject({ state: 'queued', attemptCount: 1, notBeforeAt: minute(7) });
      expect(await current().read(({ runs }) => runs.activeByJob())).toEqual(
        new Map([
          [
            jobIdOf(1),
            {
              ...{ state: 'queued', queuedAt: minute(1), startedAt: minute(1), notBeforeAt: minute(7) },
              ...{ attemptCount: 1, attemptsMax: 2, wait: null },
            },
          ],
        ]),
      );
      await begin(1, 2);
      await current().transact((writer) =>
        writer.runs.finish(endOf(1, { attemptId: attemptIdOf(12), endedAt: minute(9) }), fence),
      );
      const open = { lateResult: null, signal: null };
      expect(await attempts()).toEqual([
        {
          ...{ ...open, id: attemptIdOf(11), number: 1, startedAt: minute(1), endedAt: minute(2) },
          ...{ outcome: 'failed', reason: 'exit_code', exitCode: 3 },
        },
        {
          ...{ ...open, id: attemptIdOf(12), number: 2, startedAt: minute(2), endedAt: minute(9) },
          ...{ outcome: 'succeeded', reason: null, exitCode: 0 },
        },
      ]);
      expect(await get(1)).toMatchObject({ outcome: 'succeeded', attemptCount: 2, startedAt: minute(1) });
      expect((await current().read((reader) => reader.jobs.stats(jobIdOf(1)))).runCount).toBe(1);
    });

    test('can be given up between two attempts', async () => {
      await current().transact((writer) => writer.runs.requeue(failed, fence));
      const end = {
        outcome: 'cancelled',
        reason: 'stopped_by_user',
        detail: null,
        endedAt: minute(5),
      } as const;
      expect(await current().transact((writer) => writer.runs.closeQueued(runIdOf(1), end))).toBe(true);
      expect(await get(1)).toMatchObject({ outcome: 'cancelled', startedAt: minute(1), endedAt: minute(5) });
    });

    test('keeps a true end that comes late beside the one it was closed with, once (X-67)', async () => {
      const attempt = { runId: runIdOf(1), attemptId: attemptIdOf(11) };
      const late = { exitCode: 0, signal: null, endedAt: minute(3), recordedAt: minute(8) };
      const record = (changes: Partial<typeof attempt> = {}) =>
        current().transact((writer) => writer.runs.recordLateResult({ ...attempt, ...changes }, late));
      expect(await record()).toBe(false);
      const end = endOf(1, {
        attemptId: attemptIdOf(11),
        outcome: 'abandoned',
        reason: 'interrupted',
        exitCode: null,
      });
      await current().transact((writer) => writer.runs.finish(end, fence));
      expect(await record({ runId: runIdOf(2) })).toBe(false);
      expect(await record({ attemptId: attemptIdOf(12) })).toBe(false);
      expect(await record()).toBe(true);
      expect(await record()).toBe(false);
      expect(await attempts()).toMatchObject([{ outcome: 'abandoned', exitCode: null, lateResult: late }]);
      expect(await get(1)).toMatchObject({ outcome: 'abandoned', exitCode: null });
      const wrong = { ...late, signal: 'x'.repeat(41) };
      await expect(
        current().transact((writer) => writer.runs.recordLateResult(attempt, wrong)),
      ).rejects.toBeInstanceOf(BugError);
    });
  });
}

function withdrawals(current: CurrentStore): void {
  describe('a run that is taken back', () => {
    const { get, insert, begin } = rigOf(current);
    const why = { reason: 'condition', missCause: null, at: minute(9) } as const;
    const withdraw = (number: number) =>
      current().transact((writer) => writer.runs.withdraw(runIdOf(number), why));
    const merged = skipOf(minute(1), {
      ...{
        untilAt: minute(4),
        count: 4,
        kind: 'merge',
        reason: 'merged',
        runId: runIdOf(5),
        missCause: 'asleep',
      },
    });
    const mergedLater = skipOf(minute(7), { kind: 'merge', reason: 'merged', runId: runIdOf(5) });
    beforeEach(async () => {
      await insertJobs(current(), 1);
      await takeLease(current());
      await current().transact(async ({ decisions, runs }) => {
        for (const decision of [startDecision(5), merged, startDecision(6), mergedLater]) {
          await decisions.insert(decision);
        }
        await runs.insert(plannedOf(5, { mergedCount: 5 }));
        await runs.insert(plannedOf(6));
      });
    });

    test('tells everything that it answers, from old to new, and nothing of another', async () => {
      await current().read(async ({ decisions }) => {
        expect(await decisions.ofRun(runIdOf(5))).toEqual([merged, startDecision(5), mergedLater]);
        expect(await decisions.ofRun(runIdOf(6))).toEqual([startDecision(6)]);
        expect(await decisions.ofRun(runIdOf(9))).toEqual([]);
      });
    });

    test('is gone, and every occurrence that it was to answer is a skip with the reason', async () => {
      expect(await withdraw(5)).toBe(true);
      expect(await get(5)).toBeNull();
      expect(await get(6)).not.toBeNull();
      await current().read(async ({ decisions, jobs, runs }) => {
        const skip = { kind: 'skip', reason: 'condition', runId: null, decidedAt: minute(9) };
        expect(await decisions.at(scheduleIdOf(1), minute(3))).toEqual({ ...merged, ...skip });
        expect(await decisions.at(scheduleIdOf(1), minute(5))).toEqual({ ...startDecision(5), ...skip });
        expect(await decisions.at(scheduleIdOf(1), minute(7))).toEqual({ ...mergedLater, ...skip });
        expect(await decisions.at(scheduleIdOf(1), minute(6))).toEqual(startDecision(6));
        expect(await decisions.ofRun(runIdOf(5))).toEqual([]);
        expect((await jobs.stats(jobIdOf(1))).slots.map(({ mark }) => mark).join('')).toBe('kkk');
        expect((await jobs.stats(jobIdOf(1))).runCount).toBe(0);
        expect(await runs.activeCounts()).toEqual({ running: 0, queued: 1 });
      });
      expect(await withdraw(5)).toBe(false);
    });

    test('has not begun: neither now, nor before a retry, nor at the will of a person', async () => {
      await begin(5);
      expect(await withdraw(5)).toBe(false);
      await current().transact((writer) =>
        writer.runs.requeue(
          {
            ...{ runId: runIdOf(5), attemptId: attemptIdOf(51), outcome: 'failed', reason: 'exit_code' },
            ...{ exitCode: 1, signal: null, endedAt: minute(6), notBeforeAt: null },
          },
          fence,
        ),
      );
      expect(await withdraw(5)).toBe(false);
      await insert(runOf(20), runOf(21, { trigger: 'cli' }), runOf(22, { trigger: 'test' }));
      for (const number of [20, 21, 22]) expect(await withdraw(number)).toBe(false);
      await runThrough(current(), 20, 'succeeded');
      expect(await withdraw(20)).toBe(false);
      expect(await current().read(({ decisions }) => decisions.ofRun(runIdOf(5)))).toHaveLength(3);
    });
  });
}

function lookups(current: CurrentStore): void {
  describe('questions about the past', () => {
    const { insert } = rigOf(current);
    beforeEach(async () => {
      await insertJobs(current(), 1, 2);
      await takeLease(current());
    });

    test('planned runs of the last hour are counted, and those of a person are not', async () => {
      await insert(
        plannedOf(1),
        plannedOf(10),
        plannedOf(20, { trigger: 'catch_up' }),
        plannedOf(30, { trigger: 'chain' }),
        runOf(40),
        runOf(41, { trigger: 'cli' }),
        runOf(42, { trigger: 'test' }),
        plannedOf(50, { jobId: jobIdOf(2), scheduleId: scheduleIdOf(2) }),
      );
      const count = (job: number, since: number) =>
        current().read((reader) => reader.runs.plannedCountSince(jobIdOf(job), minute(since)));
      expect(await count(1, 1)).toBe(3);
      expect(await count(1, 0)).toBe(4);
      expect(await count(1, 30)).toBe(0);
      expect(await count(2, 0)).toBe(1);
      expect(await count(9, 0)).toBe(0);
    });

    test('the run that went on at a moment is found, the newest of several', async () => {
      await insert(runOf(1), runOf(3), runOf(20), runOf(30));
      for (const number of [1, 3]) {
        const startedAt = minute(number);
        const attempt = { runId: runIdOf(number), attemptId: attemptIdOf(number), number: 1, startedAt };
        await current().transact((writer) => writer.runs.begin(attempt, fence));
      }
      await current().transact((writer) => writer.runs.finish(endOf(3, { endedAt: minute(5) }), fence));
      await current().transact((writer) => writer.runs.finish(endOf(1, { endedAt: minute(9) }), fence));
      const startedLate = {
        runId: runIdOf(20),
        attemptId: attemptIdOf(20),
        number: 1,
        startedAt: minute(25),
      };
      await current().transact((writer) => writer.runs.begin(startedLate, fence));
      const runningAt = async (at: number, job = 1) =>
        (await current().read((reader) => reader.runs.runningAt(jobIdOf(job), minute(at))))?.id ?? null;
      expect(await runningAt(0)).toBeNull();
      expect(await runningAt(1)).toBe(runIdOf(1));
      expect(await runningAt(4)).toBe(runIdOf(3));
      expect(await runningAt(5)).toBe(runIdOf(1));
      expect(await runningAt(9)).toBeNull();
      expect(await runningAt(22)).toBeNull();
      expect(await runningAt(99)).toBe(runIdOf(20));
      expect(await runningAt(4, 2)).toBeNull();
    });

    test('a job is told as it was defined at a moment', async () => {
      const edit = (revision: number, at: number) =>
        current().transact((writer) =>
          writer.jobs.update(jobOf(1, { revision, name: `Revision ${revision}`, updatedAt: minute(at) })),
        );
      await edit(2, 10);
      await edit(3, 20);
      // The clock went back before the last edit.
      await edit(4, 15);
      const nameAt = async (at: number, job = 1) =>
        (await current().read((reader) => reader.jobs.definedAt(jobIdOf(job), toInstant(minute(at)))))
          ?.name ?? null;
      expect(await nameAt(-1)).toBeNull();
      expect(await nameAt(0)).toBe('Job 1');
      expect(await nameAt(10)).toBe('Revision 2');
      expect(await nameAt(14)).toBe('Revision 2');
      expect(await nameAt(15)).toBe('Revision 4');
      expect(await nameAt(99)).toBe('Revision 4');
      expect(await nameAt(99, 9)).toBeNull();
    });
  });
}
