/**
 * The one place where everything is built: adapters get their surroundings, the engine gets its ports, window and socket get
 * the handlers. App, agent and tests use it alike, so it knows nothing of Electron.
 */

import os from 'node:os';
import path from 'node:path';
import { version } from '../package.json';
import type { Handlers, Health } from '../shared/ipc/contract';
import type { SchedulerStatus } from '../shared/model/settings';
import { assert } from '../shared/result';
import { createEngine } from './engine/createEngine';
import type { StopChoice } from './engine/engine';
import { batchAnnouncements } from './ipc/announcements';
import type { Asker } from './ipc/frames';
import { createHandlers, failedStoreHandlers, failedStoreStatus, type HandlerDeps } from './ipc/handlers';
import { createHolderLink, passToHolder } from './ipc/holder';
import { createRole } from './ipc/role';
import { serve } from './ipc/serve';
import { createSocketServer, type SocketServer } from './ipc/socket';
import { connectToBelfry } from './ipc/socketClient';
import { type WindowSide, windowHandlers } from './ipc/window';
import { createCommandInspector } from './kinds/commandCheck';
import { userSurroundings } from './kinds/commandPlan';
import { createAskCommand } from './kinds/conditionCommand';
import { createOutputs } from './kinds/output';
import { createRunner, createRunners } from './kinds/registry';
import type { Store } from './ports/store';
import type { Announce, Ids, Log } from './ports/world';
import { type Database, openDatabase, prepareFolder } from './store/database';
import { createStore } from './store/store';
import { ensurePrivateFolder } from './system/dataFolder';
import { createHost } from './system/host';
import { createAskHost } from './system/hostAnswers';
import { realIds } from './system/ids';
import { type ClosableLog, createLog } from './system/log';
import { readNetworkState } from './system/networkState';
import { readPower } from './system/power';
import { createProcessTable } from './system/processTable';
import { realClock, realTimer } from './system/realTime';
import { createSurroundings, type MachineHints } from './system/surroundings';

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

/** Builds everything around the store in this data folder. A store that cannot be opened is an answer, not an exception. */
export async function compose(options: ComposeOptions): Promise<Belfry> {
  const { dataFolder, host } = options;
  const refusal = prepareFolder(dataFolder);
  if (refusal !== null) return withoutStore({ options, log: silentLog, socket: null }, refusal.message);
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
  const parts: Parts = { options, log, socket };
  const opened = openDatabase({ file: path.join(dataFolder, 'belfry.db') });
  if (!opened.ok) {
    log.error('store.refused', { code: opened.error.code, message: opened.error.message });
    return withoutStore(parts, opened.error.message);
  }
  return withStore(parts, opened.value);
}

type Parts = {
  readonly options: ComposeOptions;
  readonly log: ClosableLog;
  readonly socket: SocketServer;
};

/** A folder that cannot be made or closed is no reason to run no jobs: what needs it says so itself. */
function closeToOthers(folder: string): { folder: string; error: unknown } | null {
  try {
    ensurePrivateFolder(folder);
    return null;
  } catch (error) {
    return { folder, error };
  }
}

const factsOf = (host: Health['host'], sqlite: string): HandlerDeps['facts'] => ({
  version,
  pid: process.pid,
  host,
  runtime: process.versions.electron
    ? `Electron ${process.versions.electron}`
    : `Node ${process.versions.node}`,
  sqlite,
});

/** For a folder that is not to be trusted: nothing is written there, not even why (S-01). */
const silentLog: ClosableLog = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  close: () => undefined,
};

type Refused = Omit<Parts, 'socket'> & {
  /** null where others could put theirs in its place. */
  readonly socket: SocketServer | null;
};

/** Tells what is wrong, to the window and to command lines, and does nothing else. */
function withoutStore({ options, log, socket }: Refused, problem: string): Belfry {
  const deps = { facts: factsOf(options.host, 'not open'), windowSide: options.windowSide };
  const handlers = failedStoreHandlers(problem, deps);
  if (socket !== null) serveSocket({ options, log, socket }, { cli: handlers, window: handlers });
  return {
    handlers,
    log,
    problem,
    isFolderRefused: socket === null,
    status: async () => failedStoreStatus(problem),
    notifyResume: () => undefined,
    notifySuspend: () => undefined,
    start: async () => {
      await socket
        ?.open({ runsJobs: false })
        .catch((error: unknown) => log.error('socket.notOpened', { error }));
    },
    stop: once(async () => {
      await socket?.close();
      log.close();
    }),
  };
}

async function withStore(parts: Parts, database: Database): Promise<Belfry> {
  const { options, log, socket } = parts;
  const store = createStore(database);
  const announceHere = batchAnnouncements((name, payload) => {
    options.announce(name, payload);
    socket.announce(name, payload);
    if (name === 'status.changed') void role.follow();
  }, realTimer);
  const processes = createProcessTable();
  const host = createHost({ nodeId: await ownNodeId(store, realIds), processes });
  const surroundings = userSurroundings();
  const outputs = createOutputs({
    runsFolder: path.join(options.dataFolder, 'runs'),
    clock: realClock,
    timer: realTimer,
    log,
    onOutput: (runId) => announceHere('output.grew', { runId }),
  });
  const commandDeps = {
    clock: realClock,
    timer: realTimer,
    log,
    host,
    processes,
    outputs,
    surroundings,
    umask: process.umask(),
  };
  const runners = createRunners(commandDeps);
  const machine = createSurroundings({
    clock: realClock,
    timer: realTimer,
    readPower: () => readPower(process.platform),
    readNetwork: () => readNetworkState(process.platform),
    askHost: createAskHost({ timer: realTimer }),
    checkCommand: createAskCommand({ ...commandDeps, ids: realIds }),
    hints: options.machineHints,
  });
  const engine = createEngine({
    clock: realClock,
    timer: realTimer,
    ids: realIds,
    host,
    log,
    announce: announceHere,
    store,
    runner: createRunner(runners),
    surroundings: machine,
    openSandbox,
  });
  const link = createHolderLink({
    connect: () => connectToBelfry({ dataFolder: options.dataFolder, timer: realTimer, from: 'window' }),
    announce: options.announce,
    // It has released the lease or died, so the engine looks at once instead of at its next turn.
    onLost: () => engine.notifyResume(),
  });
  const role = createRole({ engine, socket, link, log });
  const deps: HandlerDeps = {
    engine,
    output: outputs.reader,
    commands: createCommandInspector(surroundings),
    facts: factsOf(options.host, sqliteVersion(database)),
    machine: machine.look,
    windowSide: options.windowSide,
  };
  const byHand = createHandlers(deps, 'manual');
  serveSocket(parts, { cli: createHandlers(deps, 'cli'), window: byHand });
  return {
    handlers: passToHolder(byHand, role.holder),
    log,
    problem: null,
    isFolderRefused: false,
    status: () => engine.status(),
    notifyResume: () => engine.notifyResume(),
    notifySuspend: () => engine.notifySuspend(),
    start: async () => {
      await engine.start();
      await role.follow();
    },
    stop: once(async (choice: StopChoice) => {
      role.leave();
      link.close();
      await engine.stop(choice);
      await socket.close();
      await store.close();
      log.close();
    }),
  };
}

/** Requests over the socket. What only a window can mean is refused there. */
function serveSocket({ options, log, socket }: Parts, handlers: Readonly<Record<Asker, Handlers>>): void {
  for (const asker of ['cli', 'window'] as const) {
    serve({
      port: socket.ports[asker],
      // The rights of the socket file are the check.
      isTrusted: () => true,
      handlers: { ...handlers[asker], ...windowHandlers(null) },
      log,
      checksOutput: options.checksOutput,
    });
  }
}

/** The store that "what would happen" lives in: in memory, and gone with it. */
async function openSandbox(): Promise<Store> {
  const opened = openDatabase('memory');
  assert(opened.ok, 'a store in memory can be opened');
  return createStore(opened.value);
}

/** Made once per installation and kept in the store, so that a copy of the program is not taken for another machine. */
async function ownNodeId(store: Store, ids: Ids): Promise<string> {
  const known = await store.read((reader) => reader.settings.nodeId());
  if (known !== null) return known;
  return store.transact(async (writer) => {
    const made = (await writer.settings.nodeId()) ?? ids.next();
    await writer.settings.setNodeId(made);
    return made;
  });
}

const sqliteVersion = ({ writer }: Database): string =>
  String(writer.get('SELECT sqlite_version() AS version')?.version);

/** `work`, done at the first call only; every call gets its promise. */
function once<I>(work: (input: I) => Promise<void>): (input: I) => Promise<void> {
  let done: Promise<void> | null = null;
  return (input) => {
    done ??= work(input);
    return done;
  };
}
