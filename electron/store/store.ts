/**
 * The Store port over SQLite. One transaction at a time, begun as a writer; reads run beside it on connections of their own,
 * each in a snapshot. Whoever forgets to end holds only his own turn: work is cut off after WORK_MS_MAX, and a handle that
 * outlives its turn throws.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { assert, BugError } from '../../shared/result';
import { StoreError } from '../core/storeError';
import type { Reader, Store, Writer } from '../ports/store';
import type { Connection, Sql } from './connection';
import type { Database } from './database';
import { createDecisionReader, createDecisionWriter } from './decisions';
import { createRevisionCache, type Revisions } from './jobRows';
import { createJobReader, createJobWriter } from './jobs';
import { createJobWordCache, type JobWordCache } from './jobWords';
import { createLeaseReader, createLeaseWriter } from './leases';
import { createPauseReader, createPauseWriter } from './pauses';
import { createRetentionReader, createRetentionWriter } from './retention';
import { createRunReader, createRunWriter } from './runs';
import { createScheduleReader, createScheduleWriter } from './schedules';
import { createSettingReader, createSettingWriter } from './settings';
import type { StripCache } from './stats';
import { createTurns } from './turns';

/** Nothing that only talks to the store takes longer; what does is stuck (H-05). */
const WORK_MS_MAX = 10_000;

/** Snapshots at the same time; more wait. */
const READERS_MAX = 4;

/** Ends with the turn it was made for. */
type Turn = { isOpen: boolean };

export function createStore(database: Database): Store {
  const revisions = createRevisionCache();
  const caches: Caches = { strips: new Map(), jobWords: createJobWordCache() };
  const turns = new AsyncLocalStorage<Turn>();
  const writing = createGate(1);
  const reading = createGate(READERS_MAX);
  const idleReaders: Connection[] = [];
  const turnsToWrite = createTurns(database.file);
  const limitPages = createPageLimit(database);
  let isClosed = false;

  const take = async <T>(
    connection: Connection,
    begin: () => Promise<void>,
    work: (sql: Sql) => Promise<T>,
  ): Promise<T> => {
    const turn: Turn = { isOpen: true };
    refuseReplaced(database);
    await begin();
    try {
      const result = await beforeDeadline(turns.run(turn, () => work(handleOf(connection, turn))));
      turn.isOpen = false;
      // Once more, because beginning may have waited for seconds, and what is committed may be started next.
      refuseReplaced(database);
      connection.run('COMMIT');
      return result;
    } catch (error) {
      turn.isOpen = false;
      // A full disk or an I/O error may have rolled back already.
      if (connection.isTransaction) connection.run('ROLLBACK');
      throw error;
    }
  };

  const refuseMisuse = (what: string): void => {
    assert(!isClosed, `${what} after the store was closed`);
    assert(turns.getStore()?.isOpen !== true, `${what} inside a transaction or a read`);
  };

  const readBeside = async <T>(openReader: () => Connection, work: (sql: Sql) => Promise<T>): Promise<T> => {
    // Before a connection is opened, which would be one to whatever lies there now.
    refuseReplaced(database);
    const connection = idleReaders.pop() ?? openReader();
    try {
      return await take(connection, async () => void connection.run('BEGIN'), work);
    } finally {
      idleReaders.push(connection);
    }
  };

  return {
    async read(work) {
      refuseMisuse('read');
      const { openReader, writer } = database;
      const withReader = (sql: Sql) => work(createReader(sql, revisions.forReads, caches));
      return openReader === null
        ? writing(() => take(writer, async () => void writer.run('BEGIN'), withReader))
        : reading(() => readBeside(openReader, withReader));
    },
    async transact(work, { mayUseReserve } = { mayUseReserve: false }) {
      refuseMisuse('transact');
      const { writer } = database;
      const begin = async (): Promise<void> => {
        // Before it begins: SQLite takes it for a whole transaction.
        limitPages(mayUseReserve);
        await turnsToWrite.begin(writer, 'BEGIN IMMEDIATE');
      };
      return writing(async () => {
        try {
          return await take(writer, begin, (sql) =>
            work(createWriter(sql, revisions.forTransactions, caches)),
          );
        } finally {
          turnsToWrite.end();
        }
      });
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      // Taking every place waits for whoever holds one. Readers go first, so that none is in the way of folding the log.
      await Promise.all(Array.from({ length: READERS_MAX }, () => reading(async () => undefined)));
      // Closing tidies up beside the file, where somebody else's may lie now. The end of the process closes it too.
      if (isLost(database)) return;
      for (const connection of idleReaders) connection.close();
      await writing(async () => {
        if (database.openReader !== null) foldLog(database.writer);
        database.writer.close();
      });
    },
  };
}

function refuseReplaced({ isReplaced }: Database): void {
  if (isReplaced()) throw new StoreError('replaced', 'The data of Belfry was moved, replaced or deleted.');
}

/** The same for closing: whatever cannot be told counts as there. */
function isLost({ isReplaced }: Database): boolean {
  try {
    return isReplaced();
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}

/** What was read of jobs before. Each entry says of which state it is, so one that was rolled back does no harm. */
type Caches = { readonly strips: StripCache; readonly jobWords: JobWordCache };

const createReader = (sql: Sql, revisions: Revisions, { strips, jobWords }: Caches): Reader => ({
  jobs: createJobReader(sql, revisions, strips),
  schedules: createScheduleReader(sql, revisions),
  decisions: createDecisionReader(sql),
  runs: createRunReader(sql, jobWords),
  retention: createRetentionReader(sql),
  pauses: createPauseReader(sql),
  leases: createLeaseReader(sql),
  settings: createSettingReader(sql),
});

const createWriter = (sql: Sql, revisions: Revisions, { strips }: Caches): Writer => ({
  jobs: createJobWriter(sql, revisions, strips),
  schedules: createScheduleWriter(sql, revisions),
  decisions: createDecisionWriter(sql),
  // What is not committed yet is remembered by nobody.
  runs: createRunWriter(sql, createJobWordCache()),
  retention: createRetentionWriter(sql),
  pauses: createPauseWriter(sql),
  leases: createLeaseWriter(sql),
  settings: createSettingWriter(sql),
});

/** The connection for as long as the turn lasts. */
function handleOf(connection: Connection, turn: Turn): Sql {
  const open = (): Connection => {
    if (!turn.isOpen) throw new BugError('a store handle was used after its transaction ended');
    return connection;
  };
  return {
    get: (sql, parameters) => open().get(sql, parameters),
    all: (sql, parameters) => open().all(sql, parameters),
    run: (sql, parameters) => open().run(sql, parameters),
  };
}

/** A log that cannot be folded now, because the disk is full or somebody reads, is folded after the next open. */
function foldLog(connection: Connection): void {
  try {
    connection.foldLog();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
}

/**
 * Lets `places` callers in at a time, in the order they came. Returns what the caller's work returns.
 */
function createGate(places: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = places;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((enter) => waiting.push(enter));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

/**
 * Sets how far the store may grow in the next transaction (S-02, X-51). SQLite answers with more where the store is larger already;
 * then it is set again next time, because room may have been given back meanwhile.
 */
function createPageLimit({ writer, limits }: Database): (mayUseReserve: boolean) => void {
  let current = 0;
  return (mayUseReserve) => {
    const wanted = limits.pagesMax - (mayUseReserve ? 0 : limits.reservePages);
    if (current === wanted) return;
    current = Number(writer.pragma(`max_page_count = ${wanted}`));
  };
}

async function beforeDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new StoreError('busy', `A transaction took longer than ${WORK_MS_MAX / 1_000} s.`)),
      WORK_MS_MAX,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
