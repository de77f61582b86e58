/** Why a store was not opened. The file is as it was: Belfry never repairs, resets or replaces it by itself (S-03). */

import type { RefusalCode } from '../../shared/model/data';

export type StoreRefusal = {
  readonly code: RefusalCode;
  /** Sentences for the person at the screen: what is wrong and what to do. Names files, never folders. */
  readonly message: string;
};

export const refuse = (code: RefusalCode, message: string): StoreRefusal => ({ code, message });
