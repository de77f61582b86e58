/**
 * What the engine needs of the disk besides the store: copies of it, checks, room, and a place for results that the store
 * could not take. Types only.
 */

import type {
  Backup,
  BackupId,
  BackupReason,
  DataFacts,
  RepairProgress,
  RescueReport,
  RescueState,
} from '../../shared/model/data';
import type { AttemptId, RunId } from '../../shared/model/run';
import type { Result } from '../../shared/result';
import type { Instant } from '../../shared/time';
import type { RunWriter } from './store';

/** Slow work with the files of the store, done beside the main thread. Errors of the disk are StoreErrors. */
export interface DataKeeper {
  /** A whole copy, made online and verified by opening it; of each reason the newest BACKUPS_KEPT stay. */
  backUp(reason: BackupReason): Promise<Backup>;
  /** Newest first. */
  backups(): Promise<Backup[]>;
  /** Reads all of the store; a finding, or null if it is whole. */
  check(): Promise<string | null>;
  /** What the disk tells; the rest of DataFacts comes from the store. */
  sizes(): Promise<Pick<DataFacts, 'folder' | 'storeBytes' | 'backupBytes' | 'freeBytes'>>;
  /** Removes the output of these runs, as far as it is there. Nobody is reading or writing it: the runs are over. */
  removeOutputs(runIds: readonly RunId[]): Promise<void>;
}

/** How an attempt ended, while the store cannot take it. */
export type SpilledEnd = Parameters<RunWriter['finish']>[0];

/**
 * Ends of attempts that the store could not take, kept in a file that has its room already, so that a full disk cannot refuse
 * it (H-61, X-51).
 */
export interface Spill {
  /** Durable once it resolves; false if there was no room left, or the disk refused. A second end of an attempt replaces the first. */
  keep(end: SpilledEnd): Promise<boolean>;
  /** Oldest first. What cannot be read is left out. */
  all(): Promise<SpilledEnd[]>;
  /** The store has them. */
  forget(attemptIds: readonly AttemptId[]): Promise<void>;
}

/** The other Belfry processes on this store. */
export interface Peers {
  /** Says that something was changed in the store without the process that runs the jobs. */
  tell(): void;
  /** Calls back, within a second, when another process told. Returns how to stop listening. */
  onTold(listener: () => void): () => void;
}

/**
 * The files of a store that nobody has open: looked at, and put in place of each other. What lay there is moved aside and kept.
 * Expected failures (a copy that is damaged, a disk that is full) are answers; the store is as it was then.
 */
export interface StoreFiles {
  /** Newest first. Reads only. */
  backups(): Promise<Backup[]>;
  /**
   * Puts a verified copy in place. In it every run that waited or went on is closed, and everything undecided until `at` is
   * marked as not known, because it may have run since the copy was made (D3, D4).
   */
  restore(backupId: BackupId, at: Instant): Promise<Result<RescueReport>>;
  /** Reads row by row what can be read into a new store and puts that in place, marked like a restored one. */
  repair(how: {
    readonly at: Instant;
    readonly onProgress: (progress: RepairProgress) => void;
    readonly signal: AbortSignal;
  }): Promise<Result<RescueReport>>;
  /** Puts a new, empty store in place. */
  startEmpty(at: Instant): Promise<Result<RescueReport>>;
  /** Whether anything can be read of it. */
  canExport(): Promise<boolean>;
  /** Writes jobs and runs as JSON, as far as they can be read. */
  exportTo(file: string): Promise<Result<Exported>>;
}

/** What an export holds, and at how many places something could not be read, and is left out. */
type Exported = { readonly jobCount: number; readonly runCount: number; readonly gapCount: number };

/** What this process can do about the store as a whole, open or refused. */
export interface DataActions {
  /** null while the store is open. */
  rescueState(): Promise<RescueState | null>;
  /** Tries to open the store once more; answers like `rescueState` afterwards. */
  retry(): Promise<RescueState | null>;
  act(
    what:
      | { readonly choice: 'restore'; readonly backupId: BackupId }
      | { readonly choice: 'repair' | 'start_empty' },
  ): Promise<Result<RescueReport>>;
  cancelRepair(): void;
  exportTo(file: string): Promise<Result<Exported>>;
  /** For a store that is open: stops the engine, makes a copy, restores, and starts again. */
  restoreOpen(backupId: BackupId): Promise<Result<RescueReport>>;
}

/** What a command line can reach while no Belfry answers. */
export type OfflineData = {
  readonly files: StoreFiles;
  readonly keeper: DataKeeper;
  /** A sentence that names the process which may still work with the store, though it does not answer; null if none does. */
  holder(): Promise<string | null>;
};
