/** The ledger: each occurrence is decided once, and history tells what became of it. Part of the contract of the Store port. */

import { beforeEach, describe, expect, test } from 'vitest';
import { BugError } from '../../shared/result';
import { toInstant } from '../../shared/time';
import {
  type CurrentStore,
  insertJobs,
  jobIdOf,
  jobOf,
  minute,
  runIdOf,
  runOf,
  scheduleIdOf,
  skipOf,
} from './samples';

export function ledgerContract(current: CurrentStore): void {
  decisions(current);
  history(current);
}

function decisions(current: CurrentStore): void {
  describe('decisions', () => {
    beforeEach(() => insertJobs(current(), 1));
    const insert = (decision: ReturnType<typeof skipOf>): Promise<boolean> =>
      current().transact((writer) => writer.decisions.insert(decision));
    const range = skipOf(minute(10), {
      untilAt: minute(20),
      count: 11,
      reason: 'too_old',
      missCause: 'asleep',
    });

    test('an occurrence is decided once (D3)', async () => {
      expect(await insert(skipOf(minute(10)))).toBe(true);
      expect(await insert(skipOf(minute(10), { reason: 'paused_all' }))).toBe(false);
      const stored = await current().read((reader) => reader.decisions.at(scheduleIdOf(1), minute(10)));
      expect(stored).toEqual(skipOf(minute(10)));
    });

    test('a range decides everything from its first to its last occurrence', async () => {
      expect(await insert(range)).toBe(true);
      await current().read(async (reader) => {
        for (const number of [10, 15, 20]) {
          expect(await reader.decisions.at(scheduleIdOf(1), minute(number))).toEqual(range);
        }
        expect(await reader.decisions.at(scheduleIdOf(1), minute(9))).toBeNull();
        expect(await reader.decisions.at(scheduleIdOf(1), minute(21))).toBeNull();
      });
    });

    test('nothing that overlaps a range is decided again', async () => {
      await insert(range);
      const spans = [
        [10, 10],
        [15, 15],
        [20, 20],
        [5, 10],
        [20, 25],
        [5, 25],
        [12, 13],
      ] as const;
      for (const [from, until] of spans) {
        const again = skipOf(minute(from), { untilAt: minute(until), count: from === until ? 1 : 2 });
        expect(await insert(again)).toBe(false);
      }
      expect(await insert(skipOf(minute(9)))).toBe(true);
      expect(await insert(skipOf(minute(21)))).toBe(true);
    });

    test('what lies in a span is read newest first, with what reaches into it', async () => {
      await insert(range);
      for (const number of [22, 24, 26]) await insert(skipOf(minute(number)));
      const between = (after: number, until: number, max = 9) =>
        current().read(async (reader) => {
          const span = { after: minute(after), until: minute(until), max };
          const found = await reader.decisions.between(scheduleIdOf(1), span);
          return found.map(({ plannedAt }) => (plannedAt - minute(0)) / 60_000);
        });
      expect(await between(5, 30)).toEqual([26, 24, 22, 10]);
      expect(await between(15, 24)).toEqual([24, 22, 10]);
      expect(await between(20, 24)).toEqual([24, 22]);
      expect(await between(5, 30, 2)).toEqual([26, 24]);
      expect(await between(26, 30)).toEqual([]);
      expect(await between(0, 9)).toEqual([]);
    });

    test('merges and skips that reach beyond a moment are found, runs are not (C-052)', async () => {
      await insert(skipOf(minute(8)));
      await insert(range);
      await insert(skipOf(minute(30), { kind: 'run', reason: 'on_time', runId: runIdOf(1) }));
      await insert(skipOf(minute(31), { kind: 'merge', reason: 'merged', runId: runIdOf(1) }));
      const found = async (after: number): Promise<number[]> => {
        const rows = await current().read((reader) => reader.decisions.unrunAfter(minute(after)));
        expect(rows.every(({ jobId }) => jobId === jobIdOf(1))).toBe(true);
        return rows.map(({ decision }) => (decision.plannedAt - minute(0)) / 60_000);
      };
      expect(await found(15)).toEqual([]);
      await current().transact((writer) => writer.schedules.setWatermark(scheduleIdOf(1), minute(31)));
      expect(await found(15)).toEqual([10, 31]);
      expect(await found(20)).toEqual([31]);
      expect(await found(7)).toEqual([8, 10, 31]);
      expect(await found(31)).toEqual([]);
    });

    test('a range can be reopened in part, a single one as a whole; then it can be decided again (C-049)', async () => {
      await insert(range);
      await insert(skipOf(minute(30)));
      await current().transact(async (writer) => {
        await writer.decisions.reopen(range, { untilAt: minute(12), count: 3 });
        await writer.decisions.reopen(skipOf(minute(30)), null);
      });
      await current().read(async (reader) => {
        const kept = { ...range, untilAt: minute(12), count: 3 };
        expect(await reader.decisions.at(scheduleIdOf(1), minute(12))).toEqual(kept);
        expect(await reader.decisions.at(scheduleIdOf(1), minute(13))).toBeNull();
        expect(await reader.decisions.at(scheduleIdOf(1), minute(30))).toBeNull();
      });
      expect(await insert(skipOf(minute(13)))).toBe(true);
      expect(await insert(skipOf(minute(30)))).toBe(true);
    });

    test('a run no longer counts merged occurrences that are reopened, and is never reopened itself', async () => {
      const run = skipOf(minute(20), { kind: 'run', reason: 'caught_up', runId: runIdOf(1) });
      const merge = skipOf(minute(10), {
        ...{ untilAt: minute(19), count: 10, kind: 'merge', reason: 'merged', runId: runIdOf(1) },
      });
      await current().transact(async (writer) => {
        await writer.decisions.insert(run);
        await writer.decisions.insert(merge);
        const planned = { scheduleId: scheduleIdOf(1), plannedAt: minute(20), mergedCount: 10 };
        await writer.runs.insert(runOf(1, planned));
        await writer.decisions.reopen(merge, { untilAt: minute(11), count: 2 });
      });
      const stored = await current().read((reader) => reader.runs.get(runIdOf(1)));
      expect(stored?.mergedCount).toBe(2);
      const reopen = (decision: typeof run) =>
        current().transact((writer) => writer.decisions.reopen(decision, null));
      await expect(reopen(run)).rejects.toBeInstanceOf(BugError);
      await expect(reopen(merge)).rejects.toBeInstanceOf(BugError);
    });

    test('a skip that is taken back as a whole leaves no mark, one that is shortened keeps its own (C-049)', async () => {
      const marks = async () =>
        (await current().read((reader) => reader.jobs.stats(jobIdOf(1)))).slots
          .map(({ mark }) => mark)
          .join('');
      await insert(range);
      await insert(skipOf(minute(30)));
      await insert(skipOf(minute(40), { reason: 'too_old' }));
      await current().transact((writer) => writer.decisions.reopen(range, { untilAt: minute(12), count: 3 }));
      expect(await marks()).toBe('mkm');
      await current().transact((writer) => writer.decisions.reopen(skipOf(minute(30)), null));
      expect(await marks()).toBe('mm');
      const missed = skipOf(minute(40), { reason: 'too_old' });
      await current().transact((writer) => writer.decisions.reopen(missed, null));
      expect(await marks()).toBe('m');
      expect(await insert(missed)).toBe(true);
      expect(await marks()).toBe('mm');
    });

    test('a decision to run may be written before its run', async () => {
      const decision = skipOf(minute(10), { kind: 'run', reason: 'on_time', runId: runIdOf(1) });
      await current().transact(async (writer) => {
        await writer.decisions.insert(decision);
        await writer.runs.insert(runOf(1, { scheduleId: scheduleIdOf(1), plannedAt: minute(10) }));
      });
      const stored = await current().read((reader) => reader.decisions.at(scheduleIdOf(1), minute(10)));
      expect(stored).toEqual(decision);
    });

    test('a skip leaves a mark in the strip of the job, a run and a merge do not', async () => {
      await insert(range);
      await insert(skipOf(minute(30)));
      await insert(skipOf(minute(31), { kind: 'merge', reason: 'merged', runId: runIdOf(1) }));
      await insert(skipOf(minute(32), { kind: 'run', reason: 'caught_up', runId: runIdOf(1) }));
      const stats = await current().read((reader) => reader.jobs.stats(jobIdOf(1)));
      expect(stats.slots.map((slot) => slot.mark)).toEqual(['m', 'k']);
      expect(stats.newestAt).toBe(minute(30));
      expect(stats.runCount).toBe(0);
    });
  });
}

function history(current: CurrentStore): void {
  describe('history', () => {
    test('history mixes runs and skips, newest first, and pages meet without gap or repeat', async () => {
      await current().transact(async (writer) => {
        await writer.jobs.insert(jobOf(1));
        await writer.jobs.insert(jobOf(2));
        for (let number = 1; number <= 20; number += 1) {
          await writer.runs.insert(runOf(number * 2));
          // The same moment as the next run, so that the order within a moment is tested too.
          await writer.decisions.insert(skipOf(minute(number * 2 + 2)));
        }
        await writer.runs.insert(runOf(99, { jobId: jobIdOf(2) }));
        const range = { untilAt: minute(11), count: 3, reason: 'too_old' } as const;
        await writer.decisions.insert(skipOf(minute(9), { scheduleId: scheduleIdOf(2) }));
        await writer.decisions.insert(skipOf(minute(101), { untilAt: toInstant(minute(103)), count: 3 }));
        await writer.decisions.insert(skipOf(minute(9), { scheduleId: scheduleIdOf(2), ...range }));
      });
      const read = async (limit: number): Promise<string[]> => {
        const seen: string[] = [];
        let after: string | null = null;
        do {
          const page = await current().read((reader) => reader.runs.history(jobIdOf(1), { after, limit }));
          expect(page.entries.length).toBeLessThanOrEqual(limit);
          seen.push(
            ...page.entries.map((each) =>
              each.entry === 'run' ? `run ${each.run.queuedAt}` : `skip ${each.decision.untilAt}`,
            ),
          );
          after = page.next;
        } while (after !== null);
        return seen;
      };
      const whole = await read(100);
      expect(whole).toHaveLength(41);
      expect(whole[0]).toBe(`skip ${minute(103)}`);
      expect(whole.slice(1, 4)).toEqual([`skip ${minute(42)}`, `run ${minute(40)}`, `skip ${minute(40)}`]);
      expect(whole.at(-1)).toBe(`run ${minute(2)}`);
      for (const limit of [1, 2, 3, 7, 40, 41]) expect(await read(limit)).toEqual(whole);
    });

    test('the history of an unknown job is empty, and a made-up cursor is a bug', async () => {
      const page = (after: string | null) =>
        current().read((reader) => reader.runs.history(jobIdOf(1), { after, limit: 5 }));
      expect(await page(null)).toEqual({ entries: [], next: null });
      await insertJobs(current(), 1);
      for (const cursor of ['', 'run', 'run.1', 'skip.1.2', 'run.x.1', `run.1.${'9'.repeat(30)}`]) {
        await expect(page(cursor)).rejects.toBeInstanceOf(BugError);
      }
    });
  });
}
