import { expect, test } from 'vitest';
import { type AskProgram, isTrayShown } from './trayHost';

const only =
  (name: string, output: string): AskProgram =>
  async (program) =>
    program === name ? output : null;

test.each([
  ['busctl', 'b true\n', true],
  ['busctl', 'b false\n', false],
  ['gdbus', '(<true>,)\n', true],
  ['dbus-send', '   variant       boolean true\n', true],
  ['dbus-send', '   variant       boolean false\n', false],
])('believes %s when it says "%s"', async (program, output, isShown) => {
  expect(await isTrayShown('linux', only(program, output))).toBe(isShown);
});

test('takes it that there is no tray where nothing can tell', async () => {
  expect(await isTrayShown('linux', async () => null)).toBe(false);
});

test.each(['darwin', 'win32'])('%s always has one', async (platform) => {
  expect(await isTrayShown(platform, () => Promise.reject(new Error('not asked')))).toBe(true);
});
