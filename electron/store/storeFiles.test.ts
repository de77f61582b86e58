/** Copies and putting them back, repair and starting anew, on real files (S-03, S-13, S-14, X-46, X-47, D3, D4). */

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BackupId, RescueReport } from '../../shared/model/data';
import type { Result } from '../../shared/result';
import { DAY_MS, toInstant } from '../../shared/time';
import { StoreError } from '../core/storeError';
import { createStoreWork } from '../storeWork';
import { BACKUPS_KEPT, backupName, factsOf, listBackups } from './backups';
import { createCheckedCopies } from './checkedCopies';
import { openDatabase } from './database';
import { createDataKeeper } from './dataKeeper';
import {
  attemptIdOf,
  endOf,
  fence,
  insertJobs,
  jobIdOf,
  jobOf,
  leaseOf,
  minute,
  runIdOf,
  runOf,
  scheduleIdOf,
  takeLease,
} from './samples';
import { createStore } from './store';
import { createStoreFiles } from './storeFiles';

let folder = '';
let file = '';
const work = createStoreWork(null);
const failures: unknown[] = [];
const copiesOf = () =>
  createCheckedCopies({
    ...{ folder: path.join(folder, 'backups'), work },
    ...{ patience: null, onDamage: () => undefined },
  });
const filesOf = () =>
  createStoreFiles({
    ...{ file, work, copies: copiesOf(), formatMoment: (at: number) => `moment ${at}` },
    onFailure: (error) => void failures.push(error),
  });
const keeperOf = () =>
  createDataKeeper({ file, runsFolder: path.join(folder, 'runs'), work, copies: copiesOf() });

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-copies-'));
  file = path.join(folder, 'belfry.db');
});

afterEach(() => {
  vi.restoreAllMocks();
  fs.rmSync(folder, { recursive: true, force: true });
});

function opened() {
  const result = openDatabase({ file });
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return createStore(result.value);
}

async function within<T>(work: (store: ReturnType<typeof opened>) => Promise<T>): Promise<T> {
  const store = opened();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const names = () =>
  within((store) => store.read(async ({ jobs }) => (await jobs.list()).map(({ name }) => name)));

function need(report: Result<RescueReport>): RescueReport {
  if (!report.ok) throw new Error(report.error.message);
  return report.value;
}

/** Every file below the data folder, by its content. */
function bytes(): Record<string, string> {
  const all = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile());
  return Object.fromEntries(
    all.map((entry) => {
      const place = path.join(entry.parentPath, entry.name);
      return [
        path.relative(folder, place),
        createHash('sha256').update(fs.readFileSync(place)).digest('hex'),
      ];
    }),
  );
}

test('a copy is whole, private, has its facts beside it, and can be listed', async () => {
  const copy = await within(async (store) => {
    await insertJobs(store, 1, 2);
    return keeperOf().backUp('manual');
  });
  expect(copy).toMatchObject({ reason: 'manual', jobCount: 2, runCount: 0, problem: null });
  const place = path.join(folder, 'backups', copy.id);
  expect(await keeperOf().backups()).toEqual([copy]);
  if (process.platform !== 'win32') {
    for (const each of [place, factsOf(place)]) expect(fs.statSync(each).mode & 0o777).toBe(0o600);
  }
  expect(fs.readdirSync(path.join(folder, 'backups'))).toHaveLength(2);
  // One that somebody put there has no facts, and is looked into.
  fs.rmSync(factsOf(place));
  expect(listBackups(path.join(folder, 'backups'))).toEqual([copy]);
});

test('the newest seven of each reason stay, and copies with older names always', async () => {
  await within(async (store) => {
    await insertJobs(store, 1);
    const backups = path.join(folder, 'backups');
    for (let number = 0; number < BACKUPS_KEPT + 3; number += 1) {
      const at = toInstant(minute(0) + number * DAY_MS);
      await work.run('copy', { file, folder: backups, reason: 'daily', at });
    }
    await work.run('copy', { file, folder: backups, reason: 'migration', at: minute(0) });
    fs.copyFileSync(
      path.join(backups, backupName('migration', minute(0))),
      path.join(backups, 'belfry-schema-2.db'),
    );
    await keeperOf().backUp('manual');
    const kept = await keeperOf().backups();
    expect(kept.filter(({ reason }) => reason === 'daily').map(({ madeAt }) => madeAt)).toEqual(
      Array.from({ length: BACKUPS_KEPT }, (_, index) => minute(0) + (BACKUPS_KEPT + 2 - index) * DAY_MS),
    );
    expect(kept.filter(({ reason }) => reason === 'migration')).toHaveLength(2);
    expect(fs.readdirSync(backups)).toHaveLength(2 * (BACKUPS_KEPT + 2) + 1);
  });
});

test('what a process that died has left of a copy goes with the next one', async () => {
  await within(async () => {
    const backups = path.join(folder, 'backups');
    fs.mkdirSync(backups);
    const old = ['a.1.unfinished', 'belfry-2020-01-01T00-00-00-000Z-daily.db.json'].map((name) =>
      path.join(backups, name),
    );
    const young = path.join(backups, 'b.2.unfinished');
    for (const each of [...old, young]) fs.writeFileSync(each, 'x');
    for (const each of old) fs.utimesSync(each, 1, 1);
    await keeperOf().backUp('daily');
    expect(fs.readdirSync(backups).filter((name) => /unfinished|2020/.test(name))).toEqual([
      'b.2.unfinished',
    ]);
  });
});

test('a copy that cannot be made leaves nothing and says why', async () => {
  await within(async () => {
    fs.writeFileSync(path.join(folder, 'backups'), 'not a folder');
    await expect(keeperOf().backUp('daily')).rejects.toThrow(StoreError);
  });
});

test('a copy that does not get its name leaves no facts either (S-13)', async () => {
  await within(async () => {
    const spy = vi.spyOn(fs, 'renameSync').mockImplementation(() => {
      throw Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'rename' });
    });
    syncBuiltinESMExports();
    await expect(keeperOf().backUp('daily')).rejects.toMatchObject({ code: 'full' });
    spy.mockRestore();
    syncBuiltinESMExports();
    expect(fs.readdirSync(path.join(folder, 'backups'))).toEqual([]);
  });
});

test('a death after the old store was moved is no first start, even if the mark had been lost (X-46)', async () => {
  const copy = await within(async (store) => {
    await insertJobs(store, 1);
    return keeperOf().backUp('manual');
  });
  fs.rmSync(`${file}.created`);
  const real = fs.renameSync;
  const spy = vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    if (to === file) throw Object.assign(new Error('killed'), { name: 'Killed' });
    real(from, to);
  });
  // Without this the named imports of the code under test would keep the real function.
  syncBuiltinESMExports();
  await filesOf()
    .restore(copy.id, minute(9))
    .catch(() => null);
  spy.mockRestore();
  syncBuiltinESMExports();
  expect(openDatabase({ file })).toMatchObject({ ok: false, error: { code: 'missing' } });
});

test('a copy that is put back is what it was, and nothing that may have run since runs again (D3, D4)', async () => {
  const copy = await within(async (store) => {
    await insertJobs(store, 1, 2);
    await takeLease(store);
    await store.transact(async ({ runs, settings }) => {
      await settings.setLastCheck({ at: minute(1), finding: 'of another file' });
      await runs.insert(runOf(1));
      await runs.insert(runOf(2, { trigger: 'schedule' }));
      await runs.begin(
        { runId: runIdOf(1), attemptId: attemptIdOf(1), number: 1, startedAt: minute(1) },
        fence,
      );
    });
    return keeperOf().backUp('manual');
  });
  await within((store) =>
    store.transact(async ({ jobs, runs }) => {
      await jobs.insert(jobOf(3, { name: 'Made later', updatedAt: toInstant(copy.madeAt + 1) }));
      await jobs.update(
        jobOf(1, { revision: 2, name: 'Changed later', updatedAt: toInstant(copy.madeAt + 1) }),
      );
      await runs.finish(endOf(1), fence);
    }),
  );
  const at = toInstant(copy.madeAt + DAY_MS);
  const report = need(await filesOf().restore(copy.id, at));
  expect(report.sentences.join('\n')).toMatch(/2 jobs, 2 runs/);
  expect(report.sentences.join('\n')).toMatch(/“Changed later”, “Made later”/);
  expect(await names()).toEqual(['Job 1', 'Job 2']);
  await within((store) =>
    store.read(async (reader) => {
      expect(await reader.runs.get(runIdOf(2))).toMatchObject({
        outcome: 'abandoned',
        reason: 'data_restored',
      });
      // Its own files tell how it ended.
      expect(await reader.runs.openAttempts()).toHaveLength(1);
      expect(await reader.leases.get()).toBeNull();
      expect(await reader.settings.aliveAt()).toBe(at);
      expect(await reader.settings.lastCheck()).toBeNull();
      const [pause, ...others] = await reader.pauses.between(minute(0), at);
      expect(others).toEqual([]);
      expect(pause).toMatchObject({ cause: 'restored', scope: { kind: 'all' }, endedAt: at });
      const [state] = await reader.schedules.ofJob(jobIdOf(1));
      expect(Number(pause?.since)).toBeLessThanOrEqual(Number(state?.watermarkAt));
      const counts = await reader.runs.counts({ from: toInstant(0), until: toInstant(2 * at) });
      expect(counts.total.abandoned).toBe(1);
    }),
  );
  // What was there before is kept, whole.
  file = path.join(folder, String(report.keptFile));
  fs.writeFileSync(`${file}.created`, '');
  expect(await names()).toEqual(['Changed later', 'Job 2', 'Made later']);
});

test.each([
  ['damaged', (place: string) => fs.writeFileSync(place, fs.readFileSync(place).fill(0xff, 4_096, 12_288))],
  ['cut off', (place: string) => fs.truncateSync(place, 5_000)],
  ['another file', (place: string) => fs.writeFileSync(place, 'hello')],
  ['gone', (place: string) => fs.rmSync(place)],
])('a copy that is %s is refused, and the present store stays as it is (S-03)', async (_, harm) => {
  const copy = await within(async (store) => {
    await insertJobs(store, 1);
    return keeperOf().backUp('manual');
  });
  harm(path.join(folder, 'backups', copy.id));
  const before = bytes();
  failures.length = 0;
  const refused = await filesOf().restore(copy.id, minute(9));
  expect(refused).toMatchObject({ ok: false, error: { code: 'unavailable' } });
  // In words; what SQLite said is kept with the error, for the log.
  expect(refused.ok || refused.error.message).toMatch(
    /^(This copy is damaged|This copy does not exist any more)\.$/,
  );
  expect(failures).toHaveLength(1);
  expect(bytes()).toEqual(before);
});

test.each(['rename', 'mkdir', 'open', 'write', 'fsync', 'copyFile'] as const)(
  'a death at any %s leaves the old store, the new one, or one that is missing with everything still there (X-46)',
  async (kind) => {
    const method = `${kind}Sync` as const;
    for (let dying = 1; ; dying += 1) {
      for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name), { recursive: true });
      const copy = await within(async (store) => {
        await insertJobs(store, 1);
        return keeperOf().backUp('manual');
      });
      await within((store) => insertJobs(store, 2));
      const real = fs[method] as (...values: unknown[]) => unknown;
      let calls = 0;
      const spy = vi.spyOn(fs, method as 'renameSync').mockImplementation(((...values: unknown[]) => {
        calls += 1;
        if (calls >= dying) throw Object.assign(new Error('killed'), { name: 'Killed' });
        return real(...values);
      }) as never);
      syncBuiltinESMExports();
      const outcome = await filesOf()
        .restore(copy.id, minute(9))
        .catch(() => null);
      spy.mockRestore();
      syncBuiltinESMExports();
      if (outcome?.ok) {
        expect(calls, 'the failure was injected at least once').toBeGreaterThan(0);
        expect(dying).toBeGreaterThan(1);
        break;
      }
      const found = openDatabase({ file });
      if (found.ok) {
        found.value.writer.close();
        expect([['Job 1'], ['Job 1', 'Job 2']]).toContainEqual(await names());
      } else {
        expect(found.error.code).toBe('missing');
        // Nothing was lost, and it can be done again.
        need(await filesOf().restore(copy.id, minute(10)));
        expect(await names()).toEqual(['Job 1']);
      }
    }
  },
);

test('starting empty keeps what was there beside the new store', async () => {
  await within((store) => insertJobs(store, 1));
  fs.truncateSync(file, 100);
  const report = need(await filesOf().startEmpty(minute(9)));
  expect(await names()).toEqual([]);
  expect(fs.statSync(path.join(folder, String(report.keptFile))).size).toBe(100);
});

test('a store that is missing can be started anew too', async () => {
  await within((store) => insertJobs(store, 1));
  for (const name of ['belfry.db', 'belfry.db-wal', 'belfry.db-shm'])
    fs.rmSync(path.join(folder, name), { force: true });
  expect(need(await filesOf().startEmpty(minute(9))).keptFile).toBeNull();
  expect(await names()).toEqual([]);
});

/** A store of some pages, closed, with runs that have ends. */
async function filledStore(runCount: number): Promise<void> {
  await within(async (store) => {
    await insertJobs(store, ...Array.from({ length: 40 }, (_, index) => index + 1));
    await takeLease(store);
    for (let number = 1; number <= runCount; number += 1) {
      const [runId, attemptId] = [runIdOf(number), attemptIdOf(number)];
      await store.transact(async ({ runs }) => {
        await runs.insert(runOf(number, { jobId: jobIdOf(1 + (number % 40)) }));
        await runs.begin({ runId, attemptId, number: 1, startedAt: minute(number) }, fence);
        await runs.finish(endOf(number, { runId, attemptId, detail: `detail ${number}` }), fence);
      });
    }
  });
}

const facts = () =>
  within((store) =>
    store.read(async ({ jobs, schedules, runs }) => ({
      jobs: await jobs.count(),
      quarantined: (await jobs.quarantined()).length,
      schedules: (await schedules.active()).length,
      counts: (await runs.counts({ from: toInstant(0), until: toInstant(minute(1e6)) })).total,
      found: (await runs.find({ text: 'detail' }, { after: null, limit: 200 })).runs.length,
    })),
  );

test('repairing a store that is whole loses nothing', async () => {
  await filledStore(60);
  const before = await facts();
  const told: number[] = [];
  const signal = new AbortController().signal;
  const report = need(
    await filesOf().repair({ at: minute(99), signal, onProgress: ({ jobCount }) => told.push(jobCount) }),
  );
  expect(report.sentences.join('\n')).toMatch(/40 jobs, 60 runs could be read/);
  expect(report.sentences).toContain('Everything could be read.');
  expect(await facts()).toEqual(before);
});

test('repairing reads around each damaged page, and what is read is consistent', async () => {
  await filledStore(120);
  const whole = fs.readFileSync(file);
  const pageCount = whole.length / 4_096;
  let best = 0;
  let worst = 40;
  let refused = 0;
  for (let page = 2; page < pageCount; page += 7) {
    for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name), { recursive: true });
    fs.writeFileSync(file, Buffer.from(whole).fill(0xa5, page * 4_096, (page + 1) * 4_096));
    fs.writeFileSync(`${file}.created`, '');
    const signal = new AbortController().signal;
    const result = await filesOf().repair({ at: minute(999), signal, onProgress: () => undefined });
    // Where the list of tables is damaged nothing can be found, and that is said instead of an empty store made.
    if (!result.ok) {
      expect(result.error.message).toMatch(/^Nothing of the damaged file can be read/);
      refused += 1;
      continue;
    }
    const { jobs, quarantined, schedules } = await facts();
    const off = result.value.sentences.some((sentence) => sentence.startsWith('Switched off'));
    expect(quarantined, `page ${page}`).toBe(0);
    expect(off || schedules === jobs, `page ${page}`).toBe(true);
    best = Math.max(best, jobs);
    worst = Math.min(worst, jobs);
  }
  expect(best).toBe(40);
  expect(refused).toBeLessThan(5);
  // One page holds about a dozen jobs at most.
  expect(worst).toBeGreaterThan(20);
});

test('a repair that is cancelled changes nothing', async () => {
  await filledStore(3);
  const before = bytes();
  const abort = new AbortController();
  abort.abort();
  const result = await filesOf().repair({ at: minute(9), signal: abort.signal, onProgress: () => undefined });
  expect(result).toMatchObject({
    ok: false,
    error: { message: 'The repair was cancelled.' },
  });
  expect(bytes()).toEqual(before);
});

test('looking at a store that was refused, and exporting it, leaves no file beside it (S-03)', async () => {
  await filledStore(5);
  const before = fs.readdirSync(folder).sort();
  expect(await filesOf().canExport()).toBe(true);
  expect(fs.readdirSync(folder).sort()).toEqual(before);
  expect(await filesOf().exportTo(path.join(folder, 'export.json'))).toMatchObject({ ok: true });
  expect(fs.readdirSync(folder).sort()).toEqual([...before, 'export.json'].sort());
});

test('what is readable can be exported, for the user alone', async () => {
  await filledStore(5);
  const target = path.join(folder, 'export.json');
  expect(await filesOf().canExport()).toBe(true);
  expect(await filesOf().exportTo(target)).toEqual({
    ok: true,
    value: { jobCount: 40, runCount: 5, gapCount: 0 },
  });
  const exported = JSON.parse(fs.readFileSync(target, 'utf8'));
  expect(exported.jobs[0]).toMatchObject({ id: jobIdOf(1), definition: { name: 'Job 1' } });
  expect(exported.runs[4]).toMatchObject({ id: runIdOf(5), outcome: 'succeeded' });
  if (process.platform !== 'win32') expect(fs.statSync(target).mode & 0o777).toBe(0o600);
  fs.writeFileSync(file, 'no database');
  expect(await filesOf().canExport()).toBe(false);
});

test('sizes, checks, and outputs that go', async () => {
  await filledStore(2);
  const runs = path.join(folder, 'runs');
  for (const number of [1, 2]) fs.mkdirSync(path.join(runs, runIdOf(number), 'attempt'), { recursive: true });
  const outside = path.join(folder, 'outside');
  fs.mkdirSync(outside);
  fs.writeFileSync(path.join(outside, 'mine'), '');
  fs.rmSync(path.join(runs, runIdOf(2)), { recursive: true });
  fs.symlinkSync(outside, path.join(runs, runIdOf(2)));
  const keeper = keeperOf();
  await keeper.removeOutputs([runIdOf(1), runIdOf(2), runIdOf(3)]);
  expect(fs.readdirSync(runs)).toEqual([]);
  expect(fs.existsSync(path.join(outside, 'mine'))).toBe(true);
  await expect(keeper.removeOutputs(['..' as never])).rejects.toThrow('a run has a UUID');
  expect(await keeper.check()).toBeNull();
  const sizes = await keeper.sizes();
  expect(sizes).toMatchObject({ folder, backupBytes: 0 });
  expect(sizes.storeBytes).toBeGreaterThan(4_096);
  expect(Number(sizes.freeBytes)).toBeGreaterThan(0);
  expect(backupName('daily', minute(0))).toMatch(/^belfry-20.*-daily\.db$/);
});

test('a lease is not carried over by a copy', async () => {
  const copy = await within(async (store) => {
    await insertJobs(store, 1);
    await store.transact(({ leases }) => leases.take(leaseOf(fence), null));
    return keeperOf().backUp('manual');
  });
  need(await filesOf().restore(copy.id as BackupId, minute(9)));
  await within((store) =>
    store.read(async ({ leases }) => {
      expect(await leases.get()).toBeNull();
      expect(await leases.lastEpoch()).toBe(1);
    }),
  );
  expect(scheduleIdOf(1)).toBeTruthy();
});
