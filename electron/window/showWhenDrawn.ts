/** When a window that was made hidden is shown. */

import type { BrowserWindow } from 'electron';

/** A page that was loaded this long ago is shown, drawn or not. */
export const DRAWING_MS_MAX = 1_000;

type Hidden = Pick<BrowserWindow, 'once' | 'show' | 'isDestroyed'> & {
  readonly webContents: Pick<BrowserWindow['webContents'], 'once'>;
};

/**
 * Shows the window once, as soon as it can be seen whole. Electron does not always tell that a hidden window was drawn, and an
 * empty window can be closed while an invisible one cannot: a page that failed to load, or was loaded a while ago, is shown too.
 */
export function showWhenDrawn(window: Hidden): void {
  let isShown = false;
  let timer: NodeJS.Timeout | undefined;
  const show = (): void => {
    clearTimeout(timer);
    // Somebody may have hidden it again on purpose since the first time.
    if (!isShown && !window.isDestroyed()) window.show();
    isShown = true;
  };
  window.once('ready-to-show', show);
  window.webContents.once('did-fail-load', show);
  window.webContents.once('did-finish-load', () => {
    timer = setTimeout(show, DRAWING_MS_MAX);
  });
  window.once('closed', () => clearTimeout(timer));
}
