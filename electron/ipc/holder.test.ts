/** Two processes of Belfry in one: the one that runs the jobs behind a real socket, and one that stands by. */

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Handlers, type RequestName, requests } from '../../shared/ipc/contract';
import type { JobId } from '../../shared/model/job';
import { defaultSettings } from '../../shared/model/settings';
import { ok } from '../../shared/result';
import { toInstant } from '../../shared/time';
import type { Timer } from '../ports/world';
import { createHolderLink, passToHolder } from './holder';
import { createSocketServer } from './socket';
import { connectToBelfry, REPLY_MS_MAX } from './socketClient';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const timer: Timer = {
  after: (delayMs, wake) => {
    const handle = setTimeout(wake, delayMs);
    return () => clearTimeout(handle);
  },
};
const requestNames = Object.keys(requests) as RequestName[];
const jobId = '0190aaaa-0000-7000-8000-000000000001' as JobId;

async function setUp() {
  const dataFolder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-holder-'));
  cleanUps.push(() => fs.rmSync(dataFolder, { recursive: true, force: true }));
  const nothing = (): void => undefined;
  const holder = createSocketServer({
    place: { dataFolder, shortFolders: [], platform: process.platform },
    clock: { now: () => toInstant(0), monotonic: () => 0 },
    ids: { next: () => 'id-00000001' },
    log: { info: nothing, warn: nothing, error: nothing },
  });
  cleanUps.push(() => holder.close());
  const done: string[] = [];
  for (const name of requestNames) {
    holder.ports.window.handle(name, async () => {
      done.push(`${name} there`);
      return ok(undefined);
    });
  }
  await holder.open({ runsJobs: true });

  const here = Object.fromEntries(
    requestNames.map((name) => [
      name,
      async () => {
        done.push(`${name} here`);
        return ok(undefined);
      },
    ]),
  ) as unknown as Handlers;
  const heard: string[] = [];
  const waiting = new Map<string, () => void>();
  const link = createHolderLink({
    connect: () => connectToBelfry({ dataFolder, timer, from: 'window' }),
    announce: (name) => {
      heard.push(name);
      waiting.get(name)?.();
    },
    onLost: () => waiting.get('lost')?.(),
  });
  cleanUps.push(() => link.close());
  const hear = (name: string): Promise<void> => new Promise((resolve) => waiting.set(name, resolve));
  return { holder, handlers: passToHolder(here, () => link.client()), link, done, heard, hear };
}

test('changes are made by the process that runs the jobs, questions are answered here', async () => {
  const { handlers, done } = await setUp();
  await handlers['runs.start']({ jobId });
  await handlers['jobs.delete']({ jobId, stopRun: false });
  await handlers['jobs.list'](undefined);
  await handlers['settings.save'](defaultSettings);
  expect(done).toEqual(['runs.start there', 'jobs.delete there', 'jobs.list here', 'settings.save here']);
});

test('events of the process that runs the jobs are heard here, but not its wishes for its own window', async () => {
  const { holder, link, heard, hear } = await setUp();
  await (await link.client())?.request('jobs.list', undefined);
  const heardAll = hear('runs.changed');
  holder.announce('window.show', { place: 'jobs', jobId: null });
  holder.announce('jobs.changed', { jobId: null });
  holder.announce('runs.changed', { runId: 'r' as never, jobId });
  await heardAll;
  expect(heard).toEqual(['jobs.changed', 'runs.changed']);
});

test('when that process goes away this is heard, and changes are made here', async () => {
  const { holder, handlers, link, done, hear } = await setUp();
  await link.client();
  const gone = hear('lost');
  await holder.close();
  await gone;
  await handlers['runs.start']({ jobId });
  expect(done).toEqual(['runs.start here']);
});

test('is found again when it comes back', async () => {
  const { holder, handlers, link, done, hear } = await setUp();
  await link.client();
  const gone = hear('lost');
  await holder.close();
  await gone;
  await handlers['runs.start']({ jobId });
  await holder.open({ runsJobs: true });
  await handlers['runs.start']({ jobId });
  expect(done).toEqual(['runs.start here', 'runs.start there']);
});

test('a change whose holder goes away in the middle is answered, and not made a second time here (D4)', async () => {
  const { holder, handlers, done } = await setUp();
  holder.ports.window.handle('runs.start', () => {
    done.push('runs.start begun');
    void holder.close();
    return new Promise(() => undefined);
  });
  expect(await handlers['runs.start']({ jobId })).toMatchObject({
    ok: false,
    error: { code: 'unavailable' },
  });
  expect(done).toEqual(['runs.start begun']);
});

test.skipIf(process.platform === 'win32')(
  'a holder that is stopped leaves nobody waiting: the answer comes within the limit (H-05)',
  async () => {
    const dataFolder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-stopped-'));
    cleanUps.push(() => fs.rmSync(dataFolder, { recursive: true, force: true }));
    const script =
      "require('net').createServer(() => {}).listen(process.argv[1], () => console.log('listens'))";
    const child = spawn(process.execPath, ['-e', script, path.join(dataFolder, 'belfry.sock')]);
    cleanUps.push(() => child.kill('SIGKILL'));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGSTOP');

    const limits: { delayMs: number; ring: () => void }[] = [];
    const byHand: Timer = {
      after: (delayMs, ring) => {
        limits.push({ delayMs, ring });
        return () => undefined;
      },
    };
    const client = await connectToBelfry({ dataFolder, timer: byHand, from: 'window' });
    cleanUps.push(() => client?.close());
    const reply = client?.request('runs.start', { jobId });
    expect(limits.map(({ delayMs }) => delayMs)).toEqual([REPLY_MS_MAX]);
    limits[0]?.ring();
    expect(await reply).toEqual({
      ok: false,
      error: { code: 'unavailable', message: 'The process that runs your jobs cannot be reached.' },
    });
  },
);
