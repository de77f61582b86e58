/** The real socket in a folder of its own, with the stub of a handler behind it: what a command line would meet. */
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type RequestName, requests } from '../../shared/ipc/contract';
import { ok } from '../../shared/result';
import { toInstant } from '../../shared/time';
import type { Log, Timer } from '../ports/world';
import { createSocketServer, FRAME_BYTES_MAX, PENDING_MAX, RATE_MAX, type SocketServer } from './socket';
import { publishedAddress, SOCKET_PATH_BYTES_MAX } from './socketAddress';
import { connectToBelfry, isAnswering, type SocketClient } from './socketClient';

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
const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
let lastId = 0;

function makeFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-socket-'));
  cleanUps.push(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A server that answers every request with its name and its input. */
function makeServer(dataFolder: string, options: { shortFolder?: string; monotonic?: () => number } = {}) {
  const server = createSocketServer({
    place: { dataFolder, shortFolders: [options.shortFolder ?? os.tmpdir()], platform: process.platform },
    clock: { now: () => toInstant(0), monotonic: options.monotonic ?? (() => 0) },
    ids: {
      next: () => {
        lastId += 1;
        return `id-${String(lastId).padStart(8, '0')}`;
      },
    },
    log,
  });
  for (const name of Object.keys(requests) as RequestName[]) {
    server.ports.cli.handle(name, async (_sender, input) => ok({ name, input }));
    server.ports.window.handle(name, async (_sender, input) => ok({ name, input, from: 'window' }));
  }
  cleanUps.push(() => server.close());
  return server;
}

async function connect(dataFolder: string): Promise<SocketClient> {
  const client = await connectToBelfry({ dataFolder, timer, from: 'cli' });
  if (client === null) throw new Error('nobody answered');
  cleanUps.push(() => client.close());
  return client;
}

/** A bare connection, for what no well-behaved client would send. Answers the lines received until it closes. */
async function sendBytes(dataFolder: string, bytes: string | Buffer, lineCount: number): Promise<unknown[]> {
  const socket = net.createConnection(publishedAddress(dataFolder) ?? '');
  cleanUps.push(() => socket.destroy());
  return new Promise((resolve) => {
    let text = '';
    const done = (): void =>
      resolve(
        text
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line)),
      );
    socket.on('data', (data) => {
      text += data;
      if (text.split('\n').length > lineCount) done();
    });
    socket.on('close', done);
    socket.on('error', () => undefined);
    socket.write(bytes);
  });
}

/** A process that died left its socket file behind: listening, then gone without tidying up. */
async function leaveStaleSocket(dataFolder: string): Promise<void> {
  const place = path.join(dataFolder, 'belfry.sock');
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(`${place}.old`, resolve));
  fs.renameSync(`${place}.old`, place);
  await new Promise((resolve) => server.close(resolve));
  expect(fs.existsSync(place)).toBe(true);
}

const isOpen = (server: SocketServer): Promise<boolean> => server.open({ runsJobs: true });

test('carries requests and events of the contract, to several clients at once', async () => {
  const folder = makeFolder();
  const server = makeServer(folder);
  expect(await isOpen(server)).toBe(true);
  const [one, two] = [await connect(folder), await connect(folder)];
  expect(await one.request('settings.save', { theme: 'dark' })).toEqual(
    ok({ name: 'settings.save', input: { theme: 'dark' } }),
  );
  const heard: unknown[] = [];
  const bothHeard = new Promise<void>((resolve) => {
    for (const client of [one, two]) {
      client.subscribe('status.changed', (payload) => {
        heard.push(payload);
        if (heard.length === 2) resolve();
      });
    }
  });
  // Replies come in order, so the subscriptions are in force once a later request is answered.
  await Promise.all([one.request('jobs.list', undefined), two.request('jobs.list', undefined)]);
  server.announce('runs.changed', { runId: 'r' as never, jobId: 'j' as never });
  server.announce('status.changed', {});
  await bothHeard;
  expect(heard).toEqual([{}, {}]);
});

test('tells the window of another process from a command line', async () => {
  const folder = makeFolder();
  await isOpen(makeServer(folder));
  const client = await connectToBelfry({ dataFolder: folder, timer, from: 'window' });
  cleanUps.push(() => client?.close());
  expect(await client?.request('jobs.list', undefined)).toEqual(ok({ name: 'jobs.list', from: 'window' }));
});

test.skipIf(process.platform === 'win32')('only the user may use the socket file (4.13, 4.15)', async () => {
  const folder = makeFolder();
  await isOpen(makeServer(folder));
  expect(fs.readdirSync(folder)).toEqual(['belfry.sock']);
  expect(fs.statSync(path.join(folder, 'belfry.sock')).mode & 0o777).toBe(0o600);
});

test('closing takes the address away and ends the clients', async () => {
  const folder = makeFolder();
  const server = makeServer(folder);
  await isOpen(server);
  const client = await connect(folder);
  const closed = new Promise<void>((resolve) => client.onClose(resolve));
  await server.close();
  await closed;
  expect(fs.readdirSync(folder)).toEqual([]);
  expect(await client.request('jobs.list', undefined)).toMatchObject({ error: { code: 'unavailable' } });
  expect(await connectToBelfry({ dataFolder: folder, timer, from: 'cli' })).toBeNull();
});

test('a socket that a dead process left is replaced', async () => {
  const folder = makeFolder();
  await leaveStaleSocket(folder);
  expect(await makeServer(folder).open({ runsJobs: false })).toBe(true);
  expect(await (await connect(folder)).request('jobs.list', undefined)).toMatchObject({ ok: true });
});

test('a living one is never taken by a process that does not run the jobs', async () => {
  const folder = makeFolder();
  const [first, second] = [makeServer(folder), makeServer(folder)];
  await isOpen(first);
  expect(await second.open({ runsJobs: false })).toBe(false);
  expect([first.isFound(), second.isFound()]).toEqual([true, false]);
});

test('the process that runs the jobs becomes the one that is found, and the other does not take that away', async () => {
  const folder = makeFolder();
  const [former, holder] = [makeServer(folder), makeServer(folder)];
  await isOpen(former);
  expect(await isOpen(holder)).toBe(true);
  expect([former.isFound(), holder.isFound()]).toEqual([false, true]);
  await former.close();
  expect(holder.isFound()).toBe(true);
  expect(await (await connect(folder)).request('jobs.list', undefined)).toMatchObject({ ok: true });
});

test('opening twice at once publishes once', async () => {
  const folder = makeFolder();
  const server = makeServer(folder);
  expect(await Promise.all([isOpen(server), isOpen(server)])).toEqual([true, true]);
  expect(fs.readdirSync(folder)).toEqual(['belfry.sock']);
});

test.skipIf(process.platform === 'win32')(
  'a data folder whose path is too long gets a short address, named by a file in it',
  async () => {
    const base = makeFolder();
    const folder = path.join(base, 'd'.repeat(SOCKET_PATH_BYTES_MAX));
    fs.mkdirSync(folder);
    const server = makeServer(folder, { shortFolder: base });
    expect(await isOpen(server)).toBe(true);
    const address = fs.readFileSync(path.join(folder, 'socket'), 'utf8');
    expect(Buffer.byteLength(address)).toBeLessThanOrEqual(SOCKET_PATH_BYTES_MAX);
    expect(fs.statSync(path.dirname(address)).mode & 0o777).toBe(0o700);
    expect(await (await connect(folder)).request('jobs.list', undefined)).toMatchObject({ ok: true });
    await server.close();
    expect(fs.readdirSync(folder)).toEqual([]);
    expect(fs.existsSync(path.dirname(address))).toBe(false);
  },
);

test('answers what is no request with invalid_input and goes on', async () => {
  const folder = makeFolder();
  await isOpen(makeServer(folder));
  const lines = [
    'nonsense',
    '[1]',
    '{"request":"jobs.list"}',
    '{"id":{},"request":"jobs.list"}',
    '{"id":1,"subscribe":["nope"]}',
  ];
  const replies = await sendBytes(folder, `${lines.join('\n')}\n{"id":7,"request":"nope"}\n`, 6);
  expect(replies.map((frame) => (frame as { reply: { error: { code: string } } }).reply.error.code)).toEqual([
    ...lines.map(() => 'invalid_input'),
    'not_found',
  ]);
});

test('a character that is cut by the transport arrives whole', async () => {
  const folder = makeFolder();
  await isOpen(makeServer(folder));
  const client = await connect(folder);
  const start = 'ü€😀'.repeat(60_000);
  expect(await client.request('folders.choose', { start })).toEqual(
    ok({ name: 'folders.choose', input: { start } }),
  );
});

test('a request above 1 MiB is refused and the connection closed', async () => {
  const folder = makeFolder();
  await isOpen(makeServer(folder));
  const replies = await sendBytes(folder, Buffer.alloc(FRAME_BYTES_MAX + 1, 0x61), 2);
  expect(replies).toMatchObject([{ id: null, reply: { error: { code: 'invalid_input' } } }]);
});

test('a client that asks too fast or leaves too much open is told to wait', async () => {
  const folder = makeFolder();
  let now = 0;
  const server = makeServer(folder, { monotonic: () => now });
  await isOpen(server);
  const client = await connect(folder);
  for (let sent = 0; sent < RATE_MAX; sent += PENDING_MAX / 2) {
    const replies = Array.from({ length: PENDING_MAX / 2 }, () => client.request('jobs.list', undefined));
    for (const reply of await Promise.all(replies)) expect(reply.ok).toBe(true);
  }
  expect(await client.request('jobs.list', undefined)).toMatchObject({ error: { code: 'busy' } });
  now = 1_000;
  expect(await client.request('jobs.list', undefined)).toMatchObject({ ok: true });

  const held: (() => void)[] = [];
  server.ports.cli.handle('jobs.list', () => new Promise((resolve) => held.push(() => resolve(ok([])))));
  now = 2_000;
  const open = Array.from({ length: PENDING_MAX }, () => client.request('jobs.list', undefined));
  expect(await client.request('engine.status', undefined)).toMatchObject({ error: { code: 'busy' } });
  for (const release of held) release();
  for (const reply of await Promise.all(open)) expect(reply).toEqual(ok([]));
});

test('nobody answering is told apart from somebody', async () => {
  const folder = makeFolder();
  expect(publishedAddress(folder)).toBeNull();
  await leaveStaleSocket(folder);
  expect(await isAnswering(path.join(folder, 'belfry.sock'))).toBe(false);
  await isOpen(makeServer(folder));
  expect(await isAnswering(path.join(folder, 'belfry.sock'))).toBe(true);
});
