/**
 * The way out of the app: asks once what happens to runs that are going on, stops the engine so that the lease is released,
 * and ends. A system that shuts down is not asked anything back: runs are left, and adopted at the next start.
 */

import { app, dialog, powerMonitor, session } from 'electron';
import type { Belfry } from './compose';
import { type QuitAnswer, quitQuestion, showQuestion } from './window/questions';

/** An engine that cannot let go within this time is left behind: the store tells the next one what was going on. */
const LEAVE_MS_MAX = 10_000;

export interface Exit {
  /** A person wants to quit. */
  ask(): void;
  /** Belfry is on its way out, or asks whether it may go. */
  isUnderWay(): boolean;
}

/** Also answers to Electron's own ways to quit, signals and the end of the session. `onLeaving` is called once, before the end. */
export function createExit(belfry: Belfry, onLeaving: () => void): Exit {
  let phase: 'open' | 'asking' | 'leaving' = 'open';

  const leave = async (runs: Exclude<QuitAnswer, 'stay'>): Promise<void> => {
    if (phase === 'leaving') return;
    phase = 'leaving';
    onLeaving();
    // The page is not asked whether it may go: an unsaved form is in its memory, which is written down here.
    session.defaultSession.flushStorageData();
    try {
      await (runs === 'leave' ? withinLimit(belfry.stop({ runs })) : belfry.stop({ runs }));
    } finally {
      app.exit(0);
    }
  };
  const ask = async (): Promise<void> => {
    if (phase !== 'open') return;
    phase = 'asking';
    const runningCount = await countOwnRuns(belfry);
    const answer =
      runningCount === 0 ? 'leave' : await showQuestion(dialog, quitQuestion(runningCount, process.platform));
    if (answer !== 'stay') await leave(answer);
    else if (phase === 'asking') phase = 'open';
  };

  app.on('before-quit', (event) => {
    event.preventDefault();
    void ask();
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void leave('leave'));
  powerMonitor.on('shutdown', () => void leave('leave'));
  return { ask: () => void ask(), isUnderWay: () => phase !== 'open' };
}

/** Runs that would be left alone. Those of another process are none of our business. */
async function countOwnRuns(belfry: Belfry): Promise<number> {
  const { state, runningCount } = await belfry.status();
  return state === 'standby' ? 0 : runningCount;
}

async function withinLimit(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LEAVE_MS_MAX);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
