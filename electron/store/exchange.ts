/**
 * Puts a new store in the place of the present one, which goes aside with the files that SQLite keeps beside it. What is to be done
 * is written down first, in a file of its own; whoever opens the store next finishes what a death or the end of power left
 * undone (S-14, X-46). Nobody else comes in between: that file is locked meanwhile, and the system frees it with its process.
 */

import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { Instant } from '../../shared/time';
import { isCorrupt, StoreError } from '../core/storeError';
import { type Connection, openConnection } from './connection';
import { COMPANIONS, OPEN_BUSY_MS, uriOf } from './pragmas';
import { createPrivateFile, inspectFile, isThere, syncFolder } from './privateFiles';

/** A small database, because SQLite commits and locks on every system. It is kept: to remove it would let two processes lock two of them. */
export const exchangeFileOf = (file: string): string => `${file}.exchange`;

/** Names without folders, so that nothing outside the data folder can be meant. */
const Exchange = z.strictObject({
  /** Below `aside/`. */
  aside: z.string().regex(/^[\dTZ-]+$/),
  /** Beside the store. Once this name is gone the new store has the other. */
  fresh: z.string().regex(/^\.[\w.-]+\.new$/),
});
type Exchange = z.output<typeof Exchange>;

/**
 * `fresh` is a store that is complete and on the disk, beside `file`. Returns where the present one lies now, from the data folder
 * on, or null if there was none. If the disk refuses, everything is as it was and `fresh` is gone. Throws what the file system
 * throws, and StoreErrors.
 */
export function exchangeStore(file: string, fresh: string, at: Instant): string | null {
  const [first] = ['', ...COMPANIONS].filter((suffix) => isThere(file + suffix));
  const wanted = { aside: prepareAside(file, at), fresh: basename(fresh) };
  try {
    // The new name has to be on the disk before anybody can rely on it.
    syncFolder(dirname(file));
    noteAndCarryOut(file, fresh, wanted);
  } finally {
    const place = join(dirname(file), 'aside', wanted.aside);
    if (readdirSync(place).length === 0) rmdirSync(place);
  }
  return first === undefined ? null : join('aside', wanted.aside, basename(file) + first);
}

function noteAndCarryOut(file: string, fresh: string, wanted: Exchange): void {
  const note = openNote(file);
  try {
    inTransaction(note, () => {
      // Another process that begins the same takes it for what a dead one has left. Later its absence means that all is done.
      if (!isThere(fresh))
        throw new StoreError('io', 'Another Belfry process is changing the data too. Try again.');
      write(note, wanted);
    });
    const trouble = inTransaction(note, () => {
      try {
        carryOutNoted(note, file);
        return null;
      } catch (error) {
        // Once it has the name nothing is left to be done.
        if (!isThere(fresh)) return null;
        putBack(file, wanted);
        rmSync(fresh);
        return { error };
      }
    });
    if (trouble !== null) throw trouble.error;
  } finally {
    note.close();
  }
}

/** Before anything else is done with the store. Does nothing where nothing was left undone. Throws like exchangeStore. */
export function finishExchange(file: string): void {
  const place = exchangeFileOf(file);
  if (!isThere(place)) return;
  try {
    const note = openConnection(uriOf(place, 'rw'), { isReadOnly: false, busyMs: OPEN_BUSY_MS });
    try {
      if (noted(note) !== null) inTransaction(note, () => carryOutNoted(note, file));
    } finally {
      note.close();
    }
  } catch (error) {
    // Nothing that can be believed was written down. If the store is missing, that is said, and everything is still there.
    if (!isCorrupt(error)) throw error;
  }
}

/** Makes it durable too. */
function prepareAside(file: string, at: Instant): string {
  const folder = dirname(file);
  const stamp = new Date(at).toISOString().replace(/[:.]/g, '-');
  let aside = stamp;
  // A clock that was set back must not put two stores into one folder.
  for (let number = 2; isThere(join(folder, 'aside', aside)); number += 1) aside = `${stamp}-${number}`;
  mkdirSync(join(folder, 'aside', aside), { recursive: true, mode: 0o700 });
  syncFolder(join(folder, 'aside'));
  return aside;
}

function openNote(file: string): Connection {
  const place = exchangeFileOf(file);
  const refusal = inspectFile(place);
  if (refusal !== null) throw new StoreError('io', refusal.message);
  const open = (): Connection => {
    createPrivateFile(place, '');
    const connection = openConnection(uriOf(place, 'rw'), { isReadOnly: false, busyMs: OPEN_BUSY_MS });
    // More than FULL: the end of the journal is on the disk too, without which a commit may be undone when the power ends.
    connection.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA');
    connection.exec('CREATE TABLE IF NOT EXISTS exchange (aside TEXT NOT NULL, fresh TEXT NOT NULL) STRICT');
    return connection;
  };
  try {
    return open();
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    for (const suffix of ['', '-journal']) rmSync(place + suffix, { force: true });
    return open();
  }
}

function inTransaction<T>(note: Connection, work: () => T): T {
  note.exec('BEGIN EXCLUSIVE');
  try {
    const result = work();
    note.exec('COMMIT');
    return result;
  } finally {
    // The lock must not outlive the work, and the connection lives on until its statements are collected.
    if (note.isTransaction) note.exec('ROLLBACK');
  }
}

function write(note: Connection, exchange: Exchange | null): void {
  note.exec('DELETE FROM exchange');
  if (exchange === null) return;
  note.run('INSERT INTO exchange (aside, fresh) VALUES (?, ?)', [exchange.aside, exchange.fresh]);
}

/** null also for what cannot be meant. */
function noted(note: Connection): Exchange | null {
  if (note.get(`SELECT 1 FROM sqlite_schema WHERE name = 'exchange'`) === undefined) return null;
  return Exchange.safeParse(note.get('SELECT aside, fresh FROM exchange')).data ?? null;
}

function carryOutNoted(note: Connection, file: string): void {
  const exchange = noted(note);
  if (exchange === null) return;
  carryOut(file, exchange);
  write(note, null);
}

/** From whichever step on is left. */
function carryOut(file: string, exchange: Exchange): void {
  const folder = dirname(file);
  const place = join(folder, 'aside', exchange.aside);
  const fresh = join(folder, exchange.fresh);
  if (!isThere(fresh)) return;
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const kept = join(place, basename(file));
  // Somebody put a store there by hand before this could be finished: it stays, and is told from the log of the other.
  const isOvertaken = isThere(file) && isThere(kept);
  if (!isOvertaken) moveAside(file, kept);
  // A store whose log is gone already would be taken for a whole one that is older.
  syncMove(place, folder);
  for (const suffix of COMPANIONS) {
    if (!isOvertaken || !isThere(kept + suffix)) moveAside(file + suffix, kept + suffix);
  }
  // A new store that meets the log of the old one would take it for its own.
  syncMove(place, folder);
  if (isOvertaken) rmSync(fresh, { force: true });
  else renameSync(fresh, file);
  syncFolder(folder);
}

/** Never over something else. */
function moveAside(from: string, to: string): void {
  if (!isThere(from)) return;
  let free = to;
  for (let number = 2; isThere(free); number += 1) free = `${to}.${number}`;
  renameSync(from, free);
}

/** What was moved between two folders is on the disk in both. */
function syncMove(to: string, from: string): void {
  syncFolder(to);
  syncFolder(from);
}

/** The store last, so that it is never there without its log. */
function putBack(file: string, { aside }: Exchange): void {
  const place = join(dirname(file), 'aside', aside);
  for (const suffix of [...COMPANIONS, '']) {
    const kept = join(place, basename(file) + suffix);
    if (!isThere(kept) || isThere(file + suffix)) continue;
    if (suffix === '') syncMove(dirname(file), place);
    renameSync(kept, file + suffix);
  }
  syncMove(dirname(file), place);
}
