/**
 * Slow work with store files, as functions that block: they run in a thread of their own (storeWork.ts). Each opens its own
 * connections and closes them. Errors of the disk are StoreErrors.
 */

import { copyFileSync, rmSync } from 'node:fs';
import type { Backup, RepairProgress } from '../../shared/model/data';
import type { Instant } from '../../shared/time';
import { StoreError } from '../core/storeError';
import { type CopyFacts, countIn, DAMAGED_COPY } from './backups';
import { type Connection, openConnection } from './connection';
import { damageOf } from './copyCheck';
import { type Copying, copyInto, diskError, syncFile, verify } from './copyStore';
import { exportStore } from './exportStore';
import { findingOf, inspectHeader } from './inspection';
import { markRestored } from './markRestored';
import { migrate, migrations, newestVersion } from './migrations';
import { OPEN_BUSY_MS, uriOf, uriToLookAt } from './pragmas';
import { createPrivateFile, makePrivate } from './privateFiles';
import { type Repaired, repairStore } from './repairStore';

type Progress = (progress: RepairProgress) => void;

export const storeTasks = {
  /** A copy of a store that may be in use. */
  copy: ({ file, ...copying }: Copying & { readonly file: string }): Backup =>
    withConnection(file, 'ro', (connection) => copyInto(connection, copying)),

  /** Reads every page; the first finding, or null. */
  check: ({ file }: { readonly file: string }): string | null =>
    withConnection(file, 'ro', (connection) => findingOf(connection.pragma('quick_check(1)'))),

  /** What is wrong with each of these copies, in their order; null for one that is whole, or gone. Reads every page. */
  checkCopies: ({ files }: { readonly files: readonly string[] }): (string | null)[] => files.map(damageOf),

  /** `target` becomes what `copy` holds, brought to the newest schema and marked as restored. */
  prepare: ({ copy, target, at, note }: Prepare): CopyFacts =>
    making(target, () => {
      const refusal = inspectHeader(copy, newestVersion(migrations));
      if (refusal !== null) throw new StoreError('corrupt', DAMAGED_COPY, { cause: refusal.message });
      copyFileSync(copy, target);
      makePrivate(target);
      const damage = damageOf(target);
      if (damage !== null) throw new StoreError('corrupt', DAMAGED_COPY, { cause: damage });
      withConnection(target, 'rw', (connection) => finishStore(connection, { at, note }));
    }),

  /** `target` becomes an empty store. */
  create: ({ target }: { readonly target: string }): CopyFacts =>
    making(target, () => withConnection(target, 'rw', (connection) => finishStore(connection, null))),

  /** `target` becomes what can be read of `file`. */
  repair: (
    { file, target, at, note }: Omit<Prepare, 'copy'> & { file: string },
    onProgress: Progress,
  ): Repaired => {
    let repaired: Repaired | null = null;
    making(target, () => {
      repaired = withConnection(file, 'look', (source) =>
        withConnection(target, 'rw', (connection) => {
          const read = repairStore(source, connection, { at, onProgress });
          markRestored(connection, { at, note });
          return read;
        }),
      );
    });
    return repaired as unknown as Repaired;
  },

  /** Writes what can be read of `file` as JSON. */
  export: ({ file, target }: { readonly file: string; readonly target: string }) =>
    withConnection(file, 'look', (connection) => exportStore(connection, target)),
};

type Prepare = {
  readonly copy: string;
  readonly target: string;
  readonly at: Instant;
  readonly note: string;
};

export type StoreTasks = typeof storeTasks;
export type StoreTaskName = keyof StoreTasks;

export type TaskOptions = {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RepairProgress) => void;
};

/** Whoever runs the tasks. */
export interface StoreWork {
  /** Rejects with a StoreError, or with the reason of `signal`: nothing of the task goes on then. */
  run<N extends StoreTaskName>(
    name: N,
    input: Parameters<StoreTasks[N]>[0],
    options?: TaskOptions,
  ): Promise<ReturnType<StoreTasks[N]>>;
}

/** Makes `target` anew; it is complete and on the disk afterwards, or gone. */
function making(target: string, work: () => void): CopyFacts {
  try {
    rmSync(target, { force: true });
    createPrivateFile(target, '');
    work();
    syncFile(target);
    verify(target);
    return countIn(target);
  } catch (error) {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(target + suffix, { force: true });
    throw error instanceof Error && 'syscall' in error ? diskError(error) : error;
  }
}

function finishStore(connection: Connection, restored: { at: Instant; note: string } | null): void {
  connection.exec(
    'PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; PRAGMA auto_vacuum = INCREMENTAL',
  );
  migrate(connection, migrations);
  if (restored !== null) markRestored(connection, restored);
}

/** `look`: for a store that was refused, which stays as it is. */
function withConnection<T>(file: string, mode: 'look' | 'ro' | 'rw', work: (connection: Connection) => T): T {
  const uri = mode === 'look' ? uriToLookAt(file) : uriOf(file, mode);
  const connection = openConnection(uri, { isReadOnly: mode !== 'rw', busyMs: OPEN_BUSY_MS });
  try {
    connection.exec('PRAGMA trusted_schema = OFF');
    return work(connection);
  } finally {
    connection.close();
  }
}
