/**
 * Ends of attempts that the store could not take, in a file that has its room already: a full disk can refuse new blocks, but not the
 * overwriting of old ones (H-61, X-51). One line per end, each with its checksum; a line that was cut off by a death is none.
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

/** `name` is the role of this process: two of them never write to one file. */
export function createSpill({
  folder,
  name,
}: {
  readonly folder: string;
  readonly name: 'app' | 'agent';
}): Spill {
  const own = join(folder, `results-${name}.spill`);
  makeRoom(own);
  /** By attempt, oldest first; what this process has kept and not forgotten, and what it found. */
  const ends = new Map<AttemptId, SpilledEnd>(readEnds(own).map((end) => [end.attemptId, end]));

  const write = (): boolean => {
    const text = [...ends.values()].map(lineOf).join('');
    if (Buffer.byteLength(text) > FILE_BYTES) return false;
    try {
      overwrite(own, text);
      return true;
    } catch {
      return false;
    }
  };
  return {
    keep: async (end) => {
      const before = ends.get(end.attemptId);
      ends.set(end.attemptId, { ...end, detail: end.detail?.slice(0, DETAIL_LENGTH_MAX) ?? null });
      if (write()) return true;
      if (before === undefined) ends.delete(end.attemptId);
      else ends.set(end.attemptId, before);
      return false;
    },
    // The other role may have died with ends of its own; whoever runs the jobs stores them.
    all: async () => {
      const files = readdirSync(folder).filter((each) => NAME.test(each));
      const all = files.flatMap((each) => readEnds(join(folder, each)));
      return all.sort((a, b) => a.endedAt - b.endedAt);
    },
    forget: async (attemptIds) => {
      const gone = new Set(attemptIds);
      for (const id of attemptIds) ends.delete(id);
      for (const each of readdirSync(folder).filter((file) => NAME.test(file))) {
        const file = join(folder, each);
        const found = readEnds(file);
        const left = found.filter(({ attemptId }) => !gone.has(attemptId));
        if (left.length < found.length) tryTo(() => overwrite(file, left.map(lineOf).join('')));
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
      writeSync(handle, Buffer.alloc(FILE_BYTES - size, '\n'), 0, FILE_BYTES - size, size);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  });
}

function overwrite(file: string, text: string): void {
  const bytes = Buffer.alloc(Math.max(FILE_BYTES, Buffer.byteLength(text)), '\n');
  bytes.write(text);
  const handle = openSync(file, 'r+');
  try {
    writeSync(handle, bytes, 0, bytes.length, 0);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const checksumOf = (json: string): string => createHash('sha256').update(json).digest('hex').slice(0, 16);

function lineOf(end: SpilledEnd): string {
  const json = JSON.stringify(end);
  return `${checksumOf(json)} ${json}\n`;
}

function readEnds(file: string): SpilledEnd[] {
  const text = tryTo(() => readFileSync(file, 'utf8')) ?? '';
  return text.split('\n').flatMap((line) => {
    const [, sum, json] = /^([0-9a-f]{16}) (\{.*\})$/.exec(line) ?? [];
    if (json === undefined || sum !== checksumOf(json)) return [];
    return SpilledLine.safeParse(JSON.parse(json)).data ?? [];
  });
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
