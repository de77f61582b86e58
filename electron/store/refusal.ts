/** Why a store was not opened. The file is as it was: Belfry never repairs, resets or replaces it by itself (S-03). */

import type { RefusalCode } from '../../shared/model/data';

export type StoreRefusal = {
  readonly code: RefusalCode;
  /** Sentences for the person at the screen: what is wrong and what to do. Names files, never folders. */
  readonly message: string;
  /** What SQLite or the system said, for the diagnostics log and for whoever helps; null where the sentences are all there is. */
  readonly detail: string | null;
};

export const refuse = (code: RefusalCode, message: string, detail: string | null = null): StoreRefusal => ({
  code,
  message,
  detail,
});
