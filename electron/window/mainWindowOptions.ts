/** How the window is made (SECURITY.md, 4.1). The web preferences are spelled out although most of them are defaults. */

import type { BrowserWindowConstructorOptions } from 'electron';
import { type Rectangle, WINDOW_SIZE_MIN } from './windowMemory';

/** The frame's colour (`--bg-app`) and the ink on it (`--text-1`), so that nothing flashes before the page is drawn. */
const FRAME_COLOURS = {
  light: { background: '#F5F4F1', ink: '#202128' },
  dark: { background: '#111216', ink: '#EAEBEE' },
} as const;
const TITLE_BAR_HEIGHT = 40;

export type WindowLook = {
  readonly bounds: Rectangle;
  readonly isDark: boolean;
  readonly preload: string;
  readonly icon: string;
  readonly platform: string;
};

/** Everything that is fixed about the window when it is made. */
export function mainWindowOptions(look: WindowLook): BrowserWindowConstructorOptions {
  return {
    x: look.bounds.x,
    y: look.bounds.y,
    width: look.bounds.width,
    height: look.bounds.height,
    minWidth: WINDOW_SIZE_MIN.width,
    minHeight: WINDOW_SIZE_MIN.height,
    title: 'Belfry',
    show: false,
    // The menu is reached with Alt; its shortcuts work all the same.
    autoHideMenuBar: true,
    backgroundColor: frameColours(look.isDark).background,
    ...titleBar(look),
    webPreferences: {
      preload: look.preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      navigateOnDragDrop: false,
      spellcheck: false,
    },
  };
}

export const frameColours = (isDark: boolean): (typeof FRAME_COLOURS)['light' | 'dark'] =>
  isDark ? FRAME_COLOURS.dark : FRAME_COLOURS.light;

/** Linux keeps the desktop's own title bar; the others draw their buttons over ours. */
function titleBar({ platform, isDark, icon }: WindowLook): BrowserWindowConstructorOptions {
  if (platform === 'darwin') return { titleBarStyle: 'hiddenInset' };
  if (platform === 'win32')
    return { titleBarStyle: 'hidden', titleBarOverlay: titleBarOverlay(isDark), icon };
  return { icon };
}

export function titleBarOverlay(isDark: boolean): { color: string; symbolColor: string; height: number } {
  const { background, ink } = frameColours(isDark);
  return { color: background, symbolColor: ink, height: TITLE_BAR_HEIGHT };
}
