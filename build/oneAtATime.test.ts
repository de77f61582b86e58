import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { oneAtATime } from './oneAtATime.mjs';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-lock-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

test('lets the second begin when the first has ended, and tells it to wait', async () => {
  const steps: string[] = [];
  let announce: () => void = () => undefined;
  const waits = new Promise<void>((resolve) => {
    announce = resolve;
  });
  const first = oneAtATime(
    folder,
    () => steps.push('first waits'),
    async () => {
      steps.push('first begins');
      await waits;
      steps.push('first ends');
    },
  );
  const second = oneAtATime(
    folder,
    () => {
      steps.push('second waits');
      announce();
    },
    async () => {
      steps.push('second begins');
    },
  );
  await Promise.all([first, second]);
  expect(steps).toEqual(['first begins', 'second waits', 'first ends', 'second begins']);
});

test('is released by a failure', async () => {
  const failing = oneAtATime(
    folder,
    () => undefined,
    () => Promise.reject(new Error('no network')),
  );
  await expect(failing).rejects.toThrow('no network');
  await expect(
    oneAtATime(
      folder,
      () => undefined,
      async () => 'done',
    ),
  ).resolves.toBe('done');
});

test('is released by a holder that was killed', async () => {
  const source = `
    import { oneAtATime } from ${JSON.stringify(path.join(import.meta.dirname, 'oneAtATime.mjs'))};
    await oneAtATime(${JSON.stringify(folder)}, () => undefined, async () => {
      console.log('held');
      await new Promise(() => setInterval(() => undefined, 1000));
    });`;
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  const waiting = oneAtATime(
    folder,
    () => holder.kill('SIGKILL'),
    async () => 'mine',
  );
  await expect(waiting).resolves.toBe('mine');
});
