/** What the stores need of the page: whether it is seen, and a place to remember where the user was. */
import type { Memory } from './store/place';
import type { Attention } from './store/refresh';
import type { PageLife, Surroundings } from './store/stores';

const PLACE_KEY = 'belfry.place';
const DRAFT_KEY = 'belfry.draft';

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

const page: PageLife = {
  drafts: {
    read: () => localStorage.getItem(DRAFT_KEY),
    write: (text) => {
      try {
        localStorage.setItem(DRAFT_KEY, text);
      } catch {
        // More text than the page may keep: the form itself is untouched, and an old draft would be a lie.
        localStorage.removeItem(DRAFT_KEY);
      }
    },
  },
  onHide: (listener) => window.addEventListener('pagehide', listener),
  onClosing: (mayClose) =>
    window.addEventListener('beforeunload', (event) => {
      if (!mayClose()) event.preventDefault();
    }),
  close: () => window.close(),
};

export const pageSurroundings = (): Surroundings => ({ now: Date.now, attention, memory, page });
