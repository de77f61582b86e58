/**
 * How Belfry processes on one store tell each other that something was changed: by touching a file that all of them watch. Nobody
 * wakes up for it unless something happens; only where the system refuses to watch is the file looked at.
 */

import fs from 'node:fs';
import path from 'node:path';
import type { Peers } from '../ports/data';
import type { Timer } from '../ports/world';

const NAME = 'changed';
const LOOK_MS = 1_000;

/** `folder` is the data folder. */
export function createPeers({ folder, timer }: { readonly folder: string; readonly timer: Timer }): Peers {
  const file = path.join(folder, NAME);
  /** What the file said when this process last wrote or heard it. */
  let known = read(file);
  let count = 0;
  return {
    tell: () => {
      count += 1;
      const word = `${process.pid} ${count} ${process.hrtime.bigint()}\n`;
      try {
        fs.writeFileSync(file, word, { mode: 0o600 });
        known = word;
      } catch {
        // The others look by themselves, only later.
      }
    },
    onTold: (listener) => {
      const hear = (): void => {
        const word = read(file);
        if (word === known || word === '') return;
        known = word;
        listener();
      };
      let stop = (): void => undefined;
      const look = (): void => {
        stop = lookEach(timer, hear);
      };
      const stopWatching = watch(folder, hear, look);
      if (stopWatching === null) look();
      return () => {
        stopWatching?.();
        stop();
      };
    },
  };
}

function read(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/**
 * The folder is watched and not the file, which may not be there yet. null where the system refuses; `onFailed` is called when it
 * does so later.
 */
function watch(folder: string, hear: () => void, onFailed: () => void): (() => void) | null {
  try {
    const watcher = fs.watch(folder, { persistent: false }, (_event, name) => {
      if (name === null || name === NAME) hear();
    });
    watcher.on('error', () => {
      watcher.close();
      onFailed();
    });
    return () => watcher.close();
  } catch {
    return null;
  }
}

function lookEach(timer: Timer, hear: () => void): () => void {
  let callOff = (): void => undefined;
  const look = (): void => {
    hear();
    callOff = timer.after(LOOK_MS, look);
  };
  callOff = timer.after(LOOK_MS, look);
  return () => callOff();
}
