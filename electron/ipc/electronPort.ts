/**
 * The contract over Electron: requests through `ipcMain.handle`, events through `webContents.send`, both under the prefix
 * that the preload script uses. The only file besides the preload that touches Electron's IPC.
 */

import { type IpcMainInvokeEvent, ipcMain, type WebContents } from 'electron';
import type { Announce } from '../ports/world';
import type { IpcPort } from './serve';
import { isTrustedSender, type SenderContents } from './trust';

const CHANNEL_PREFIX = 'belfry:';

export const electronPort: IpcPort<IpcMainInvokeEvent> = {
  handle: (name, answer) =>
    ipcMain.handle(CHANNEL_PREFIX + name, (event, input: unknown) => answer(event, input)),
};

/** The sender check for windows that Belfry made: `contents` answers those of the open ones, `origin` is our page's. */
export const trustWindows =
  (contents: () => readonly SenderContents[], origin: string) =>
  (event: IpcMainInvokeEvent): boolean =>
    isTrustedSender(event, { isOurs: (sender) => contents().includes(sender), origin });

/** Tells every open window. A page that is still loading misses events; it asks for everything once it is there. */
export const announceToWindows =
  (contents: () => readonly WebContents[]): Announce =>
  (name, payload) => {
    for (const webContents of contents()) {
      if (!webContents.isDestroyed()) webContents.send(CHANNEL_PREFIX + name, payload);
    }
  };
