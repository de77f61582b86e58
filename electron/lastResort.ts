/**
 * An exception that nothing caught. Electron would show a box about it and hold the whole process, engine included, until
 * somebody presses OK; a scheduler that nobody looks at would stand still for days. Nothing in memory is to be trusted after it, and
 * everything that counts is in the store: so the process ends as if it had been killed, and a new one takes its place and
 * adopts the runs that go on.
 */
import type { Log } from './ports/world';

/** A process that fails sooner than this after its start would fail again: it ends without a successor. */
export const STEADY_MS = 60_000;

type Surroundings = {
  /** Milliseconds since this process began, on a clock that cannot be set. */
  readonly lived: () => number;
  /** Where it is written down; null before there is a log. */
  readonly log: () => Log | null;
  readonly write: (line: string) => void;
  /** Lets the same program start again once this one is gone. */
  readonly relaunch: () => void;
  readonly end: (exitCode: number) => void;
};

/** Answers the listener for `uncaughtException`. Whatever it cannot do, the process ends. */
export function createLastResort({ lived, log, write, relaunch, end }: Surroundings) {
  return (error: unknown): void => {
    try {
      write(`belfry: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      log()?.error('app.failed', { error });
      if (lived() >= STEADY_MS) relaunch();
    } finally {
      end(1);
    }
  };
}
