/**
 * The one place where everything is built: adapters get their surroundings, the engine gets its ports, window and socket get
 * the handlers. App, agent and tests use it alike, so it knows nothing of Electron. What is built around one store ends and
 * begins anew when another store takes its place; whoever holds a Belfry does not notice.
 */

import os from 'node:os';
import path from 'node:path';
import type { Handlers, Health } from '../shared/ipc/contract';
import type { SchedulerStatus } from '../shared/model/settings';
import type { Instant } from '../shared/time';
import { createDataActions } from './dataActions';
import type { StopChoice } from './engine/engine';
import type { Asker } from './ipc/frames';
import { serve } from './ipc/serve';
import { createSocketServer, type SocketServer } from './ipc/socket';
import type { WindowSide } from './ipc/window';
import { livingHolder } from './leaseHolder';
import { type Life, lifeWithoutStore, lifeWithStore, once, type Surroundings } from './openBelfry';
import type { DataKeeper, OfflineData, StoreFiles } from './ports/data';
import type { Announce, Log } from './ports/world';
import { createPresent, type Present } from './present';
import { wasPutBackSince } from './replacement';
import { backupsFolderOf } from './store/backups';
import { type CheckedCopiesDeps, createCheckedCopies } from './store/checkedCopies';
import { openDatabase, prepareFolder } from './store/database';
import { createDataKeeper } from './store/dataKeeper';
import { refuse } from './store/refusal';
import { createStoreFiles, type StoreFilesDeps } from './store/storeFiles';
import { createStoreWork } from './storeWork';
import { ensurePrivateFolder } from './system/dataFolder';
import { realIds } from './system/ids';
import { type ClosableLog, createLog } from './system/log';
import { createPeers } from './system/peers';
import { realClock, realTimer } from './system/realTime';
import { createSpill } from './system/spill';
import type { MachineHints } from './system/surroundings';

export type ComposeOptions = {
  readonly dataFolder: string;
  readonly host: Health['host'];
  /** null for a process without windows. */
  readonly windowSide: WindowSide | null;
  /** What the desktop knows of the machine; null for a process without one. */
  readonly machineHints: MachineHints | null;
  /** Tells the windows of this process. */
  readonly announce: Announce;
  readonly checksOutput: boolean;
  /** The bundle of storeWorker.ts; null: slow work with store files is done in this thread. */
  readonly storeWorker: string | null;
};

/** A Belfry that is built and not started yet. */
export interface Belfry {
  /** For the windows of this process. */
  readonly handlers: Handlers;
  readonly log: Log;
  /** Why the store was refused, as a sentence; null if it is open. Nothing runs then, and the file is untouched. */
  readonly problem: string | null;
  /** The data folder is not to be trusted: nobody may write there, not even comfort (S-01). */
  readonly isFolderRefused: boolean;
  status(): Promise<SchedulerStatus>;
  notifyResume(): void;
  notifySuspend(): void;
  /** Resolves when the role is known: this process runs the jobs, or another one does. */
  start(): Promise<void>;
  /** Ends the engine, closes the store and the socket. Harmless twice. */
  stop(choice: StopChoice): Promise<void>;
}

/** Made once the folder is known to be one that may be written to. */
type Trusted = { readonly log: ClosableLog; readonly socket: SocketServer };

/** Builds everything around the store in this data folder. A store that cannot be opened is an answer, not an exception. */
export async function compose(options: ComposeOptions): Promise<Belfry> {
  const { dataFolder, host, announce } = options;
  const file = path.join(dataFolder, STORE_FILE);
  const { files, keeper, endWork } = diskAccess(options, {
    patience: { timer: realTimer, ms: COPIES_MS },
    onFailure: (error) => trusted?.log.error('store.notExchanged', { error }),
    onDamage: (found) => {
      for (const copy of found) trusted?.log.error('copy.damaged', copy);
      for (const tell of [announce, trusted?.socket.announce]) tell?.('data.changed', {});
    },
  });
  let trusted: Trusted | null = null;

  const open = async (): Promise<Life> => {
    const refusal = prepareFolder(dataFolder);
    if (refusal !== null) return lifeWithoutStore(surroundings(options, trusted, data), refusal);
    if (trusted === null) {
      trusted = createTrusted(options);
      serveSocket(trusted, options, (asker) => present.handlers(asker));
    }
    const around = surroundings(options, trusted, data);
    const opened = openDatabase({ file });
    if (!opened.ok) {
      const { code, message, detail } = opened.error;
      around.log.error('store.refused', { code, message, detail });
      return lifeWithoutStore(around, opened.error);
    }
    return lifeWithStore(around, {
      database: opened.value,
      socket: trusted.socket,
      keeper,
      spill: createSpill({ folder: dataFolder, name: host }),
      peers: createPeers({ folder: dataFolder, timer: realTimer }),
      onReplaced: () => void followReplacement(),
    });
  };
  const openAgain = async (): Promise<Life> => {
    try {
      return await open();
    } catch (error) {
      trusted?.log.error('store.notOpened', { error });
      const refusal = refuse('unreadable', `“${STORE_FILE}” was opened, but cannot be read. Try again.`);
      return lifeWithoutStore(surroundings(options, trusted, data), refusal);
    }
  };
  /** Another Belfry process of this user put a copy back: go on with that. */
  const followReplacement = async (): Promise<void> => {
    const { openedAt } = present.life();
    if (!(await wasPutBackSince(file, openedAt)) || present.life().openedAt !== openedAt) return;
    await present.reopen(async () => undefined);
  };
  const tellAll = (): void => {
    for (const tell of [announce, trusted?.socket.announce]) {
      tell?.('jobs.changed', { jobId: null });
      tell?.('status.changed', {});
      tell?.('data.changed', {});
    }
  };
  const data = createDataActions({
    ...{ file, files, keeper, announce },
    present: () => ({
      refusal: present.life().refusal,
      isLeading: async () => ['running', 'paused'].includes((await present.life().status()).state),
    }),
    reopen: (work) => present.reopen(work),
  });
  // Only the first opening may fail as a whole: then there is no Belfry at all.
  let openNext = open;
  const present = createPresent(() => openNext(), tellAll);
  await present.begin();
  openNext = openAgain;
  return belfryOf(present, () => trusted, endWork);
}

function belfryOf(present: Present, trusted: () => Trusted | null, endWork: () => Promise<void>): Belfry {
  return {
    handlers: present.handlers('here'),
    log: {
      info: (event, facts) => trusted()?.log.info(event, facts),
      warn: (event, facts) => trusted()?.log.warn(event, facts),
      error: (event, facts) => trusted()?.log.error(event, facts),
    },
    get problem() {
      return present.life().refusal?.message ?? null;
    },
    get isFolderRefused() {
      return trusted() === null;
    },
    status: async () => (await present.settled()).status(),
    notifyResume: () => present.life().notifyResume(),
    notifySuspend: () => present.life().notifySuspend(),
    start: () => present.start(),
    stop: once(async (choice: StopChoice) => {
      await present.stop(choice);
      await endWork();
      await trusted()?.socket.close();
      trusted()?.log.close();
    }),
  };
}

const STORE_FILE = 'belfry.db';

const surroundings = (
  { dataFolder, host, windowSide, machineHints, announce }: ComposeOptions,
  trusted: Trusted | null,
  data: Surroundings['data'],
): Surroundings => ({
  ...{ dataFolder, host, windowSide, machineHints, announce, data },
  runsFolder: path.join(dataFolder, 'runs'),
  log: trusted?.log ?? silentLog,
  socket: trusted?.socket ?? null,
});

/** For a folder that is not to be trusted: nothing is written there, not even why (S-01). */
const silentLog: ClosableLog = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  close: () => undefined,
};

function createTrusted({ dataFolder, host }: ComposeOptions): Trusted {
  const problems = ['logs', 'runs', 'backups'].map((name) => closeToOthers(path.join(dataFolder, name)));
  const log = createLog({ folder: path.join(dataFolder, 'logs'), name: host });
  for (const problem of problems) if (problem !== null) log.warn('folder.notPrivate', problem);
  const socket = createSocketServer({
    place: {
      dataFolder,
      shortFolders: [process.env.XDG_RUNTIME_DIR ?? '', os.tmpdir()].filter((folder) => folder !== ''),
      platform: process.platform,
    },
    clock: realClock,
    ids: realIds,
    log,
  });
  return { log, socket };
}

/** A folder that cannot be made or closed is no reason to run no jobs: what needs it says so itself. */
function closeToOthers(folder: string): { folder: string; error: unknown } | null {
  try {
    ensurePrivateFolder(folder);
    return null;
  } catch (error) {
    return { folder, error };
  }
}

/** Requests over the socket. What only a window can mean is refused there. */
function serveSocket(
  { log, socket }: Trusted,
  { checksOutput }: ComposeOptions,
  handlersOf: (asker: Asker) => Handlers,
): void {
  for (const asker of ['cli', 'window'] as const) {
    serve({
      port: socket.ports[asker],
      // The rights of the socket file are the check.
      isTrusted: () => true,
      handlers: handlersOf(asker),
      log,
      checksOutput,
    });
  }
}

/** How long a list of copies waits for the check of each. What is found later is announced. */
const COPIES_MS = 1_000;

/** Everything that touches store files without the store being open. */
function diskAccess(
  { dataFolder, storeWorker }: Pick<ComposeOptions, 'dataFolder' | 'storeWorker'>,
  {
    onFailure,
    ...checks
  }: Pick<CheckedCopiesDeps, 'patience' | 'onDamage'> & Pick<StoreFilesDeps, 'onFailure'>,
): {
  readonly files: StoreFiles;
  readonly keeper: DataKeeper;
  readonly endWork: () => Promise<void>;
} {
  const file = path.join(dataFolder, STORE_FILE);
  const work = createStoreWork(storeWorker);
  const copies = createCheckedCopies({ folder: backupsFolderOf(file), work, ...checks });
  return {
    files: createStoreFiles({ file, work, copies, onFailure, formatMoment }),
    keeper: createDataKeeper({ file, runsFolder: path.join(dataFolder, 'runs'), work, copies }),
    endWork: work.end,
  };
}

/** `1 Dec 2026, 13:58`, in the zone of this machine. */
const formatMoment = (at: Instant): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' }).format(at);

/** For command lines while no Belfry answers: the files of the store, and who may work with it all the same. */
export function openOffline(options: Pick<ComposeOptions, 'dataFolder' | 'storeWorker'>): OfflineData {
  // Whoever types waits, and sees the list once.
  const { files, keeper } = diskAccess(options, {
    patience: null,
    onDamage: () => undefined,
    onFailure: () => undefined,
  });
  return { files, keeper, holder: () => livingHolder(path.join(options.dataFolder, STORE_FILE)) };
}
