/**
 * How a connection is set up (D2). Every value is written out, though some are SQLite's own defaults, and read back: a
 * build or a file system that ignores one of them is found at the start and not after a power cut.
 */

import type { Connection } from './connection';

/**
 * How long a statement may block the main thread while another process writes, in milliseconds. Below the 50 ms that the
 * main thread may ever be blocked (D1); waiting longer than this is done between attempts, without blocking.
 */
export const BUSY_MS = 40;

/** The same while opening: nothing is drawn yet, and another process may be creating or migrating the store. */
export const OPEN_BUSY_MS = 500;

/** SQLite's own default, and the size of the smallest store. */
export const PAGE_BYTES = 4_096;
/** The log is folded back into the store at this size, so that an open after a crash reads 4 MiB and not 1.8 GB. */
const LOG_PAGES_MAX = 1_000;
const CACHE_KIB = 8_192;

export type Pragma = {
  readonly name: string;
  readonly value: string | number;
  /** What reading it back has to give. */
  readonly expected: string | number;
};

/** Without these two a sync on macOS only reaches the cache of the disk. Other systems know no such thing. */
const fullSync: readonly Pragma[] =
  process.platform === 'darwin'
    ? [
        { name: 'fullfsync', value: 'ON', expected: 1 },
        { name: 'checkpoint_fullfsync', value: 'ON', expected: 1 },
      ]
    : [];

const common: readonly Pragma[] = [
  { name: 'trusted_schema', value: 'OFF', expected: 0 },
  { name: 'cell_size_check', value: 'ON', expected: 1 },
  // Sorting in memory: nothing personal is written outside the data folder.
  { name: 'temp_store', value: 'MEMORY', expected: 2 },
  { name: 'cache_size', value: -CACHE_KIB, expected: -CACHE_KIB },
  { name: 'busy_timeout', value: BUSY_MS, expected: BUSY_MS },
];

export const writerPragmas: readonly Pragma[] = [
  { name: 'journal_mode', value: 'WAL', expected: 'wal' },
  // NORMAL may lose the last commits in a power cut, and with them the record that a run was started.
  { name: 'synchronous', value: 'FULL', expected: 2 },
  ...fullSync,
  { name: 'foreign_keys', value: 'ON', expected: 1 },
  { name: 'wal_autocheckpoint', value: LOG_PAGES_MAX, expected: LOG_PAGES_MAX },
  { name: 'journal_size_limit', value: LOG_PAGES_MAX * PAGE_BYTES, expected: LOG_PAGES_MAX * PAGE_BYTES },
  ...common,
];

export const readerPragmas: readonly Pragma[] = [{ name: 'query_only', value: 'ON', expected: 1 }, ...common];

/** Sets them all. Returns the name of one that did not take, or null. */
export function applyPragmas(connection: Connection, pragmas: readonly Pragma[]): string | null {
  for (const { name, value, expected } of pragmas) {
    connection.exec(`PRAGMA ${name} = ${value}`);
    if (connection.pragma(name) !== expected) return name;
  }
  return null;
}
