/** Runs and attempts: forward only, ended once, and written only by the holder of the lease. Part of the contract of the Store port. */

import { beforeEach, describe, expect, test } from 'vitest';
import type { JobId } from '../../shared/model/job';
import { BugError } from '../../shared/result';
import type { Instant } from '../../shared/time';
import {
  attemptIdOf,
  type CurrentStore,
  endOf,
  fence,
  insertJobs,
  jobIdOf,
  leaseOf,
  minute,
  runIdOf,
  runOf,
  runThrough,
  scheduleIdOf,
  takeLease,
} from './samples';

const stoppedAt = (at: number) => ({
  outcome: 'cancelled' as const,
  reason: 'stopped_by_user' as const,
  detail: null,
  endedAt: minute(at),
});

/** An attempt that failed, and whose run is to be tried again at once. */
const failed = {
  runId: runIdOf(1),
  attemptId: attemptIdOf(1),
  outcome: 'failed',
  reason: 'exit_code',
  exitCode: 1,
  signal: null,
  notBeforeAt: null,
} as const;

export function runContract(current: CurrentStore): void {
  life(current);
  lists(current);
  attempts(current);
}

function life(current: CurrentStore): void {
  describe('a run', () => {
    beforeEach(async () => {
      await insertJobs(current(), 1, 2);
      await takeLease(current());
    });
    const get = (number: number) => current().read((reader) => reader.runs.get(runIdOf(number)));
    const insert = (...runs: ReturnType<typeof runOf>[]): Promise<void> =>
      current().transact(async (writer) => {
        for (const run of runs) await writer.runs.insert(run);
      });

    test('a queued run comes back exactly as it was stored', async () => {
      const run = runOf(1, {
        trigger: 'catch_up',
        scheduleId: scheduleIdOf(1),
        plannedAt: minute(0),
        mergedCount: 7,
        missCause: 'asleep',
      });
      await insert(run);
      expect(await get(1)).toEqual(run);
      expect(await get(2)).toBeNull();
    });

    test('a run of an unknown job, or of an unknown revision, is a bug', async () => {
      await expect(insert(runOf(1, { jobId: jobIdOf(9) }))).rejects.toBeInstanceOf(BugError);
      await expect(insert(runOf(1, { revision: 2 }))).rejects.toBeInstanceOf(BugError);
      expect(await get(1)).toBeNull();
    });

    test('a run goes from the queue through one attempt to its end', async () => {
      await insert(runOf(1));
      await current().transact((writer) =>
        writer.runs.begin(
          { runId: runIdOf(1), attemptId: attemptIdOf(1), number: 1, startedAt: minute(2) },
          fence,
        ),
      );
      expect(await get(1)).toMatchObject({ state: 'running', startedAt: minute(2), attemptCount: 1 });
      const end = endOf(1, {
        outcome: 'failed',
        reason: 'exit_code',
        detail: 'Exit 3',
        exitCode: 3,
        wasAdopted: true,
      });
      expect(await current().transact((writer) => writer.runs.finish(end, fence))).toBe(true);
      expect(await get(1)).toMatchObject({
        state: 'finished',
        outcome: 'failed',
        reason: 'exit_code',
        detail: 'Exit 3',
        exitCode: 3,
        endedAt: end.endedAt,
        durationMs: 1_000,
        outputBytes: 10,
        wasAdopted: true,
      });
      await current().read(async (reader) => {
        expect(await reader.runs.active()).toEqual([]);
        expect(await reader.runs.openAttempts()).toEqual([]);
      });
    });

    test('a run ends once (S-47)', async () => {
      await insert(runOf(1));
      await runThrough(current(), 1, 'succeeded');
      const again = endOf(1, { outcome: 'failed' });
      expect(await current().transact((writer) => writer.runs.finish(again, fence))).toBe(false);
      expect((await get(1))?.outcome).toBe('succeeded');
    });
  });
}

function lists(current: CurrentStore): void {
  describe('runs', () => {
    beforeEach(async () => {
      await insertJobs(current(), 1, 2);
      await takeLease(current());
    });
    const get = (number: number) => current().read((reader) => reader.runs.get(runIdOf(number)));
    const insert = (...runs: ReturnType<typeof runOf>[]): Promise<void> =>
      current().transact(async (writer) => {
        for (const run of runs) await writer.runs.insert(run);
      });

    test('a detail that is too long is cut and never keeps a run from ending (X-50, X-51)', async () => {
      await insert(runOf(1));
      await current().transact((writer) =>
        writer.runs.begin(
          { runId: runIdOf(1), attemptId: attemptIdOf(1), number: 1, startedAt: minute(2) },
          fence,
        ),
      );
      const end = endOf(1, { outcome: 'failed', detail: `${'x'.repeat(1_999)}${'🔔'.repeat(1_000_000)}` });
      expect(await current().transact((writer) => writer.runs.finish(end, fence))).toBe(true);
      expect((await get(1))?.detail).toBe(`${'x'.repeat(1_999)}…`);
    });

    test('active runs are those that are queued or running, oldest first', async () => {
      await insert(runOf(3), runOf(1), runOf(2, { jobId: jobIdOf(2) }), runOf(4));
      await runThrough(current(), 3, 'succeeded');
      const active = await current().read((reader) => reader.runs.active());
      expect(active.map((run) => run.id)).toEqual([runIdOf(1), runIdOf(2), runIdOf(4)]);
    });

    test('what is active is counted and told by job, the newest run of each', async () => {
      await insert(
        runOf(3),
        runOf(1),
        runOf(4),
        runOf(2, { jobId: jobIdOf(2) }),
        runOf(5, { jobId: jobIdOf(2) }),
      );
      await runThrough(current(), 5, 'succeeded');
      await current().transact((writer) =>
        writer.runs.begin(
          { runId: runIdOf(4), attemptId: attemptIdOf(4), number: 1, startedAt: minute(6) },
          fence,
        ),
      );
      const first = { notBeforeAt: null, attemptsMax: 1, wait: null };
      await current().read(async ({ runs }) => {
        expect(await runs.activeCounts()).toEqual({ running: 1, queued: 3 });
        expect(await runs.activeByJob()).toEqual(
          new Map([
            [
              jobIdOf(1),
              { ...first, state: 'running', queuedAt: minute(4), startedAt: minute(6), attemptCount: 1 },
            ],
            [
              jobIdOf(2),
              { ...first, state: 'queued', queuedAt: minute(2), startedAt: null, attemptCount: 0 },
            ],
          ]),
        );
      });
    });

    test('the active runs of one job are its own, oldest first, until the last has ended', async () => {
      await insert(runOf(3), runOf(1), runOf(2, { jobId: jobIdOf(2) }), runOf(4, { trigger: 'test' }));
      await runThrough(current(), 3, 'succeeded');
      await current().read(async ({ runs }) => {
        expect(await runs.activeOf(jobIdOf(1))).toEqual([runOf(1), runOf(4, { trigger: 'test' })]);
        expect(await runs.activeOf(jobIdOf(9))).toEqual([]);
        expect(await runs.isActive(jobIdOf(1))).toBe(true);
        expect(await runs.isActive(jobIdOf(9))).toBe(false);
      });
      await runThrough(current(), 2, 'failed');
      await current().read(async ({ runs }) => {
        expect(await runs.isActive(jobIdOf(2))).toBe(false);
        expect(await runs.activeOf(jobIdOf(2))).toEqual([]);
        expect((await runs.activeByJob()).has(jobIdOf(2))).toBe(false);
      });
    });

    test('with nothing active the answers are empty', async () => {
      await current().read(async ({ runs }) => {
        expect(await runs.activeCounts()).toEqual({ running: 0, queued: 0 });
        expect(await runs.activeByJob()).toEqual(new Map());
      });
    });

    test('a queued run can be cancelled, a running one cannot', async () => {
      await insert(runOf(1), runOf(2));
      await current().transact((writer) =>
        writer.runs.begin(
          { runId: runIdOf(2), attemptId: attemptIdOf(2), number: 1, startedAt: minute(2) },
          fence,
        ),
      );
      const cancelled = await current().transact(async (writer) => [
        await writer.runs.closeQueued(runIdOf(1), stoppedAt(3)),
        await writer.runs.closeQueued(runIdOf(1), stoppedAt(4)),
        await writer.runs.closeQueued(runIdOf(2), stoppedAt(3)),
      ]);
      expect(cancelled).toEqual([true, false, false]);
      expect(await get(1)).toMatchObject({ state: 'finished', outcome: 'cancelled', endedAt: minute(3) });
    });

    test('the end of a run is counted in the same transaction', async () => {
      await insert(runOf(1), runOf(2, { trigger: 'catch_up' }), runOf(3, { trigger: 'catch_up' }), runOf(4));
      await runThrough(current(), 1, 'failed');
      await runThrough(current(), 2, 'succeeded');
      await runThrough(current(), 3, 'failed');
      await current().transact((writer) => writer.runs.closeQueued(runIdOf(4), stoppedAt(9)));
      const { stats, schedule } = await current().read(async (reader) => ({
        stats: await reader.jobs.stats(jobIdOf(1)),
        schedule: (await reader.schedules.ofJob(jobIdOf(1)))[0],
      }));
      expect(stats.slots.map((slot) => slot.mark).join('')).toBe('fcfx');
      expect(stats).toMatchObject({ runCount: 4, lastRunAt: minute(3), newestAt: minute(9) });
      expect(schedule?.lastEndedAt).toBe(minute(9));
    });

    test('the facts of all jobs are those of each, again and again as they change', async () => {
      const compare = async (): Promise<void> => {
        await current().read(async ({ jobs }) => {
          const all = await jobs.allStats();
          expect([...all.keys()]).toEqual([jobIdOf(1), jobIdOf(2)]);
          for (const [jobId, stats] of all) expect(stats).toEqual(await jobs.stats(jobId));
        });
      };
      await compare();
      for (const number of [1, 2, 3]) {
        await insert(runOf(number, { jobId: jobIdOf((number % 2) + 1) }));
        await runThrough(current(), number, number === 2 ? 'failed' : 'succeeded');
        await compare();
      }
    });

    test('facts that were rolled back are not shown', async () => {
      await insert(runOf(1), runOf(2));
      await runThrough(current(), 1, 'succeeded');
      const failing = current().transact(async (writer) => {
        await writer.runs.closeQueued(runIdOf(2), stoppedAt(9));
        expect((await writer.jobs.allStats()).get(jobIdOf(1))?.slots).toHaveLength(2);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      const stats = await current().read((reader) => reader.jobs.allStats());
      expect(stats.get(jobIdOf(1))?.slots).toHaveLength(1);
    });

    test('a test run counts nowhere and is no history', async () => {
      await insert(runOf(1, { trigger: 'test' }));
      await runThrough(current(), 1, 'failed');
      await current().read(async (reader) => {
        expect(await reader.jobs.stats(jobIdOf(1))).toMatchObject({ runCount: 0, slots: [], newestAt: null });
        expect((await reader.runs.history(jobIdOf(1), { after: null, limit: 5 })).entries).toEqual([]);
        expect(await reader.runs.recent(jobIdOf(1), 5)).toEqual([]);
      });
      expect((await get(1))?.outcome).toBe('failed');
    });

    test('recent runs are the newest finished ones, oldest first', async () => {
      for (const number of [1, 2, 3, 4]) {
        await insert(runOf(number));
        await runThrough(current(), number, 'succeeded');
      }
      await insert(runOf(5));
      const recent = await current().read((reader) => reader.runs.recent(jobIdOf(1), 3));
      expect(recent.map((run) => run.id)).toEqual([runIdOf(2), runIdOf(3), runIdOf(4)]);
    });
  });
}

function attempts(current: CurrentStore): void {
  describe('attempts', () => {
    const start = { runId: runIdOf(1), attemptId: attemptIdOf(1), number: 1, startedAt: minute(2) };
    const identity = { nodeId: 'node', bootId: 'boot', pid: 42, processGroup: 42, processStart: '777' };
    const next = { holderId: 'holder-2', epoch: 2 };
    beforeEach(async () => {
      await insertJobs(current(), 1);
      await takeLease(current());
      await current().transact((writer) => writer.runs.insert(runOf(1)));
    });
    const open = () => current().read((reader) => reader.runs.openAttempts());

    test('without the lease a run does not begin (D4, D11)', async () => {
      const begun = await current().transact(async (writer) => [
        await writer.runs.begin(start, { ...fence, epoch: 2 }),
        await writer.runs.begin(start, { ...fence, holderId: 'somebody' }),
        await writer.runs.begin(start, fence),
        await writer.runs.begin({ ...start, attemptId: attemptIdOf(2) }, fence),
      ]);
      expect(begun).toEqual([false, false, true, false]);
      expect(await open()).toHaveLength(1);
    });

    test('an open attempt knows its process as a whole, or that none was recorded (X-41, X-43)', async () => {
      await current().transact((writer) => writer.runs.begin(start, fence));
      const expected = {
        attemptId: attemptIdOf(1),
        runId: runIdOf(1),
        jobId: jobIdOf(1),
        number: 1,
        epoch: 1,
        startedAt: minute(2),
      };
      expect(await open()).toEqual([{ ...expected, identity: null }]);
      await current().transact((writer) => writer.runs.recordProcess(attemptIdOf(1), identity, fence));
      expect(await open()).toEqual([{ ...expected, identity }]);
      const without = { ...identity, bootId: null, processStart: null };
      await current().transact((writer) => writer.runs.recordProcess(attemptIdOf(1), without, fence));
      expect(await open()).toEqual([{ ...expected, identity: without }]);
    });

    test('a holder that lost the lease changes nothing (D11, S-55)', async () => {
      await current().transact((writer) => writer.runs.begin(start, fence));
      await current().transact((writer) => writer.leases.take(leaseOf(next), fence));
      const written = await current().transact(async (writer) => [
        await writer.runs.recordProcess(attemptIdOf(1), identity, fence),
        await writer.runs.finish(endOf(1), fence),
        await writer.runs.requeue({ ...failed, endedAt: minute(3) }, fence),
        await writer.runs.takeOver(attemptIdOf(1), 1, fence),
      ]);
      expect(written).toEqual([false, false, false, false]);
      expect((await open())[0]).toMatchObject({ epoch: 1, identity: null });
      expect((await current().read((reader) => reader.jobs.stats(jobIdOf(1)))).runCount).toBe(0);
    });

    test('the next holder takes an attempt over before it writes about it', async () => {
      await current().transact((writer) => writer.runs.begin(start, fence));
      const written = await current().transact(async (writer) => [
        await writer.leases.take(leaseOf(next), fence),
        await writer.runs.finish(endOf(1), next),
        await writer.runs.takeOver(attemptIdOf(1), 2, next),
        await writer.runs.takeOver(attemptIdOf(1), 1, next),
        await writer.runs.finish(endOf(1), next),
        await writer.runs.takeOver(attemptIdOf(1), 2, next),
      ]);
      expect(written).toEqual([true, false, false, true, true, false]);
    });

    test('a run that is given up between two attempts keeps what the last one told', async () => {
      await current().transact((writer) => writer.runs.begin(start, fence));
      await current().transact((writer) => writer.runs.requeue({ ...failed, endedAt: minute(3) }, fence));
      await current().transact((writer) => writer.runs.closeQueued(runIdOf(1), stoppedAt(9)));
      expect(await current().read((reader) => reader.runs.get(runIdOf(1)))).toMatchObject({
        outcome: 'cancelled',
        exitCode: failed.exitCode,
        signal: failed.signal,
      });
    });

    test('attempts that were closed without their true end are found, of one job or of all (X-67)', async () => {
      const lost = (query: { jobId: JobId | null; after: Instant }) =>
        current().read((reader) => reader.runs.lostAttempts({ max: 10, ...query }));
      await current().transact((writer) => writer.runs.begin(start, fence));
      await current().transact((writer) => writer.runs.recordProcess(attemptIdOf(1), identity, fence));
      expect(await lost({ jobId: null, after: minute(0) })).toEqual([]);
      const end = endOf(1, { outcome: 'abandoned', reason: 'interrupted', endedAt: minute(4) });
      await current().transact((writer) => writer.runs.finish(end, fence));
      const [found, ...others] = await lost({ jobId: null, after: minute(4) });
      expect(others).toEqual([]);
      expect(found).toMatchObject({
        attemptId: attemptIdOf(1),
        runId: runIdOf(1),
        identity,
        hasLateResult: false,
      });
      expect(await lost({ jobId: found?.jobId ?? null, after: minute(0) })).toEqual([found]);
      expect(await lost({ jobId: null, after: minute(5) })).toEqual([]);
      const late = { exitCode: 0, signal: null, endedAt: minute(6), recordedAt: minute(7) };
      await current().transact((writer) =>
        writer.runs.recordLateResult({ runId: runIdOf(1), attemptId: attemptIdOf(1) }, late),
      );
      expect(await lost({ jobId: null, after: minute(0) })).toMatchObject([{ hasLateResult: true }]);
    });

    test('a run that is tried again keeps its first start and counts its attempts', async () => {
      await current().transact((writer) => writer.runs.begin(start, fence));
      const end = { ...failed, endedAt: minute(3) };
      expect(await current().transact((writer) => writer.runs.requeue(end, fence))).toBe(true);
      expect(await open()).toEqual([]);
      expect(await current().read((reader) => reader.runs.get(runIdOf(1)))).toMatchObject({
        state: 'queued',
      });
      const second = { ...start, attemptId: attemptIdOf(2), number: 2, startedAt: minute(4) };
      expect(await current().transact((writer) => writer.runs.begin(second, fence))).toBe(true);
      const run = await current().read((reader) => reader.runs.get(runIdOf(1)));
      expect(run).toMatchObject({ state: 'running', startedAt: minute(2), attemptCount: 2 });
      expect((await current().read((reader) => reader.jobs.stats(jobIdOf(1)))).runCount).toBe(0);
    });
  });
}
