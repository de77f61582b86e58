/**
 * Where Chromium keeps its own files. That is the data folder, whose lock lets a second start find the first; but nobody may
 * write to a folder that was refused (S-01), so then it is a folder for temporary files, the same one for each start.
 */

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { prepareFolder } from './store/database';

/** Enough of the hash to tell data folders apart. */
const NAME_LENGTH = 16;

export type ChromiumFolder = {
  readonly path: string;
  /** Call it when the app ends; never throws. What Chromium still writes then is left to the system’s own cleaning. */
  readonly remove: () => void;
};

/** Judges the data folder, and makes it if it is missing, as opening the store does. */
export function chromiumFolder(dataFolder: string, temporary: string = os.tmpdir()): ChromiumFolder {
  if (prepareFolder(dataFolder) === null) return { path: dataFolder, remove: () => undefined };
  const name = createHash('sha256').update(dataFolder).digest('hex').slice(0, NAME_LENGTH);
  const shared = path.join(temporary, `belfry-refused-${name}`);
  const chosen = isOwnFolder(shared) ? shared : fs.mkdtempSync(`${shared}-`);
  return { path: chosen, remove: () => removeQuietly(chosen) };
}

/** Chromium's other processes may add files while the folder is emptied, and nobody is left to be told. */
function removeQuietly(folder: string): void {
  try {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Temporary files: the system clears them away.
  }
}

/** Anybody may have put something under this name, a link to elsewhere among it. */
function isOwnFolder(folder: string): boolean {
  const isLink = fs.lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return !isLink && prepareFolder(folder) === null;
}
