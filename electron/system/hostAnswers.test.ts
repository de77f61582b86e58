/** Real servers on the loopback; names come from a resolver of the test, so that no other network is asked. */
import net from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createAskHost } from './hostAnswers';
import { realTimer } from './realTime';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});
const never = new AbortController().signal;

type Server = {
  readonly port: number;
  readonly closedCount: () => number;
  readonly allClosed: Promise<void>;
};

/** Counts the connections that were closed again. */
async function serveOn(host: string): Promise<Server | null> {
  let closedCount = 0;
  let tell = (): void => undefined;
  const allClosed = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('close', () => {
      closedCount += 1;
      tell();
    });
    socket.resume();
  });
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(0, host, () => resolve(true));
  });
  if (!isListening) return null;
  cleanUps.push(() => new Promise((resolve) => server.close(resolve)));
  return { port: (server.address() as net.AddressInfo).port, closedCount: () => closedCount, allClosed };
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('a host that takes connections answers, and the connection is closed at once', async () => {
  const server = await serveOn('127.0.0.1');
  if (server === null) throw new Error('There is no loopback.');
  const ask = createAskHost({ timer: realTimer });
  expect(await ask({ host: '127.0.0.1', port: server.port }, never)).toEqual({ isAnswering: true });
  await server.allClosed;
  expect(server.closedCount()).toBe(1);
});

test('an address of IPv6 may have brackets', async () => {
  const server = await serveOn('::1');
  const ask = createAskHost({ timer: realTimer });
  const port = server?.port ?? 9;
  const answers = [await ask({ host: '::1', port }, never), await ask({ host: '[::1]', port }, never)];
  // Some machines have no IPv6; then both must still answer, with the same no.
  expect(answers.map((answer) => answer.isAnswering)).toEqual([server !== null, server !== null]);
});

test('a name is looked up, and each of its addresses is tried', async () => {
  const server = await serveOn('127.0.0.1');
  if (server === null) throw new Error('There is no loopback.');
  const ask = createAskHost({
    timer: realTimer,
    lookUp: async () => [
      { address: '127.0.0.2', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ],
  });
  expect(await ask({ host: 'nas.example', port: server.port }, never)).toEqual({ isAnswering: true });
});

test('a host that refuses is named with its port', async () => {
  const port = await freePort();
  const ask = createAskHost({ timer: realTimer });
  const why = `127.0.0.1 refuses connections on port ${port}`;
  expect(await ask({ host: '127.0.0.1', port }, never)).toEqual({ isAnswering: false, why });
});

test.each([
  ['ENOTFOUND', 'the name nas.example is not known'],
  ['EAI_AGAIN', 'the name nas.example cannot be looked up now'],
  ['ESOMETHING', 'nas.example cannot be reached on port 22 (ESOMETHING)'],
])('a look-up that fails with %s is a no with a reason', async (code, why) => {
  const ask = createAskHost({
    timer: realTimer,
    lookUp: () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code })),
  });
  expect(await ask({ host: 'nas.example', port: 22 }, never)).toEqual({ isAnswering: false, why });
});

test('a resolver that does not answer costs the limit and no more, and is asked once however often it is wanted', async () => {
  let lookUpCount = 0;
  const ask = createAskHost({
    timer: realTimer,
    limitMs: 50,
    lookUp: () => {
      lookUpCount += 1;
      return new Promise(() => undefined);
    },
  });
  const question = { host: 'nas.example', port: 22 };
  const no = { isAnswering: false, why: 'nas.example did not answer on port 22 within 1 s' };
  expect(await Promise.all([ask(question, never), ask(question, never)])).toEqual([no, no]);
  expect(await ask(question, never)).toEqual(no);
  expect(lookUpCount).toBe(1);
});

test('a question that is called off, before or while it is asked, ends at once', async () => {
  const ask = createAskHost({ timer: realTimer, lookUp: () => new Promise(() => undefined) });
  const no = { isAnswering: false, why: 'not waited for' };
  expect(await ask({ host: 'nas.example', port: 22 }, AbortSignal.abort())).toEqual(no);
  const calling = new AbortController();
  const answer = ask({ host: 'nas.example', port: 22 }, calling.signal);
  calling.abort();
  expect(await answer).toEqual(no);
});

test('no text that a person can type makes it throw', async () => {
  const ask = createAskHost({ timer: realTimer, lookUp: async () => [{ address: 'not one', family: 4 }] });
  for (const host of ['[', 'a\u0000b', '%', 'fe80::1%nowhere', 'x'.repeat(253)]) {
    expect((await ask({ host, port: 1 }, never)).isAnswering).toBe(false);
  }
});
