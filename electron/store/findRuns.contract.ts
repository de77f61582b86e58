/** Lists of runs over all jobs, searching by words, and counts (H-01, S-02). Part of the contract of the Store port. */

import { beforeEach, describe, expect, test } from 'vitest';
import { emptyCommandSettings } from '../../shared/kinds/command';
import type { Outcome } from '../../shared/model/run';
import type { RunQuery } from '../../shared/model/runSearch';
import { BugError } from '../../shared/result';
import { toInstant } from '../../shared/time';
import {
  attemptIdOf,
  type CurrentStore,
  endOf,
  fence,
  jobIdOf,
  jobOf,
  minute,
  runIdOf,
  runOf,
  takeLease,
} from './samples';

type Ended = {
  readonly number: number;
  readonly job?: number;
  readonly outcome?: Outcome;
  readonly detail?: string;
};

export function findRunContract(current: CurrentStore): void {
  describe('runs of all jobs', () => {
    beforeEach(async () => {
      const line = "restic backup ~/Notes --tag 'Größe'";
      await current().transact(async ({ jobs }) => {
        await jobs.insert(jobOf(1, { name: 'Back up Notes', settings: { ...emptyCommandSettings, line } }));
        await jobs.insert(jobOf(2, { name: 'Ping the Café' }));
      });
      await takeLease(current());
    });
    const end = async (...runs: readonly Ended[]): Promise<void> => {
      for (const { number, job = 1, outcome = 'succeeded', detail = null } of runs) {
        const [runId, attemptId] = [runIdOf(number), attemptIdOf(number)];
        await current().transact(async (writer) => {
          await writer.runs.insert(runOf(number, { jobId: jobIdOf(job) }));
          await writer.runs.begin({ runId, attemptId, number: 1, startedAt: minute(number) }, fence);
          await writer.runs.finish(endOf(number, { runId, attemptId, outcome, detail }), fence);
        });
      }
    };
    const find = async (query: RunQuery, limit = 50): Promise<number[]> => {
      const found: number[] = [];
      for (let after: string | null = null; ; ) {
        const page = await current().read((reader) => reader.runs.find(query, { after, limit }));
        found.push(...page.runs.map(({ run }) => Number.parseInt(run.id.slice(-12), 16)));
        if (page.next === null) return found;
        expect(page.runs).toHaveLength(limit);
        after = page.next;
      }
    };

    test('come newest first, page by page, by job, outcome and time', async () => {
      const outcomes: readonly Outcome[] = ['succeeded', 'failed', 'timed_out'];
      await end(
        ...Array.from({ length: 12 }, (_, index) => ({
          number: index + 1,
          job: 1 + (index % 2),
          outcome: outcomes[index % 3] ?? 'succeeded',
        })),
      );
      const all = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1];
      for (const limit of [1, 5, 12, 50]) expect(await find({}, limit)).toEqual(all);
      expect(await find({ jobId: jobIdOf(2) }, 2)).toEqual([12, 10, 8, 6, 4, 2]);
      expect(await find({ outcome: 'failed' }, 3)).toEqual([11, 8, 5, 2]);
      expect(await find({ outcome: 'failed', jobId: jobIdOf(1) })).toEqual([11, 5]);
      expect(await find({ from: minute(4), until: minute(7) })).toEqual([6, 5, 4]);
      expect(await find({ jobId: jobIdOf(9) })).toEqual([]);
    });

    test('of the same millisecond are all told, and a queued one is too', async () => {
      await current().transact(async ({ runs }) => {
        for (const number of [1, 2, 3]) await runs.insert(runOf(number, { queuedAt: minute(5) }));
      });
      expect(await find({}, 1)).toEqual([3, 2, 1]);
    });

    test('that were tests are never found and never counted', async () => {
      await current().transact(async ({ runs }) => runs.insert(runOf(1, { trigger: 'test' })));
      const stop = {
        outcome: 'cancelled',
        reason: 'stopped_by_user',
        detail: 'gone',
        endedAt: minute(2),
      } as const;
      await current().transact(async ({ runs }) => runs.closeQueued(runIdOf(1), stop));
      expect([await find({}), await find({ text: 'gone' })]).toEqual([[], []]);
      const counts = await current().read(({ runs }) => runs.counts({ from: minute(0), until: minute(9) }));
      expect(counts.total.cancelled).toBe(0);
    });

    test('are found by beginnings of words in the name, the command and the error', async () => {
      await end(
        { number: 1, job: 1 },
        { number: 2, job: 2, outcome: 'failed', detail: 'The program “curl” was not found.' },
        { number: 3, job: 1, outcome: 'failed', detail: 'The folder ~/Notes is missing.' },
      );
      expect(await find({ text: 'rest' }, 1)).toEqual([3, 1]);
      expect(await find({ text: 'GROSSE' })).toEqual([]);
      expect(await find({ text: 'größe backup' })).toEqual([3, 1]);
      expect(await find({ text: 'cafe' })).toEqual([2]);
      expect(await find({ text: 'curl found' })).toEqual([2]);
      // In the command of one job, and in an error of the same: each run comes once.
      expect(await find({ text: 'notes' }, 1)).toEqual([3, 1]);
      expect(await find({ text: 'program', outcome: 'succeeded' })).toEqual([]);
      expect(await find({ text: 'curl', jobId: jobIdOf(1) })).toEqual([]);
      expect(await find({ text: 'folder', from: minute(3) })).toEqual([3]);
    });

    test('are found by words within a job, an outcome and a span, whatever others have the same words', async () => {
      const names = ['folder', 'program'];
      await end(
        ...Array.from({ length: 24 }, (_, index) => ({
          number: 1 + index * 600,
          job: 1 + (index % 2),
          outcome: index % 3 === 0 ? ('timed_out' as const) : ('failed' as const),
          detail: `No such ${names[index % 4 === 3 ? 1 : 0]}.`,
        })),
      );
      const numbered = (...indexes: number[]): number[] => indexes.map((index) => 1 + index * 600);
      for (const limit of [1, 2, 50]) {
        expect(await find({ text: 'prog', jobId: jobIdOf(1) }, limit)).toEqual([]);
        expect(await find({ text: 'prog' }, limit)).toEqual(numbered(23, 19, 15, 11, 7, 3));
        expect(await find({ text: 'no prog', outcome: 'timed_out' }, limit)).toEqual(numbered(15, 3));
        expect(await find({ text: 'folder', jobId: jobIdOf(2), outcome: 'failed' }, limit)).toEqual(
          numbered(17, 13, 5, 1),
        );
        const span = { from: minute(numbered(4)[0] ?? 0), until: minute(numbered(8)[0] ?? 0) };
        expect(await find({ text: 'such', ...span }, limit)).toEqual(numbered(7, 6, 5, 4));
      }
      expect(await find({ text: 'such', from: minute(1_000_000) })).toEqual([]);
      expect(await find({ text: 'such', until: minute(-1_000_000) })).toEqual([]);
    });

    test('are found though the clock was set back between them', async () => {
      const ahead = [1, 2, 3].map((number) => ({ number, at: 1_000 + number }));
      const behind = [4, 5, 6].map((number) => ({ number, at: number }));
      for (const { number, at } of [...ahead, ...behind]) {
        const [runId, attemptId, startedAt] = [runIdOf(number), attemptIdOf(number), minute(at)];
        await current().transact(async (writer) => {
          const jobId = jobIdOf(1 + (number % 2));
          await writer.runs.insert(runOf(number, { jobId, queuedAt: startedAt }));
          await writer.runs.begin({ runId, attemptId, number: 1, startedAt }, fence);
          const ended = {
            runId,
            attemptId,
            outcome: 'failed' as const,
            detail: 'no restic',
            endedAt: startedAt,
          };
          await writer.runs.finish(endOf(number, ended), fence);
        });
      }
      for (const limit of [1, 2, 3, 50]) {
        expect((await find({ text: 'restic' }, limit)).sort()).toEqual([1, 2, 3, 4, 5, 6]);
        expect(await find({}, limit)).toEqual([3, 2, 1, 6, 5, 4]);
      }
    });

    test('are found in any script, with and without accents of Latin letters', async () => {
      await end(
        { number: 1, detail: 'Файл “ёлка” не найден' },
        { number: 2, detail: '“한국어”: がっこう, हिन्दी, ไม่พบ' },
        { number: 3, detail: 'Açaí in Łódź, İstanbul' },
      );
      for (const text of ['файл', 'ёл', 'НАЙ']) expect([text, await find({ text })]).toEqual([text, [1]]);
      for (const text of ['한국', 'がっ', 'हिन्दी', 'ไม่'])
        expect([text, await find({ text })]).toEqual([text, [2]]);
      for (const text of ['acai', 'AÇAÍ', 'istan', 'łodz'])
        expect([text, await find({ text })]).toEqual([text, [3]]);
    });

    test('are found in turn when names and errors have the words', async () => {
      await end(
        ...Array.from({ length: 9 }, (_, index) => ({
          number: index + 1,
          job: 1 + (index % 2),
          detail: index % 2 === 1 ? 'no restic here' : 'fine',
        })),
      );
      for (const limit of [1, 2, 4, 50])
        expect(await find({ text: 'restic' }, limit)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    });

    test.each([
      '"',
      '*',
      'a" OR "b',
      'NEAR(a b)',
      '\0',
      '🦊',
      '-',
      'detail:x',
      '^a',
      '(',
      "it's",
      'a'.repeat(200),
    ])('are searched for %j without harm (S-02)', async (text) => {
      await end({ number: 1, detail: 'nothing of it' });
      expect(await find({ text })).toEqual([]);
    });

    test('an edit is searched by what the job is now', async () => {
      await end({ number: 1 });
      expect(await find({ text: 'restic' })).toEqual([1]);
      const settings = { ...emptyCommandSettings, line: 'borg create' };
      await current().transact(async ({ jobs }) => jobs.update(jobOf(1, { revision: 2, settings })));
      expect([await find({ text: 'restic' }), await find({ text: 'borg' })]).toEqual([[], [1]]);
    });

    test.each(['', 'x', '1.2', '1.2.3.4', '-1.0.0', '1.2.9e99', `${2 ** 60}.1.1`])(
      'a cursor %j that nobody gave is refused',
      async (after) => {
        const asked = current().read(({ runs }) => runs.find({}, { after, limit: 1 }));
        await expect(asked).rejects.toThrow(BugError);
      },
    );

    test('are counted by day and in all, from the first one on', async () => {
      await end({ number: 1 }, { number: 2, outcome: 'failed' }, { number: 1_500 });
      const counts = await current().read(({ runs }) =>
        runs.counts({ from: toInstant(0), until: toInstant(minute(5_000)) }),
      );
      expect(counts.total).toEqual({ succeeded: 2, failed: 1, timed_out: 0, cancelled: 0, abandoned: 0 });
      expect(counts.days.map(({ outcome, count }) => [outcome, count])).toEqual([
        ['failed', 1],
        ['succeeded', 1],
        ['succeeded', 1],
      ]);
      const [first, , last] = counts.days;
      expect(Number(last?.startsAt) - Number(first?.startsAt)).toBe(86_400_000);
      expect(
        await current().read(({ runs }) =>
          runs.counts({ from: toInstant(minute(5_000)), until: toInstant(minute(9_000)) }),
        ),
      ).toMatchObject({
        days: [],
      });
    });
  });
}
