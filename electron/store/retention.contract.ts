/** What may go and what stays (X-18, C-092). Part of the contract of the Store port. */

import { beforeEach, describe, expect, test } from 'vitest';
import type { Outcome, RunId } from '../../shared/model/run';
import type { Retention } from '../../shared/model/settings';
import { DAY_MS, type Instant, toInstant } from '../../shared/time';
import {
  attemptIdOf,
  type CurrentStore,
  endOf,
  fence,
  insertJobs,
  jobIdOf,
  minute,
  runIdOf,
  runOf,
  scheduleIdOf,
  skipOf,
  takeLease,
} from './samples';

const FOREVER: Retention = {
  runDays: null,
  failureDays: null,
  runsPerJobMax: null,
  outputDays: null,
  outputMegabytesMax: null,
};
const MIB = 1024 * 1024;

/** Run n of job 1 was queued on day n. */
const day = (number: number): Instant => toInstant(minute(0) + number * DAY_MS);

export function retentionContract(current: CurrentStore): void {
  describe('retention', () => {
    beforeEach(async () => {
      await insertJobs(current(), 1, 2);
      await takeLease(current());
    });
    const end = async (
      number: number,
      more: { outcome?: Outcome; outputBytes?: number; job?: number; detail?: string } = {},
    ): Promise<void> => {
      const { outcome = 'succeeded', outputBytes = 0, job = 1, detail = null } = more;
      const [runId, attemptId, at] = [runIdOf(number), attemptIdOf(number), day(number)];
      await current().transact(async (writer) => {
        await writer.runs.insert(runOf(number, { jobId: jobIdOf(job), queuedAt: at }));
        await writer.runs.begin({ runId, attemptId, number: 1, startedAt: at }, fence);
        const ended = { runId, attemptId, outcome, outputBytes, detail, endedAt: at };
        await writer.runs.finish(endOf(number, ended), fence);
      });
    };
    const numbers = (ids: readonly RunId[]): number[] => ids.map((id) => Number.parseInt(id.slice(-12), 16));
    const expired = async (rules: Partial<Retention>, now: number, max = 100): Promise<number[]> =>
      numbers(
        await current().read(({ retention }) =>
          retention.expiredRuns({ ...FOREVER, ...rules }, { now: day(now), max }),
        ),
      ).sort((a, b) => a - b);
    const outputs = async (rules: Partial<Retention>, now: number): Promise<number[]> =>
      numbers(
        await current().read(({ retention }) =>
          retention.expiredOutputs({ ...FOREVER, ...rules }, { now: day(now), max: 100 }),
        ),
      );
    const remove = (...ids: number[]) =>
      current().transact(({ retention }) => retention.removeRuns(ids.map(runIdOf)));

    test('lets go what is older than its days, failures later, and never the newest of a job', async () => {
      for (const number of [1, 2, 3]) await end(number);
      await end(4, { outcome: 'failed' });
      await end(5);
      await end(6, { job: 2 });
      expect(await expired({ runDays: 10 }, 12)).toEqual([1]);
      expect(await expired({ runDays: 10, failureDays: 20 }, 100)).toEqual([1, 2, 3, 4]);
      expect(await expired({ runDays: 10 }, 100)).toEqual([1, 2, 3]);
      expect(await expired({ runDays: 10 }, 100, 2)).toHaveLength(2);
      expect(await expired({}, 10_000)).toEqual([]);
    });

    test('lets go what is beyond the number of its job, but no failure before its days', async () => {
      await end(1, { outcome: 'failed' });
      for (const number of [2, 3, 4, 5, 6]) await end(number);
      await end(7, { job: 2 });
      expect(await expired({ runsPerJobMax: 3 }, 8)).toEqual([2, 3]);
      expect(await expired({ runsPerJobMax: 3, failureDays: 5 }, 8)).toEqual([1, 2, 3]);
      expect(await expired({ runsPerJobMax: 6 }, 8)).toEqual([]);
    });

    test('touches nothing that has not ended', async () => {
      await current().transact(({ runs }) => runs.insert(runOf(1, { queuedAt: day(1) })));
      await end(2);
      expect(await expired({ runDays: 1, runsPerJobMax: 1 }, 9_999)).toEqual([]);
      expect(await remove(1)).toBe(0);
      expect(await current().read(({ runs }) => runs.get(runIdOf(1)))).not.toBeNull();
    });

    test('test runs go by their age alone', async () => {
      await current().transact(({ runs }) => runs.insert(runOf(1, { trigger: 'test', queuedAt: day(1) })));
      const stop = {
        outcome: 'cancelled',
        reason: 'stopped_by_user',
        detail: null,
        endedAt: day(1),
      } as const;
      await current().transact(({ runs }) => runs.closeQueued(runIdOf(1), stop));
      expect(await expired({ runDays: 5 }, 6)).toEqual([]);
      expect(await expired({ runDays: 5 }, 7)).toEqual([1]);
      expect(await remove(1)).toBe(1);
    });

    test('what is removed is gone with its attempts and words, and the counts stay (C-092)', async () => {
      await end(1, { outcome: 'failed', detail: 'no such folder', outputBytes: 5 });
      await end(2, { outputBytes: 7 });
      const before = await current().read(({ runs }) => runs.counts({ from: day(0), until: day(9) }));
      expect(await remove(1)).toBe(1);
      const seen = await current().read(async ({ runs, retention }) => ({
        run: await runs.get(runIdOf(1)),
        attempts: await runs.attempts(runIdOf(1)),
        found: (await runs.find({ text: 'folder' }, { after: null, limit: 5 })).runs,
        counts: await runs.counts({ from: day(0), until: day(9) }),
        stored: await retention.stored(),
        bytes: await retention.outputBytes(),
      }));
      expect(seen).toMatchObject({ run: null, attempts: [], found: [], counts: before });
      expect(seen.stored).toEqual({ runCount: 1, oldestRunAt: day(2) });
      expect(seen.bytes).toEqual({ total: 7, byJob: new Map([[jobIdOf(1), 7]]) });
    });

    test('output goes by age, and the oldest first until the rest has room', async () => {
      for (const number of [1, 2, 3, 4]) await end(number, { outputBytes: 8 * MIB });
      await end(5);
      expect(await outputs({ outputDays: 3 }, 5)).toEqual([1]);
      expect(await outputs({ outputMegabytesMax: 20 }, 5)).toEqual([1, 2]);
      expect(await outputs({ outputMegabytesMax: 32 }, 5)).toEqual([]);
      await current().transact(({ retention }) => retention.outputsRemoved([runIdOf(1), runIdOf(2)], day(5)));
      expect(await outputs({ outputMegabytesMax: 20 }, 5)).toEqual([]);
      const [run, bytes] = await current().read(async ({ runs, retention }) => [
        await runs.get(runIdOf(1)),
        (await retention.outputBytes()).total,
      ]);
      expect([run?.outputRemovedAt, run?.outputBytes, bytes]).toEqual([day(5), 8 * MIB, 16 * MIB]);
    });

    test('decisions go when their run is gone and a watermark has passed them', async () => {
      const decide = (number: number, run: number | null) =>
        skipOf(day(number), {
          ...(run === null ? {} : { kind: 'run', reason: 'on_time', runId: runIdOf(run) }),
        });
      await end(1);
      await current().transact(async ({ decisions, schedules }) => {
        await decisions.insert(decide(1, 1));
        await decisions.insert(decide(2, null));
        await decisions.insert(decide(3, 9));
        await decisions.insert(decide(4, null));
        await schedules.setWatermark(scheduleIdOf(1), day(3));
      });
      const removed = await current().transact(({ retention }) =>
        retention.removeDecisions({ before: day(9), max: 100 }),
      );
      expect(removed).toBe(2);
      const left = await current().read(async ({ decisions }) => [
        await decisions.at(scheduleIdOf(1), day(1)),
        await decisions.at(scheduleIdOf(1), day(2)),
        await decisions.at(scheduleIdOf(1), day(4)),
      ]);
      expect(left.map((decision) => decision === null)).toEqual([false, true, false]);
    });

    test('nothing can be given back of a store that has nothing free', async () => {
      expect(await current().transact(({ retention }) => retention.giveBack(10))).toBe(0);
    });
  });
}
