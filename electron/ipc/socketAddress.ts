/**
 * Where the local socket is. Everybody finds it through the data folder: as `belfry.sock` in it, or, where that path is too
 * long for a socket or the system has named pipes instead, through the file `socket` that names the place. A socket is made
 * under a name of its own and then published by rename, so that there is always either the old one or the new one.
 */

import fs from 'node:fs';
import path from 'node:path';

/** The longest path that every system's socket address holds: 104 bytes on macOS with the closing zero, 108 on Linux. */
export const SOCKET_PATH_BYTES_MAX = 103;

const SOCKET_NAME = 'belfry.sock';
const POINTER_NAME = 'socket';

export type SocketPlace = {
  readonly dataFolder: string;
  /** Folders of the system with short paths, the best first: for data folders with a long one. */
  readonly shortFolders: readonly string[];
  readonly platform: string;
};

/** An address that nobody else uses, not published yet. */
export type OwnAddress = {
  readonly address: string;
  /** A folder that was made for this address alone, or null. */
  readonly folder: string | null;
  readonly isPublishedAs: 'socket' | 'pointer';
};

/** Picks an address for a new socket; `id` is used once. Throws if no folder has a path that is short enough. */
export function makeAddress(place: SocketPlace, id: string): OwnAddress {
  if (place.platform === 'win32') {
    return { address: `\\\\.\\pipe\\belfry-${id}`, folder: null, isPublishedAs: 'pointer' };
  }
  const inside = path.join(place.dataFolder, `belfry-${id}.sock`);
  if (isShortEnough(inside)) return { address: inside, folder: null, isPublishedAs: 'socket' };
  for (const shortFolder of place.shortFolders) {
    if (!isShortEnough(path.join(shortFolder, 'belfry-XXXXXX', 's'))) continue;
    // mkdtemp makes a folder that did not exist, for this user alone: nobody can have prepared it.
    const folder = fs.mkdtempSync(path.join(shortFolder, 'belfry-'));
    return { address: path.join(folder, 's'), folder, isPublishedAs: 'pointer' };
  }
  throw new Error('no folder has a path short enough for a socket');
}

const isShortEnough = (address: string): boolean => Buffer.byteLength(address) <= SOCKET_PATH_BYTES_MAX;

/** The address that command lines use now, or null if none was ever published. Nobody need be listening there. */
export function publishedAddress(dataFolder: string): string | null {
  const pointed = readPointer(dataFolder);
  if (pointed !== null) return pointed;
  const socket = path.join(dataFolder, SOCKET_NAME);
  return fs.existsSync(socket) ? socket : null;
}

/** Makes `own` the address that is found. What was published before is replaced in one step. */
export function publishAddress(dataFolder: string, own: OwnAddress): void {
  const pointer = path.join(dataFolder, POINTER_NAME);
  if (own.isPublishedAs === 'socket') {
    fs.renameSync(own.address, path.join(dataFolder, SOCKET_NAME));
    fs.rmSync(pointer, { force: true });
    return;
  }
  const draft = `${pointer}.new`;
  fs.writeFileSync(draft, own.address, { mode: 0o600 });
  fs.renameSync(draft, pointer);
}

/** Takes `own` back, unless another process has published in its place meanwhile. */
export function withdrawAddress(dataFolder: string, own: OwnAddress, inode: number | null): void {
  if (isPublished(dataFolder, own, inode)) {
    fs.rmSync(path.join(dataFolder, own.isPublishedAs === 'socket' ? SOCKET_NAME : POINTER_NAME), {
      force: true,
    });
  }
  if (own.folder !== null) fs.rmSync(own.folder, { recursive: true, force: true });
}

/** Whether `own`, whose socket file has this inode, is what others find. */
export function isPublished(dataFolder: string, own: OwnAddress, inode: number | null): boolean {
  if (own.isPublishedAs === 'pointer') return readPointer(dataFolder) === own.address;
  if (readPointer(dataFolder) !== null) return false;
  return (
    fs.statSync(path.join(dataFolder, SOCKET_NAME), { throwIfNoEntry: false })?.ino === (inode ?? undefined)
  );
}

/** Removes what a dead process left at a published address outside the data folder. */
export function removeLeftover(address: string): void {
  const folder = path.dirname(address);
  if (path.basename(address) !== 's' || !path.basename(folder).startsWith('belfry-')) return;
  fs.rmSync(address, { force: true });
  if (fs.existsSync(folder) && fs.readdirSync(folder).length === 0) fs.rmdirSync(folder);
}

function readPointer(dataFolder: string): string | null {
  try {
    const text = fs.readFileSync(path.join(dataFolder, POINTER_NAME), 'utf8').trim();
    return text === '' ? null : text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
