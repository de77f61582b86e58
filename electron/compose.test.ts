/**
 * Belfry as it is built for real, in a data folder of its own: real store, real processes, real socket, no window. Waiting is
 * for events only.
 */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, expect, test, vi } from 'vitest';
import type { EventName, Handlers } from '../shared/ipc/contract';
import { emptyCommandSettings } from '../shared/kinds/command';
import { everyDay } from '../shared/model/dates';
import type { JobId } from '../shared/model/job';
import { defaultPolicies } from '../shared/model/policies';
import type { Run } from '../shared/model/run';
import { INTERVAL_MS_MIN, type ScheduleRule } from '../shared/model/schedule';
import { type Agent, spawnAgent as startAgent } from './agentProcess.fixture';
import { runCommand } from './commandLine';
import { type Belfry, compose, openOffline } from './compose';
import { connectToBelfry, type SocketClient } from './ipc/socketClient';
import { realTimer } from './system/realTime';

// Starting the agent from its sources takes a second, or several where all cores are busy.
vi.setConfig({ testTimeout: 60_000 });

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function makeFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-compose-'));
  cleanUps.push(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

type Running = Belfry & {
  /** Resolves with what `look` answers as soon as that is not null; looks now and after every event. */
  until<T>(look: () => Promise<T | null>): Promise<T>;
};

async function start(dataFolder: string, host: 'app' | 'agent' = 'agent'): Promise<Running> {
  const listeners = new Set<() => void>();
  const belfry = await compose({
    dataFolder,
    host,
    windowSide: null,
    machineHints: null,
    announce: (_name: EventName) => {
      for (const listener of listeners) listener();
    },
    checksOutput: true,
    storeWorker: null,
  });
  cleanUps.push(() => belfry.stop({ runs: 'stop' }));
  await belfry.start();
  return {
    ...belfry,
    until: async (look) => {
      for (;;) {
        const announced = new Promise<void>((resolve) => {
          const once = (): void => {
            listeners.delete(once);
            resolve();
          };
          listeners.add(once);
        });
        const seen = await look();
        if (seen !== null) return seen;
        await announced;
      }
    },
  };
}

const spawnAgent = (dataFolder: string, name = ''): Promise<Agent> =>
  startAgent(dataFolder, { name, onCleanUp: (end) => void cleanUps.push(end) });

/** The handlers of another process, as far as a client can ask for them. */
const asHandlers = (client: SocketClient): Pick<Handlers, 'jobs.save'> => ({
  'jobs.save': (input) => client.request('jobs.save', input),
});

async function saveJob(
  handlers: Pick<Handlers, 'jobs.save'>,
  name: string,
  line: string,
  rules: readonly ScheduleRule[] = [],
): Promise<JobId> {
  const reply = await handlers['jobs.save']({
    draft: {
      name,
      settings: { ...emptyCommandSettings, line, shell: '/bin/sh' },
      tags: [],
      notes: '',
      isEnabled: true,
      policies: defaultPolicies,
      conditions: [],
      dates: everyDay,
      schedules: rules.map((rule) => ({ rule })),
    },
  });
  if (!reply.ok) throw new Error(reply.error.message);
  return reply.value.id;
}

async function runOf(handlers: Handlers, jobId: JobId): Promise<Run | null> {
  const reply = await handlers['jobs.get']({ jobId });
  return reply.ok ? reply.value.latestRun : null;
}

const finished = (belfry: Belfry, jobId: JobId) => async (): Promise<Run | null> => {
  const run = await runOf(belfry.handlers, jobId);
  return run?.state === 'finished' ? run : null;
};

const hasOutput =
  ({ handlers }: Belfry, jobId: JobId) =>
  async (): Promise<true | null> => {
    const run = await runOf(handlers, jobId);
    const page = run && (await handlers['output.read']({ runId: run.id, from: 0, count: 1 }));
    return page?.ok && page.value.lineCount > 0 ? true : null;
  };

async function type(dataFolder: string, ...argv: string[]) {
  const printed: string[] = [];
  const complaints: string[] = [];
  const exitCode = await runCommand(argv, {
    dataFolder,
    openOffline: () => openOffline({ dataFolder, storeWorker: null }),
    timer: realTimer,
    print: (text) => printed.push(text),
    complain: (text) => complaints.push(text),
  });
  return { exitCode, text: printed.join('\n'), complaint: complaints.join('\n') };
}

test('runs a job for real and reads its output back', async () => {
  const belfry = await start(makeFolder());
  const jobId = await saveJob(belfry.handlers, 'Greet', 'echo hello; exit 3');
  const started = await belfry.handlers['runs.start']({ jobId });
  expect(started).toMatchObject({ ok: true, value: { trigger: 'manual' } });
  const run = await belfry.until(finished(belfry, jobId));
  expect(run).toMatchObject({ outcome: 'failed', reason: 'exit_code', exitCode: 3 });
  const page = await belfry.handlers['output.read']({ runId: run.id, from: 0, count: 10 });
  expect(page).toMatchObject({ ok: true, value: { lines: [{ text: 'hello' }], isLive: false } });
});

test('everything in the data folder is for the user alone (4.13)', async () => {
  const folder = makeFolder();
  const belfry = await start(folder);
  await belfry.until(finishedFirst(belfry));
  const modes = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => [entry.name, fs.statSync(path.join(entry.parentPath, entry.name)).mode & 0o077]);
  expect(modes.filter(([, others]) => others !== 0)).toEqual([]);
  expect(modes.map(([name]) => name)).toEqual(
    expect.arrayContaining(['belfry.db', 'belfry.sock', 'agent.log']),
  );
});

const finishedFirst = (belfry: Belfry) => {
  const job = saveJob(belfry.handlers, 'First', 'true').then(async (jobId) => {
    await belfry.handlers['runs.start']({ jobId });
    return jobId;
  });
  return async () => finished(belfry, await job)();
};

test('a store that cannot be read is said, refuses what needs it, and is left as it is (S-03)', async () => {
  const folder = makeFolder();
  const file = path.join(folder, 'belfry.db');
  fs.writeFileSync(file, 'this is no database', { mode: 0o600 });
  const belfry = await start(folder, 'app');
  expect(belfry.problem).toMatch(/belfry\.db/);
  expect(await belfry.status()).toMatchObject({ state: 'store_failed', problem: belfry.problem });
  expect(await belfry.handlers['jobs.list'](undefined)).toMatchObject({
    ok: false,
    error: { code: 'unavailable', message: belfry.problem },
  });
  expect(await belfry.handlers['settings.get'](undefined)).toMatchObject({ ok: true });
  expect(await type(folder, 'status')).toMatchObject({
    exitCode: 0,
    text: expect.stringContaining(belfry.problem ?? ''),
  });
  await belfry.stop({ runs: 'leave' });
  expect(fs.readFileSync(file, 'utf8')).toBe('this is no database');
});

test.skipIf(process.platform === 'win32')(
  'a folder that everybody may write to is refused and stays as it is; another wrong mode is mended (S-01, S-03)',
  async () => {
    const open = makeFolder();
    fs.chmodSync(open, 0o777);
    const refused = await start(open, 'app');
    expect(refused.problem).toMatch(/^Everybody may write to the data folder/);
    expect(await refused.handlers['engine.status'](undefined)).toMatchObject({
      value: { state: 'store_failed', problem: refused.problem },
    });
    expect(refused.isFolderRefused).toBe(true);
    await refused.stop({ runs: 'leave' });
    expect([fs.readdirSync(open), fs.statSync(open).mode & 0o777]).toEqual([[], 0o777]);

    const lax = makeFolder();
    const inside = ['logs', 'runs', 'backups'].map((name) => path.join(lax, name));
    for (const folder of inside) fs.mkdirSync(folder);
    for (const folder of [lax, ...inside]) fs.chmodSync(folder, 0o775);
    const mended = await start(lax);
    expect([mended.problem, mended.isFolderRefused]).toEqual([null, false]);
    expect([lax, ...inside].map((folder) => fs.statSync(folder).mode & 0o777)).toEqual(Array(4).fill(0o700));
  },
);

test('a folder inside that cannot be made keeps nobody from running jobs (S-11)', async () => {
  const folder = makeFolder();
  fs.writeFileSync(path.join(folder, 'logs'), 'in the way');
  const belfry = await start(folder);
  expect(belfry.problem).toBeNull();
  expect(fs.readFileSync(path.join(folder, 'logs'), 'utf8')).toBe('in the way');
});

test('tells what is known of this machine, without a desktop nothing of its user', async () => {
  const reply = await (await start(makeFolder())).handlers['machine.get'](undefined);
  expect(reply).toMatchObject({ ok: true, value: { idleMs: null } });
});

test('a data folder that is no folder is an answer and no exception', async () => {
  const file = path.join(makeFolder(), 'file');
  fs.writeFileSync(file, '');
  expect((await start(file)).problem).toMatch(/^The data folder /);
});

/** Copies the store without its lease; false, and no copy, if a run was going on, which the next engine would have to judge. */
function copyAtRest(data: string, copied: string): boolean {
  const original = new DatabaseSync(data);
  original.exec(`VACUUM INTO '${copied}'`);
  original.close();
  const copy = new DatabaseSync(copied);
  copy.exec('DELETE FROM leases');
  const isAtRest = copy.prepare("SELECT 1 FROM runs WHERE state <> 'finished'").get() === undefined;
  copy.close();
  if (!isAtRest) fs.rmSync(copied);
  return isAtRest;
}

// Windows does not let anybody move or delete a file that is open.
test.skipIf(process.platform === 'win32')(
  'of two agents, the one whose data was replaced starts nothing more, and the other one leads (H-02, D11)',
  async () => {
    const folder = makeFolder();
    const data = path.join(folder, 'belfry.db');
    const ran = path.join(folder, 'ran');
    const first = await spawnAgent(folder, 'first');
    const client = await connectToBelfry({ dataFolder: folder, timer: realTimer, from: 'window' });
    if (client === null) throw new Error('the agent does not answer');
    cleanUps.push(() => client.close());
    const jobId = await saveJob(asHandlers(client), 'Once only', `echo $AGENT_NAME >> '${ran}'`, [
      everySecond,
    ]);
    await seen(ran, 1);

    // As somebody does who restores a backup that was made while nobody held the lease.
    await vi.waitUntil(() => copyAtRest(data, `${data}.copy`), { timeout: 30_000, interval: 20 });
    fs.renameSync(`${data}.copy`, data);
    for (const suffix of ['-wal', '-shm']) fs.rmSync(data + suffix);
    fs.chmodSync(data, 0o600);
    const refused = await client.request('runs.start', { jobId });
    expect(refused).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    expect(await client.request('engine.status', undefined)).toMatchObject({
      value: { problem: expect.stringMatching(/quit Belfry and start it again/) },
    });

    const second = await spawnAgent(folder, 'second');
    expect(second.line).toMatch(/^belfry agent: running your jobs/);
    await seen(ran, linesOf(ran).length + 3);
    const starters = linesOf(ran);
    expect(starters[0]).toBe('first');
    expect(new Set(starters.slice(starters.indexOf('second')))).toEqual(new Set(['second']));
    first.process.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    await seen(ran, linesOf(ran).length + 1);
  },
);

test.skipIf(process.platform === 'win32')(
  'a data folder that was thrown away is not made anew (H-02)',
  async () => {
    const root = makeFolder();
    const folder = path.join(root, 'data');
    const ran = path.join(root, 'ran');
    const belfry = await start(folder);
    await saveJob(belfry.handlers, 'Often', `echo ran >> '${ran}'`, [everySecond]);
    await seen(ran, 1);
    // At one stroke, as a file manager does: a run may be writing there just now.
    fs.renameSync(folder, path.join(root, 'bin'));
    const status = await belfry.until(async () => {
      const present = await belfry.status();
      return present.problem === null ? null : present;
    });
    expect(status.problem).toMatch(/^Belfry’s data was moved, replaced or deleted/);
    await belfry.stop({ runs: 'leave' });
    expect(fs.existsSync(folder)).toBe(false);
  },
);

const everySecond: ScheduleRule = { kind: 'interval', everyMs: INTERVAL_MS_MIN, basis: 'grid' };

const linesOf = (file: string): string[] =>
  fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];

/** Resolves when the file has so many lines. */
const seen = (file: string, count: number): Promise<void> =>
  vi.waitUntil(() => linesOf(file).length >= count, { timeout: 30_000, interval: 50 }).then(() => undefined);

test('a second process on the same folder stands by and hands changes to the first (H-17)', async () => {
  const folder = makeFolder();
  const first = await spawnAgent(folder);
  expect(first.line).toBe(`belfry agent: running your jobs, data in ${folder}`);
  const second = await start(folder, 'app');
  expect(await second.status()).toMatchObject({ state: 'standby', holder: { pid: first.process.pid } });
  const jobId = await saveJob(second.handlers, 'Shared', 'true');
  expect(await second.handlers['runs.start']({ jobId })).toMatchObject({
    ok: true,
    value: { trigger: 'manual' },
  });
  expect(await second.until(finished(second, jobId))).toMatchObject({ outcome: 'succeeded' });
});

test.skipIf(process.platform === 'win32')(
  'an edit that is made while the holder is stopped is followed by it once it goes on, and done once (D11)',
  async () => {
    const folder = makeFolder();
    const ran = path.join(folder, 'ran');
    const agent = await spawnAgent(folder, 'agent');
    const app = await start(folder, 'app');
    await saveJob(app.handlers, 'Before', 'true');
    agent.process.kill('SIGSTOP');
    const jobId = await saveJob(app.handlers, 'Meanwhile', `echo $AGENT_NAME >> '${ran}'`, [everySecond]);
    expect(await app.handlers['runs.start']({ jobId })).toEqual({
      ok: false,
      error: { code: 'unavailable', message: 'The process that runs your jobs cannot be reached.' },
    });
    agent.process.kill('SIGCONT');
    await seen(ran, 1);
    expect(linesOf(ran)[0]).toBe('agent');
    expect(await app.status()).toMatchObject({ state: 'standby', holder: { pid: agent.process.pid } });
    const jobs = await app.handlers['jobs.list'](undefined);
    expect(jobs.ok && jobs.value.map(({ name }) => name)).toEqual(['Before', 'Meanwhile']);
    // Changes go there again.
    expect(await app.handlers['runs.start']({ jobId })).toMatchObject({ ok: true });
  },
);

test('the one that stood by takes over, and command lines find it, when the first stops (H-40)', async () => {
  const folder = makeFolder();
  const first = await spawnAgent(folder);
  const second = await start(folder, 'app');
  const jobId = await saveJob(second.handlers, 'Stays', 'true');
  first.process.kill('SIGTERM');
  expect(await first.ended).toBe(0);
  await second.until(async () => ((await second.status()).state === 'running' ? true : null));
  await second.until(async () => ((await type(folder, 'status')).exitCode === 0 ? true : null));
  expect(await type(folder, 'run', 'Stays')).toMatchObject({ exitCode: 0 });
  expect(await second.until(finished(second, jobId))).toMatchObject({ trigger: 'cli' });
});

test('an agent that stands by goes on with a copy that the app has put back (H-02)', async () => {
  const folder = makeFolder();
  const app = await start(folder, 'app');
  await saveJob(app.handlers, 'Kept', 'true');
  const copy = await app.handlers['backups.create'](undefined);
  if (!copy.ok) throw new Error(copy.error.message);
  await saveJob(app.handlers, 'Lost', 'true');
  const agent = await spawnAgent(folder);
  expect(agent.line).toMatch(/^belfry agent: standing by/);
  expect(await app.handlers['backups.restore']({ backupId: copy.value.id })).toMatchObject({ ok: true });
  await app.stop({ runs: 'leave' });
  // Its next look at the store finds another one in its place.
  const jobs = await vi.waitUntil(
    async () => {
      const { exitCode, text } = await type(folder, 'jobs');
      return exitCode === 0 && text;
    },
    { timeout: 50_000, interval: 100 },
  );
  expect(jobs).toMatch(/Kept/);
  expect(jobs).not.toMatch(/Lost/);
  expect(await type(folder, 'run', 'Kept')).toMatchObject({ exitCode: 0 });
});

test('who stands by takes over when it is asked to, and what runs goes on (H-17, H-40)', async () => {
  const folder = makeFolder();
  const agent = await spawnAgent(folder);
  const app = await start(folder, 'app');
  expect((await app.status()).state).toBe('standby');
  const flag = path.join(folder, 'go');
  const jobId = await saveJob(app.handlers, 'Long', `until [ -e '${flag}' ]; do sleep 0.05; done; exit 7`);
  expect(await app.handlers['runs.start']({ jobId })).toMatchObject({ ok: true });
  await app.until(async () => ((await runOf(app.handlers, jobId))?.state === 'running' ? true : null));
  expect(await app.handlers['engine.takeOver'](undefined)).toMatchObject({
    ok: true,
    value: { state: 'running' },
  });
  expect(await app.handlers['engine.takeOver'](undefined)).toMatchObject({ error: { code: 'conflict' } });
  fs.writeFileSync(flag, '');
  expect(await app.until(finished(app, jobId))).toMatchObject({ exitCode: 7, wasAdopted: true });
  // The other one has not ended: it stands by, and is there when this one goes.
  expect(agent.process.exitCode).toBeNull();
  await app.stop({ runs: 'leave' });
  await vi.waitUntil(async () => (await type(folder, 'run', 'Long')).exitCode === 0, {
    timeout: 30_000,
    interval: 50,
  });
});

test('a run outlives the agent that is killed, and the next one picks it up with its true end (D10)', async () => {
  const folder = makeFolder();
  const flag = path.join(folder, 'go');
  const killed = await spawnAgent(folder);
  const client = await connectToBelfry({ dataFolder: folder, timer: realTimer, from: 'window' });
  if (client === null) throw new Error('the agent does not answer');
  cleanUps.push(() => client.close());
  const jobId = await saveJob(
    asHandlers(client),
    'Long',
    `echo up; until [ -e '${flag}' ]; do sleep 0.05; done; exit 7`,
  );
  const grown = new Promise<void>((resolve) => void client.subscribe('output.grew', () => resolve()));
  await client.request('runs.start', { jobId });
  await grown;
  killed.process.kill('SIGKILL');
  await killed.ended;
  const next = await spawnAgent(folder);
  expect(next.line).toMatch(/^belfry agent: running your jobs/);
  fs.writeFileSync(flag, '');
  const observer = await start(folder, 'app');
  expect(await observer.until(finished(observer, jobId))).toMatchObject({ exitCode: 7, wasAdopted: true });
});

test('a run that was left is adopted by the next life with its true end (D10)', async () => {
  const folder = makeFolder();
  const flag = path.join(folder, 'go');
  const first = await start(folder);
  const jobId = await saveJob(first.handlers, 'Long', `until [ -e '${flag}' ]; do sleep 0.05; done; exit 7`);
  await first.handlers['runs.start']({ jobId });
  await first.until(async () => ((await runOf(first.handlers, jobId))?.state === 'running' ? true : null));
  await first.stop({ runs: 'leave' });
  const second = await start(folder);
  fs.writeFileSync(flag, '');
  expect(await second.until(finished(second, jobId))).toMatchObject({ exitCode: 7, wasAdopted: true });
});

test('the command line names, lists, starts, stops and tells', async () => {
  const folder = makeFolder();
  expect(await type(folder, 'status')).toMatchObject({ exitCode: 3, complaint: 'Belfry is not running.' });
  const belfry = await start(folder);
  expect(await type(folder, 'jobs')).toMatchObject({ exitCode: 0, text: 'There is no job yet.' });
  const jobId = await saveJob(belfry.handlers, 'Long one', 'echo up; sleep 60');
  expect((await type(folder, 'jobs')).text).toContain('Long one');
  expect(await type(folder, 'stop', 'Long one')).toMatchObject({
    exitCode: 1,
    complaint: '“Long one” is not running.',
  });
  expect(await type(folder, 'run', jobId.slice(0, 20))).toMatchObject({ text: 'Started “Long one”.' });
  await belfry.until(hasOutput(belfry, jobId));
  expect(await type(folder, 'run', 'Long one')).toMatchObject({ exitCode: 1 });
  expect(await type(folder, 'stop', 'Long one')).toMatchObject({ exitCode: 0 });
  const run = await belfry.until(finished(belfry, jobId));
  expect(run).toMatchObject({ outcome: 'cancelled', trigger: 'cli' });
  expect((await type(folder, 'history', 'Long one')).text).toMatch(/cancelled .* cli$/);
  const json = JSON.parse((await type(folder, 'history', 'Long one', '--json')).text);
  expect(json.entries[0].run.id).toBe(run.id);
});

test('the command line refuses what it does not understand and what could mean several jobs', async () => {
  const folder = makeFolder();
  const belfry = await start(folder);
  await saveJob(belfry.handlers, 'Twice', 'true');
  await saveJob(belfry.handlers, 'Twice', 'true');
  expect(await type(folder, 'run', 'Twice')).toMatchObject({
    exitCode: 1,
    complaint: expect.stringMatching(/^“Twice” means several jobs:\n.*Twice.*\n.*Twice/),
  });
  expect(await type(folder, 'run', 'Nothing')).toMatchObject({
    exitCode: 1,
    complaint: 'There is no job “Nothing”.',
  });
  for (const argv of [[], ['toString'], ['run'], ['status', 'Twice'], ['run', 'Twice', 'again']]) {
    expect(await type(folder, ...argv)).toMatchObject({ exitCode: 2, complaint: /^Usage: belfry / });
  }
});

test('stopping twice is harmless', async () => {
  const belfry = await start(makeFolder());
  await Promise.all([belfry.stop({ runs: 'leave' }), belfry.stop({ runs: 'leave' })]);
});

test('an agent whose store is refused says why and ends with 1', async () => {
  const folder = makeFolder();
  fs.writeFileSync(path.join(folder, 'belfry.db'), 'this is no database', { mode: 0o600 });
  const agent = await spawnAgent(folder);
  expect(agent.line).toMatch(/^belfry agent: “belfry\.db” is not a database/);
  expect(await agent.ended).toBe(1);
});
