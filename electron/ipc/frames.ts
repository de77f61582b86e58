/**
 * What goes over the local socket: one JSON object a line. A client sends requests of the contract and subscriptions; the
 * engine's side sends replies with the id of their request, and events.
 */

import { type EventName, events } from '../../shared/ipc/contract';

export type FrameId = number | string;

/** Who made the request: a command line, or the window of a Belfry process that does not run the jobs itself. */
export type Asker = 'cli' | 'window';

export type ClientFrame =
  | {
      readonly kind: 'request';
      readonly id: FrameId;
      readonly from: Asker;
      readonly request: string;
      readonly input: unknown;
    }
  | { readonly kind: 'subscribe'; readonly id: FrameId; readonly subscribe: readonly EventName[] };

export type ServerFrame =
  | { readonly id: FrameId | null; readonly reply: unknown }
  | { readonly event: EventName; readonly payload: unknown };

const FRAME_ID_LENGTH_MAX = 100;
const LINE_FEED = 0x0a;

export const encodeFrame = (frame: ServerFrame | Record<string, unknown>): string =>
  `${JSON.stringify(frame)}\n`;

export type Lines = {
  readonly bytesMax: number;
  readonly onLine: (line: string) => void;
  /** A line is longer than allowed. Nothing is read after it. */
  readonly onTooLong: () => void;
};

/** Cuts a stream of bytes into lines. What it keeps is never longer than one line may be. */
export function createLineReader({ bytesMax, onLine, onTooLong }: Lines): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let kept = 0;
  let isOver = false;

  return (chunk) => {
    let from = 0;
    while (!isOver) {
      const end = chunk.indexOf(LINE_FEED, from);
      const piece = chunk.subarray(from, end === -1 ? undefined : end);
      kept += piece.length;
      if (kept > bytesMax) {
        isOver = true;
        pieces = [];
        onTooLong();
        return;
      }
      pieces.push(piece);
      if (end === -1) return;
      const line = Buffer.concat(pieces).toString('utf8').trim();
      pieces = [];
      kept = 0;
      from = end + 1;
      if (line !== '') onLine(line);
    }
  };
}

/** Reads one line of a client; null if it is no frame. The input stays unchecked: `serve` does that. */
export function parseClientFrame(line: string): ClientFrame | null {
  const frame = parseObject(line);
  if (frame === null || !isFrameId(frame.id)) return null;
  if (typeof frame.request === 'string') {
    const from = frame.from === 'window' ? 'window' : 'cli';
    return { kind: 'request', id: frame.id, from, request: frame.request, input: frame.input };
  }
  if (Array.isArray(frame.subscribe) && frame.subscribe.every(isEventName)) {
    return { kind: 'subscribe', id: frame.id, subscribe: frame.subscribe };
  }
  return null;
}

/** Reads one line of the engine's side; null if it is none. */
export function parseServerFrame(line: string): ServerFrame | null {
  const frame = parseObject(line);
  if (frame === null) return null;
  if (isEventName(frame.event)) return { event: frame.event, payload: frame.payload };
  return isFrameId(frame.id) || frame.id === null ? { id: frame.id, reply: frame.reply } : null;
}

function parseObject(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

const isFrameId = (value: unknown): value is FrameId =>
  Number.isSafeInteger(value) || (typeof value === 'string' && value.length <= FRAME_ID_LENGTH_MAX);

const isEventName = (value: unknown): value is EventName =>
  typeof value === 'string' && Object.hasOwn(events, value);
