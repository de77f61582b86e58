/**
 * A process that stands by becomes the one that runs the jobs, because the user wants it to. It asks the other one to let go and never
 * displaces it while it lives (H-17): nobody could tell what it is about to start.
 */

import type { Handlers } from '../../shared/ipc/contract';
import type { SchedulerStatus } from '../../shared/model/settings';
import { fail, ok } from '../../shared/result';
import type { Engine } from '../engine/engine';
import type { Timer } from '../ports/world';
import type { SocketClient } from './socketClient';

/** How long taking over may take once the other process has let go, in milliseconds. */
export const TAKE_OVER_MS_MAX = 10_000;

const SILENT_TEXT =
  'The process that runs your jobs is not answering. As long as it lives it may be starting one, so it is not displaced. Belfry takes over by itself as soon as it is gone.';

export type TakeOverDeps = {
  readonly engine: Pick<Engine, 'status' | 'notifyResume'>;
  /** The process that runs the jobs, or null while it cannot be reached. */
  readonly holder: () => Promise<SocketClient | null>;
  readonly timer: Timer;
  /** Calls back at each change of the status. Returns how to stop that. */
  readonly onStatus: (listener: () => void) => () => void;
};

export const takeOver =
  (deps: TakeOverDeps): Handlers['engine.takeOver'] =>
  async () => {
    const { engine, holder } = deps;
    const before = await engine.status();
    if (isLeading(before)) return fail('conflict', 'This Belfry process runs your jobs already.');
    const client = await holder();
    if (client === null) return fail('busy', SILENT_TEXT);
    const reply = await client.request('engine.handOver', undefined);
    if (!reply.ok) return reply.error.code === 'unavailable' ? fail('busy', SILENT_TEXT) : reply;
    return lead(deps);
  };

const isLeading = ({ state }: SchedulerStatus): boolean => state === 'running' || state === 'paused';

/** Looks at once, and again at each change, until this process runs the jobs. */
async function lead({ engine, timer, onStatus }: TakeOverDeps): ReturnType<Handlers['engine.takeOver']> {
  let wake = (): void => undefined;
  let isLate = false;
  const forget = onStatus(() => wake());
  const callOff = timer.after(TAKE_OVER_MS_MAX, () => {
    isLate = true;
    wake();
  });
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      engine.notifyResume();
      const status = await engine.status();
      if (isLeading(status)) return ok(status);
      if (isLate) return fail('busy', SILENT_TEXT);
      await changed;
    }
  } finally {
    callOff();
    forget();
  }
}
