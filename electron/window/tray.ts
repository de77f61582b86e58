/**
 * The tray icon. Its menu is set anew after every change, as Linux needs it, and at most once in UPDATE_MS; nothing that stays
 * the same is set again.
 */

import path from 'node:path';
import { Menu, nativeImage, Tray } from 'electron';
import { type TrayState, type TrayView, trayMenu, trayState, trayTooltip } from './trayModel';
import { menuTemplate, type TrayActions } from './trayTemplate';

/** The icon changes at most this often. */
export const UPDATE_MS = 1_000;
/** While something runs, the minutes it has taken are brought up to date this often. */
const MINUTES_MS = 30_000;

export type TrayDeps = {
  readonly iconFolder: string;
  readonly platform: string;
  readonly isDark: () => boolean;
  readonly actions: TrayActions;
  /** Asked before each update. */
  readonly view: () => Promise<TrayView>;
  readonly report: (error: unknown) => void;
};

export interface BelfryTray {
  /** Something changed: the tray follows now or within UPDATE_MS. */
  update(): void;
  destroy(): void;
}

export function createTray(deps: TrayDeps): BelfryTray {
  const tray = new Tray(icon('idle', deps));
  let shown = { icon: '', tooltip: '', menu: '' };
  let isPausing = false;
  let isWanted = false;
  let isDestroyed = false;
  let minutes: NodeJS.Timeout | null = null;

  const draw = async (): Promise<void> => {
    const view = await deps.view();
    if (isDestroyed) return;
    const state = trayState(view.status);
    const entries = trayMenu(view);
    const wanted = {
      icon: `${state} ${deps.isDark()}`,
      tooltip: trayTooltip(view),
      menu: JSON.stringify(entries),
    };
    if (wanted.icon !== shown.icon) tray.setImage(icon(state, deps));
    if (wanted.tooltip !== shown.tooltip) tray.setToolTip(wanted.tooltip);
    if (wanted.menu !== shown.menu)
      tray.setContextMenu(Menu.buildFromTemplate(menuTemplate(entries, deps.actions)));
    shown = wanted;
    if (minutes !== null) clearTimeout(minutes);
    minutes = view.status.runningCount > 0 ? setTimeout(update, MINUTES_MS) : null;
  };
  const update = (): void => {
    if (isPausing) {
      isWanted = true;
      return;
    }
    isPausing = true;
    isWanted = false;
    draw()
      .catch(deps.report)
      .finally(() => {
        setTimeout(() => {
          isPausing = false;
          if (isWanted) update();
        }, UPDATE_MS).unref();
      });
  };

  // macOS opens the menu by itself; elsewhere a click opens the window, and the menu alone is enough too.
  if (deps.platform !== 'darwin') tray.on('click', deps.actions.open);
  update();
  return {
    update,
    destroy: () => {
      isDestroyed = true;
      if (minutes !== null) clearTimeout(minutes);
      tray.destroy();
    },
  };
}

/** macOS tints one picture itself; the others need the ink that stands out from their panel. */
function icon(state: TrayState, { iconFolder, platform, isDark }: TrayDeps): Electron.NativeImage {
  const ink = platform !== 'darwin' && isDark() ? 'dark' : 'light';
  const image = nativeImage.createFromPath(path.join(iconFolder, `tray-${state}-${ink}.png`));
  if (platform === 'darwin') image.setTemplateImage(true);
  return image;
}
