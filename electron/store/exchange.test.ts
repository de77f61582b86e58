/**
 * A store takes the place of another whatever happens meanwhile: a kill before any change of the disk, in a real process, and the
 * end of power, after which of the renames that were not synced any may be there or not (S-14, X-46, X-47).
 */

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openDatabase } from './database';
import { exchangeFileOf, exchangeStore } from './exchange';
import { insertJobs, minute } from './samples';
import { createStore } from './store';
import { storeTasks } from './storeTasks';

vi.setConfig({ testTimeout: 180_000 });

let base = '';
let program = '';
/** The state from which each case starts: a store with two jobs, of which the second is in its log only, and a copy with the first. */
let before = '';
let copy = '';
let folder = '';
let file = '';

function opened(place: string) {
  const result = openDatabase({ file: place });
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return createStore(result.value);
}

async function names(place: string): Promise<string[]> {
  const store = opened(place);
  const found = await store.read(async ({ jobs }) => (await jobs.list()).map(({ name }) => name));
  await store.close();
  return found;
}

beforeAll(async () => {
  base = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-exchange-'));
  // The bundle leaves the native driver out, which is then looked up from here.
  fs.symlinkSync(path.join(process.cwd(), 'node_modules'), path.join(base, 'node_modules'), 'junction');
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, external: ['@photostructure/sqlite'] },
    build: {
      ssr: fileURLToPath(new URL('./exchangingProcess.fixture.ts', import.meta.url)),
      outDir: path.join(base, 'out'),
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'exchanging.mjs' } },
    },
  });
  program = path.join(base, 'out', 'exchanging.mjs');
  const source = path.join(base, 'source');
  const store = opened(path.join(source, 'belfry.db'));
  await insertJobs(store, 1);
  const backup = storeTasks.copy({
    file: path.join(source, 'belfry.db'),
    folder: path.join(source, 'backups'),
    reason: 'manual',
    at: minute(0),
  });
  copy = backup.id;
  await store.close();
  const again = opened(path.join(source, 'belfry.db'));
  await insertJobs(again, 2);
  // As a process that was killed leaves it.
  before = path.join(base, 'before');
  fs.cpSync(source, before, { recursive: true });
  await again.close();
}, 60_000);

afterAll(() => fs.rmSync(base, { recursive: true, force: true, maxRetries: 3 }));

beforeEach(() => start());
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

let number = 0;
function start(from = before): void {
  number += 1;
  folder = path.join(base, `case-${number}`);
  file = path.join(folder, 'belfry.db');
  fs.cpSync(from, folder, { recursive: true });
}

const asideFolders = (): string[] => {
  const aside = path.join(folder, 'aside');
  return fs.existsSync(aside)
    ? fs.readdirSync(aside).filter((name) => fs.readdirSync(path.join(aside, name)).length > 0)
    : [];
};

/** Either nothing has happened, or all of it; whole stores in both cases. Returns which. */
async function expectOldOrNew(when: string): Promise<'old' | 'new'> {
  const log = fs.readFileSync(path.join(before, 'belfry.db-wal'));
  const found = await names(file).catch((error: Error) => error.message);
  expect([['Job 1'], ['Job 1', 'Job 2']], when).toContainEqual(found);
  if (found.length === 2) {
    expect(asideFolders(), when).toEqual([]);
    return 'old';
  }
  const [aside = '', ...more] = asideFolders();
  expect(more, when).toEqual([]);
  const kept = path.join(folder, 'aside', aside, 'belfry.db');
  expect(fs.readFileSync(`${kept}-wal`).equals(log), `${when}: the log lies with its store`).toBe(true);
  fs.writeFileSync(`${kept}.created`, '');
  expect(await names(kept), when).toEqual(['Job 1', 'Job 2']);
  return 'new';
}

function exchangeDyingAt(change: number): Promise<{ signal: string | null; said: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, file, copy, String(change)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (data) => {
      said += String(data);
    });
    child.once('error', reject);
    child.once('close', (_code, signal) => resolve({ signal, said }));
  });
}

test('a store that is found at its start has its log, so that these tests mean something', async () => {
  expect(fs.statSync(`${file}-wal`).size).toBeGreaterThan(0);
  fs.rmSync(`${file}-wal`);
  fs.rmSync(`${file}-shm`);
  expect(await names(file)).toEqual(['Job 1']);
});

test.runIf(process.platform !== 'win32')(
  'kill -9 before any change of the disk leaves the old store or the new one, and the next start opens it',
  async () => {
    const seen: string[] = [];
    for (let change = 1; ; change += 1) {
      start();
      const { signal, said } = await exchangeDyingAt(change);
      const which = await expectOldOrNew(`killed before change ${change}`);
      seen.push(which);
      if (signal === null) {
        expect(JSON.parse(said)).toMatchObject({ changes: change - 1, done: { ok: true } });
        expect(which).toBe('new');
        break;
      }
      fs.rmSync(folder, { recursive: true });
    }
    // Once it is decided it stays decided.
    const turn = seen.indexOf('new');
    expect(turn).toBeGreaterThan(5);
    expect(seen.slice(turn)).not.toContain('old');
    expect(seen.length - turn).toBeGreaterThan(5);
  },
);

type Step = { readonly from: string; readonly to: string } | { readonly synced: string };

/** What is done between the note and the end, as paths in the folder, and the folder as it was when that began. */
function record(): { readonly steps: Step[]; readonly atFirst: string } {
  const steps: Step[] = [];
  const atFirst = path.join(base, `at-first-${number}`);
  const places = new Map<number, string>();
  const real = { openSync: fs.openSync, fsyncSync: fs.fsyncSync, renameSync: fs.renameSync };
  vi.spyOn(fs, 'openSync').mockImplementation((place, ...rest) => {
    const handle = real.openSync(place, ...rest);
    places.set(handle, path.relative(folder, String(place)));
    return handle;
  });
  vi.spyOn(fs, 'fsyncSync').mockImplementation((handle) => {
    if (steps.length > 0) steps.push({ synced: places.get(handle) ?? '' });
    real.fsyncSync(handle);
  });
  vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    if (steps.length === 0) fs.cpSync(folder, atFirst, { recursive: true });
    steps.push({ from: path.relative(folder, String(from)), to: path.relative(folder, String(to)) });
    real.renameSync(from, to);
  });
  syncBuiltinESMExports();
  const fresh = path.join(folder, '.belfry.db.1.new');
  storeTasks.prepare({
    copy: path.join(folder, 'backups', copy),
    target: fresh,
    at: minute(9),
    note: 'put back',
  });
  exchangeStore(file, fresh, minute(9));
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  return { steps, atFirst };
}

/** The renames of a prefix of the steps, those first that a sync of both of their folders has made durable. */
function durability(steps: readonly Step[]) {
  const synced = (place: string, after: number): boolean =>
    steps.some((step, at) => at > after && 'synced' in step && step.synced === place);
  const folderOf = (place: string): string => path.join(place, '..').replace(/^\.$/, '');
  return steps.flatMap((step, at) =>
    'synced' in step
      ? []
      : [{ ...step, isDurable: [step.from, step.to].every((place) => synced(folderOf(place), at)) }],
  );
}

test.runIf(process.platform !== 'win32')(
  'the end of power between any two changes, with any renames lost that were not synced, leaves whole stores',
  async () => {
    const { steps, atFirst } = record();
    expect(steps.filter((step) => 'from' in step).length).toBeGreaterThanOrEqual(3);
    let states = 0;
    for (let length = 0; length <= steps.length; length += 1) {
      const renames = durability(steps.slice(0, length));
      const open = renames.filter(({ isDurable }) => !isDurable);
      for (let chosen = 0; chosen < 2 ** open.length; chosen += 1) {
        start(atFirst);
        for (const rename of renames) {
          const place = open.indexOf(rename);
          if (place >= 0 && (chosen & (1 << place)) === 0) continue;
          fs.renameSync(path.join(folder, rename.from), path.join(folder, rename.to));
        }
        const when = `after ${length} steps, choice ${chosen}`;
        // It had been decided and written down before the first of them.
        expect(await expectOldOrNew(when), when).toBe('new');
        fs.rmSync(folder, { recursive: true });
        states += 1;
      }
    }
    expect(states).toBeGreaterThan(steps.length);
  },
);

test('a store that somebody put there by hand before it was finished stays, and meets no log of the old one', async () => {
  const { steps, atFirst } = record();
  start(atFirst);
  const [first] = steps;
  if (first === undefined || 'synced' in first) throw new Error('the store moves first');
  fs.renameSync(path.join(folder, first.from), path.join(folder, first.to));
  fs.copyFileSync(path.join(folder, 'backups', copy), file);
  const byHand = fs.statSync(file).ino;
  expect(await names(file)).toEqual(['Job 1']);
  expect(fs.statSync(file).ino).toBe(byHand);
  const [aside = ''] = asideFolders();
  const kept = path.join(folder, 'aside', aside, 'belfry.db');
  fs.writeFileSync(`${kept}.created`, '');
  expect(await names(kept)).toEqual(['Job 1', 'Job 2']);
});

test('a disk that refuses a rename leaves everything as it was, without a store to come later', async () => {
  for (let refused = 1; refused <= 3; refused += 1) {
    start();
    const fresh = path.join(folder, '.belfry.db.1.new');
    storeTasks.create({ target: fresh });
    const real = fs.renameSync;
    let calls = 0;
    vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      calls += 1;
      if (calls === refused) throw Object.assign(new Error('no'), { code: 'EIO', syscall: 'rename' });
      real(from, to);
    });
    syncBuiltinESMExports();
    expect(() => exchangeStore(file, fresh, minute(9))).toThrow('no');
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    expect(fs.existsSync(fresh)).toBe(false);
    expect(await expectOldOrNew(`refused at rename ${refused}`)).toBe('old');
  }
});

test('a new store that somebody took away is no success', async () => {
  expect(() => exchangeStore(file, path.join(folder, '.belfry.db.1.new'), minute(9))).toThrow(
    'Another Belfry process is changing the data too.',
  );
  expect(await expectOldOrNew('without a new store')).toBe('old');
  expect(fs.readdirSync(path.join(folder, 'aside'))).toEqual([]);
});

test('two stores never go into one folder, even if the clock was set back', async () => {
  for (let times = 0; times < 2; times += 1) {
    const fresh = path.join(folder, '.belfry.db.1.new');
    storeTasks.create({ target: fresh });
    exchangeStore(file, fresh, minute(9));
    expect(await names(file)).toEqual([]);
  }
  expect(asideFolders()).toHaveLength(2);
});

test('a note that is damaged, or means something outside, moves nothing and is written anew', async () => {
  const note = exchangeFileOf(file);
  fs.writeFileSync(note, 'no database at all');
  expect(await names(file)).toEqual(['Job 1', 'Job 2']);
  const fresh = path.join(folder, '.belfry.db.1.new');
  storeTasks.create({ target: fresh });
  exchangeStore(file, fresh, minute(9));
  expect(await names(file)).toEqual([]);
  fs.rmSync(note);
  fs.symlinkSync(path.join(base, 'elsewhere'), note);
  expect(openDatabase({ file })).toMatchObject({ ok: false, error: { code: 'link' } });
});
