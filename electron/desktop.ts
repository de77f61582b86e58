/**
 * The app around the engine: window, tray, menu, theme, power events and second starts. The engine does not know that any of
 * it exists; closing the window stops nothing.
 */

import os from 'node:os';
import path from 'node:path';
import {
  app,
  clipboard,
  dialog,
  Menu,
  nativeTheme,
  net,
  powerMonitor,
  session,
  shell,
  type WebContents,
} from 'electron';
import type { Payload } from '../shared/ipc/contract';
import type { JobId } from '../shared/model/job';
import { type Belfry, compose } from './compose';
import { createExit, type Exit } from './exit';
import { announceToWindows, electronPort, trustWindows } from './ipc/electronPort';
import { serve } from './ipc/serve';
import type { Announce, Log } from './ports/world';
import { parseSecondStart, type StartArguments } from './startArguments';
import { createDesktopHints } from './system/desktopHints';
import { realClock } from './system/realTime';
import { APP_ORIGIN, APP_URL, serveApp } from './window/appProtocol';
import { createMainWindow, type MainWindow } from './window/mainWindow';
import { applicationMenu } from './window/menu';
import { lockContents, lockSession } from './window/policy';
import { noTrayQuestion, showQuestion } from './window/questions';
import { type BelfryTray, createTray } from './window/tray';
import { isTrayShown } from './window/trayHost';
import { type MemoryFile, openMemoryFile } from './window/windowMemory';
import { createWishes, type Wishes } from './wishes';

type Place = Payload<'window.show'>;

const CHECKS_OUTPUT = __TEST_BUILD__ || __DEV_SERVER__ !== null;

const builtFile = (...names: string[]): string => path.join(app.getAppPath(), 'out', ...names);

/**
 * Opens the app on this data folder. The lock is held already; Electron need not be ready yet. `onLog` gets the diagnostic log
 * once there is one.
 */
export async function startDesktop(
  folder: string,
  given: StartArguments,
  onLog: (log: Log) => void,
): Promise<void> {
  let window: MainWindow | null = null;
  let tray: BelfryTray | null = null;
  const contents = (): WebContents[] => {
    const open = window?.current();
    return open ? [open.webContents] : [];
  };
  const toWindows = announceToWindows(contents);
  const wishes = createWishes(toWindows);
  const announce: Announce = (name, payload) => {
    toWindows(name, payload);
    tray?.update();
  };
  const show = (place: Place): void => {
    window?.show();
    // Without a particular job or form the window stays where the user left it.
    if (place.place !== 'jobs' || place.jobId !== null) wishes.show(place);
  };
  listenEarly(show);
  let leave = (): void => app.quit();

  const composing = compose({
    dataFolder: folder,
    host: 'app',
    checksOutput: CHECKS_OUTPUT,
    storeWorker: builtFile('storeWorker', 'storeWorker.cjs'),
    announce,
    machineHints: createDesktopHints({
      powerMonitor,
      net,
      platform: process.platform,
      env: process.env,
    }),
    windowSide: {
      chooseFolder: (start) => chooseFolder(window, start),
      // At once in older versions of Electron, a promise in newer ones: right for both.
      writeClipboard: async (text) => {
        await clipboard.writeText(text);
      },
      chooseNewFile: (name) => chooseNewFile(window, name),
      revealFolder: async (place) => {
        const problem = await shell.openPath(place);
        if (problem !== '') throw new Error(problem);
      },
      quit: () => leave(),
      windowDrawn: () => {
        wishes.drawn();
        reportTiming();
      },
      isWindowDrawn: () => wishes.isDrawn(),
      applySettings: ({ theme }) => {
        nativeTheme.themeSource = theme;
      },
    },
  });
  const [belfry] = await Promise.all([composing, app.whenReady()]);
  onLog(belfry.log);
  await applyTheme(belfry);
  lockSession(session.defaultSession);
  serveApp(session.defaultSession, builtFile('renderer'));
  serve({
    port: electronPort,
    isTrusted: trustWindows(contents, pageOrigin()),
    handlers: belfry.handlers,
    log: belfry.log,
    checksOutput: CHECKS_OUTPUT,
  });

  // Not even comfort is read from or written to a folder that is not to be trusted.
  const memoryFile = belfry.isFolderRefused ? null : path.join(folder, 'window.json');
  const memory = openMemoryFile(memoryFile, (error) => belfry.log.warn('window.memoryFailed', { error }));
  const exit = createExit(belfry, () => tray?.destroy());
  leave = () => exit.ask();
  window = openWindow({ belfry, memory, wishes, exit });
  tray = openTray(belfry, show, exit);
  const isHidden = given.isHidden && (await isTrayShown(process.platform));
  if (!isHidden) show(given.show);
  watchSystem({ belfry, window, tray, show, exit });
  await belfry.start();
}

/** What may happen before the window can be made. */
function listenEarly(show: (place: Place) => void): void {
  app.on('second-instance', (_event, _argv, _folder, data) => {
    const place = parseSecondStart(data);
    if (place !== null) show(place);
  });
  app.on('web-contents-created', (_event, created) =>
    lockContents(created, {
      openExternal: (url) => void shell.openExternal(url),
      devServer: __DEV_SERVER__,
    }),
  );
  // Without a listener Electron quits with the last window.
  app.on('window-all-closed', () => undefined);
}

/** For `npm start -- --timing`: how long it took from the start of this process. Says it for the first window only. */
const reportTiming = once(() => {
  const startedAt = process.getCreationTime();
  if (process.env.BELFRY_TIMING !== '1' || startedAt === null) return;
  process.stdout.write(`belfry: window drawn after ${Math.round(realClock.now() - startedAt)} ms\n`);
});

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

const pageOrigin = (): string => (__DEV_SERVER__ === null ? APP_ORIGIN : new URL(__DEV_SERVER__).origin);

async function applyTheme(belfry: Belfry): Promise<void> {
  const settings = await belfry.handlers['settings.get'](undefined);
  if (settings.ok) nativeTheme.themeSource = settings.value.theme;
}

type Around = {
  readonly belfry: Belfry;
  readonly memory: MemoryFile;
  readonly wishes: Wishes;
  readonly exit: Exit;
};

function openWindow({ belfry, memory, wishes, exit }: Around): MainWindow {
  return createMainWindow({
    url: __DEV_SERVER__ ?? APP_URL,
    preload: builtFile('preload', 'preload.cjs'),
    icon: builtFile('icons', '256x256.png'),
    platform: process.platform,
    memory,
    isDark: () => nativeTheme.shouldUseDarkColors,
    report: (event, facts) => belfry.log.warn(event, facts),
    onOpened: () => wishes.opened(),
    onClosed: (reopened) => {
      wishes.closed();
      void explainWithoutTray(memory, exit, reopened);
    },
  });
}

/** Where there is no tray to come back from, the first closing of the window asks whether to go on. */
async function explainWithoutTray(memory: MemoryFile, exit: Exit, reopened: AbortSignal): Promise<void> {
  if (exit.isUnderWay() || memory.get().runsUnseen || (await isTrayShown(process.platform))) return;
  if (reopened.aborted || exit.isUnderWay()) return;
  const answer = await showQuestion(dialog, noTrayQuestion, reopened);
  if (reopened.aborted || exit.isUnderWay()) return;
  if (answer === 'quit') exit.ask();
  else memory.change((known) => ({ ...known, runsUnseen: true }));
}

function openTray({ handlers, log }: Belfry, show: (place: Place) => void, exit: Exit): BelfryTray {
  const openJob = (jobId: JobId): void => show({ place: 'jobs', jobId });
  return createTray({
    iconFolder: builtFile('icons'),
    platform: process.platform,
    isDark: () => nativeTheme.shouldUseDarkColors,
    view: async () => {
      const [status, rows] = await Promise.all([
        handlers['engine.status'](undefined),
        handlers['jobs.list'](undefined),
      ]);
      if (!status.ok) throw new Error(status.error.message);
      return { status: status.value, rows: rows.ok ? rows.value : [], now: realClock.now() };
    },
    report: (error) => log.error('tray.failed', { error }),
    actions: {
      open: () => show({ place: 'jobs', jobId: null }),
      quit: () => exit.ask(),
      pause: () => void handlers['engine.setPaused']({ isPaused: true }),
      resume: () => void handlers['engine.setPaused']({ isPaused: false }),
      openJob,
      // What keeps the job from starting is to be seen at the job.
      runJob: (jobId) =>
        void handlers['runs.start']({ jobId }).then((reply) => (reply.ok ? undefined : openJob(jobId))),
    },
  });
}

function watchSystem({
  belfry,
  window,
  tray,
  show,
  exit,
}: {
  readonly belfry: Belfry;
  readonly window: MainWindow;
  readonly tray: BelfryTray;
  readonly show: (place: Place) => void;
  readonly exit: Exit;
}): void {
  const actions = {
    newJob: () => show({ place: 'new_job', jobId: null }),
    openBelfry: () => show({ place: 'jobs', jobId: null }),
    zoom: window.zoom,
    quit: () => exit.ask(),
  };
  const look = { platform: process.platform, isDevelopment: __DEV_SERVER__ !== null };
  Menu.setApplicationMenu(Menu.buildFromTemplate(applicationMenu(actions, look)));
  nativeTheme.on('updated', () => {
    window.recolour();
    tray.update();
  });
  powerMonitor.on('suspend', () => belfry.notifySuspend());
  powerMonitor.on('resume', () => belfry.notifyResume());
  // Where the event of waking up gets lost, the next thing that a person does is to unlock. Twice does no harm.
  powerMonitor.on('unlock-screen', () => belfry.notifyResume());
  app.on('activate', () => show({ place: 'jobs', jobId: null }));
}

async function chooseFolder(window: MainWindow | null, start: string): Promise<string | null> {
  const options: Electron.OpenDialogOptions = {
    title: 'Choose a folder',
    defaultPath: start === '' ? os.homedir() : start.replace(/^~(?=$|[/\\])/, os.homedir()),
    properties: ['openDirectory', 'createDirectory'],
  };
  const parent = window?.current();
  const { filePaths } = parent
    ? await dialog.showOpenDialog(parent, options)
    : await dialog.showOpenDialog(options);
  return filePaths[0] ?? null;
}

async function chooseNewFile(window: MainWindow | null, name: string): Promise<string | null> {
  const options: Electron.SaveDialogOptions = {
    title: 'Save to a file',
    defaultPath: path.join(os.homedir(), name),
    properties: ['createDirectory', 'showOverwriteConfirmation'],
  };
  const parent = window?.current();
  const { filePath } = parent
    ? await dialog.showSaveDialog(parent, options)
    : await dialog.showSaveDialog(options);
  return filePath === '' || filePath === undefined ? null : filePath;
}
