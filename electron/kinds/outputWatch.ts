/**
 * Decides when to look at the sizes of the output. Costs next to nothing while nothing happens, and has a bound when
 * very much does: the system's notices are used until they come too often, then the clock alone.
 */
import fs from 'node:fs';
import type { Timer } from '../ports/world';
import type { Stream } from './outputFiles';

const TICK_MS = 100;
/** While a lot arrives, so that not much more than the cap is ever on disk. */
const FLOOD_TICK_MS = 20;
const FLOOD_BYTES = 1024 * 1024;
/** More notices than this within a tick cost more than they tell. */
const NOTICES_MAX = 200;

export type OutputWatchOrder = {
  readonly folder: string;
  readonly timer: Timer;
  /** Between two looks while nothing happens: the safety net under notices that some file systems do not give. */
  readonly quietMs: number;
  /** Looks, `first` in front, and answers how many bytes were new. `tick` comes at most ten times a second, but for floods. */
  readonly look: (cause: 'notice' | 'tick', first: Stream) => number;
};

/** Watches until the answer is called. */
export function watchOutput({ folder, timer, quietMs, look }: OutputWatchOrder): () => void {
  let isOver = false;
  let noticeCount = 0;
  let notices: fs.FSWatcher | null = null;
  let callOff = (): void => {};

  const closeNotices = (): void => {
    notices?.close();
    notices = null;
  };
  const tickIn = (delayMs: number): void => {
    callOff();
    if (!isOver) callOff = timer.after(delayMs, tick);
  };
  function tick(): void {
    const grown = look('tick', 'stdout');
    const isQuiet = grown === 0 && noticeCount === 0;
    noticeCount = 0;
    if (isQuiet) openNotices();
    tickIn(isQuiet ? quietMs : grown > FLOOD_BYTES ? FLOOD_TICK_MS : TICK_MS);
  }
  function onNotice(first: Stream): void {
    if (isOver) return;
    noticeCount += 1;
    if (noticeCount > NOTICES_MAX) closeNotices();
    if (noticeCount === 1) tickIn(TICK_MS);
    look('notice', first);
  }
  function openNotices(): void {
    if (notices !== null || isOver) return;
    try {
      notices = fs.watch(folder, { persistent: false }, (_, name) => {
        // Our own index and copies are no news.
        const isNews = name === null || name === 'stdout' || name === 'stderr' || name === 'result';
        if (isNews) onNotice(name === 'stderr' ? 'stderr' : 'stdout');
      });
      notices.on('error', closeNotices);
    } catch {
      // Out of watches, or none on this file system: the ticks alone do.
      closeNotices();
    }
  }
  openNotices();
  tickIn(TICK_MS);
  return () => {
    isOver = true;
    callOff();
    closeNotices();
  };
}
