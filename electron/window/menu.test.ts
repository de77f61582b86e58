import type { MenuItemConstructorOptions } from 'electron';
import { expect, test } from 'vitest';
import { applicationMenu, type MenuLook } from './menu';

const nothing = (): void => undefined;
const actions = { newJob: nothing, openBelfry: nothing, zoom: nothing, quit: nothing };

function entries(look: MenuLook): MenuItemConstructorOptions[] {
  return applicationMenu(actions, look).flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []));
}

test.each(['linux', 'win32', 'darwin'])(
  'no key reloads the page or opens tools in a release on %s',
  (platform) => {
    const roles = entries({ platform, isDevelopment: false }).map(({ role }) => role);
    expect(roles).not.toEqual(expect.arrayContaining(['reload']));
    expect(roles).not.toEqual(expect.arrayContaining(['forceReload']));
    expect(roles).not.toEqual(expect.arrayContaining(['toggleDevTools']));
    expect(entries({ platform, isDevelopment: true }).map(({ role }) => role)).toContain('reload');
  },
);

test.each(['linux', 'win32', 'darwin'])('carries the shortcuts of the window on %s', (platform) => {
  const keys = entries({ platform, isDevelopment: false }).map(({ accelerator }) => accelerator);
  for (const key of ['N', 'W', 'Q', 'Plus', '-', '0']) expect(keys).toContain(`CmdOrCtrl+${key}`);
});

test('quit is there once on every system', () => {
  for (const platform of ['linux', 'win32', 'darwin']) {
    const quits = entries({ platform, isDevelopment: false }).filter(({ label }) => label === 'Quit Belfry');
    expect(quits).toHaveLength(1);
  }
});
