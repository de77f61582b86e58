/**
 * Another store takes the place of the present one while Belfry runs (ADR 20), for real: real store, real socket, real commands
 * typed, and a second Belfry beside the first. Waiting is for events only.
 */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { emptyCommandSettings } from '../shared/kinds/command';
import { everyDay } from '../shared/model/dates';
import type { JobId } from '../shared/model/job';
import { defaultPolicies } from '../shared/model/policies';
import { INTERVAL_MS_MIN, type ScheduleRule } from '../shared/model/schedule';
import { runCommand } from './commandLine';
import { type Belfry, compose, openOffline } from './compose';
import { realTimer } from './system/realTime';

vi.setConfig({ testTimeout: 60_000 });

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function makeFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-data-'));
  cleanUps.push(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

type Running = { readonly belfry: Belfry; until(look: () => Promise<boolean>): Promise<void> };

async function start(dataFolder: string): Promise<Running> {
  const listeners = new Set<() => void>();
  const belfry = await compose({
    dataFolder,
    host: 'app',
    windowSide: null,
    machineHints: null,
    announce: () => {
      for (const listener of [...listeners]) listener();
    },
    checksOutput: true,
    storeWorker: null,
  });
  cleanUps.push(() => belfry.stop({ runs: 'stop' }));
  await belfry.start();
  const until = async (look: () => Promise<boolean>): Promise<void> => {
    for (;;) {
      const announced = new Promise<void>((resolve) => {
        const once = (): void => {
          listeners.delete(once);
          resolve();
        };
        listeners.add(once);
      });
      if (await look()) return;
      await announced;
    }
  };
  return { belfry, until };
}

async function save(
  { belfry }: Running,
  name: string,
  rules: readonly ScheduleRule[] = [],
  line = 'true',
): Promise<JobId> {
  const reply = await belfry.handlers['jobs.save']({
    draft: {
      name,
      settings: { ...emptyCommandSettings, kind: 'command', line },
      tags: [],
      notes: '',
      isEnabled: true,
      policies: defaultPolicies,
      conditions: [],
      dates: everyDay,
      schedules: rules.map((rule) => ({ rule })),
    },
  });
  if (!reply.ok) throw new Error(JSON.stringify(reply.error));
  return reply.value.id;
}

async function names({ belfry }: Running): Promise<string[]> {
  const reply = await belfry.handlers['jobs.list'](undefined);
  if (!reply.ok) throw new Error(reply.error.message);
  return reply.value.map(({ name }) => name);
}

async function type(dataFolder: string, ...argv: string[]) {
  const lines: string[] = [];
  const say = (text: string): void => void lines.push(text);
  const exitCode = await runCommand(argv, {
    dataFolder,
    timer: realTimer,
    openOffline: () => openOffline({ dataFolder, storeWorker: null }),
    print: say,
    complain: say,
  });
  return { exitCode, text: lines.join('\n') };
}

/** How SQLite speaks of damage. */
const RAW = /btree|ptrmap|error code|page \d+|wrong # of entries|malformed/i;

const damage = (folder: string): void => {
  const file = path.join(folder, 'belfry.db');
  const bytes = fs.readFileSync(file);
  fs.writeFileSync(file, bytes.fill(0xa5, 4_096 * 9, 4_096 * 12));
};

test('a copy is put back while Belfry runs, and what was there before is a copy too', async () => {
  const folder = makeFolder();
  const running = await start(folder);
  await save(running, 'Kept');
  const copy = await running.belfry.handlers['backups.create'](undefined);
  if (!copy.ok) throw new Error(copy.error.message);
  await save(running, 'Lost');
  const report = await running.belfry.handlers['backups.restore']({ backupId: copy.value.id });
  expect(report).toMatchObject({ ok: true, value: { choice: 'restore' } });
  expect(await names(running)).toEqual(['Kept']);
  expect((await running.belfry.status()).state).toBe('running');
  const copies = await running.belfry.handlers['backups.list'](undefined);
  expect(copies.ok && copies.value.map(({ reason, jobCount }) => [reason, jobCount])).toEqual([
    ['restore', 2],
    ['manual', 1],
  ]);
  // And back again.
  expect((await type(folder, 'backup', 'restore', 'latest')).text).toMatch(/2 jobs/);
  expect(await names(running)).toEqual(['Kept', 'Lost']);
});

test('a copy that does not exist, or is damaged, changes nothing', async () => {
  const folder = makeFolder();
  const running = await start(folder);
  await save(running, 'Kept');
  const copy = await running.belfry.handlers['backups.create'](undefined);
  if (!copy.ok) throw new Error(copy.error.message);
  const { id } = copy.value;
  const gone = 'belfry-2020-01-01T00-00-00-000Z-daily.db' as typeof id;
  expect(await running.belfry.handlers['backups.restore']({ backupId: gone })).toMatchObject({
    error: { code: 'not_found' },
  });
  fs.truncateSync(path.join(folder, 'backups', id), 9_000);
  expect(await running.belfry.handlers['backups.restore']({ backupId: id })).toMatchObject({
    error: { message: 'This copy is damaged.' },
  });
  expect(await names(running)).toEqual(['Kept']);
  expect((await running.belfry.status()).state).toBe('running');
  // The window and the command line say so before anybody tries.
  const copies = await running.belfry.handlers['backups.list'](undefined);
  expect(copies.ok && copies.value.find((each) => each.id === id)?.problem).toBe('This copy is damaged.');
  expect((await type(folder, 'backup', 'list')).text).toMatch(/This copy is damaged\.$/m);
});

test('nothing that ran since the copy runs again when it is put back (D3, D4)', async () => {
  const folder = makeFolder();
  const ran = path.join(folder, 'ran');
  const running = await start(folder);
  const everySecond: ScheduleRule = { kind: 'interval', everyMs: INTERVAL_MS_MIN, basis: 'grid' };
  await save(running, 'Often', [everySecond], `echo "$BELFRY_PLANNED_AT" >> '${ran}'`);
  const lines = (): string[] =>
    fs.existsSync(ran) ? fs.readFileSync(ran, 'utf8').split('\n').filter(Boolean) : [];
  await running.until(async () => lines().length >= 1);
  const copy = await running.belfry.handlers['backups.create'](undefined);
  if (!copy.ok) throw new Error(copy.error.message);
  const before = lines().length;
  await running.until(async () => lines().length >= before + 2);
  expect(await running.belfry.handlers['backups.restore']({ backupId: copy.value.id })).toMatchObject({
    ok: true,
  });
  const after = lines().length;
  await running.until(async () => lines().length >= after + 2);
  expect(new Set(lines()).size).toBe(lines().length);
});

test.each(['restore', 'repair', 'start_empty'] as const)(
  'a store that is damaged is mended in the app by %s (S-03)',
  async (choice) => {
    const folder = makeFolder();
    const first = await start(folder);
    await save(first, 'Kept');
    const copy = await first.belfry.handlers['backups.create'](undefined);
    if (!copy.ok) throw new Error(copy.error.message);
    await first.belfry.stop({ runs: 'leave' });
    damage(folder);
    const before = fs.readFileSync(path.join(folder, 'belfry.db'));

    const running = await start(folder);
    expect((await running.belfry.status()).state).toBe('store_failed');
    const state = await running.belfry.handlers['rescue.get'](undefined);
    expect(state).toMatchObject({
      value: {
        code: 'damaged',
        choices: ['restore', 'repair', 'start_empty'],
        canExport: true,
        repair: null,
      },
    });
    expect((await type(folder, 'backup', 'list')).text).toContain(copy.value.id);
    // A person reads a sentence, once; what SQLite said is for whoever helps, and for the log.
    const said = state.ok ? state.value : null;
    expect(said?.message).toBe('The file “belfry.db” failed its check: a part of it is damaged.');
    expect(said?.detail).toMatch(RAW);
    expect(fs.readFileSync(path.join(folder, 'logs', 'app.log'), 'utf8')).toMatch(RAW);
    // Trying again changes nothing as long as nothing was mended.
    expect(await running.belfry.handlers['rescue.retry'](undefined)).toMatchObject({
      value: { code: 'damaged' },
    });
    expect(fs.readFileSync(path.join(folder, 'belfry.db')).equals(before)).toBe(true);

    const done = await running.belfry.handlers['rescue.act'](
      choice === 'restore' ? { choice, backupId: copy.value.id } : { choice },
    );
    expect(done).toMatchObject({ ok: true, value: { choice, keptFile: expect.stringMatching(/^aside/) } });
    expect(await running.belfry.handlers['rescue.get'](undefined)).toEqual({ ok: true, value: null });
    expect((await running.belfry.status()).state).toBe('running');
    if (choice !== 'repair') expect(await names(running)).toEqual(choice === 'restore' ? ['Kept'] : []);
    await save(running, 'New');
    expect(await names(running)).toContain('New');
    if (done.ok)
      expect(fs.readFileSync(path.join(folder, String(done.value.keptFile))).equals(before)).toBe(true);
    expect(await running.belfry.handlers['rescue.act']({ choice: 'start_empty' })).toMatchObject({
      error: { code: 'conflict' },
    });
  },
);

test('a folder that was not to be trusted is used once it is mended and tried again (S-01)', async () => {
  const folder = makeFolder();
  fs.chmodSync(folder, 0o777);
  const running = await start(folder);
  expect(await running.belfry.handlers['rescue.get'](undefined)).toMatchObject({
    value: { code: 'open_folder', choices: [], backups: [], canExport: false },
  });
  expect(fs.readdirSync(folder)).toEqual([]);
  expect(await running.belfry.handlers['rescue.act']({ choice: 'start_empty' })).toMatchObject({
    error: { code: 'unsupported' },
  });
  fs.chmodSync(folder, 0o700);
  expect(await running.belfry.handlers['rescue.retry'](undefined)).toEqual({ ok: true, value: null });
  expect((await running.belfry.status()).state).toBe('running');
  expect((await type(folder, 'status')).exitCode).toBe(0);
});

test('the command line copies, checks, tells the room and finds runs, and copies without a Belfry too', async () => {
  const folder = makeFolder();
  const running = await start(folder);
  const jobId = await save(running, 'Greet', [], 'echo hello; exit 3');
  expect((await running.belfry.handlers['runs.start']({ jobId })).ok).toBe(true);
  await running.until(async () => {
    const found = await running.belfry.handlers['runs.find']({ limit: 5, outcome: 'failed' });
    return found.ok && found.value.runs.length === 1;
  });
  expect((await type(folder, 'runs', '--search=greet')).text).toMatch(/failed {2}Greet {2}exit 3/);
  expect((await type(folder, 'runs', '--outcome=succeeded')).text).toBe('No run was found.');
  expect((await type(folder, 'runs', '--outcome=nonsense')).exitCode).toBe(2);
  expect((await type(folder, 'runs', '--limit=0')).exitCode).toBe(2);
  expect((await type(folder, 'backup', 'create')).text).toMatch(
    /^Copied: belfry-.*-manual\.db .* 1 job {2}1 run$/,
  );
  expect((await type(folder, 'check')).text).toBe('All of the data was read, and it is whole.');
  expect((await type(folder, 'data')).text).toMatch(/^1 job, 1 run since [\s\S]*last copy 20[\s\S]*: whole/);
  expect((await type(folder, 'backup', 'restore', '../../etc/passwd')).text).toMatch(/^There is no copy/);
  expect((await type(folder, 'backup', 'burn')).exitCode).toBe(2);
  await running.belfry.stop({ runs: 'leave' });

  expect((await type(folder, 'jobs')).exitCode).toBe(3);
  expect((await type(folder, 'check')).exitCode).toBe(0);
  expect((await type(folder, 'backup', 'create')).exitCode).toBe(0);
  damage(folder);
  expect((await type(folder, 'check')).exitCode).toBe(1);
  expect((await type(folder, 'backup', 'restore', 'latest')).text).toMatch(/1 job, 1 run/);
  expect((await type(folder, 'check')).exitCode).toBe(0);
  expect(await names(await start(folder))).toEqual(['Greet']);
});
