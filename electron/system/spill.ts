/**
 * Ends of attempts that the store could not take, in a file that has its room already: a full disk can refuse new blocks, but not the
 * overwriting of old ones (H-61, X-51). One line per end, each with its checksum; a line that was cut off by a death is none. Only
 * free room and forgotten lines are written over, so that no death can harm a line that somebody relies on.
 */

import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { AttemptId, Outcome, Run, RunId } from '../../shared/model/run';
import { Instant } from '../../shared/time';
import type { Spill, SpilledEnd } from '../ports/data';

/** About 200 ends. More than that cannot be going on at once. */
const FILE_BYTES = 256 * 1024;
/** A longer detail is not worth losing the end for. */
const DETAIL_LENGTH_MAX = 500;

const SpilledLine = Run.pick({
  reason: true,
  detail: true,
  exitCode: true,
  signal: true,
  durationMs: true,
  outputBytes: true,
  wasAdopted: true,
}).extend({ runId: RunId, attemptId: AttemptId, outcome: Outcome, endedAt: Instant });
const NAME = /^results-(app|agent)\.spill$/;
const LINE_END = 0x0a;

/** A line as it lies in the file, from its first byte to the one after its end. */
type Line = {
  readonly from: number;
  readonly to: number;
  /** Rises in a file, so that of two ends of one attempt the later one is known. */
  readonly number: number;
  readonly end: SpilledEnd;
};

/** `name` is the role of this process: two of them never add to one file. */
export function createSpill({
  folder,
  name,
}: {
  readonly folder: string;
  readonly name: 'app' | 'agent';
}): Spill {
  const own = join(folder, `results-${name}.spill`);
  makeRoom(own);
  const files = (): string[] =>
    readdirSync(folder)
      .filter((each) => NAME.test(each))
      .map((each) => join(folder, each));
  return {
    keep: async (end) => {
      makeRoom(own);
      const bytes = tryTo(() => readFileSync(own));
      if (bytes === null) return false;
      const lines = linesIn(bytes);
      const number = Math.max(0, ...lines.map((line) => line.number)) + 1;
      const text = lineOf({ ...end, detail: end.detail?.slice(0, DETAIL_LENGTH_MAX) ?? null }, number);
      const room = roomFor(text, bytes, lines);
      if (room === null) return false;
      if (tryTo(() => overwrite(own, room.text, room.from)) === null) {
        blank(own, [{ from: room.from, to: room.from + room.text.length }]);
        return false;
      }
      // Only now, because an end that is replaced is relied on until the new one is on the disk.
      blank(
        own,
        lines.filter((line) => line.end.attemptId === end.attemptId),
      );
      return true;
    },
    // Read anew each time: the other role may have died with ends of its own, and whoever runs the jobs stores them.
    all: async () => {
      const ends = files().flatMap((file) => endsIn(tryTo(() => readFileSync(file)) ?? Buffer.alloc(0)));
      return ends.sort((a, b) => a.endedAt - b.endedAt);
    },
    forget: async (attemptIds) => {
      const gone = new Set(attemptIds);
      for (const file of files()) {
        const lines = linesIn(tryTo(() => readFileSync(file)) ?? Buffer.alloc(0));
        blank(
          file,
          lines.filter(({ end }) => gone.has(end.attemptId)),
        );
      }
    },
  };
}

/** Blank room, as long as there is some. A file that is too short still takes what fits into it. */
function makeRoom(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  const size = found?.size ?? 0;
  if (size >= FILE_BYTES) return;
  tryTo(() => {
    const handle = openSync(file, found === undefined ? 'wx+' : 'r+', 0o600);
    try {
      writeAll(handle, Buffer.alloc(FILE_BYTES - size, LINE_END), size);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  });
}

/** The first free room that takes the line, and what to write there: nothing of what was cut off before may follow the line. */
function roomFor(
  line: Buffer,
  bytes: Buffer,
  lines: readonly Line[],
): { readonly from: number; readonly text: Buffer } | null {
  let from = 0;
  for (const to of [...lines.map((each) => each.from), bytes.length]) {
    if (to - from >= line.length) {
      const rest = bytes.subarray(from + line.length, to);
      const left = rest.findLastIndex((byte) => byte !== LINE_END) + 1;
      return { from, text: Buffer.concat([line, Buffer.alloc(left, LINE_END)]) };
    }
    from = lines.find((each) => each.from === to)?.to ?? to;
  }
  return null;
}

/** Lines that stay behind because the disk refuses are found to be stored already at the next start. */
function blank(file: string, places: readonly Pick<Line, 'from' | 'to'>[]): void {
  for (const { from, to } of places) {
    tryTo(() => overwrite(file, Buffer.alloc(to - from, LINE_END), from));
  }
}

function overwrite(file: string, bytes: Buffer, from: number): true {
  const handle = openSync(file, 'r+');
  try {
    writeAll(handle, bytes, from);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return true;
}

/** The system may take less than it is given. */
function writeAll(handle: number, bytes: Buffer, from: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(handle, bytes, done, bytes.length - done, from + done);
  }
}

const checksumOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

function lineOf(end: SpilledEnd, number: number): Buffer {
  const text = `${number} ${JSON.stringify(end)}`;
  return Buffer.from(`${checksumOf(text)} ${text}\n`);
}

/** The lines that are whole, in their order in the file. Whatever else lies there is free. */
function linesIn(bytes: Buffer): Line[] {
  const lines: Line[] = [];
  for (let from = 0; from < bytes.length; ) {
    if (bytes[from] === LINE_END) {
      from += 1;
      continue;
    }
    const found = bytes.indexOf(LINE_END, from);
    const stop = found < 0 ? bytes.length : found;
    const to = Math.min(stop + 1, bytes.length);
    const line = readLine(bytes.toString('utf8', from, stop));
    if (line !== null) lines.push({ from, to, ...line });
    from = to;
  }
  return lines;
}

function readLine(line: string): Pick<Line, 'number' | 'end'> | null {
  const [, sum, text = '', number, json = ''] = /^([0-9a-f]{16}) ((\d+) (\{.*\}))$/.exec(line) ?? [];
  if (sum === undefined || sum !== checksumOf(text)) return null;
  const end = SpilledLine.safeParse(JSON.parse(json));
  return end.success ? { number: Number(number), end: end.data } : null;
}

/** One of each attempt: a death may have come between the new line and the blanking of the one that it replaces. */
function endsIn(bytes: Buffer): SpilledEnd[] {
  const lines = linesIn(bytes).sort((a, b) => a.number - b.number);
  return [...new Map(lines.map(({ end }) => [end.attemptId, end])).values()];
}

/** null where the disk refuses. */
function tryTo<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return null;
    throw error;
  }
}
