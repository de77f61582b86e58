/**
 * The app's entry: decides what kind of start this is, takes the lock, and hands over. Everything that must happen before
 * Electron is ready happens here, in this order.
 */

import path from 'node:path';
import { app, protocol } from 'electron';
import { chromiumFolder } from './chromiumFolder';
import { startDesktop } from './desktop';
import { ownDataFolder, runHeadless } from './headless';
import { createLastResort } from './lastResort';
import type { Log } from './ports/world';
import { parseArguments } from './startArguments';
import { registerAppScheme } from './window/appProtocol';

/** Chromium's own doors into the page; no fuse closes them (SECURITY.md, 4.7). */
const DEBUG_SWITCHES = ['remote-debugging-port', 'remote-debugging-pipe'];

function start(): void {
  const given = parseArguments(process.argv, { isPackaged: app.isPackaged });
  if (app.isPackaged && DEBUG_SWITCHES.some((name) => app.commandLine.hasSwitch(name))) {
    process.stderr.write('belfry: this build does not start with remote debugging.\n');
    app.exit(1);
    return;
  }
  let log: Log | null = null;
  process.on(
    'uncaughtException',
    createLastResort({
      lived: () => performance.now(),
      log: () => log,
      write: (line) => void process.stderr.write(line),
      relaunch: () => app.relaunch(),
      end: (exitCode) => app.exit(exitCode),
    }),
  );
  // Asking for the sandbox where it was switched off, as root has to, ends every child process at once.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  registerAppScheme(protocol);
  const folder = ownDataFolder(process.argv);
  // Judged before Chromium writes its first file, whose lock is what makes a second start find the first.
  const chromium = chromiumFolder(folder);
  app.setPath('userData', chromium.path);
  if (given.isAgent) {
    app.dock?.hide();
    // Electron sets its own signal handlers on the way to ready; ours have to come after them.
    void app
      .whenReady()
      .then(async () =>
        app.exit(
          await runHeadless(
            process.argv,
            path.join(app.getAppPath(), 'out', 'storeWorker', 'storeWorker.cjs'),
          ),
        ),
      );
    return;
  }
  if (!app.requestSingleInstanceLock(given.show)) {
    app.exit(0);
    return;
  }
  app.once('quit', chromium.remove);
  const keepLog = (opened: Log): void => {
    log = opened;
  };
  startDesktop(folder, given, keepLog).catch((error: unknown) => {
    process.stderr.write(
      `belfry: could not start: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    app.exit(1);
  });
}

start();
