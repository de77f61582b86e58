/** How narrow the window is. In its narrow layout the sidebar is a rail and details lie over lists. */
import { useSyncExternalStore } from 'react';

const NARROW = '(max-width: 860px)';

/** What a zoom of 200 % makes of a window of the usual size: rows need a second line. */
const SLIM = '(max-width: 620px)';

const watched =
  (text: string) =>
  (listener: () => void): (() => void) => {
    const query = window.matchMedia(text);
    query.addEventListener('change', listener);
    return () => query.removeEventListener('change', listener);
  };
const [watchNarrow, watchSlim] = [watched(NARROW), watched(SLIM)];

export const useIsNarrow = (): boolean =>
  useSyncExternalStore(watchNarrow, () => window.matchMedia(NARROW).matches);

/** Whether even the columns of a list have no room side by side. */
export const useIsSlim = (): boolean =>
  useSyncExternalStore(watchSlim, () => window.matchMedia(SLIM).matches);
