/**
 * What a person asks about the store as a whole: how much room it takes, whether it is whole, its copies, its settings, and
 * its runs across all jobs. Without a keeper (a sandbox) nothing lies on a disk, and copies and checks are `unsupported`.
 */

import type { DataFacts } from '../../shared/model/data';
import type { RunPage } from '../../shared/model/runSearch';
import { BugError, fail, ok, type Result } from '../../shared/result';
import type { DataKeeper } from '../ports/data';
import type { Store } from '../ports/store';
import type { Announce, Clock, Log } from '../ports/world';
import type { Engine, FindRuns } from './engine';
import { asAnswer } from './trouble';

export type DataPorts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  readonly announce: Announce;
  readonly keeper?: DataKeeper;
  /** Tells other processes, unless this one runs the jobs. */
  readonly tellPeers: () => void;
};

export type Data = Pick<
  Engine,
  'findRuns' | 'runCounts' | 'dataFacts' | 'checkData' | 'backups' | 'backUp' | 'settings' | 'saveSettings'
>;

export function createData(ports: DataPorts): Data {
  const { clock, log, store, announce, keeper, tellPeers } = ports;
  const withKeeper = <T>(work: (keeper: DataKeeper) => Promise<T>): Promise<Result<T>> =>
    asAnswer(async () =>
      keeper === undefined
        ? fail('unsupported', 'This Belfry keeps its data in memory only.')
        : ok(await work(keeper)),
    );
  const changed = (): void => {
    announce('data.changed', {});
    tellPeers();
  };

  return {
    findRuns: (input) => asAnswer(() => findRuns(input, ports)),
    runCounts: (span) => asAnswer(async () => ok(await store.read((reader) => reader.runs.counts(span)))),
    dataFacts: () => withKeeper((present) => readFacts(present, store)),
    checkData: () =>
      withKeeper(async (present) => {
        const finding = await present.check();
        if (finding !== null) log.error('data_damaged', { finding });
        await store.transact((writer) => writer.settings.setLastCheck({ at: clock.now(), finding }));
        changed();
        announce('status.changed', {});
        return readFacts(present, store);
      }),
    backups: () => withKeeper((present) => present.backups()),
    backUp: (reason) =>
      withKeeper(async (present) => {
        const backup = await present.backUp(reason);
        await store.transact((writer) => writer.settings.setLastBackupAt(clock.now()));
        changed();
        return backup;
      }),
    settings: () => store.read((reader) => reader.settings.preferences()),
    async saveSettings(settings) {
      await store.transact((writer) => writer.settings.setPreferences(settings));
      tellPeers();
      return settings;
    },
  };
}

async function findRuns(
  { query, after, limit }: FindRuns,
  { store, log }: Pick<DataPorts, 'store' | 'log'>,
): Promise<Result<RunPage>> {
  const find = (cursor: string | null): Promise<RunPage> =>
    store.read((reader) => reader.runs.find(query, { after: cursor, limit }));
  if (after === undefined) return ok(await find(null));
  try {
    return ok(await find(after));
  } catch (error) {
    // The cursor came from outside, so what the store takes for a bug is a mistake of whoever asked.
    if (!(error instanceof BugError)) throw error;
    log.warn('cursor_unreadable', { error });
    return fail('invalid_input', 'This place in the list does not exist. Search again from the beginning.');
  }
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
