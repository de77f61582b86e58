/**
 * Whether the desktop shows tray icons at all. Electron makes a tray icon without telling whether anybody can see it; on
 * Linux the session bus knows. If nothing can tell, the answer is no, so that the only window is never hidden for good.
 */

import { execFile } from 'node:child_process';

/** A desktop that does not answer within this time shows no icons. */
export const TRAY_HOST_MS_MAX = 5_000;

const WATCHER = 'org.kde.StatusNotifierWatcher';
const WATCHER_PATH = '/StatusNotifierWatcher';
const PROPERTY = 'IsStatusNotifierHostRegistered';

/** The same question in the words of the tools that a desktop may have. */
const questions: readonly (readonly [program: string, args: readonly string[]])[] = [
  ['busctl', ['--user', 'get-property', WATCHER, WATCHER_PATH, WATCHER, PROPERTY]],
  [
    'gdbus',
    ['call', '--session', '--dest', WATCHER, '--object-path', WATCHER_PATH].concat([
      '--method',
      'org.freedesktop.DBus.Properties.Get',
      WATCHER,
      PROPERTY,
    ]),
  ],
  [
    'dbus-send',
    ['--session', '--print-reply=literal', `--dest=${WATCHER}`, WATCHER_PATH].concat([
      'org.freedesktop.DBus.Properties.Get',
      `string:${WATCHER}`,
      `string:${PROPERTY}`,
    ]),
  ],
];

/** Runs a program and resolves with what it printed, or null if it failed or is not there. */
export type AskProgram = (program: string, args: readonly string[]) => Promise<string | null>;

const askProgram: AskProgram = (program, args) =>
  new Promise((resolve) => {
    execFile(program, [...args], { timeout: TRAY_HOST_MS_MAX }, (error, output) =>
      resolve(error === null ? output : null),
    );
  });

export async function isTrayShown(platform: string, ask: AskProgram = askProgram): Promise<boolean> {
  if (platform !== 'linux') return true;
  for (const [program, args] of questions) {
    const output = await ask(program, args);
    if (output !== null) return /\btrue\b/.test(output);
  }
  return false;
}
