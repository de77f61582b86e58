/**
 * Lines over both streams of a run. A line's number is given when its first byte arrives, so numbers never change while
 * output grows; only a cut renumbers what follows it. Every few hundred lines the state of the scan is remembered, and a
 * window is read from the nearest one: memory stays small whatever the number of lines.
 */
import { LINE_LENGTH_MAX, type OutputLine } from '../../shared/model/output';
import type { Instant } from '../../shared/time';
import type { Stream, StreamFiles } from './outputFiles';
import type { OutputOrder } from './outputOrder';

const CHECKPOINT_LINES = 512;
const CHECKPOINT_BYTES = 256 * 1024;
/** Scanned without giving way: with nothing but line breaks this takes a few milliseconds. */
const SCAN_BYTES = 64 * 1024;
const WINDOW_BYTES = 64 * 1024;
const NEWLINE = 10;
const RETURN = 13;

export interface LineTable {
  /** Brings the counts up to what the order knows. Gives way to other work between chunks. */
  advance(): Promise<void>;
  lineCount(): number;
  stderrLineCount(): number;
  /** The first line after a cut; null without one. */
  droppedBefore(): number | null;
  /** Lines that exist from `from` on, at most `count`. `isLive`: an unfinished last line may go on. */
  window(from: number, count: number, isLive: boolean): Promise<OutputLine[]>;
}

/** Where a scan stands. Small and flat, because it is copied for every checkpoint. */
type Scan = {
  piece: number;
  lineCount: number;
  stderrLineCount: number;
  droppedBefore: number | null;
  readonly stdout: Position;
  readonly stderr: Position;
};
type Position = {
  /** The next byte to look at. */
  at: number;
  /** Where the unfinished line began; -1 if the next byte begins one. */
  lineStart: number;
  /** A gap was jumped and no line has begun after it yet. */
  isAfterGap: boolean;
};

type Beginning = {
  readonly number: number;
  readonly stream: Stream;
  readonly start: number;
  readonly at: Instant | null;
};
type Source = { readonly files: Readonly<Record<Stream, StreamFiles>>; readonly order: OutputOrder };

/** A table over files that are not trimmed during its life: after a trim make a new one. */
export function createLineTable(source: Source): LineTable {
  const head = newScan();
  const checkpoints: Scan[] = [];
  let bytesSince = 0;
  const chunks = createChunks(source.files, SCAN_BYTES);
  const remember = (scan: Scan, bytes: number): void => {
    bytesSince += bytes;
    const linesSince = scan.lineCount - (checkpoints.at(-1)?.lineCount ?? -CHECKPOINT_LINES);
    if (linesSince < CHECKPOINT_LINES && bytesSince < CHECKPOINT_BYTES) return;
    if (linesSince === 0) return;
    checkpoints.push(copyOf(scan));
    bytesSince = 0;
  };
  return {
    advance: () => scanLines(source, chunks, head, { onLine: (_, scan, bytes) => remember(scan, bytes) }),
    lineCount: () => head.lineCount,
    stderrLineCount: () => head.stderrLineCount,
    droppedBefore: () => head.droppedBefore,
    window: async (from, count, isLive) => {
      const until = Math.min(from + count, head.lineCount);
      if (until <= from) return [];
      const scan = copyOf(nearest(checkpoints, from) ?? newScan());
      const beginnings: Beginning[] = [];
      const onLine = (line: Beginning): void => {
        if (line.number >= from) beginnings.push(line);
      };
      await scanLines(source, createChunks(source.files, WINDOW_BYTES), scan, { onLine, until });
      return readLines(source, beginnings, isLive);
    },
  };
}

const newScan = (): Scan => ({
  piece: 0,
  lineCount: 0,
  stderrLineCount: 0,
  droppedBefore: null,
  stdout: { at: 0, lineStart: -1, isAfterGap: false },
  stderr: { at: 0, lineStart: -1, isAfterGap: false },
});
const copyOf = (scan: Scan): Scan => ({ ...scan, stdout: { ...scan.stdout }, stderr: { ...scan.stderr } });

/** The last checkpoint at or before a line. */
function nearest(checkpoints: readonly Scan[], line: number): Scan | undefined {
  let low = 0;
  let high = checkpoints.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((checkpoints[middle]?.lineCount ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  return checkpoints[low - 1];
}

type Visit = {
  /** Called before the line is counted, so that a copy of the scan begins with it. `bytes`: scanned since the last call. */
  readonly onLine: (line: Beginning, scan: Scan, bytes: number) => void;
  /** Stops before the line of this number. */
  readonly until?: number;
};

async function scanLines({ files, order }: Source, chunks: Chunks, scan: Scan, visit: Visit): Promise<void> {
  const until = visit.until ?? Number.POSITIVE_INFINITY;
  let bytes = 0;
  for (;;) {
    const piece = order.pieces[scan.piece];
    if (piece === undefined) return;
    const { stream } = piece;
    const position = scan[stream];
    if (position.at >= piece.end) {
      // The last piece may still grow, so the scan stays on it.
      if (scan.piece === order.pieces.length - 1) return;
      scan.piece += 1;
      continue;
    }
    const kept = files[stream].keptFrom(position.at);
    if (kept !== position.at) {
      position.at = kept;
      position.lineStart = -1;
      position.isAfterGap = true;
      continue;
    }
    const stop = Math.min(piece.end, files[stream].keptUntil(kept));
    const chunk = await chunks.at(stream, position, stop);
    if (chunk === null) {
      // The file lost bytes that were counted: nothing more can be read up to here.
      position.at = stop;
      position.lineStart = -1;
      continue;
    }
    const before = position.at;
    if (scanChunk(chunk, stop, scan, { stream, at: piece.at, until, begin: (line) => begin(line) })) return;
    bytes += Math.max(0, position.at - before);
  }

  function begin(line: Beginning): void {
    visit.onLine(line, scan, bytes);
    bytes = 0;
  }
}

type ChunkVisit = {
  stream: Stream;
  at: Instant | null;
  until: number;
  begin: (line: Beginning) => void;
};

/** Goes through the bytes at hand. True if the wanted line number is reached. */
function scanChunk(
  chunk: Chunk,
  stop: number,
  scan: Scan,
  { stream, at, until, begin }: ChunkVisit,
): boolean {
  const position = scan[stream];
  const end = Math.min(stop, chunk.start + chunk.bytes.length);
  let newline = -1;
  while (position.at < end) {
    if (position.lineStart < 0) {
      if (scan.lineCount >= until) return true;
      begin({ number: scan.lineCount, stream, start: position.at, at });
      if (position.isAfterGap) scan.droppedBefore ??= scan.lineCount;
      position.isAfterGap = false;
      position.lineStart = position.at;
      scan.lineCount += 1;
      if (stream === 'stderr') scan.stderrLineCount += 1;
    }
    if (newline < position.at) {
      const found = chunk.bytes.indexOf(NEWLINE, position.at - chunk.start);
      newline = found < 0 ? Number.POSITIVE_INFINITY : chunk.start + found;
    }
    const limit = position.lineStart + LINE_LENGTH_MAX;
    if (newline < end && newline <= limit) {
      position.at = newline + 1;
      position.lineStart = -1;
    } else if (limit < end) {
      position.at = chunk.start + splitPoint(chunk.bytes, limit - chunk.start);
      position.lineStart = -1;
    } else {
      position.at = end;
    }
  }
  return false;
}

/** Steps back from the middle of a UTF-8 sequence, so that a long line is not cut inside a character. */
function splitPoint(bytes: Buffer, index: number): number {
  for (let back = 0; back < 4 && index - back >= 0; back += 1) {
    if (((bytes[index - back] ?? 0) & 0xc0) !== 0x80) return index - back;
  }
  return index;
}

async function readLines(
  { files, order }: Source,
  beginnings: readonly Beginning[],
  isLive: boolean,
): Promise<OutputLine[]> {
  const chunks = createChunks(files, WINDOW_BYTES);
  const lines: OutputLine[] = [];
  for (const { number, stream, start, at } of beginnings) {
    const end = Math.min(order.end(stream), files[stream].keptUntil(start));
    const bytes = await chunks.slice(stream, start, Math.min(end, start + LINE_LENGTH_MAX + 1));
    const newline = bytes.indexOf(NEWLINE);
    if (newline >= 0) {
      const length = newline > 0 && bytes[newline - 1] === RETURN ? newline - 1 : newline;
      lines.push({ number, stream, at, text: bytes.toString('utf8', 0, length), isPartial: false });
    } else if (bytes.length > LINE_LENGTH_MAX) {
      const length = splitPoint(bytes, LINE_LENGTH_MAX);
      lines.push({ number, stream, at, text: bytes.toString('utf8', 0, length), isPartial: true });
    } else {
      const isOpen = isLive && start + bytes.length >= order.end(stream);
      // The rest of a character may be on its way: `stream` leaves an unfinished one out instead of replacing it.
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: isOpen });
      lines.push({ number, stream, at, text, isPartial: isOpen });
    }
  }
  return lines;
}

type Chunk = { readonly start: number; readonly bytes: Buffer };
type Chunks = {
  /** Bytes around the position, back to where a split may fall; null if there are none. */
  at(stream: Stream, position: Position, stop: number): Promise<Chunk | null>;
  slice(stream: Stream, start: number, end: number): Promise<Buffer>;
};

/** Reads ahead in pieces of `size`, one for each stream. */
function createChunks(files: Source['files'], size: number): Chunks {
  const held: { [S in Stream]?: Chunk } = {};
  const load = async (stream: Stream, start: number, until: number): Promise<Chunk> => {
    const wanted = Math.max(size, until - start);
    const parts: Buffer[] = [];
    let got = 0;
    // A kept stretch may lie in several files.
    while (got < wanted) {
      const part = await files[stream].read(start + got, wanted - got);
      if (part.length === 0) break;
      parts.push(part);
      got += part.length;
    }
    const chunk = { start, bytes: parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts) };
    held[stream] = chunk;
    return chunk;
  };
  const holding = (stream: Stream, start: number, end: number): Chunk | null => {
    const chunk = held[stream];
    const isHeld = chunk !== undefined && chunk.start <= start && end <= chunk.start + chunk.bytes.length;
    return isHeld ? chunk : null;
  };
  return {
    at: async (stream, { at, lineStart }, stop) => {
      // A character has at most four bytes, so a split steps back three at most.
      const from = lineStart < 0 ? at : Math.max(lineStart, at - 3);
      const chunk = holding(stream, from, Math.min(at + 1, stop)) ?? (await load(stream, from, at + 1));
      return at < chunk.start + chunk.bytes.length ? chunk : null;
    },
    slice: async (stream, start, end) => {
      const chunk = holding(stream, start, end) ?? (await load(stream, start, end));
      return chunk.bytes.subarray(start - chunk.start, end - chunk.start);
    },
  };
}
