/**
 * One connection to SQLite: prepared statements kept by their text, and the driver's errors turned into ours by their
 * number. Nothing else in Belfry touches the driver, so `node:sqlite` can take its place by changing one import (D2).
 */

import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { BugError } from '../../shared/result';
import { StoreError, type StoreErrorCode } from '../core/storeError';

export type Value = string | number | null;
/** Positional values for `?`, or named ones for `:name`. */
export type Parameters = readonly Value[] | Readonly<Record<string, Value>>;
export type Row = Readonly<Record<string, unknown>>;

/** What the files of the aggregates are written against: a connection, or a handle that ends with its transaction. */
export interface Sql {
  /** The first row, or undefined. */
  get(sql: string, parameters?: Parameters): Row | undefined;
  all(sql: string, parameters?: Parameters): Row[];
  /** Returns how many rows were inserted, changed or deleted. */
  run(sql: string, parameters?: Parameters): number;
}

export interface Connection extends Sql {
  /** Several statements, without parameters. */
  exec(sql: string): void;
  /** The single value of a pragma. */
  pragma(name: string): unknown;
  readonly isTransaction: boolean;
  /**
   * Ends the connection. The driver cannot finish prepared statements by hand, so SQLite keeps the files open until they
   * are collected as garbage, and does not fold the write-ahead log back by itself: `foldLog` first.
   */
  close(): void;
  /** Moves everything from the write-ahead log into the store and empties the log, unless somebody is reading from it. */
  foldLog(): void;
}

/** The part of a SQLite error number that says what sort of error it is; the rest refines it. */
const PRIMARY_CODE = 0xff;

/** Primary result codes of SQLite (sqlite.org/rescode.html) that are the disk's or another process's doing. */
const STORE_ERRORS: Readonly<Record<number, { code: StoreErrorCode; text: string }>> = {
  5: { code: 'busy', text: 'Another process is writing to the data of Belfry.' },
  6: { code: 'busy', text: 'Another process is writing to the data of Belfry.' },
  8: { code: 'read_only', text: 'The data of Belfry cannot be written: the file or its disk is read-only.' },
  10: { code: 'io', text: 'The disk reported an error while reading or writing the data of Belfry.' },
  11: { code: 'corrupt', text: 'The data of Belfry is damaged.' },
  13: {
    code: 'full',
    text: 'There is no room: the disk is full, or the data of Belfry is as large as it may become.',
  },
  14: { code: 'io', text: 'The data of Belfry cannot be opened.' },
  26: { code: 'corrupt', text: 'The data of Belfry is damaged: the file is not a database.' },
};

/**
 * SQLite's own fixed text for each of these numbers (sqlite3_errstr). The driver leaves the number out where reading several rows
 * fails on the way, and only there is the text looked at.
 */
const NUMBER_OF_TEXT: Readonly<Record<string, number>> = {
  'database is locked': 5,
  'database table is locked': 6,
  'attempt to write a readonly database': 8,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'unable to open database file': 14,
  'file is not a database': 26,
};

function sqliteNumber(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  if ('errcode' in error) return typeof error.errcode === 'number' ? error.errcode : null;
  const isOfSqlite = 'code' in error && error.code === 'ERR_SQLITE_ERROR';
  return isOfSqlite && Object.hasOwn(NUMBER_OF_TEXT, error.message)
    ? (NUMBER_OF_TEXT[error.message] ?? null)
    : null;
}

/** A StoreError for what the world did to us, a BugError for a statement or a value that can never work. */
export function translate(error: unknown): Error {
  if (error instanceof StoreError || error instanceof BugError) return error;
  const number = sqliteNumber(error);
  const known = number === null ? undefined : STORE_ERRORS[number & PRIMARY_CODE];
  if (known !== undefined) return new StoreError(known.code, known.text, { cause: error });
  const text = error instanceof Error ? error.message : String(error);
  return new BugError(`the store refused a statement: ${text}`, { cause: error });
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translate(error);
  }
}

export type OpenOptions = {
  readonly isReadOnly: boolean;
  /** How long a statement may block this thread while another process holds the lock, in milliseconds. */
  readonly busyMs: number;
};

/** `location` is a `file:` URI, so that a missing file is never created by accident, or `:memory:`. */
export function openConnection(location: string, options: OpenOptions): Connection {
  const database = attempt(
    () =>
      new DatabaseSync(location, {
        readOnly: options.isReadOnly,
        timeout: options.busyMs,
        enableForeignKeyConstraints: true,
        defensive: true,
      }),
  );
  return createConnection(database);
}

function createConnection(database: DatabaseSyncInstance): Connection {
  const statements = new Map<string, StatementSyncInstance>();
  const prepared = (sql: string): StatementSyncInstance => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const bound = (parameters: Parameters): readonly unknown[] =>
    Array.isArray(parameters) ? parameters : [parameters];
  return {
    get: (sql, parameters = []) => attempt(() => prepared(sql).get(...bound(parameters)) as Row | undefined),
    all: (sql, parameters = []) => attempt(() => prepared(sql).all(...bound(parameters)) as Row[]),
    run: (sql, parameters = []) => attempt(() => Number(prepared(sql).run(...bound(parameters)).changes)),
    exec: (sql) => attempt(() => database.exec(sql)),
    pragma: (name) =>
      attempt(() => Object.values((database.prepare(`PRAGMA ${name}`).get() ?? {}) as Row)[0]),
    get isTransaction() {
      return database.isTransaction;
    },
    close: () => {
      statements.clear();
      database.close();
    },
    foldLog: () => attempt(() => database.exec('PRAGMA wal_checkpoint(TRUNCATE)')),
  };
}
