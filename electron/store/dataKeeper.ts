/** Copies, checks and sizes of a store that is open, and the room that its outputs take. Slow parts run beside the main thread. */

import { existsSync, promises, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RunId } from '../../shared/model/run';
import { assert } from '../../shared/result';
import { toInstant } from '../../shared/time';
import type { DataKeeper } from '../ports/data';
import { backupsFolderOf } from './backups';
import type { CheckedCopies } from './checkedCopies';
import { COMPANIONS } from './pragmas';
import type { StoreWork } from './storeTasks';

export type DataKeeperDeps = {
  /** The file of the store. */
  readonly file: string;
  /** Holds a folder for each run. */
  readonly runsFolder: string;
  readonly work: StoreWork;
  readonly copies: CheckedCopies;
};

export function createDataKeeper({ file, runsFolder, work, copies }: DataKeeperDeps): DataKeeper {
  const folder = backupsFolderOf(file);
  return {
    backUp: (reason) => work.run('copy', { file, folder, reason, at: toInstant(Date.now()) }),
    backups: copies.list,
    check: () => work.run('check', { file }),
    sizes: async () => ({
      folder: dirname(file),
      storeBytes: [file, ...COMPANIONS.map((suffix) => file + suffix)].reduce(
        (sum, each) => sum + sizeOf(each),
        0,
      ),
      backupBytes: existsSync(folder)
        ? readdirSync(folder).reduce((sum, name) => sum + sizeOf(join(folder, name)), 0)
        : 0,
      freeBytes: freeBytesAt(dirname(file)),
    }),
    removeOutputs: async (runIds) => {
      for (const runId of runIds) {
        // Part of a path from here on.
        assert(RunId.safeParse(runId).success, 'a run has a UUID');
        // A link in the place of the folder is removed, and not what it leads to.
        await promises.rm(join(runsFolder, runId), { recursive: true, force: true, maxRetries: 2 });
      }
    },
  };
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

function freeBytesAt(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
