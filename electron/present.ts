/**
 * The life around the store that is open now, and how another one takes its place. Whoever asks meanwhile waits; nobody outside
 * notices more than that.
 */

import { type Handlers, type RequestName, requests } from '../shared/ipc/contract';
import { assert } from '../shared/result';
import type { StopChoice } from './engine/engine';
import type { HandlersByAsker, Life } from './openBelfry';

export interface Present {
  /** The one that is open, or that was open last while stores change places. */
  life(): Life;
  /** The same, or the next one while stores change places. */
  settled(): Promise<Life>;
  /** Opens for the first time; rejects as `open` does. */
  begin(): Promise<void>;
  handlers(asker: keyof HandlersByAsker): Handlers;
  start(): Promise<void>;
  stop(choice: StopChoice): Promise<void>;
  /** Ends the present life, does `work` while no store is open, and opens whatever lies there then. One call at a time. */
  reopen<T>(work: () => Promise<T>): Promise<T>;
}

/** `open` may reject the first time only. `onReopened`: everything has to be asked anew. */
export function createPresent(open: () => Promise<Life>, onReopened: () => void): Present {
  let opened: Life | null = null;
  let begin = (_life: Life): void => undefined;
  let next = new Promise<Life>((resolve) => {
    begin = resolve;
  });
  let isStarted = false;
  let isStopped = false;

  const change = async <T>(work: () => Promise<T>): Promise<T> => {
    // The lease stays where it is, so that nobody works in the old store while another is put in its place.
    await present().stop({ runs: 'leave', keepsLease: true });
    try {
      return await work();
    } finally {
      opened = await open();
      if (isStarted && !isStopped) await opened.start();
    }
  };
  const present = (): Life => {
    assert(opened !== null, 'nothing is asked before the first opening');
    return opened;
  };

  return {
    life: present,
    begin: async () => {
      opened = await open();
      begin(opened);
    },
    settled: () => next,
    handlers: (asker) => {
      const passing = (Object.keys(requests) as RequestName[]).map((name) => [
        name,
        async (input: never) => {
          const { handlers } = await next;
          return (handlers[asker][name] as (input: never) => Promise<unknown>)(input);
        },
      ]);
      return Object.fromEntries(passing) as Handlers;
    },
    start: async () => {
      isStarted = true;
      await (await next).start();
    },
    stop: async (choice) => {
      isStopped = true;
      await (await next).stop(choice);
    },
    reopen: async (work) => {
      const changed = next.then(() => change(work));
      next = changed.then(present, present);
      try {
        return await changed;
      } finally {
        onReopened();
      }
    },
  };
}
