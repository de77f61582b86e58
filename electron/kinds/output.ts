/**
 * The output of all runs: which attempt's folder a run's output is in, which logs are being watched, and which were read
 * lately and are kept at hand.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { AttemptId, RunId } from '../../shared/model/run';
import type { OutputReader } from '../ports/running';
import type { Clock, Log, Timer } from '../ports/world';
import { type OutputLog, openOutputLog } from './outputLog';

/** Logs that nobody writes any more, kept open for the next window of lines. */
const IDLE_LOGS_MAX = 8;

export type OutputsDeps = {
  /** Holds one folder per run, and in it one per attempt. */
  readonly runsFolder: string;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  /** Called at most ten times a second per run while its output grows. */
  readonly onOutput: (runId: RunId) => void;
};

export interface Outputs {
  readonly reader: OutputReader;
  /** The folder of an attempt; it need not exist. */
  folder(runId: RunId, attemptId: AttemptId): string;
  /** The log of an attempt: the same one as long as it is in use. */
  open(runId: RunId, attemptId: AttemptId): OutputLog;
}

/** Builds the one place where logs are opened, so that reader and watcher share them. */
export function createOutputs({ runsFolder, clock, timer, log, onOutput }: OutputsDeps): Outputs {
  /** By folder, the one used longest ago first. */
  const logs = new Map<string, { output: OutputLog; stamp: string }>();

  const logIn = (runId: RunId, folder: string): OutputLog => {
    const known = logs.get(folder);
    // Another Belfry process may be the one that watches; what it changed makes our copy worthless.
    const stamp = known?.output.isWatched() ? known.stamp : stampOf(folder);
    const isUsable = known !== undefined && known.stamp === stamp;
    const output = isUsable
      ? known.output
      : openOutputLog(folder, { clock, timer, log, onGrowth: () => onOutput(runId) });
    logs.delete(folder);
    logs.set(folder, { output, stamp });
    const idle = [...logs].filter(([, one]) => !one.output.isWatched());
    for (const [place] of idle.slice(0, Math.max(0, idle.length - IDLE_LOGS_MAX))) logs.delete(place);
    return output;
  };
  const folder = (runId: RunId, attemptId: AttemptId): string => path.join(runsFolder, runId, attemptId);

  return {
    folder,
    open: (runId, attemptId) => logIn(runId, folder(runId, attemptId)),
    reader: {
      read: async (runId, from, count) => {
        const attempt = newestAttempt(path.join(runsFolder, runId));
        return attempt === null ? null : logIn(runId, attempt).read(from, count);
      },
    },
  };
}

/** Changes whenever a watcher trims the output or adds to its index. */
function stampOf(folder: string): string {
  const made = fs.statSync(folder, { throwIfNoEntry: false });
  const index = fs.statSync(path.join(folder, 'index'), { throwIfNoEntry: false });
  return `${made?.mtimeMs} ${index?.size}`;
}

/** The folder of the last attempt: the ids are sortable by time. */
function newestAttempt(runFolder: string): string | null {
  if (!fs.existsSync(runFolder)) return null;
  const newest = fs.readdirSync(runFolder).sort().at(-1);
  return newest === undefined ? null : path.join(runFolder, newest);
}
