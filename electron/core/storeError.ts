/**
 * What can go wrong between us and the disk, told apart because the engine reacts to each differently: a full disk is
 * shown and tried again, a damaged file stops everything. Codes only; no text of SQLite is parsed to learn them.
 */

/**
 * `full`: no space left. `read_only`: the file or its disk cannot be written. `busy`: another process holds the write
 * lock, or a transaction took too long. `corrupt`: the file is damaged. `io`: the disk answered with another error.
 * `replaced`: the file was moved, replaced or deleted while it was open; stays so until the next start.
 */
export type StoreErrorCode = 'full' | 'read_only' | 'busy' | 'corrupt' | 'io' | 'replaced';

/** Thrown by every call of the store. Nothing of the failed transaction was kept. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What the disk or SQLite said, in its own words; null where nothing is known beyond the message. For a log, not for a person. */
export const detailOf = ({ cause }: Error): string | null => {
  if (cause instanceof Error) return detailOf(cause) ?? cause.message;
  return typeof cause === 'string' ? cause : null;
};

export const isCorrupt = (error: unknown): boolean => error instanceof StoreError && error.code === 'corrupt';

/** Whether another process may be working on other data under the same name by now: nothing may be started any more. */
export const isReplaced = (error: unknown): boolean =>
  error instanceof StoreError && error.code === 'replaced';
