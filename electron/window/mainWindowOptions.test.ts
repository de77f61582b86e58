import { expect, test } from 'vitest';
import { mainWindowOptions } from './mainWindowOptions';

const look = {
  bounds: { x: 10, y: 20, width: 1200, height: 760 },
  isDark: false,
  preload: 'preload.cjs',
  icon: 'icon.png',
  platform: 'linux',
};

const webPreferences = {
  preload: 'preload.cjs',
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
};

test('the window is made with exactly these options (4.1)', () => {
  expect(mainWindowOptions(look)).toEqual({
    x: 10,
    y: 20,
    width: 1200,
    height: 760,
    minWidth: 720,
    minHeight: 480,
    title: 'Belfry',
    show: false,
    autoHideMenuBar: true,
    backgroundColor: '#F5F4F1',
    icon: 'icon.png',
    webPreferences,
  });
});

test.each(['darwin', 'win32', 'linux'])('its page has the same rights on %s', (platform) => {
  expect(mainWindowOptions({ ...look, platform }).webPreferences).toEqual(webPreferences);
});

test('has the colour of the theme before anything is drawn, so that nothing flashes', () => {
  const dark = mainWindowOptions({ ...look, isDark: true, platform: 'win32' });
  expect(dark.backgroundColor).toBe('#111216');
  expect(dark.titleBarOverlay).toEqual({ color: '#111216', symbolColor: '#EAEBEE', height: 40 });
});
