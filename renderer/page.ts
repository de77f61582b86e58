/** What the stores need of the page: whether it is seen, and a place to remember where the user was. */
import type { Memory } from './store/place';
import type { Attention } from './store/refresh';
import type { Surroundings } from './store/stores';

const PLACE_KEY = 'belfry.place';

const attention: Attention = {
  isHidden: () => document.hidden,
  onChange: (listener) => {
    document.addEventListener('visibilitychange', listener);
    return () => document.removeEventListener('visibilitychange', listener);
  },
};

const memory: Memory = {
  read: () => localStorage.getItem(PLACE_KEY),
  write: (text) => localStorage.setItem(PLACE_KEY, text),
};

export const pageSurroundings = (): Surroundings => ({ now: Date.now, attention, memory });
