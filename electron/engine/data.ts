/**
 * What a person asks about the store as a whole: how much room it takes, whether it is whole, its copies, and its runs across
 * all jobs. Without a keeper (a sandbox) nothing lies on a disk, and only questions about runs have an answer.
 */

import type { Backup, BackupReason, DataFacts } from '../../shared/model/data';
import type { RunCounts, RunPage } from '../../shared/model/runSearch';
import { BugError, fail, ok, type Result } from '../../shared/result';
import type { Instant } from '../../shared/time';
import type { DataKeeper } from '../ports/data';
import type { Store } from '../ports/store';
import type { Announce, Clock, Log } from '../ports/world';
import type { FindRuns } from './engine';

export type DataPorts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  readonly announce: Announce;
  readonly keeper?: DataKeeper;
};

export interface Data {
  /** `invalid_input` if the cursor cannot be read. */
  findRuns(input: FindRuns): Promise<Result<RunPage>>;
  runCounts(span: { readonly from: Instant; readonly until: Instant }): Promise<Result<RunCounts>>;
  facts(): Promise<Result<DataFacts>>;
  check(): Promise<Result<DataFacts>>;
  backups(): Promise<Result<Backup[]>>;
  backUp(reason: BackupReason): Promise<Result<Backup>>;
}

export function createData({ clock, log, store, announce, keeper }: DataPorts): Data {
  const withKeeper = async <T>(work: (keeper: DataKeeper) => Promise<T>): Promise<Result<T>> =>
    keeper === undefined
      ? fail('unsupported', 'This Belfry keeps its data in memory only.')
      : ok(await work(keeper));

  return {
    async findRuns({ query, after, limit }) {
      const find = (cursor: string | null): Promise<RunPage> =>
        store.read((reader) => reader.runs.find(query, { after: cursor, limit }));
      if (after === undefined) return ok(await find(null));
      try {
        return ok(await find(after));
      } catch (error) {
        // The cursor came from outside, so what the store takes for a bug is a mistake of whoever asked.
        if (!(error instanceof BugError)) throw error;
        log.warn('cursor_unreadable', { error });
        return fail(
          'invalid_input',
          'This place in the list does not exist. Search again from the beginning.',
        );
      }
    },
    runCounts: async (span) => ok(await store.read((reader) => reader.runs.counts(span))),
    facts: () => withKeeper((present) => readFacts(present, store)),
    check: () =>
      withKeeper(async (present) => {
        const finding = await present.check();
        await store.transact((writer) => writer.settings.setLastCheck({ at: clock.now(), finding }));
        announce('data.changed', {});
        announce('status.changed', {});
        return readFacts(present, store);
      }),
    backups: () => withKeeper((present) => present.backups()),
    backUp: (reason) =>
      withKeeper(async (present) => {
        const backup = await present.backUp(reason);
        await store.transact((writer) => writer.settings.setLastBackupAt(clock.now()));
        announce('data.changed', {});
        return backup;
      }),
  };
}

async function readFacts(keeper: DataKeeper, store: Store): Promise<DataFacts> {
  const sizes = await keeper.sizes();
  const stored = await store.read(async ({ retention, jobs, settings }) => ({
    outputBytes: (await retention.outputBytes()).total,
    ...(await retention.stored()),
    jobCount: await jobs.count(),
    lastBackupAt: await settings.lastBackupAt(),
    lastCheck: await settings.lastCheck(),
  }));
  return { ...sizes, ...stored };
}
