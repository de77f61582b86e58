/**
 * The folder and the files of the store as the file system sees them: whose they are, who may read them, and that they are
 * what they seem (S-01, S-05). Looks before anything is opened, because SQLite follows links and creates what is missing.
 */

import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { refuse, type StoreRefusal } from './refusal';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS_MAY_WRITE = 0o002;
const PERMISSIONS = 0o777;

/** null where the system has no such number: there the folder of the user is protected by its access list. */
const ownId = (): number | null => process.getuid?.() ?? null;

function look(path: string, follow: boolean): Stats | null {
  return (follow ? statSync : lstatSync)(path, { throwIfNoEntry: false }) ?? null;
}

/** Makes the folder if it is missing. A link to a folder is allowed, because people move their data to another disk. */
export function preparePrivateFolder(folder: string): StoreRefusal | null {
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  const facts = look(folder, true);
  if (facts === null || !facts.isDirectory()) return refuse('not_a_file', 'The data folder is not a folder.');
  const uid = ownId();
  if (uid === null) return null;
  if (facts.uid !== uid) {
    return refuse(
      'foreign_owner',
      'The data folder belongs to another user. Belfry uses only a folder of your own.',
    );
  }
  if ((facts.mode & OTHERS_MAY_WRITE) !== 0) {
    return refuse(
      'open_folder',
      'Everybody may write to the data folder, so its content cannot be trusted. Take that right away, look at its files, and start again.',
    );
  }
  if ((facts.mode & PERMISSIONS) !== FOLDER_MODE) chmodSync(folder, FOLDER_MODE);
  return null;
}

/** Why this file must not be opened, or null. A file that is missing is fine. */
export function inspectFile(path: string): StoreRefusal | null {
  const facts = look(path, false);
  const name = basename(path);
  if (facts === null) return null;
  if (facts.isSymbolicLink()) {
    return refuse('link', `“${name}” is a link. Belfry reads and writes only the real file.`);
  }
  if (!facts.isFile()) return refuse('not_a_file', `“${name}” is not a file.`);
  const uid = ownId();
  if (uid !== null && facts.uid !== uid) {
    return refuse('foreign_owner', `“${name}” belongs to another user.`);
  }
  return null;
}

/** Size in bytes, or null for a file that is missing. */
export const sizeOf = (path: string): number | null => look(path, false)?.size ?? null;

export const isThere = (path: string): boolean => look(path, false) !== null;

/** Takes away from everybody else what they may do with the file, if it is there. */
export function makePrivate(path: string): void {
  if (ownId() === null) return;
  const facts = look(path, false);
  if (facts?.isFile() && (facts.mode & PERMISSIONS) !== FILE_MODE) chmodSync(path, FILE_MODE);
}

/** The first bytes of the file; fewer if it is shorter. */
export function readStart(path: string, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  const file = openSync(path, 'r');
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, length, 0));
  } finally {
    closeSync(file);
  }
}

/** Creates the file with this content on the disk and not only in the cache; an existing one is left as it is. */
export function createPrivateFile(path: string, content: string): void {
  if (isThere(path)) return;
  const file = openSync(path, 'a', FILE_MODE);
  try {
    writeSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncFolder(dirname(path));
}

/** Makes the names in the folder durable. Windows does not allow it and does not need it. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
