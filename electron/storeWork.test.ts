/** Slow work in a real thread of its own (D1): results, errors by their code, cancelling, and a thread that dies. */

import fs from 'node:fs';
import { builtinModules } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toInstant } from '../shared/time';
import { detailOf, StoreError } from './core/storeError';
import { openDatabase } from './store/database';
import { insertJobs } from './store/samples';
import { createStore } from './store/store';
import { createStoreWork } from './storeWork';

let folder = '';
let file = '';
let entry = '';
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-work-'));
  // Below the project, because the bundle asks for the driver by its name.
  const outDir = fs.mkdtempSync(path.resolve(import.meta.dirname, '..', 'node_modules', '.belfry-worker-'));
  const external = [
    '@photostructure/sqlite',
    ...builtinModules,
    ...builtinModules.map((name) => `node:${name}`),
  ];
  await build({
    configFile: false,
    root: path.resolve(import.meta.dirname, '..'),
    logLevel: 'error',
    ssr: { noExternal: true, external },
    build: {
      ssr: path.resolve(import.meta.dirname, 'storeWorker.ts'),
      outDir,
      target: 'node20',
      minify: false,
      reportCompressedSize: false,
      rolldownOptions: {
        external,
        output: { format: 'cjs', entryFileNames: 'storeWorker.cjs', codeSplitting: false },
      },
    },
  });
  entry = path.join(outDir, 'storeWorker.cjs');
  file = path.join(folder, 'belfry.db');
  const opened = openDatabase({ file });
  if (!opened.ok) throw new Error(opened.error.message);
  const store = createStore(opened.value);
  await insertJobs(store, 1, 2, 3);
  await store.close();
}, 60_000);
afterAll(() => {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.rmSync(path.dirname(entry), { recursive: true, force: true });
});

const repair = (target: string) => ({ file, target, at: toInstant(1), note: 'Repaired.' });

test('several tasks at once give their results', async () => {
  const work = createStoreWork(entry);
  const copying = {
    file,
    folder: path.join(folder, 'backups'),
    reason: 'manual',
    at: toInstant(1_000),
  } as const;
  const [copy, finding, repaired] = await Promise.all([
    work.run('copy', copying),
    work.run('check', { file }),
    work.run('repair', repair(path.join(folder, 'repaired.db'))),
  ]);
  expect(copy).toMatchObject({ jobCount: 3, problem: null });
  expect(finding).toBeNull();
  expect(repaired).toMatchObject({ jobCount: 3, gapCount: 0 });
});

test('an error of the disk keeps its code on the way out of the thread', async () => {
  const missing = createStoreWork(entry).run('check', { file: path.join(folder, 'nothing.db') });
  await expect(missing).rejects.toMatchObject({ name: 'StoreError', code: 'io' });
});

test('what SQLite said of a damaged copy comes out of the thread with the error, for the log', async () => {
  const copy = path.join(folder, 'damaged.db');
  const bytes = fs.readFileSync(file);
  fs.writeFileSync(copy, bytes.fill(0xa5, 4_096, 12_288));
  const asked = createStoreWork(entry).run('prepare', {
    ...{ copy, target: path.join(folder, 'prepared.db') },
    ...{ at: toInstant(1), note: 'Put back.' },
  });
  const error = await asked.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'corrupt', message: 'This copy is damaged.' });
  expect(detailOf(error as Error)).toMatch(/key|page|btree|malformed/i);
});

test('what is cancelled ends with its reason, before and meanwhile', async () => {
  const work = createStoreWork(entry);
  const abort = new AbortController();
  const running = work.run('repair', repair(path.join(folder, 'cancelled.db')), { signal: abort.signal });
  abort.abort();
  await expect(running).rejects.toMatchObject({ name: 'AbortError' });
  await expect(work.run('check', { file }, { signal: abort.signal })).rejects.toMatchObject({
    name: 'AbortError',
  });
});

test.each([
  ['ends', 'process.exit(3)'],
  ['breaks', `throw new Error('broken')`],
  ['cannot be loaded', 'require("./nowhere")'],
])('a thread that %s is an error of the store', async (_, text) => {
  const broken = path.join(folder, 'broken.cjs');
  fs.writeFileSync(broken, text);
  await expect(createStoreWork(broken).run('check', { file })).rejects.toThrow(StoreError);
});

test('the end of Belfry cuts off what is going on', async () => {
  const work = createStoreWork(entry);
  const running = work.run('check', { file });
  const ended = expect(running).rejects.toThrow(StoreError);
  await work.end();
  await ended;
});
