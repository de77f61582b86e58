/**
 * The output of one attempt: watched by size while the command runs, trimmed when it passes the cap, read in windows of
 * lines. Works the same for a run that an earlier Belfry started, and for one that ended long ago.
 */
import { OUTPUT_LINES_MAX, type OutputPage } from '../../shared/model/output';
import type { Instant } from '../../shared/time';
import type { Clock, Log, Timer } from '../ports/world';
import { openStreamFiles, type Stream, type StreamFiles } from './outputFiles';
import { createLineTable } from './outputLines';
import { type OutputOrder, openOutputOrder } from './outputOrder';
import { watchOutput } from './outputWatch';

const ANNOUNCE_MS = 100;
const QUIET_MS = 1_000;
/** The same for processes that outlived their command. */
const LINGER_QUIET_MS = 10_000;
/** After so many changes of the stream, the order is kept in steps of ORDER_STEP_MS. */
const PIECES_MAX = 50_000;
const ORDER_STEP_MS = 5_000;

export type OutputLogDeps = {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  /** Called at most ten times a second while output grows. */
  readonly onGrowth: () => void;
};

export interface OutputLog {
  /** Watches until `finish` or `detach`. `onLook` is called after every look at the folder. */
  watch(onLook: () => void): void;
  /** Takes in the last bytes and stops watching. Answers how many bytes the command wrote. */
  finish(): Promise<number>;
  /** After `finish`: goes on trimming for processes that still write, until `isAnyoneLeft` says no. */
  linger(isAnyoneLeft: () => boolean): void;
  /** Stops watching; what was seen so far is in the index. */
  detach(): void;
  isWatched(): boolean;
  read(from: number, count: number): Promise<OutputPage>;
}

/** Opens the output in a run's folder, which may still be empty. */
export function openOutputLog(folder: string, { clock, timer, log, onGrowth }: OutputLogDeps): OutputLog {
  const parts = openParts(folder, { clock, log });
  const { files } = parts;
  let table = createLineTable(parts);
  let isLive = false;
  let stopWatching: (() => void) | null = null;
  let newBytes = 0;
  let announcedAt = Number.NEGATIVE_INFINITY;
  let isTrimming = false;
  let queue: Promise<unknown> = Promise.resolve();

  /** One at a time: reading must not meet a file that is being emptied. */
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work);
    queue = result.catch(() => {});
    return result;
  };
  const lookNow = (): number =>
    parts.look({ at: stopWatching === null ? null : clock.now(), mustOrder: true });

  const trimIfNeeded = (): void => {
    const full = Object.values(files).filter((file) => file.needsTrim());
    if (full.length === 0 || isTrimming) return;
    isTrimming = true;
    void alone(async () => {
      try {
        for (const file of full) await file.trim();
        table = createLineTable(parts);
      } catch (error) {
        log.warn('output.trim_failed', { folder, error });
      } finally {
        isTrimming = false;
      }
    });
  };
  const announce = (): void => {
    if (newBytes === 0 || clock.monotonic() - announcedAt < ANNOUNCE_MS) return;
    announcedAt = clock.monotonic();
    newBytes = 0;
    onGrowth();
  };
  const stop = (): void => {
    stopWatching?.();
    stopWatching = null;
    isLive = false;
    parts.flush();
  };
  const start = (quietMs: number, onLook: () => void): void => {
    const look = (cause: 'notice' | 'tick', first: Stream): number => {
      const grown = parts.look({ at: clock.now(), first });
      newBytes += grown;
      announce();
      trimIfNeeded();
      if (cause === 'tick') parts.flush();
      onLook();
      return Math.max(grown, newBytes);
    };
    stopWatching = watchOutput({ folder, timer, quietMs, look });
  };

  return {
    watch: (onLook) => {
      // What is there already arrived while nobody looked.
      newBytes += lookNow();
      isLive = true;
      start(QUIET_MS, onLook);
    },
    finish: async () => {
      newBytes += lookNow();
      trimIfNeeded();
      // A trim that goes on hides the last bytes until it is done.
      await alone(async () => {
        newBytes += lookNow();
      });
      stop();
      if (newBytes > 0) onGrowth();
      newBytes = 0;
      return parts.byteCount();
    },
    linger: (isAnyoneLeft) =>
      start(LINGER_QUIET_MS, () => {
        if (!isAnyoneLeft()) stop();
      }),
    detach: stop,
    isWatched: () => stopWatching !== null,
    read: (from, count) =>
      alone(async () => {
        newBytes += lookNow();
        await table.advance();
        return {
          lines: await table.window(from, Math.min(count, OUTPUT_LINES_MAX), isLive),
          lineCount: table.lineCount(),
          byteCount: parts.byteCount(),
          droppedBytes: files.stdout.droppedBytes() + files.stderr.droppedBytes(),
          droppedBefore: table.droppedBefore(),
          stderrLineCount: table.stderrLineCount(),
          isLive,
        };
      }),
  };
}

type Parts = {
  readonly files: Readonly<Record<Stream, StreamFiles>>;
  readonly order: OutputOrder;
  byteCount(): number;
  /** Looks at the sizes; what grew is ordered behind everything seen before, `first` in front. Answers the new bytes. */
  look(how: { at: Instant | null; first?: Stream; mustOrder?: boolean }): number;
  /** Writes the index. */
  flush(): void;
};

// Failing to look or to write the index costs order and times, and never the run: so both are logged and tried again.
function openParts(folder: string, { clock, log }: Pick<OutputLogDeps, 'clock' | 'log'>): Parts {
  const files = { stdout: openStreamFiles(folder, 'stdout'), stderr: openStreamFiles(folder, 'stderr') };
  const order = openOutputOrder(folder);
  let orderedAt = Number.NEGATIVE_INFINITY;
  const byteCount = (): number => files.stdout.end() + files.stderr.end();
  return {
    files,
    order,
    byteCount,
    look: ({ at, first = 'stdout', mustOrder = false }) => {
      const before = byteCount();
      const inOrder: Stream[] = first === 'stdout' ? ['stdout', 'stderr'] : ['stderr', 'stdout'];
      try {
        for (const stream of inOrder) files[stream].refresh();
      } catch (error) {
        log.warn('output.look_failed', { folder, error });
      }
      const isDue = order.pieces.length < PIECES_MAX || clock.monotonic() - orderedAt >= ORDER_STEP_MS;
      if (isDue || mustOrder) {
        orderedAt = clock.monotonic();
        for (const stream of inOrder) order.append(stream, at, files[stream].end());
      }
      return byteCount() - before;
    },
    flush: () => {
      try {
        order.flush();
      } catch (error) {
        log.warn('output.index_failed', { folder, error });
      }
    },
  };
}
