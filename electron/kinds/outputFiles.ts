/**
 * The bytes of one output stream on disk. The command appends to one file; when that passes the cap, the first MiB and
 * the newest part are copied into segments and the file is emptied under the writer, who goes on because it appends.
 * So the disk use is bounded while the command runs, and the command never notices (D10, C-087).
 */
import fs from 'node:fs';
import path from 'node:path';
import type { OutputLine } from '../../shared/model/output';

const MIB = 1024 * 1024;
/** What is kept of one stream, at most, once it is trimmed: head, newest segments, and the file being written. */
export const STREAM_BYTES_MAX = 16 * MIB;
export const HEAD_BYTES = MIB;
const SEGMENT_BYTES = 3 * MIB;
const SEGMENTS_BYTES_MAX = STREAM_BYTES_MAX - HEAD_BYTES - SEGMENT_BYTES;
/** What arrives while segments are copied is caught up in one blocking step if it is not more than this. */
const LAST_STEP_BYTES_MAX = MIB;
const COPY_BYTES = 512 * 1024;
/** Emptying a longer file takes the system so long that it must not block us; only a flood makes one. */
const BLOCKING_BYTES_MAX = 32 * MIB;

export type Stream = OutputLine['stream'];

/** Offsets count every byte that the command wrote to the stream, kept or not. */
export interface StreamFiles {
  /** Where the next byte will be. */
  end(): number;
  /** Looks at the size of the file; true if something changed. */
  refresh(): boolean;
  needsTrim(): boolean;
  /** Throws as the file system does, and then nothing has changed. */
  trim(): Promise<void>;
  /** `offset` itself if it is kept, else the next kept one, else the end. */
  keptFrom(offset: number): number;
  /** The end of the unbroken kept part that holds `offset`. */
  keptUntil(offset: number): number;
  /** At most `length` bytes that are kept in one piece from `offset`; empty at a gap or at the end. */
  read(offset: number, length: number): Promise<Buffer>;
  droppedBytes(): number;
}

/** A closed part. `next` is where the following part begins: later than `end` if bytes were lost in between. */
type Segment = { readonly start: number; readonly end: number; readonly next: number; readonly name: string };

/** Opens what is in the run's folder. The file of the stream need not exist. */
export function openStreamFiles(folder: string, stream: Stream): StreamFiles {
  const place = (name: string): string => path.join(folder, name);
  let segments = findSegments(folder, stream);
  let base = segments.at(-1)?.next ?? 0;
  let size = 0;
  let isEmptying = false;

  /** Every kept part in order, the file being written last. */
  const parts = (): readonly Omit<Segment, 'next'>[] => [
    ...segments,
    { start: base, end: base + size, name: stream },
  ];
  const addSegments = (added: readonly Segment[]): void => {
    segments = [...segments, ...added];
    // The first one with content is the head and stays.
    while (sizeOf(segments.slice(1)) > SEGMENTS_BYTES_MAX) {
      const [oldest] = segments.splice(1, 1);
      if (oldest !== undefined) fs.rmSync(place(oldest.name), { force: true });
    }
  };

  return {
    end: () => base + size,
    refresh: () => {
      if (isEmptying) return false;
      const found = fs.statSync(place(stream), { throwIfNoEntry: false })?.size ?? 0;
      if (found === size) return false;
      // The command itself may empty its output, for example by `> /dev/stdout`. What was there is gone and counted.
      if (found < size) {
        base += size;
        const marker = { start: base, end: base, next: base, name: segmentName(stream, base, base) };
        fs.writeFileSync(place(marker.name), '', { mode: 0o600 });
        addSegments([marker]);
      }
      size = found;
      return true;
    },
    needsTrim: () => size > (sizeOf(segments) === 0 ? STREAM_BYTES_MAX : SEGMENT_BYTES),
    trim: async () => {
      const source = await fs.promises.open(place(stream), 'r+');
      try {
        const isFirst = sizeOf(segments) === 0;
        const added = await copyIntoSegments(source, { folder, stream, base, size, isFirst });
        isEmptying = true;
        addSegments(await emptyFile(source, added, { folder, stream, base }));
        base = segments.at(-1)?.next ?? base;
        size = 0;
      } finally {
        isEmptying = false;
        await source.close();
      }
    },
    keptFrom: (offset) => {
      const part = parts().find((one) => offset < one.end);
      return part === undefined ? Math.max(offset, base + size) : Math.max(offset, part.start);
    },
    keptUntil: (offset) =>
      parts().reduce(
        (reached, { start, end }) => (start <= reached && reached < end ? end : reached),
        offset,
      ),
    read: async (offset, length) => {
      const part = parts().find((one) => one.start <= offset && offset < one.end);
      if (part === undefined) return Buffer.alloc(0);
      return readPart(place(part.name), offset - part.start, Math.min(length, part.end - offset));
    },
    droppedBytes: () => {
      let dropped = 0;
      let reached = 0;
      for (const { start, end } of parts()) {
        dropped += start - reached;
        reached = end;
      }
      return dropped;
    },
  };
}

const sizeOf = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { start, end }) => sum + end - start, 0);

const segmentName = (stream: Stream, start: number, next: number): string => `${stream}.${start}.${next}`;

function findSegments(folder: string, stream: Stream): Segment[] {
  const pattern = new RegExp(`^${stream}\\.(\\d+)\\.(\\d+)$`);
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  return names
    .flatMap((name) => {
      const match = pattern.exec(name);
      if (match === null) return [];
      const start = Number(match[1]);
      return [
        { start, end: start + fs.statSync(path.join(folder, name)).size, next: Number(match[2]), name },
      ];
    })
    .sort((a, b) => a.next - b.next);
}

type Copy = { readonly start: number; end: number; readonly copy: string };
type Trim = { folder: string; stream: Stream; base: number; size: number; isFirst: boolean };

// The copies get their final names only when all are there: a crash before leaves files that nobody reads.
async function copyIntoSegments(
  source: fs.promises.FileHandle,
  { folder, stream, base, size, isFirst }: Trim,
): Promise<Segment[]> {
  const end = base + size;
  const copies: Copy[] = [];
  const copyOut = async (start: number, length: number): Promise<void> => {
    const copy = path.join(folder, `${stream}.copy${copies.length}`);
    copies.push({ start, end: start + length, copy });
    await copyPart(source, copy, { from: start - base, length });
  };
  try {
    if (isFirst) await copyOut(base, HEAD_BYTES);
    const tailStart = Math.max(copies[0]?.end ?? base, end - SEGMENTS_BYTES_MAX);
    for (let start = tailStart; start < end; start += SEGMENT_BYTES) {
      await copyOut(start, Math.min(SEGMENT_BYTES, end - start));
    }
    const next = base + closeLast(source.fd, copies, base);
    return copies.map(({ start, end: stop, copy }, index) => {
      const following = copies[index + 1]?.start ?? next;
      const name = segmentName(stream, start, following);
      fs.renameSync(copy, path.join(folder, name));
      return { start, end: stop, next: following, name };
    });
  } catch (error) {
    for (const { copy } of copies) fs.rmSync(copy, { force: true });
    throw error;
  }
}

// What is written between the look at the size and the emptying is lost and cannot be counted, so nothing stands between
// the two. A crash right after it shows the newest part twice, or miscounts what was lost.
async function emptyFile(
  source: fs.promises.FileHandle,
  added: readonly Segment[],
  { folder, stream, base }: Pick<Trim, 'folder' | 'stream' | 'base'>,
): Promise<Segment[]> {
  const { size } = fs.fstatSync(source.fd);
  if (size <= BLOCKING_BYTES_MAX) fs.ftruncateSync(source.fd, 0);
  else await source.truncate(0);
  const last = added.at(-1);
  if (last === undefined || last.next === base + size) return [...added];
  const exact = { ...last, next: base + size, name: segmentName(stream, last.start, base + size) };
  fs.renameSync(path.join(folder, last.name), path.join(folder, exact.name));
  return [...added.slice(0, -1), exact];
}

/** Adds what has arrived since to the last copy and tells the size of the file. What comes after that is lost. */
function closeLast(
  source: number,
  copies: { start: number; end: number; copy: string }[],
  base: number,
): number {
  const last = copies.at(-1);
  const size = fs.fstatSync(source).size;
  const missing = last === undefined ? 0 : base + size - last.end;
  if (last === undefined || missing <= 0 || missing > LAST_STEP_BYTES_MAX) return size;
  const rest = Buffer.alloc(missing);
  const count = fs.readSync(source, rest, 0, missing, last.end - base);
  fs.appendFileSync(last.copy, rest.subarray(0, count));
  last.end += count;
  return fs.fstatSync(source).size;
}

async function copyPart(
  source: fs.promises.FileHandle,
  target: string,
  { from, length }: { from: number; length: number },
): Promise<void> {
  const file = await fs.promises.open(target, 'w', 0o600);
  try {
    const buffer = Buffer.allocUnsafe(Math.min(COPY_BYTES, length));
    for (let done = 0; done < length; ) {
      const want = Math.min(buffer.length, length - done);
      const { bytesRead } = await source.read(buffer, 0, want, from + done);
      if (bytesRead === 0) throw new Error('The output file became shorter while it was copied.');
      await file.write(buffer, 0, bytesRead);
      done += bytesRead;
    }
  } finally {
    await file.close();
  }
}

async function readPart(file: string, from: number, length: number): Promise<Buffer> {
  const handle = await fs.promises.open(file, 'r');
  try {
    const buffer = Buffer.allocUnsafe(length);
    const { bytesRead } = await handle.read(buffer, 0, length, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
