/**
 * What the window is wished to show: told to its page at once, or as soon as the page is drawn. The page of a window that was
 * just made misses events, so the last wish waits for it.
 */

import type { Payload } from '../shared/ipc/contract';
import type { Announce } from './ports/world';

type Place = Payload<'window.show'>;

export interface Wishes {
  show(place: Place): void;
  /** A window was made, its page is empty. */
  opened(): void;
  /** The page says that its first real content is painted. */
  drawn(): void;
  closed(): void;
  isDrawn(): boolean;
}

export function createWishes(announce: Announce): Wishes {
  let isDrawn = false;
  let waiting: Place | null = null;

  return {
    show: (place) => {
      if (isDrawn) announce('window.show', place);
      else waiting = place;
    },
    opened: () => {
      isDrawn = false;
    },
    drawn: () => {
      isDrawn = true;
      if (waiting !== null) announce('window.show', waiting);
      waiting = null;
    },
    closed: () => {
      isDrawn = false;
      waiting = null;
    },
    isDrawn: () => isDrawn,
  };
}
