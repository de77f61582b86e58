/**
 * The other end of the local socket: the same two functions as the window's bridge. An engine that does not answer gives a
 * failed reply like any other, never an exception and never a wait without end.
 */

import net from 'node:net';
import type { Bridge, EventName, Payload, Reply, RequestName } from '../../shared/ipc/contract';
import { HOLDER_UNREACHABLE } from '../../shared/model/settings';
import { type Failure, fail, type Result } from '../../shared/result';
import type { Timer } from '../ports/world';
import { type Asker, createLineReader, encodeFrame, parseServerFrame } from './frames';
import { publishedAddress } from './socketAddress';

/** A page of output is the largest reply there is. */
const REPLY_BYTES_MAX = 64 * 1024 * 1024;
export const REPLY_MS_MAX = 10_000;
const CONNECT_MS_MAX = 2_000;
/** Work with all of the store takes as long as its size asks for. */
const SLOW_REPLY_MS_MAX = 30 * 60_000;
const SLOW: ReadonlySet<RequestName> = new Set<RequestName>([
  'data.check',
  'backups.create',
  'backups.restore',
  'rescue.act',
]);

const GONE_TEXT = 'The Belfry process that was asked has gone.';

export interface SocketClient extends Bridge {
  /**
   * Whether the other process lives and goes on: it says so within `msMax` milliseconds. Only its socket is asked, so one whose
   * store is busy or changes places answers as well.
   */
  isAnswering(msMax: number): Promise<boolean>;
  /** Called once when the connection ends, from either side. */
  onClose(listener: () => void): void;
  close(): void;
}

export type Connection = {
  readonly dataFolder: string;
  readonly timer: Timer;
  /** For whom the requests are made. */
  readonly from: Asker;
};

/** Connects to the process that serves this data folder; null if none does. */
export async function connectToBelfry(connection: Connection): Promise<SocketClient | null> {
  const address = publishedAddress(connection.dataFolder);
  const socket = address === null ? null : await openSocket(address);
  return socket === null ? null : createClient(socket, connection);
}

/** Whether a living process listens there. */
export async function isAnswering(address: string): Promise<boolean> {
  const socket = await openSocket(address);
  socket?.destroy();
  return socket !== null;
}

function openSocket(address: string): Promise<net.Socket | null> {
  return new Promise((resolve) => {
    const socket = net.createConnection(address);
    socket.setTimeout(CONNECT_MS_MAX, () => {
      socket.destroy();
      resolve(null);
    });
    socket.once('error', () => resolve(null));
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}

function createClient(socket: net.Socket, { timer, from }: Connection): SocketClient {
  const pending = new Map<number, (reply: Result<unknown, Failure>) => void>();
  const listeners = new Map<EventName, Set<(payload: never) => void>>();
  const closeListeners: (() => void)[] = [];
  let lastId = 0;

  const ask = (
    frame: Record<string, unknown>,
    replyMsMax = REPLY_MS_MAX,
  ): Promise<Result<unknown, Failure>> => {
    if (socket.destroyed) return Promise.resolve(fail('unavailable', GONE_TEXT));
    lastId += 1;
    const id = lastId;
    return new Promise((resolve) => {
      const callOff = timer.after(replyMsMax, () => settle(fail('unavailable', HOLDER_UNREACHABLE)));
      const settle = (reply: Result<unknown, Failure>): void => {
        callOff();
        pending.delete(id);
        resolve(reply);
      };
      pending.set(id, settle);
      socket.write(encodeFrame({ ...frame, id }));
    });
  };

  socket.on(
    'data',
    createLineReader({
      bytesMax: REPLY_BYTES_MAX,
      onLine: (line) => {
        const frame = parseServerFrame(line);
        if (frame === null) return;
        if ('event' in frame) {
          for (const listener of listeners.get(frame.event) ?? []) listener(frame.payload as never);
        } else if (typeof frame.id === 'number') {
          pending.get(frame.id)?.(frame.reply as Result<unknown, Failure>);
        }
      },
      onTooLong: () => socket.destroy(),
    }),
  );
  socket.on('error', () => undefined);
  socket.on('close', () => {
    for (const settle of [...pending.values()]) settle(fail('unavailable', GONE_TEXT));
    for (const listener of closeListeners) listener();
  });

  return {
    request: <N extends RequestName>(name: N, input: unknown) =>
      ask({ from, request: name, input }, SLOW.has(name) ? SLOW_REPLY_MS_MAX : REPLY_MS_MAX) as Promise<
        Reply<N>
      >,
    subscribe: <N extends EventName>(name: N, listener: (payload: Payload<N>) => void) => {
      const known = listeners.get(name) ?? new Set();
      known.add(listener as (payload: never) => void);
      listeners.set(name, known);
      void ask({ subscribe: [name] });
      return () => known.delete(listener as (payload: never) => void);
    },
    // A subscription to nothing: every Belfry answers it at once, whatever else it does.
    isAnswering: async (msMax) => {
      const reply = await ask({ subscribe: [] }, msMax);
      return reply.ok || reply.error.code !== 'unavailable';
    },
    onClose: (listener) => void closeListeners.push(listener),
    close: () => socket.destroy(),
  };
}
