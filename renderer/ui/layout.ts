/** Whether the window has its narrow layout, in which the sidebar is a rail and details lie over lists. */
import { useSyncExternalStore } from 'react';

const NARROW = '(max-width: 860px)';

const watch = (listener: () => void): (() => void) => {
  const query = window.matchMedia(NARROW);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
};

export const useIsNarrow = (): boolean =>
  useSyncExternalStore(watch, () => window.matchMedia(NARROW).matches);
