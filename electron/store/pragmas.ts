/**
 * How a connection is set up (D2). Every value is written out, though some are SQLite's own defaults, and read back: a
 * build or a file system that ignores one of them is found at the start and not after a power cut.
 */

import type { Connection } from './connection';
import { isThere } from './privateFiles';

/**
 * How long a statement of a reader may block the main thread while another process restarts the log, in milliseconds. Below the
 * 50 ms that the main thread may ever be blocked (D1).
 */
export const READER_BUSY_MS = 40;

/** A writer does not wait inside SQLite at all: turns.ts waits for it, without blocking, and lets everybody have a turn. */
const WRITER_BUSY_MS = 0;

/** The same while opening: nothing is drawn yet, and another process may be creating or migrating the store. */
export const OPEN_BUSY_MS = 500;

/** Files that SQLite keeps beside the store. */
export const COMPANIONS = ['-wal', '-shm', '-journal'];

/** SQLite's own default, and the size of the smallest store. */
export const PAGE_BYTES = 4_096;
/** The log is folded back into the store at this size, so that an open after a crash reads 4 MiB and not 1.8 GB. */
const LOG_PAGES_MAX = 1_000;
const CACHE_KIB = 8_192;

/** How large the store may become, in pages, and how many of them are kept back for ending what was begun (S-02, X-51). */
export type PageLimits = { readonly pagesMax: number; readonly reservePages: number };

/** 4 GiB, of which 16 MiB are kept back. */
export const pageLimits: PageLimits = {
  pagesMax: (4 * 1024 * 1024 * 1024) / PAGE_BYTES,
  reservePages: (16 * 1024 * 1024) / PAGE_BYTES,
};

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
];

export const writerPragmas: readonly Pragma[] = [
  { name: 'journal_mode', value: 'WAL', expected: 'wal' },
  // NORMAL may lose the last commits in a power cut, and with them the record that a run was started.
  { name: 'synchronous', value: 'FULL', expected: 2 },
  ...fullSync,
  { name: 'foreign_keys', value: 'ON', expected: 1 },
  { name: 'wal_autocheckpoint', value: LOG_PAGES_MAX, expected: LOG_PAGES_MAX },
  { name: 'journal_size_limit', value: LOG_PAGES_MAX * PAGE_BYTES, expected: LOG_PAGES_MAX * PAGE_BYTES },
  { name: 'busy_timeout', value: WRITER_BUSY_MS, expected: WRITER_BUSY_MS },
  ...common,
];

export const readerPragmas: readonly Pragma[] = [
  { name: 'query_only', value: 'ON', expected: 1 },
  { name: 'busy_timeout', value: READER_BUSY_MS, expected: READER_BUSY_MS },
  ...common,
];

/** Sets them all. Returns the name of one that did not take, or null. */
export function applyPragmas(connection: Connection, pragmas: readonly Pragma[]): string | null {
  for (const { name, value, expected } of pragmas) {
    connection.exec(`PRAGMA ${name} = ${value}`);
    if (connection.pragma(name) !== expected) return name;
  }
  return null;
}

/** A `file:` URI, because only there one can say that a missing file must not be created. */
export function uriOf(file: string, mode: 'rw' | 'ro'): string {
  const path = file.split(/[\\/]/).map(encodeURIComponent).join('/');
  return `file://${path.startsWith('/') ? '' : '/'}${path}?mode=${mode}`;
}

/**
 * For looking at a store that is not open here. SQLite creates a log and its index even to read; where there is none, the store is
 * read as one that does not change, so that looking leaves nothing behind.
 */
export function uriToLookAt(file: string): string {
  const isOpenSomewhere = COMPANIONS.some((suffix) => isThere(file + suffix));
  return isOpenSomewhere ? uriOf(file, 'ro') : `${uriOf(file, 'ro')}&immutable=1`;
}
