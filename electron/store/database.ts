/**
 * Opens the store or says why not. Everything that could be wrong is looked at before anything is written, in this order:
 * links and owners, the first bytes of the file, then the content through a read-only connection, which cannot even
 * checkpoint. So a refused file is byte for byte what it was (S-03), and nothing is ever reset.
 */

import { basename, dirname, resolve } from 'node:path';
import { BugError, ok, type Result } from '../../shared/result';
import { toInstant } from '../../shared/time';
import { detailOf, StoreError } from '../core/storeError';
import { backupsFolderOf } from './backups';
import { type Connection, openConnection } from './connection';
import { copyInto } from './copyStore';
import { exchangeFileOf, finishExchange } from './exchange';
import { foreign, inspectContent, inspectHeader, isFirstPage, isOursOrEmpty } from './inspection';
import { type Migration, migrate, migrations, newestVersion, storedVersion } from './migrations';
import { type IsReplaced, identityOf, watchPlaces } from './place';
import {
  applyPragmas,
  COMPANIONS,
  OPEN_BUSY_MS,
  type PageLimits,
  pageLimits,
  READER_BUSY_MS,
  readerPragmas,
  uriOf,
  writerPragmas,
} from './pragmas';
import {
  createPrivateFile,
  inspectFile,
  isThere,
  makePrivate,
  preparePrivateFolder,
  sizeOf,
} from './privateFiles';
import { refuse, type StoreRefusal } from './refusal';

/** A store that is open. Closing it ends the writer; readers are closed by whoever opened them. */
export type Database = {
  readonly writer: Connection;
  /** Another connection that cannot write, or null in memory, where there is only one. */
  readonly openReader: (() => Connection) | null;
  /** Made with the store, so that two programs can tell whether they mean the same one (H-02). */
  readonly storeId: string;
  /** Whether the file was moved, replaced or deleted since it was opened. Never true in memory. */
  readonly isReplaced: IsReplaced;
  /** How large it may grow (S-02). */
  readonly limits: PageLimits;
  /** null in memory, which no other process writes to. */
  readonly file: string | null;
};

/** What tests choose: other steps, and a store that is full soon. */
export type DatabaseOptions = { readonly steps?: readonly Migration[]; readonly limits?: PageLimits };

type Plan = Required<DatabaseOptions>;

const OPEN_ATTEMPTS_MAX = 5;
const OPEN_PAUSE_MS = 50;

export const MARKER_TEXT =
  'A store of Belfry was created in this folder. If belfry.db is gone, Belfry says so instead of starting empty.\n';

/** Lies beside the store from its creation on: tells a first start from a lost file (S-04, X-46). */
export const markerOf = (file: string): string => `${file}.created`;

/** Makes the folder and keeps everybody else out. Why it must not be used at all, or null: then nothing may be written to it. */
export function prepareFolder(folder: string): StoreRefusal | null {
  try {
    return preparePrivateFolder(folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return refuse('unreadable', `The data folder cannot be used: the system said ${String(error.code)}.`);
  }
}

/** `file` is created with its folder if neither was ever there. Everything else that is unexpected is refused. */
export function openDatabase(
  place: { readonly file: string } | 'memory',
  { steps = migrations, limits = pageLimits }: DatabaseOptions = {},
): Result<Database, StoreRefusal> {
  const plan: Plan = { steps, limits };
  if (place === 'memory') return ok(openInMemory(plan));
  const file = resolve(place.file);
  // Turning a new store to its write-ahead log fails at once, without waiting, if another process looks at it just then.
  for (let attempt = 1; ; attempt += 1) {
    const result = tryToOpen(file, plan);
    if (result.ok || result.error.code !== 'busy' || attempt === OPEN_ATTEMPTS_MAX) return result;
    pause(OPEN_PAUSE_MS);
  }
}

function tryToOpen(file: string, plan: Plan): Result<Database, StoreRefusal> {
  try {
    const refusal = preparePrivateFolder(dirname(file)) ?? inspectPaths(file);
    if (refusal !== null) return { ok: false, error: refusal };
    finishExchange(file);
    return openFile(file, plan);
  } catch (error) {
    return { ok: false, error: refusalOf(error, file) };
  }
}

/** Blocks, as opening does: nothing else runs before the store is open. */
function pause(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
}

function openInMemory({ steps, limits }: Plan): Database {
  const writer = openConnection(':memory:', { isReadOnly: false, busyMs: 0 });
  writer.exec('PRAGMA trusted_schema = OFF');
  migrate(writer, steps);
  return {
    writer,
    openReader: null,
    storeId: storeIdOf(writer),
    isReplaced: () => false,
    limits,
    file: null,
  };
}

function inspectPaths(file: string): StoreRefusal | null {
  const paths = [file, markerOf(file), exchangeFileOf(file), ...COMPANIONS.map((suffix) => file + suffix)];
  for (const path of paths) {
    const refusal = inspectFile(path);
    if (refusal !== null) return refusal;
  }
  return null;
}

/**
 * Whether a creation was cut off, or goes on in another process: the store is missing, or has no bytes, or only its first
 * page, which is too small for any table, or its rollback journal lies there. All of it only if no marker says that there
 * was a store.
 */
function isBeingCreated(file: string): boolean {
  if (isThere(markerOf(file)) || isThere(`${file}-wal`)) return false;
  return (sizeOf(file) ?? 0) === 0 || isThere(`${file}-journal`) || isFirstPage(file);
}

function openFile(file: string, { steps, limits }: Plan): Result<Database, StoreRefusal> {
  if (isBeingCreated(file)) {
    createPrivateFile(file, '');
  } else {
    const refusal = inspectHeader(file, newestVersion(steps));
    if (refusal !== null) return { ok: false, error: refusal };
    makeFilesPrivate(file);
    const damage = inspectContentOf(file, steps);
    if (damage !== null) return { ok: false, error: damage };
  }
  // Looked at before it is opened: one that takes its place in between is noticed at the first transaction.
  const identity = identityOf(file);
  const writer = openConnection(uriOf(file, 'rw'), { isReadOnly: false, busyMs: OPEN_BUSY_MS });
  try {
    const refusal = makeReady(writer, file, steps);
    if (refusal !== null) {
      writer.close();
      return { ok: false, error: refusal };
    }
    const storeId = storeIdOf(writer);
    // Processes meet in these two, so they must be the same ones for all. SQLite keeps them while the writer is open.
    const meetingPlaces = ['-wal', '-shm'].map((suffix) => identityOf(file + suffix));
    const isReplaced = watchPlaces([identity, ...meetingPlaces]);
    return ok({ writer, openReader: () => openReader(file), storeId, isReplaced, limits, file });
  } catch (error) {
    writer.close();
    throw error;
  }
}

/**
 * A store that nobody has open is read as one that does not change, because SQLite creates a log and its index even to read.
 * Whatever is found then is looked for once more if somebody opened the store meanwhile.
 */
function inspectContentOf(file: string, steps: readonly Migration[]): StoreRefusal | null {
  const isAlone = (): boolean => !COMPANIONS.some((suffix) => isThere(file + suffix));
  const inspect = (uri: string): StoreRefusal | null => {
    const connection = openConnection(uri, { isReadOnly: true, busyMs: OPEN_BUSY_MS });
    try {
      return inspectContent(connection, { file, versionMax: newestVersion(steps) });
    } catch (error) {
      // These statements work on every store that is whole. SQLite has no number for a header or an index of words that is not.
      if (error instanceof BugError) throw new StoreError('corrupt', error.message, { cause: error });
      throw error;
    } finally {
      connection.close();
    }
  };
  if (isAlone()) {
    try {
      const refusal = inspect(`${uriOf(file, 'ro')}&immutable=1`);
      if (refusal === null || isAlone()) return refusal;
    } catch (error) {
      if (isAlone() || !(error instanceof StoreError)) throw error;
    }
  }
  return inspect(uriOf(file, 'ro'));
}

/** Takes no lock on a store that is current, so that an engine in the middle of a transaction keeps nobody out. */
function makeReady(writer: Connection, file: string, steps: readonly Migration[]): StoreRefusal | null {
  writer.exec('PRAGMA synchronous = FULL');
  if (!isOursOrEmpty(writer)) return foreign(basename(file));
  const version = storedVersion(writer);
  // Takes effect only before the first table exists: pages freed by retention can then be given back in small steps.
  if (version === 0) writer.exec('PRAGMA auto_vacuum = INCREMENTAL');
  else if (version < newestVersion(steps)) copyBeforeMigration(writer, file);
  const failure = migrateOrSay(writer, { steps, isNew: version === 0, name: basename(file) });
  if (failure !== null) return failure;
  const refused = applyPragmas(writer, writerPragmas);
  if (refused !== null) {
    return refuse(
      'unsafe_disk',
      `The disk of the data folder cannot keep Belfry's data safely. Use a local disk.`,
      `${refused} did not take`,
    );
  }
  createPrivateFile(markerOf(file), MARKER_TEXT);
  makeFilesPrivate(file);
  return null;
}

function openReader(file: string): Connection {
  const connection = openConnection(uriOf(file, 'ro'), { isReadOnly: true, busyMs: READER_BUSY_MS });
  const refused = applyPragmas(connection, readerPragmas);
  if (refused === null) return connection;
  connection.close();
  throw new StoreError('io', 'The data of Belfry cannot be read safely.', {
    cause: `${refused} did not take`,
  });
}

/** Another process that migrates just now is waited for; everything else that stops a step is told, with where the copy lies. */
function migrateOrSay(
  writer: Connection,
  { steps, isNew, name }: { steps: readonly Migration[]; isNew: boolean; name: string },
): StoreRefusal | null {
  try {
    migrate(writer, steps);
    return null;
  } catch (error) {
    const isKnown = error instanceof StoreError || error instanceof BugError;
    if (!isKnown || isNew || (error instanceof StoreError && error.code === 'busy')) throw error;
    const why = error instanceof StoreError ? ` ${error.message}` : '';
    return refuse(
      'migration_failed',
      `“${name}” was written by an older Belfry and could not be brought up to date.${why} It is as it was before, and a copy of it lies among the backups.`,
    );
  }
}

/** Kept among the other copies, and named when it is complete. */
function copyBeforeMigration(writer: Connection, file: string): void {
  copyInto(writer, { folder: backupsFolderOf(file), reason: 'migration', at: toInstant(Date.now()) });
}

/** SQLite gives its companions the mode of the store; an older mode of any of them is repaired here. */
function makeFilesPrivate(file: string): void {
  for (const suffix of ['', '.created', ...COMPANIONS]) makePrivate(file + suffix);
}

const storeIdOf = (connection: Connection): string =>
  String(connection.get(`SELECT value ->> '$' AS storeId FROM settings WHERE key = 'store_id'`)?.storeId);

function refusalOf(error: unknown, file: string): StoreRefusal {
  const name = basename(file);
  if (error instanceof StoreError) {
    if (error.code === 'corrupt') {
      return refuse('damaged', `The file “${name}” is damaged.`, detailOf(error));
    }
    if (error.code === 'busy') {
      return refuse('busy', `Another program holds “${name}”. Close it and start Belfry again.`);
    }
    return refuse('unreadable', `“${name}” cannot be opened. ${error.message}`);
  }
  if (error instanceof Error && 'syscall' in error && 'code' in error) {
    return refuse('unreadable', `“${name}” cannot be opened: the system said ${String(error.code)}.`);
  }
  throw error;
}
