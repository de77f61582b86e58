/** Whether a copy is what it was when it was made. Nobody writes to a copy, and nothing may be left beside it. */

import { BugError } from '../../shared/result';
import { detailOf, StoreError } from '../core/storeError';
import { openConnection } from './connection';
import { findingOf } from './inspection';
import { uriOf } from './pragmas';
import { readStart, sizeOf } from './privateFiles';

/** What SQLite finds wrong with a file that nobody writes; null if it is whole. Reads every page. Throws a StoreError where it cannot begin. */
export function wholeCheck(file: string): string | null {
  const connection = openConnection(`${uriOf(file, 'ro')}&immutable=1`, { isReadOnly: true, busyMs: 0 });
  try {
    return findingOf(connection.pragma('quick_check(1)'));
  } catch (error) {
    // The statement works on every file that is whole. SQLite has no number for a list of tables that is not.
    if (error instanceof BugError) throw new StoreError('corrupt', 'The copy is damaged.', { cause: error });
    throw error;
  } finally {
    connection.close();
  }
}

/** The same for a file of which nothing is known: that nothing can be read is a finding, too. One that is gone is not damaged. */
export function damageOf(file: string): string | null {
  try {
    return isCutOff(file) ? 'it is shorter than its header says' : wholeCheck(file);
  } catch (error) {
    if (sizeOf(file) === null) return null;
    if (error instanceof StoreError && (error.code === 'corrupt' || error.code === 'io'))
      return detailOf(error) ?? error.message;
    throw error;
  }
}

/** Places in the header of a SQLite file (sqlite.org/fileformat2.html, section 1.3). */
const HEADER_BYTES = 100;
const PAGE_BYTES_AT = 16;
const CHANGES_AT = 24;
const PAGES_AT = 28;
const PAGES_VALID_FOR_AT = 92;
/** How a page of 65,536 bytes is written in two bytes. */
const LARGEST_PAGE = { stored: 1, bytes: 65_536 };

/** Fewer bytes than its own header says. Reads nothing else, so it can be asked of every copy at any time. */
export function isCutOff(file: string): boolean {
  const header = readStart(file, HEADER_BYTES);
  if (header.length < HEADER_BYTES) return true;
  const stored = header.readUInt16BE(PAGE_BYTES_AT);
  const pageBytes = stored === LARGEST_PAGE.stored ? LARGEST_PAGE.bytes : stored;
  // Otherwise a program wrote it last that does not keep this number.
  const isCurrent = header.readUInt32BE(CHANGES_AT) === header.readUInt32BE(PAGES_VALID_FOR_AT);
  return isCurrent && (sizeOf(file) ?? 0) < header.readUInt32BE(PAGES_AT) * pageBytes;
}
