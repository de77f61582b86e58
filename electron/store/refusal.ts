/** Why a store was not opened. The file is as it was: Belfry never repairs, resets or replaces it by itself (S-03). */

export type RefusalCode =
  /** The store or a file beside it is a link, or something else than a file. */
  | 'link'
  | 'not_a_file'
  | 'foreign_owner'
  /** Others may write to the folder. */
  | 'open_folder'
  /** There was a store, and now the file is gone or empty. */
  | 'missing'
  | 'empty'
  | 'not_a_database'
  /** A database, but of another program. */
  | 'foreign_database'
  /** Written by a newer Belfry. */
  | 'newer_schema'
  | 'damaged'
  /** The disk cannot do what durable writing needs. */
  | 'unsafe_disk'
  | 'busy'
  | 'unreadable';

export type StoreRefusal = {
  readonly code: RefusalCode;
  /** Sentences for the person at the screen: what is wrong and what to do. Names files, never folders. */
  readonly message: string;
};

export const refuse = (code: RefusalCode, message: string): StoreRefusal => ({ code, message });
