/**
 * What is committed stays, and what is not committed leaves no trace: whatever happens to the process, and however many
 * processes write. The writers are real processes with the real store, bundled once.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Store } from '../ports/store';
import { openDatabase } from './database';
import { fence, insertJobs, jobIdOf, jobOf, leaseOf, minute } from './samples';
import { createStore } from './store';

const KILLS = 20;

let folder = '';
let program = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-durability-'));
  // The bundle leaves the native driver out, which is then looked up from here.
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'), 'junction');
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, external: ['@photostructure/sqlite'] },
    build: {
      ssr: fileURLToPath(new URL('./writingProcess.fixture.ts', import.meta.url)),
      outDir: join(folder, 'out'),
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'writingProcess.mjs' } },
    },
  });
  program = join(folder, 'out', 'writingProcess.mjs');
}, 60_000);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const fileIn = (name: string): string => join(folder, name, 'belfry.db');

function openStore(file: string): Store {
  const database = openDatabase({ file });
  if (!database.ok) throw new Error(database.error.message);
  return createStore(database.value);
}

/** Opens the store, reads how far it got, and closes it again. */
async function contentOf(file: string): Promise<{ numbers: number[]; aliveAt: number | null }> {
  const store = openStore(file);
  try {
    return await store.read(async (reader) => ({
      numbers: (await reader.jobs.list()).map((job) => Number(job.name.slice('Job '.length))),
      aliveAt: await reader.settings.aliveAt(),
    }));
  } finally {
    await store.close();
  }
}

const startWriter = (file: string, first: number, count: number): ChildProcess =>
  spawn(process.execPath, [program, file, String(first), String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });

/** Kills the process once it has reported `acknowledgements` commits. Returns all that it reported. */
async function killAfter(writer: ChildProcess, acknowledgements: number): Promise<number[]> {
  const reported: number[] = [];
  if (writer.stdout === null) throw new Error('the process has no output');
  for await (const line of createInterface({ input: writer.stdout })) {
    reported.push(Number(line));
    if (reported.length === acknowledgements) writer.kill('SIGKILL');
  }
  return reported;
}

test('kill -9 loses no commit that was reported, and leaves no half of one (D2, S3 of the goals)', async () => {
  const file = fileIn('killed');
  const reported: number[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    reported.push(...(await killAfter(startWriter(file, kill * 100_000, 90_000), 1 + (kill % 7))));
    const { numbers, aliveAt } = await contentOf(file);
    expect(numbers).toEqual(expect.arrayContaining(reported));
    expect(aliveAt).toBe(Math.max(...numbers));
  }
  expect(reported.length).toBeGreaterThanOrEqual(KILLS);
}, 120_000);

test('twelve processes that write at the same time lose nothing to each other (S-15)', async () => {
  const file = fileIn('shared');
  await openStore(file).close();
  const writers = Array.from({ length: 12 }, (_, number) => startWriter(file, number * 1_000, 50));
  const codes = await Promise.all(
    writers.map(async (writer) => {
      writer.stdout?.resume();
      return (await once(writer, 'exit'))[0];
    }),
  );
  expect(codes).toEqual(Array.from({ length: 12 }, () => 0));
  const { numbers } = await contentOf(file);
  const expected = Array.from({ length: 600 }, (_, index) => Math.floor(index / 50) * 1_000 + (index % 50));
  expect(numbers.sort((one, other) => one - other)).toEqual(expected);
}, 120_000);

test('of four processes that write all the time each gets its turns (X-48)', async () => {
  const file = fileIn('fair');
  await openStore(file).close();
  const counts = [0, 0, 0, 0];
  const writers = counts.map((_, number) => startWriter(file, number * 1_000_000, 900_000));
  // Nobody ever ends by himself, so whoever gets this far got it among the others.
  await Promise.all(
    writers.map(async (writer, index) => {
      if (writer.stdout === null) throw new Error('the process has no output');
      for await (const _ of createInterface({ input: writer.stdout })) {
        counts[index] = (counts[index] ?? 0) + 1;
        if (counts.every((count) => count >= 40)) for (const each of writers) each.kill('SIGKILL');
      }
    }),
  );
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(40);
  // By how much one may be ahead: the machine is shared, so a wide bound.
  expect(Math.max(...counts)).toBeLessThan(40 * 25);
}, 120_000);

/** A process that is in the middle of a transaction. */
async function startHolder(
  file: string,
): Promise<{ process: ChildProcess; said: string[]; ended: Promise<unknown> }> {
  const holder = spawn(process.execPath, [program, file, '500', '1', 'hold'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const said: string[] = [];
  const lines = createInterface({ input: holder.stdout });
  const ended = once(holder, 'exit');
  lines.on('line', (line) => said.push(line));
  await once(lines, 'line');
  return { process: holder, said, ended };
}

test('a process that is killed in the middle of a transaction holds nobody up, and nothing of it is seen', async () => {
  const file = fileIn('killed-inside');
  const store = openStore(file);
  await insertJobs(store, 1);
  const holder = await startHolder(file);
  const next = insertJobs(store, 2);
  holder.process.kill('SIGKILL');
  await holder.ended;
  await next;
  expect((await store.read(({ jobs }) => jobs.list())).map(({ name }) => name)).toEqual(['Job 1', 'Job 2']);
  await store.close();
}, 60_000);

test.skipIf(process.platform === 'win32')(
  'a process that stands still in a transaction makes others busy within their bound, and commits when it goes on',
  async () => {
    const file = fileIn('stopped-inside');
    const store = openStore(file);
    await insertJobs(store, 1);
    const holder = await startHolder(file);
    holder.process.kill('SIGSTOP');
    const isBusy = expect(insertJobs(store, 2)).rejects.toMatchObject({ name: 'StoreError', code: 'busy' });
    // Reads and everything else of this process go on meanwhile.
    expect(await store.read(({ jobs }) => jobs.count())).toBe(1);
    await isBusy;
    holder.process.stdin?.write('go on');
    holder.process.kill('SIGCONT');
    await holder.ended;
    expect(holder.said).toEqual(['held', '500']);
    await insertJobs(store, 2);
    const names = (await store.read(({ jobs }) => jobs.list())).map(({ name }) => name);
    expect(names.sort()).toEqual(['Job 1', 'Job 2', 'Job 500']);
    await store.close();
  },
  60_000,
);

test('the log is folded after a long reader has ended, and stays small', async () => {
  const file = fileIn('log');
  const store = openStore(file);
  await insertJobs(store, 1);
  const database = openDatabase({ file });
  if (!database.ok) throw new Error(database.error.message);
  const reader = database.value.openReader?.();
  reader?.exec('BEGIN');
  expect(reader?.get('SELECT count(*) AS count FROM jobs')?.count).toBe(1);
  const write = async (from: number, until: number): Promise<void> => {
    for (let number = from; number < until; number += 1) {
      await store.transact(({ jobs }) => jobs.insert(jobOf(number, { notes: 'x'.repeat(9_000) })));
    }
  };
  await write(1_000, 1_400);
  const whileReading = statSync(`${file}-wal`).size;
  expect(whileReading).toBeGreaterThan(5_000_000);
  expect(whileReading).toBeLessThan(64_000_000);
  reader?.exec('COMMIT');
  await write(2_000, 2_003);
  expect(statSync(`${file}-wal`).size).toBeLessThan(5_000_000);
  expect(await store.read(({ jobs }) => jobs.count())).toBe(404);
  await store.close();
  database.value.writer.close();
});

test('a copy taken in the middle of a transaction knows nothing of it; one taken after it knows all', async () => {
  const file = fileIn('copied');
  const store = openStore(file);
  await insertJobs(store, 1);
  await store.transact(async (writer) => {
    await writer.jobs.insert(jobOf(2));
    await writer.settings.setAliveAt(minute(2));
    copyStore(file, 'during');
  });
  copyStore(file, 'after');
  expect(await contentOf(fileIn('during'))).toEqual({ numbers: [1], aliveAt: null });
  expect(await contentOf(fileIn('after'))).toEqual({ numbers: [1, 2], aliveAt: minute(2) });
  await store.close();
});

/** What a crash leaves behind: the files as they are, without the shared memory, which is rebuilt. */
function copyStore(file: string, name: string): void {
  mkdirSync(join(folder, name));
  for (const each of readdirSync(join(file, '..')).filter((entry) => !entry.endsWith('-shm'))) {
    copyFileSync(join(file, '..', each), join(folder, name, basename(each)));
  }
}

test('of two stores that take the lease at once, one gets it (D11)', async () => {
  const file = fileIn('lease');
  const stores = [openStore(file), openStore(file)];
  const others = [fence, { holderId: 'holder-2', epoch: 1 }];
  for (let round = 0; round < 20; round += 1) {
    const epoch = round + 1;
    const taken = await Promise.all(
      stores.map((store, index) => {
        const holder = { holderId: others[index]?.holderId ?? '', epoch };
        return store.transact((writer) => writer.leases.take(leaseOf(holder), null));
      }),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
    const winner = await stores[0]?.read((reader) => reader.leases.get());
    expect(winner?.epoch).toBe(epoch);
    await stores[1]?.transact((writer) => writer.leases.release({ holderId: winner?.holderId ?? '', epoch }));
  }
  await Promise.all(stores.map((store) => store.close()));
});

test('two processes see what the other committed', async () => {
  const file = fileIn('two');
  const [first, second] = [openStore(file), openStore(file)];
  await insertJobs(first, 1);
  expect(await second.read((reader) => reader.jobs.get(jobIdOf(1)))).toEqual(jobOf(1));
  await insertJobs(second, 2);
  expect(await first.read((reader) => reader.jobs.count())).toBe(2);
  await first.close();
  await second.close();
});

test('a store that is closed is whole in its one file', async () => {
  const file = fileIn('whole');
  const store = openStore(file);
  await insertJobs(store, 1, 2, 3);
  await store.close();
  mkdirSync(join(folder, 'alone'));
  copyFileSync(file, fileIn('alone'));
  expect((await contentOf(fileIn('alone'))).numbers).toEqual([1, 2, 3]);
});
