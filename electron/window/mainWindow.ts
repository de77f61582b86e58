/**
 * The one window. It is made hidden, shown when it can be seen whole, remembers its place for each display, and is destroyed
 * when closed, since a hidden one gives no memory back (D15).
 */

import { BrowserWindow, screen } from 'electron';
import { frameColours, mainWindowOptions, titleBarOverlay } from './mainWindowOptions';
import { showWhenDrawn } from './showWhenDrawn';
import { type MemoryFile, nextZoom, placeFor, rememberPlace } from './windowMemory';

/** Moves and sizes are written this long after the last of them. */
const REMEMBER_MS = 400;
/** A page that crashes more often than this within CRASH_WINDOW_MS is not loaded again. */
const CRASHES_MAX = 3;
const CRASH_WINDOW_MS = 60_000;

export type MainWindowDeps = {
  readonly url: string;
  readonly preload: string;
  readonly icon: string;
  readonly platform: string;
  readonly memory: MemoryFile;
  readonly isDark: () => boolean;
  readonly report: (event: string, facts: Record<string, unknown>) => void;
  readonly onOpened: () => void;
  /** The window was closed. `reopened` is aborted when there is one again. */
  readonly onClosed: (reopened: AbortSignal) => void;
};

export interface MainWindow {
  /** Brings the window to the front, and makes one if there is none. */
  show(): void;
  /** The open window, or null. */
  current(): BrowserWindow | null;
  /** The theme has changed. */
  recolour(): void;
  zoom(direction: -1 | 0 | 1): void;
}

export function createMainWindow(deps: MainWindowDeps): MainWindow {
  let window: BrowserWindow | null = null;
  let reopening = new AbortController();

  const open = (): BrowserWindow => {
    const place = placeFor(deps.memory.get(), screen.getAllDisplays(), screen.getPrimaryDisplay());
    const opened = new BrowserWindow(mainWindowOptions({ ...deps, bounds: place, isDark: deps.isDark() }));
    if (place.isMaximized) opened.maximize();
    showWhenDrawn(opened);
    keepPlace(opened, deps.memory);
    keepPage(opened, deps);
    opened.webContents.on('dom-ready', () => opened.webContents.setZoomFactor(deps.memory.get().zoom));
    opened.webContents.on('zoom-changed', (_event, direction) => zoom(direction === 'in' ? 1 : -1));
    // The page asks what becomes of an unsaved form; a question that cannot be seen would look like a stuck window.
    opened.webContents.on('will-prevent-unload', () => bringToFront(opened));
    opened.on('closed', () => {
      window = null;
      reopening = new AbortController();
      deps.onClosed(reopening.signal);
    });
    reopening.abort();
    deps.onOpened();
    void opened.loadURL(deps.url).catch((error: unknown) => deps.report('window.loadFailed', { error }));
    return opened;
  };
  const zoom = (direction: -1 | 0 | 1): void => {
    deps.memory.change((memory) => ({ ...memory, zoom: nextZoom(memory.zoom, direction) }));
    window?.webContents.setZoomFactor(deps.memory.get().zoom);
  };

  return {
    show: () => {
      if (window === null) {
        window = open();
        return;
      }
      bringToFront(window);
    },
    current: () => window,
    recolour: () => {
      window?.setBackgroundColor(frameColours(deps.isDark()).background);
      if (deps.platform === 'win32') window?.setTitleBarOverlay(titleBarOverlay(deps.isDark()));
    },
    zoom,
  };
}

function bringToFront(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

/** The place is noted at once and written a little later, since a window that is being dragged moves all the time. */
function keepPlace(window: BrowserWindow, memory: MemoryFile): void {
  let timer: NodeJS.Timeout | null = null;
  let write = (): void => undefined;
  const writeNow = (): void => {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    write();
  };
  const note = (): void => {
    const { x, y, width, height } = window.getNormalBounds();
    const display = screen.getDisplayMatching(window.getBounds());
    const place = { x, y, width, height, isMaximized: window.isMaximized() };
    write = () => memory.change((known) => rememberPlace(known, display.id, place));
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(writeNow, REMEMBER_MS);
  };
  window.on('resize', note);
  window.on('move', note);
  window.on('close', note);
  window.on('closed', writeNow);
}

/** Loads the page again if its process ends; jobs are not touched by that. */
function keepPage(window: BrowserWindow, { url, report }: MainWindowDeps): void {
  let crashes: number[] = [];
  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (window.isDestroyed() || reason === 'clean-exit') return;
    report('window.pageGone', { reason, exitCode });
    const now = performance.now();
    crashes = [...crashes.filter((at) => now - at < CRASH_WINDOW_MS), now];
    if (crashes.length > CRASHES_MAX) {
      window.destroy();
      return;
    }
    void window.loadURL(url).catch((error: unknown) => report('window.loadFailed', { error }));
  });
}
