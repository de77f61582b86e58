/**
 * The contract over a local socket, for command lines and for a Belfry process that does not run the jobs itself (D11, D13).
 * Only the user can reach it; each client has limits, and one that breaks them or does not read is cut off.
 */

import fs from 'node:fs';
import net from 'node:net';
import type { EventName } from '../../shared/ipc/contract';
import { fail, type Result } from '../../shared/result';
import type { Announce, Clock, Ids, Log } from '../ports/world';
import {
  type Asker,
  type ClientFrame,
  createLineReader,
  encodeFrame,
  parseClientFrame,
  type ServerFrame,
} from './frames';
import type { IpcPort } from './serve';
import {
  isPublished,
  makeAddress,
  type OwnAddress,
  publishAddress,
  publishedAddress,
  removeLeftover,
  type SocketPlace,
  withdrawAddress,
} from './socketAddress';
import { isAnswering } from './socketClient';

export const FRAME_BYTES_MAX = 1024 * 1024;
export const CLIENTS_MAX = 32;
/** Requests of one client that may be unanswered at a time. */
export const PENDING_MAX = 50;
/** Requests of one client in RATE_WINDOW_MS. */
export const RATE_MAX = 400;
export const RATE_WINDOW_MS = 1_000;
/** A client that leaves more than this unread is cut off. */
const UNREAD_BYTES_MAX = 32 * 1024 * 1024;

/** Whoever is connected: the rights of the socket file are the check, so there is nothing to tell clients apart by. */
export type SocketSender = { readonly client: number };

export type SocketDeps = {
  readonly place: SocketPlace;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

export interface SocketServer {
  /** Where `serve` registers its answers, for each kind of asker. */
  readonly ports: Readonly<Record<Asker, IpcPort<SocketSender>>>;
  readonly announce: Announce;
  /**
   * Opens the socket where others look for it. The process that runs the jobs takes the place in any case: the lease
   * decides, and a holder that froze cannot keep it. Another one takes it only if nobody answers there. Answers whether
   * this process is the one that is found.
   */
  open(claim: { readonly runsJobs: boolean }): Promise<boolean>;
  /** Whether others reach this process at the published address. */
  isFound(): boolean;
  close(): Promise<void>;
}

type Answer = (sender: SocketSender, input: unknown) => Promise<Result<unknown>>;
type Answers = Readonly<Record<Asker, Map<string, Answer>>>;
type Listening = { readonly server: net.Server; readonly own: OwnAddress; readonly inode: number | null };

export function createSocketServer(deps: SocketDeps): SocketServer {
  const { dataFolder } = deps.place;
  const answers: Answers = { cli: new Map(), window: new Map() };
  const clients = new Set<Client>();
  let listening: Listening | null = null;
  let clientCount = 0;
  // One change at a time: two openings at once would publish twice.
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = queue.then(work);
    queue = turn.catch(() => undefined);
    return turn;
  };

  const accept = (socket: net.Socket): void => {
    clientCount += 1;
    const client = createClient(socket, { client: clientCount }, answers, deps);
    clients.add(client);
    socket.on('close', () => clients.delete(client));
  };
  const isFound = (): boolean =>
    listening !== null && isPublished(dataFolder, listening.own, listening.inode);
  const shut = async (): Promise<void> => {
    const { server, own, inode } = listening ?? {};
    listening = null;
    if (server === undefined || own === undefined) return;
    withdrawAddress(dataFolder, own, inode ?? null);
    for (const client of clients) client.end();
    await new Promise((resolve) => server.close(resolve));
  };

  return {
    ports: {
      cli: { handle: (name, answer) => void answers.cli.set(name, answer) },
      window: { handle: (name, answer) => void answers.window.set(name, answer) },
    },
    announce: (name, payload) => {
      for (const client of clients) client.tell(name, payload);
    },
    open: ({ runsJobs }) =>
      inTurn(async () => {
        if (isFound()) return true;
        const present = publishedAddress(dataFolder);
        const isTaken = present !== null && (await isAnswering(present));
        if (isTaken && !runsJobs) return false;
        await shut();
        const own = makeAddress(deps.place, deps.ids.next().slice(-8));
        const server = net.createServer(accept);
        server.maxConnections = CLIENTS_MAX;
        listening = { server, own, inode: await listen(server, own.address) };
        server.on('error', (error) => deps.log.error('socket.failed', { error }));
        publishAddress(dataFolder, own);
        if (present !== null && !isTaken) removeLeftover(present);
        return true;
      }),
    isFound,
    close: () => inTurn(shut),
  };
}

/** Resolves with the inode of the socket file, readable by the user alone; null for a pipe. */
async function listen(server: net.Server, address: string): Promise<number | null> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.off('error', reject);
      resolve();
    });
  });
  if (address.startsWith('\\\\')) return null;
  fs.chmodSync(address, 0o600);
  return fs.statSync(address).ino;
}

type Client = {
  tell: (name: EventName, payload: unknown) => void;
  end: () => void;
};

function createClient(
  socket: net.Socket,
  sender: SocketSender,
  answers: Answers,
  { clock, log }: SocketDeps,
): Client {
  const wanted = new Set<EventName>();
  let pendingCount = 0;
  let windowStart = clock.monotonic();
  let windowCount = 0;

  const send = (frame: ServerFrame): void => {
    if (socket.destroyed) return;
    socket.write(encodeFrame(frame));
    if (socket.writableLength > UNREAD_BYTES_MAX) socket.destroy();
  };
  const isTooFast = (): boolean => {
    const now = clock.monotonic();
    if (now - windowStart >= RATE_WINDOW_MS) {
      windowStart = now;
      windowCount = 0;
    }
    windowCount += 1;
    return windowCount > RATE_MAX || pendingCount >= PENDING_MAX;
  };
  const answerFrame = async (frame: ClientFrame): Promise<Result<unknown>> => {
    if (isTooFast()) return fail('busy', 'Too many requests at once. Wait a moment.');
    if (frame.kind === 'subscribe') {
      for (const name of frame.subscribe) wanted.add(name);
      return { ok: true, value: undefined };
    }
    const answer = answers[frame.from].get(frame.request);
    if (answer === undefined) return fail('not_found', 'Belfry knows no such request.');
    pendingCount += 1;
    try {
      return await answer(sender, frame.input);
    } finally {
      pendingCount -= 1;
    }
  };

  const read = createLineReader({
    bytesMax: FRAME_BYTES_MAX,
    onLine: (line) => {
      const frame = parseClientFrame(line);
      if (frame === null) {
        send({ id: null, reply: fail('invalid_input', 'Each line must be one request in JSON.') });
        return;
      }
      answerFrame(frame).then(
        (reply) => send({ id: frame.id, reply }),
        (error: unknown) => log.error('socket.failed', { error }),
      );
    },
    onTooLong: () => {
      send({ id: null, reply: fail('invalid_input', 'A request may have at most 1 MiB.') });
      socket.end();
    },
  });
  socket.on('data', read);
  // A client that goes away in the middle is no trouble of ours: `close` follows.
  socket.on('error', () => undefined);
  return {
    tell: (name, payload) => {
      if (wanted.has(name)) send({ event: name, payload });
    },
    end: () => socket.destroySoon(),
  };
}
