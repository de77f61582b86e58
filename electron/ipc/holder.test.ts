/** Two processes of Belfry in one: the one that runs the jobs behind a real socket, and one that stands by. */

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test, vi } from 'vitest';
import { type Handlers, type RequestName, requests } from '../../shared/ipc/contract';
import type { BackupId } from '../../shared/model/data';
import type { JobId } from '../../shared/model/job';
import type { PauseId } from '../../shared/model/pause';
import type { RunId } from '../../shared/model/run';
import { defaultSettings } from '../../shared/model/settings';
import { ok } from '../../shared/result';
import { toInstant } from '../../shared/time';
import type { Timer } from '../ports/world';
import { createHolderLink, passToHolder, SIGN_OF_LIFE_MS_MAX } from './holder';
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
  return {
    holder,
    handlers: passToHolder(here, async () => (await link.answering()) ?? 'silent'),
    link,
    done,
    heard,
    hear,
  };
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

const unreachable = {
  ok: false,
  error: { code: 'unavailable', message: 'The process that runs your jobs cannot be reached.' },
};

test('when that process goes away this is heard, and edits are made here', async () => {
  const { holder, handlers, link, done, hear } = await setUp();
  await link.client();
  const gone = hear('lost');
  await holder.close();
  await gone;
  await handlers['jobs.setEnabled']({ jobId, isEnabled: false });
  expect(done).toEqual(['jobs.setEnabled here']);
});

test('is found again when it comes back', async () => {
  const { holder, handlers, link, done, hear } = await setUp();
  await link.client();
  const gone = hear('lost');
  await holder.close();
  await gone;
  await handlers['jobs.markSeen']({ jobId });
  await holder.open({ runsJobs: true });
  await handlers['jobs.markSeen']({ jobId });
  expect(done).toEqual(['jobs.markSeen here', 'jobs.markSeen there']);
});

test('without that process edits are made here, and what only it can do is refused in one sentence (D11)', async () => {
  const { holder, done, handlers } = await setUp();
  await holder.close();
  const backupId = 'belfry-backup.db' as BackupId;
  const pauseId = '0190aaaa-0000-7000-8000-000000000002' as PauseId;
  const runId = '0190aaaa-0000-7000-8000-000000000003' as RunId;
  const refused = [
    await handlers['runs.start']({ jobId }),
    await handlers['runs.startNow']({ runId }),
    await handlers['runs.stop']({ runId }),
    await handlers['jobs.checkAndResume']({ jobId }),
    await handlers['backups.create'](undefined),
    await handlers['backups.restore']({ backupId }),
    await handlers['data.check'](undefined),
  ];
  expect(refused).toEqual(Array(7).fill(unreachable));
  expect(done).toEqual([]);
  await handlers['jobs.setEnabled']({ jobId, isEnabled: false });
  await handlers['jobs.duplicate']({ jobId });
  await handlers['jobs.delete']({ jobId, stopRun: false });
  await handlers['jobs.restore']({ jobId });
  await handlers['jobs.markSeen']({ jobId });
  await handlers['engine.setPaused']({ isPaused: true });
  await handlers['pauses.start']({ scope: { kind: 'all' }, note: '', until: null });
  await handlers['pauses.end']({ pauseId });
  expect(done).toHaveLength(8);
  expect(done.every((name) => name.endsWith(' here'))).toBe(true);
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

/** A real process that listens in that folder, and is stopped, so that connecting to it works and nothing else does. */
async function stoppedHolder() {
  const dataFolder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-stopped-'));
  cleanUps.push(() => fs.rmSync(dataFolder, { recursive: true, force: true }));
  const child = spawn(process.execPath, ['-e', LISTENER, path.join(dataFolder, 'belfry.sock')]);
  cleanUps.push(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  /** The next thing that it says it was asked. */
  const asked = (): Promise<string> => new Promise((resolve) => lines.once('line', resolve));
  await asked();
  child.kill('SIGSTOP');
  const limits: { delayMs: number; ring: () => void }[] = [];
  const byHand: Timer = {
    after: (delayMs, ring) => {
      limits.push({ delayMs, ring });
      return () => undefined;
    },
  };
  return { dataFolder, child, asked, limits, byHand };
}

/** Answers each line with its id, and says which requests it got. */
const LISTENER = `
require('net').createServer((socket) => {
  require('readline').createInterface({ input: socket }).on('line', (line) => {
    const { id, request } = JSON.parse(line);
    socket.write(JSON.stringify({ id, reply: { ok: true } }) + '\\n');
    if (request !== undefined) console.log(request);
  });
}).listen(process.argv[1], () => console.log('listens'));
`;

test.skipIf(process.platform === 'win32')(
  'a holder that is stopped leaves nobody waiting: the answer comes within the limit (H-05)',
  async () => {
    const { dataFolder, limits, byHand } = await stoppedHolder();
    const client = await connectToBelfry({ dataFolder, timer: byHand, from: 'window' });
    cleanUps.push(() => client?.close());
    const reply = client?.request('runs.start', { jobId });
    expect(limits.map(({ delayMs }) => delayMs)).toEqual([REPLY_MS_MAX]);
    limits[0]?.ring();
    expect(await reply).toEqual(unreachable);
  },
);

test.skipIf(process.platform === 'win32')(
  'an edit is made here while the holder is stopped, and is never sent to it as well (D11, D4)',
  async () => {
    const { dataFolder, child, asked, limits, byHand } = await stoppedHolder();
    const done: string[] = [];
    const here = Object.fromEntries(
      requestNames.map((name) => [name, async () => ok(void done.push(name))]),
    ) as unknown as Handlers;
    const link = createHolderLink({
      connect: () => connectToBelfry({ dataFolder, timer: byHand, from: 'window' }),
      announce: () => undefined,
      onLost: () => undefined,
    });
    cleanUps.push(() => link.close());
    const handlers = passToHolder(here, async () => (await link.answering()) ?? 'silent');
    await link.client();
    /** `change` once nothing was heard for as long as a sign of life may take. */
    const afterSilence = async <T>(change: Promise<T>): Promise<T> => {
      const isSign = ({ delayMs }: { delayMs: number }): boolean => delayMs === SIGN_OF_LIFE_MS_MAX;
      await vi.waitUntil(() => limits.some(isSign));
      for (const { ring } of limits.splice(0).filter(isSign)) ring();
      return change;
    };
    expect(await afterSilence(handlers['jobs.delete']({ jobId, stopRun: false }))).toMatchObject({
      ok: true,
    });
    expect(await afterSilence(handlers['runs.start']({ jobId }))).toEqual(unreachable);
    expect(done).toEqual(['jobs.delete']);

    child.kill('SIGCONT');
    const first = asked();
    expect(await handlers['jobs.markSeen']({ jobId })).toMatchObject({ ok: true });
    // All that was sent before is read by now, and neither change was among it.
    expect(await first).toBe('jobs.markSeen');
    expect(done).toEqual(['jobs.delete']);
  },
);
