/** Makes a whole copy of a store that may be in use. Blocks until it is done: beside the main thread, or before anything runs. */

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Backup, BackupReason } from '../../shared/model/data';
import type { Instant } from '../../shared/time';
import { StoreError } from '../core/storeError';
import { backupName, countIn, factsOf, pruneBackups, unfinishedOf } from './backups';
import type { Connection } from './connection';
import { wholeCheck } from './copyCheck';
import { createPrivateFile, syncFolder } from './privateFiles';

export type Copying = {
  readonly folder: string;
  readonly reason: BackupReason;
  readonly at: Instant;
};

/**
 * A consistent copy of what `connection` sees, without what is free in it. Verified by opening it, then named, then older ones are
 * pruned. Throws a StoreError; nothing is left then.
 */
export function copyInto(connection: Connection, { folder, reason, at }: Copying): Backup {
  const id = backupName(reason, at);
  const copy = join(folder, id);
  const unfinished = unfinishedOf(copy);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    rmSync(unfinished, { force: true });
    createPrivateFile(unfinished, '');
    connection.run('VACUUM INTO ?', [unfinished]);
    syncFile(unfinished);
    verify(unfinished);
    const facts = countIn(unfinished);
    writeFileSync(factsOf(copy), `${JSON.stringify(facts)}\n`, { mode: 0o600 });
    syncFile(factsOf(copy));
    renameSync(unfinished, copy);
    syncFolder(folder);
    pruneBackups(folder, at);
    return { id, reason, madeAt: at, bytes: statSync(copy).size, ...facts, problem: null };
  } catch (error) {
    for (const left of [unfinished, factsOf(copy)]) removeIfThere(left);
    throw error instanceof Error && 'syscall' in error ? diskError(error) : error;
  }
}

/** What cannot be removed now goes with a later copy. */
function removeIfThere(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The reason why there is no copy counts more.
  }
}

/** What the file system says, in the words of the store. */
export function diskError(error: Error): StoreError {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new StoreError('full', 'The disk is full: the copy cannot be written.', { cause: error });
  }
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') {
    return new StoreError('read_only', 'The folder of the copies cannot be written.', { cause: error });
  }
  return new StoreError('io', 'The disk reported an error while files were copied.', { cause: error });
}

/** Throws a StoreError `corrupt` unless every page of the file is in order. */
export function verify(file: string): void {
  const finding = wholeCheck(file);
  if (finding !== null) throw new StoreError('corrupt', 'The copy is damaged.', { cause: finding });
}

/** What was written to the file is on the disk and not only in the cache. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
