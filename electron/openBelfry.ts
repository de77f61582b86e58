/**
 * One life of Belfry around one store: everything that has to be built anew when another store takes its place. A store that was
 * refused has a life too, in which only what is wrong can be asked.
 */

import { version } from '../package.json';
import type { Handlers, Health } from '../shared/ipc/contract';
import type { SchedulerStatus } from '../shared/model/settings';
import { assert } from '../shared/result';
import type { Instant } from '../shared/time';
import { isReplaced } from './core/storeError';
import { type LeaseTimings, resolveTimings } from './core/timings';
import { createEngine } from './engine/createEngine';
import type { StopChoice } from './engine/engine';
import { batchAnnouncements } from './ipc/announcements';
import {
  createHandlers,
  failedStoreHandlers,
  failedStoreStatus,
  forOthers,
  type HandlerDeps,
} from './ipc/handlers';
import { createHolderLink, passToHolder } from './ipc/holder';
import { createRole } from './ipc/role';
import type { SocketServer } from './ipc/socket';
import { connectToBelfry } from './ipc/socketClient';
import { takeOver } from './ipc/takeOver';
import type { WindowSide } from './ipc/window';
import { createCommandInspector } from './kinds/commandCheck';
import { userSurroundings } from './kinds/commandPlan';
import { createAskCommand } from './kinds/conditionCommand';
import { createOutputs } from './kinds/output';
import { createRunner, createRunners } from './kinds/registry';
import type { DataActions, DataKeeper, Peers, Spill } from './ports/data';
import type { Store } from './ports/store';
import type { Announce, Host, Ids } from './ports/world';
import { type Database, openDatabase } from './store/database';
import type { StoreRefusal } from './store/refusal';
import { createStore } from './store/store';
import { createHost } from './system/host';
import { createAskHost } from './system/hostAnswers';
import { realIds } from './system/ids';
import type { ClosableLog } from './system/log';
import { readNetworkState } from './system/networkState';
import { readPower } from './system/power';
import { createProcessTable, type ProcessTable } from './system/processTable';
import { realClock, realTimer } from './system/realTime';
import { createSurroundings, type MachineHints } from './system/surroundings';

/** What stays the same from one store to the next. */
export type Surroundings = {
  readonly host: Health['host'];
  readonly dataFolder: string;
  /** Where the runs of this data folder keep their output. */
  readonly runsFolder: string;
  readonly windowSide: WindowSide | null;
  readonly machineHints: MachineHints | null;
  readonly announce: Announce;
  readonly log: ClosableLog;
  /** null where others could put theirs in its place. */
  readonly socket: SocketServer | null;
  readonly data: DataActions;
};

/** The handlers of one life, by who asks. */
export type HandlersByAsker = {
  /** The windows of this process. */
  readonly here: Handlers;
  /** Other processes of this user. */
  readonly cli: Handlers;
  readonly window: Handlers;
};

export interface Life {
  readonly handlers: HandlersByAsker;
  /** null while the store is open. */
  readonly refusal: StoreRefusal | null;
  readonly openedAt: Instant;
  status(): Promise<SchedulerStatus>;
  notifyResume(): void;
  notifySuspend(): void;
  /** Resolves when the role is known. */
  start(): Promise<void>;
  /** Ends the engine and closes the store. Harmless twice. */
  stop(choice: StopChoice): Promise<void>;
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

/** Tells what is wrong, to the window and to command lines, and does nothing else. */
export function lifeWithoutStore(around: Surroundings, refusal: StoreRefusal): Life {
  const { host, windowSide, data, socket, log } = around;
  const sources = { windowSide, data, folder: around.dataFolder };
  const here = failedStoreHandlers(refusal.message, { ...sources, facts: factsOf(host, 'not open') });
  const remote = forOthers(here, sources);
  return {
    handlers: { here, cli: remote, window: remote },
    refusal,
    openedAt: realClock.now(),
    status: async () => failedStoreStatus(refusal.message),
    notifyResume: () => undefined,
    notifySuspend: () => undefined,
    start: async () => {
      await socket
        ?.open({ runsJobs: false })
        .catch((error: unknown) => log.error('socket.notOpened', { error }));
    },
    stop: async () => undefined,
  };
}

export type OpenStore = {
  readonly database: Database;
  readonly socket: SocketServer;
  readonly keeper: DataKeeper;
  readonly spill: Spill;
  readonly peers: Peers;
  /** The store is not the one any more that lies under its name. Called once. */
  readonly onReplaced: () => void;
};

export async function lifeWithStore(around: Surroundings, open: OpenStore): Promise<Life> {
  const { log, windowSide, announce } = around;
  const { database, socket, keeper } = open;
  const store = noticing(createStore(database), open.onReplaced);
  const statusListeners = new Set<() => void>();
  const onStatus = (listener: () => void): (() => void) => {
    statusListeners.add(listener);
    return () => void statusListeners.delete(listener);
  };
  const announceHere = batchAnnouncements((name, payload) => {
    announce(name, payload);
    socket.announce(name, payload);
    if (name !== 'status.changed') return;
    void role.follow();
    for (const listener of statusListeners) listener();
  }, realTimer);
  const processes = createProcessTable();
  const host = createHost({ nodeId: await ownNodeId(store, realIds), processes });
  const { outputs, runner, commands, machine } = localAdapters(around, {
    processes,
    host,
    announce: announceHere,
  });
  const engine = createEngine({
    clock: realClock,
    timer: realTimer,
    ids: realIds,
    host,
    log,
    announce: announceHere,
    store,
    runner,
    surroundings: machine,
    openSandbox,
    keeper,
    spill: open.spill,
    peers: open.peers,
    ...testTimings(),
  });
  const link = createHolderLink({
    connect: () => connectToBelfry({ dataFolder: around.dataFolder, timer: realTimer, from: 'window' }),
    announce,
    // It has released the lease or died, so the engine looks at once instead of at its next turn.
    onLost: () => engine.notifyResume(),
  });
  const role = createRole({ engine, socket, link, log, timer: realTimer });
  const deps: HandlerDeps = {
    engine,
    output: outputs.reader,
    commands,
    facts: factsOf(around.host, sqliteVersion(database)),
    machine: machine.look,
    windowSide,
    data: around.data,
    folder: around.dataFolder,
  };
  const byHand = createHandlers(deps, 'manual');
  return {
    handlers: {
      here: {
        ...passToHolder(byHand, role.changer),
        'engine.takeOver': takeOver({ engine, holder: role.holder, timer: realTimer, onStatus }),
      },
      cli: forOthers(createHandlers(deps, 'cli'), deps),
      window: forOthers(byHand, deps),
    },
    refusal: null,
    openedAt: realClock.now(),
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
      await store.close();
    }),
  };
}

/** What touches processes, power and network. */
function localAdapters(
  { runsFolder, log, machineHints }: Surroundings,
  { processes, host, announce }: { processes: ProcessTable; host: Host; announce: Announce },
) {
  const surroundings = userSurroundings();
  const outputs = createOutputs({
    runsFolder,
    clock: realClock,
    timer: realTimer,
    log,
    onOutput: (runId) => announce('output.grew', { runId }),
  });
  const deps = {
    ...{ log, host, processes, outputs, surroundings },
    clock: realClock,
    timer: realTimer,
    umask: process.umask(),
  };
  const machine = createSurroundings({
    clock: realClock,
    timer: realTimer,
    readPower: () => readPower(process.platform),
    readNetwork: () => readNetworkState(process.platform),
    askHost: createAskHost({ timer: realTimer }),
    checkCommand: createAskCommand({ ...deps, ids: realIds }),
    hints: machineHints,
  });
  return {
    outputs,
    machine,
    runner: createRunner(createRunners(deps)),
    commands: createCommandInspector(surroundings),
  };
}

/** Tests of several processes cannot wait for the usual timings (H-03); a release cannot be told others. */
function testTimings(): { timings?: LeaseTimings } {
  if (!__TEST_BUILD__) return {};
  const { BELFRY_RENEW_MS: renewMs, BELFRY_STALE_MS: staleMs, BELFRY_WATCH_MS: watchMs } = process.env;
  return { timings: resolveTimings({ renewMs, staleMs, watchMs }) };
}

/** The same store; `onReplaced` is called at the first error that says that another one lies in its place. */
function noticing(store: Store, onReplaced: () => void): Store {
  let isNoticed = false;
  const notice = (error: unknown): never => {
    if (isReplaced(error) && !isNoticed) {
      isNoticed = true;
      onReplaced();
    }
    throw error;
  };
  return {
    read: (work) => store.read(work).catch(notice),
    transact: (work, options) => store.transact(work, options).catch(notice),
    close: () => store.close(),
  };
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
export function once<I>(work: (input: I) => Promise<void>): (input: I) => Promise<void> {
  let done: Promise<void> | null = null;
  return (input) => {
    done ??= work(input);
    return done;
  };
}
