/**
 * The bridge between page and main process: two functions, typed by the contract and with no list of their own. It never
 * changes when a call is added, and Electron's event never reaches the page.
 */
import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron';
import type { Bridge } from '../shared/ipc/contract';

const bridge: Bridge = {
  request: (name, input) => ipcRenderer.invoke(`belfry:${name}`, input),
  subscribe: (name, listener) => {
    const pass = (_event: IpcRendererEvent, payload: Parameters<typeof listener>[0]): void =>
      listener(payload);
    ipcRenderer.on(`belfry:${name}`, pass);
    return () => ipcRenderer.off(`belfry:${name}`, pass);
  },
};

contextBridge.exposeInMainWorld('belfry', bridge);
