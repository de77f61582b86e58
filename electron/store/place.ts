/**
 * Whether the files that are open are still those that everybody else finds under their names. A file that was moved,
 * replaced or deleted can be written on and locked for as long as one likes, while another process does the same with what
 * lies there now: both would hold the lease (H-02, D11).
 */

import { lstatSync } from 'node:fs';
import { StoreError } from '../core/storeError';

/** True from the first time on that a file is missing or another one. Throws a StoreError `io` when it cannot tell. */
export type IsReplaced = () => boolean;

type Identity = { readonly path: string; readonly device: bigint; readonly inode: bigint };

/** What lies there, not following links; null for nothing. */
export function identityOf(path: string): Identity | null {
  try {
    // As big integers, because file numbers of Windows do not fit into others.
    const { dev, ino } = lstatSync(path, { bigint: true });
    return { path, device: dev, inode: ino };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new StoreError('io', 'It cannot be seen whether the data of Belfry is still there.', {
      cause: error,
    });
  }
}

/** Watches what was there; what was not is ignored. Coming back does not help: somebody may have written meanwhile. */
export function watchPlaces(identities: readonly (Identity | null)[]): IsReplaced {
  const watched = identities.filter((identity) => identity !== null);
  let isReplaced = false;
  return () => {
    isReplaced ||= !watched.every(isStillThere);
    return isReplaced;
  };
}

function isStillThere({ path, device, inode }: Identity): boolean {
  const found = identityOf(path);
  return found !== null && found.device === device && found.inode === inode;
}
