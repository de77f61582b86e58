/**
 * The application menu: the commands that belong to the window, with their shortcuts. Reload and developer tools are in
 * development builds only, so that no key is ever a page reload.
 */

import type { MenuItemConstructorOptions } from 'electron';

export type MenuActions = {
  readonly newJob: () => void;
  readonly openBelfry: () => void;
  readonly zoom: (direction: -1 | 0 | 1) => void;
  readonly quit: () => void;
};

export type MenuLook = { readonly platform: string; readonly isDevelopment: boolean };

/** The template of the menu bar. */
export function applicationMenu(actions: MenuActions, look: MenuLook): MenuItemConstructorOptions[] {
  const isMac = look.platform === 'darwin';
  const quit: MenuItemConstructorOptions = {
    label: 'Quit Belfry',
    accelerator: 'CmdOrCtrl+Q',
    click: actions.quit,
  };
  return [
    ...(isMac ? [macMenu(quit)] : []),
    {
      label: '&File',
      submenu: [
        { label: 'New job', accelerator: 'CmdOrCtrl+N', click: actions.newJob },
        ...(isMac ? [{ label: 'Open Belfry', click: actions.openBelfry }] : []),
        { type: 'separator' },
        { label: 'Close window', accelerator: 'CmdOrCtrl+W', role: 'close' },
        ...(isMac ? [] : [quit]),
      ],
    },
    {
      label: '&Edit',
      submenu: [
        { role: 'undo' },
        { role: 'redo' },
        { type: 'separator' },
        { role: 'cut' },
        { role: 'copy' },
        { role: 'paste' },
        { role: 'delete' },
        { role: 'selectAll' },
      ],
    },
    { label: '&View', submenu: viewEntries(actions, look) },
    ...(isMac ? [{ role: 'windowMenu' } as const] : []),
  ];
}

function viewEntries({ zoom }: MenuActions, { isDevelopment }: MenuLook): MenuItemConstructorOptions[] {
  const hidden = { visible: false, acceleratorWorksWhenHidden: true } as const;
  return [
    { label: 'Larger', accelerator: 'CmdOrCtrl+Plus', click: () => zoom(1) },
    // The same key without Shift, on layouts where the plus sign needs it.
    { label: 'Larger', accelerator: 'CmdOrCtrl+=', click: () => zoom(1), ...hidden },
    { label: 'Smaller', accelerator: 'CmdOrCtrl+-', click: () => zoom(-1) },
    { label: 'Normal size', accelerator: 'CmdOrCtrl+0', click: () => zoom(0) },
    { type: 'separator' },
    { role: 'togglefullscreen' },
    ...(isDevelopment
      ? ([
          { type: 'separator' },
          { role: 'reload' },
          { role: 'toggleDevTools' },
        ] satisfies MenuItemConstructorOptions[])
      : []),
  ];
}

const macMenu = (quit: MenuItemConstructorOptions): MenuItemConstructorOptions => ({
  label: 'Belfry',
  submenu: [
    { role: 'about' },
    { type: 'separator' },
    { role: 'services' },
    { type: 'separator' },
    { role: 'hide' },
    { role: 'hideOthers' },
    { role: 'unhide' },
    { type: 'separator' },
    quit,
  ],
});
