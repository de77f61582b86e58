/**
 * Looks at an existing file without changing it: is it a store of Belfry, is it one that this version understands, and is
 * it whole? The first bytes come first, because SQLite would follow up on a foreign or half-written file.
 */

import { basename } from 'node:path';
import type { Connection } from './connection';
import { APPLICATION_ID, storedVersion } from './migrations';
import { PAGE_BYTES } from './pragmas';
import { readStart, sizeOf } from './privateFiles';
import { refuse, type StoreRefusal } from './refusal';

/** The header of a SQLite file (sqlite.org/fileformat2.html, section 1.3). */
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;

/** Without these no job can be planned. They stay small, so they are checked at every start. */
const TABLES_ALWAYS_CHECKED = [
  ...['settings', 'leases', 'jobs', 'job_revisions', 'job_stats', 'schedules'],
  ...['pauses', 'pending_occurrences'],
];

/**
 * Up to this size the whole file is checked at every start. Above it history is not: a check reads every page, and a
 * million runs would delay the start by seconds. The engine has all of it checked later, beside the main thread; damage there
 * shows as a StoreError when it is read.
 */
const WHOLE_CHECK_BYTES_MAX = 16 * 1024 * 1024;

const newer = (name: string): StoreRefusal =>
  refuse('newer_schema', `“${name}” was written by a newer Belfry. Install that version or a later one.`);

export const foreign = (name: string): StoreRefusal =>
  refuse('foreign_database', `“${name}” is a database of another program.`);

/** SQLite writes one page, still without our number, before the transaction that creates the tables. */
export function isFirstPage(file: string): boolean {
  if (sizeOf(file) !== PAGE_BYTES) return false;
  const header = readStart(file, HEADER_BYTES);
  return isMagic(header) && header.readUInt32BE(APPLICATION_ID_AT) === 0;
}

const isMagic = (header: Buffer): boolean => header.toString('latin1', 0, MAGIC.length) === MAGIC;

/** In this order, because another process may create the tables between the two questions, and our number with them. */
export function isOursOrEmpty(connection: Connection): boolean {
  const tables = Number(connection.get('SELECT count(*) AS count FROM sqlite_schema')?.count);
  return tables === 0 || connection.pragma('application_id') === APPLICATION_ID;
}

export function inspectHeader(file: string, versionMax: number): StoreRefusal | null {
  const name = basename(file);
  const size = sizeOf(file);
  if (size === null) {
    return refuse(
      'missing',
      `There was a store in this folder, but “${name}” is gone. Put it back, or a copy of it, and start again.`,
    );
  }
  if (size === 0) {
    return refuse('empty', `“${name}” is empty, although there was a store. Put a copy of it in its place.`);
  }
  const header = readStart(file, HEADER_BYTES);
  if (header.length < HEADER_BYTES || !isMagic(header)) {
    return refuse('not_a_database', `“${name}” is not a database.`);
  }
  if (header.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID) return foreign(name);
  return header.readUInt32BE(USER_VERSION_AT) > versionMax ? newer(name) : null;
}

/** What only SQLite can tell. `connection` is read-only: even closing it changes nothing. */
export function inspectContent(
  connection: Connection,
  limits: { readonly file: string; readonly versionMax: number },
): StoreRefusal | null {
  const name = basename(limits.file);
  // Once more, because the newest header may still stand in the write-ahead log.
  const version = storedVersion(connection);
  if (version > limits.versionMax) return newer(name);
  const isSmall = (sizeOf(limits.file) ?? 0) <= WHOLE_CHECK_BYTES_MAX;
  const finding = isSmall ? check(connection, 'quick_check(1)') : checkTables(connection);
  if (finding === null) return null;
  return refuse('damaged', `The file “${name}” failed its check: a part of it is damaged.`, finding);
}

function checkTables(connection: Connection): string | null {
  // An older store has not all of them yet.
  const there = connection.all(`SELECT name FROM sqlite_schema WHERE type = 'table'`).map(({ name }) => name);
  for (const table of TABLES_ALWAYS_CHECKED.filter((name) => there.includes(name))) {
    const finding = check(connection, `quick_check(${table})`);
    if (finding !== null) return finding;
  }
  return null;
}

const check = (connection: Connection, pragma: string): string | null => findingOf(connection.pragma(pragma));

/** What a check of SQLite answered, as one line; null if all is well. */
export function findingOf(answer: unknown): string | null {
  if (answer === 'ok') return null;
  const lines = String(answer).split('\n');
  // First it says in which database, and there is only one.
  return lines.find((line) => !line.startsWith('***')) ?? String(lines[0]);
}
