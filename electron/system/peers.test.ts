/** Processes on one store hear of each other's changes (D11), through real files and a real second process. */

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPeers } from './peers';
import { realTimer } from './realTime';

let folder = '';
const cleanUps: (() => void)[] = [];
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-peers-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Resolves when it is told. */
function told(peers = createPeers({ folder, timer: realTimer })): Promise<void> {
  return new Promise((resolve) => {
    cleanUps.push(peers.onTold(resolve));
  });
}

test('what another process tells is heard', async () => {
  const heard = told();
  const other = spawn(process.execPath, ['-e', `require('fs').writeFileSync('changed', 'news')`], {
    cwd: folder,
  });
  await heard;
  await new Promise((resolve) => (other.exitCode === null ? other.once('exit', resolve) : resolve(null)));
});

test('what is told here is heard by others and not here', async () => {
  const here = createPeers({ folder, timer: realTimer });
  const own = vi.fn();
  cleanUps.push(here.onTold(own));
  for (let round = 0; round < 3; round += 1) {
    const heard = told();
    here.tell();
    await heard;
  }
  expect(own).not.toHaveBeenCalled();
});

test('where the system watches nothing, the file is looked at', async () => {
  vi.spyOn(fs, 'watch').mockImplementation(() => {
    throw new Error('no watches are left');
  });
  const looks: (() => void)[] = [];
  const timer = {
    after: (delayMs: number, wake: () => void) => {
      expect(delayMs).toBeLessThanOrEqual(1_000);
      looks.push(wake);
      return () => void looks.splice(looks.indexOf(wake), 1);
    },
  };
  const listener = vi.fn();
  const forget = createPeers({ folder, timer }).onTold(listener);
  createPeers({ folder, timer }).tell();
  looks.shift()?.();
  looks.shift()?.();
  expect(listener).toHaveBeenCalledTimes(1);
  forget();
  expect(looks).toEqual([]);
});

test('a watch that fails later is replaced by looking', () => {
  const watched: { fail?: () => void } = {};
  vi.spyOn(fs, 'watch').mockReturnValue({
    on: (_name: string, fail: () => void) => {
      watched.fail = fail;
    },
    close: () => undefined,
  } as never);
  const looks: (() => void)[] = [];
  const timer = {
    after: (_delayMs: number, wake: () => void) => {
      looks.push(wake);
      return () => void looks.splice(looks.indexOf(wake), 1);
    },
  };
  const listener = vi.fn();
  const forget = createPeers({ folder, timer }).onTold(listener);
  expect(looks).toEqual([]);
  watched.fail?.();
  fs.writeFileSync(path.join(folder, 'changed'), 'news');
  looks.shift()?.();
  expect(listener).toHaveBeenCalledTimes(1);
  forget();
  expect(looks).toEqual([]);
});

test('a folder that cannot be written keeps nobody from going on', () => {
  const gone = createPeers({ folder: path.join(folder, 'gone'), timer: realTimer });
  expect(() => gone.tell()).not.toThrow();
});
