/**
 * The order in which output arrived: which stream grew, when, and up to which byte. Kept in the run's file `index`, one
 * line per piece, so that both streams can be shown as one after a restart too. What nobody watched has no time.
 */
import fs from 'node:fs';
import path from 'node:path';
import { type Instant, toInstant } from '../../shared/time';
import type { Stream } from './outputFiles';

/** Growth of one stream within this time is one piece. */
const PIECE_MS = 100;

export type Piece = {
  readonly stream: Stream;
  /** When its first byte was seen; null if Belfry was not there. */
  readonly at: Instant | null;
  /** Offset after its last byte, in the count of its stream. */
  end: number;
};

export interface OutputOrder {
  /** In order of arrival; the last one may still grow. */
  readonly pieces: readonly Piece[];
  /** Offset up to which the stream has pieces. */
  end(stream: Stream): number;
  append(stream: Stream, at: Instant | null, end: number): void;
  /** Writes what is not written yet. Throws as the file system does. */
  flush(): void;
}

const LETTERS = { stdout: 'o', stderr: 'e' } as const;

/** Reads the index in the run's folder. A missing index is an empty one; a torn last line is passed over. */
export function openOutputOrder(folder: string): OutputOrder {
  const file = path.join(folder, 'index');
  const pieces = readPieces(file);
  const ends = { stdout: 0, stderr: 0 };
  for (const { stream, end } of pieces) ends[stream] = end;
  let writtenCount = pieces.length;
  return {
    pieces,
    end: (stream) => ends[stream],
    append: (stream, at, end) => {
      if (end <= ends[stream]) return;
      ends[stream] = end;
      const last = pieces.at(-1);
      const isRecent = last?.at != null && at !== null && at - last.at < PIECE_MS && at >= last.at;
      if (last?.stream === stream && pieces.length > writtenCount && isRecent) last.end = end;
      else pieces.push({ stream, at, end });
    },
    flush: () => {
      const fresh = pieces.slice(writtenCount);
      if (fresh.length === 0) return;
      // The line break in front ends a line that a crash may have torn.
      const text = fresh.map(({ stream, at, end }) => `\n${LETTERS[stream]} ${at ?? '-'} ${end}`).join('');
      fs.appendFileSync(file, `${text}\n`, { mode: 0o600 });
      writtenCount = pieces.length;
    },
  };
}

function readPieces(file: string): Piece[] {
  const text = fs.existsSync(file) ? fs.readFileSync(file, 'latin1') : '';
  const ends = { stdout: 0, stderr: 0 };
  const pieces: Piece[] = [];
  // Only lines that are finished count: the end of a torn one may be a wrong number.
  for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
    const match = /^([oe]) (-|\d+) (\d+)$/.exec(line);
    if (match === null) continue;
    const stream = match[1] === 'o' ? 'stdout' : 'stderr';
    const end = Number(match[3]);
    if (end <= ends[stream]) continue;
    ends[stream] = end;
    pieces.push({ stream, at: match[2] === '-' ? null : toInstant(Number(match[2])), end });
  }
  return pieces;
}
