/**
 * What lies on the disk: copies of the store, how much room everything takes, and what can be done when the store could not be
 * opened.
 */
import { z } from 'zod';
import { Instant } from '../time';

/** Why a copy was made: each day, before a newer Belfry changed the store, before an import, before another copy was put back, or by hand. */
export const BackupReason = z.enum(['daily', 'migration', 'import', 'restore', 'manual']);
export type BackupReason = z.output<typeof BackupReason>;

/** The name of the copy's file, without a folder. */
export const BackupId = z
  .string()
  .max(200)
  .regex(/^[\w.-]+\.db$/)
  .brand<'BackupId'>();
export type BackupId = z.output<typeof BackupId>;

/** A copy of the store. What it holds was counted when it was made, and again before it is put back. */
export const Backup = z.strictObject({
  id: BackupId,
  reason: BackupReason,
  madeAt: Instant,
  bytes: z.number().int(),
  jobCount: z.number().int(),
  runCount: z.number().int(),
  /** A sentence, if it cannot be put back: damaged, or written by a newer Belfry. */
  problem: z.string().nullable(),
});
export type Backup = z.output<typeof Backup>;

/** Why the store was not opened. The file is as it was: Belfry never repairs, resets or replaces it by itself (S-03). */
export const RefusalCode = z.enum([
  /** The store or a file beside it is a link, or something else than a file. */
  'link',
  'not_a_file',
  'foreign_owner',
  /** Others may write to the folder. */
  'open_folder',
  /** There was a store, and now the file is gone or empty. */
  'missing',
  'empty',
  'not_a_database',
  /** A database, but of another program. */
  'foreign_database',
  /** Written by a newer Belfry. */
  'newer_schema',
  'damaged',
  /** A newer schema could not be put in place. A copy from before lies among the backups. */
  'migration_failed',
  /** The disk cannot do what durable writing needs. */
  'unsafe_disk',
  'busy',
  'unreadable',
]);
export type RefusalCode = z.output<typeof RefusalCode>;

/**
 * `restore` puts a copy in place, `repair` reads what can be read into a new store, `start_empty` begins anew. Each keeps the file
 * that could not be opened beside the new one.
 */
export const RescueChoice = z.enum(['restore', 'repair', 'start_empty']);
export type RescueChoice = z.output<typeof RescueChoice>;

/** How far a repair has come; null shares where the damage hides how much there was. */
export const RepairProgress = z.strictObject({
  jobCount: z.number().int(),
  runCount: z.number().int(),
  /** 0 to 1. */
  share: z.number().min(0).max(1).nullable(),
});
export type RepairProgress = z.output<typeof RepairProgress>;

/** What the rescue view shows instead of everything else. */
export const RescueState = z.strictObject({
  code: RefusalCode,
  /** Sentences: what is wrong and what to do. */
  message: z.string(),
  /** What SQLite or the system said, for whoever helps; null where the sentences are all there is. */
  detail: z.string().nullable(),
  /** Where the store lies, for the eyes of the user. */
  file: z.string(),
  /** What makes sense for this refusal; empty where only the cause can be mended by hand and tried again. */
  choices: z.array(RescueChoice),
  /** Newest first. */
  backups: z.array(Backup),
  /** Whether something could be read from the file, for an export. */
  canExport: z.boolean(),
  /** While a repair goes on. */
  repair: RepairProgress.nullable(),
});
export type RescueState = z.output<typeof RescueState>;

/** What was done, in sentences for the person who chose it. */
export const RescueReport = z.strictObject({
  choice: RescueChoice,
  sentences: z.array(z.string()),
  /** Where the file that could not be opened lies now; null if there was none. */
  keptFile: z.string().nullable(),
});
export type RescueReport = z.output<typeof RescueReport>;

/** How much room Belfry takes and how its data is. Bytes. */
export const DataFacts = z.strictObject({
  folder: z.string(),
  storeBytes: z.number().int(),
  outputBytes: z.number().int(),
  backupBytes: z.number().int(),
  /** Free on the disk of the data folder; null where it is not known. */
  freeBytes: z.number().int().nullable(),
  runCount: z.number().int(),
  jobCount: z.number().int(),
  oldestRunAt: Instant.nullable(),
  lastBackupAt: Instant.nullable(),
  /** When all of the store was last checked, and what was found; null finding: it is whole. */
  lastCheck: z.strictObject({ at: Instant, finding: z.string().nullable() }).nullable(),
});
export type DataFacts = z.output<typeof DataFacts>;
