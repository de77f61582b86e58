/**
 * What a Belfry process does that does not run the jobs itself (D11): it reads the store on its own, sends every change to
 * the process that does, and hears from there what has changed. It writes directly only when that process does not answer.
 */

import { type EventName, events, type Handlers, type RequestName } from '../../shared/ipc/contract';
import type { Announce } from '../ports/world';
import type { SocketClient } from './socketClient';

/**
 * Who does what is asked in a process that does not run the jobs: this one, or the one that does. Changes go there, so that one
 * process writes; preferences are this window's own. Complete by type, so that a new request has to say where it belongs.
 */
const places: Readonly<Record<RequestName, 'here' | 'holder'>> = {
  'jobs.list': 'here',
  'jobs.get': 'here',
  'jobs.save': 'holder',
  'jobs.setEnabled': 'holder',
  'jobs.duplicate': 'holder',
  'jobs.delete': 'holder',
  'jobs.restore': 'holder',
  'jobs.checkAndResume': 'holder',
  'jobs.explain': 'here',
  'jobs.markSeen': 'holder',
  'schedules.preview': 'here',
  'preview.whatIf': 'here',
  'commands.check': 'here',
  'runs.history': 'here',
  'runs.find': 'here',
  'runs.counts': 'here',
  'runs.get': 'here',
  'runs.attempts': 'here',
  'runs.start': 'holder',
  'runs.startNow': 'holder',
  'runs.stop': 'holder',
  'output.read': 'here',
  'engine.status': 'here',
  'engine.takeOver': 'here',
  'engine.handOver': 'here',
  'engine.setPaused': 'holder',
  'machine.get': 'here',
  'pauses.list': 'here',
  'pauses.start': 'holder',
  'pauses.end': 'holder',
  'data.get': 'here',
  'data.check': 'holder',
  'data.reveal': 'here',
  'backups.list': 'here',
  'backups.create': 'holder',
  'backups.restore': 'holder',
  'rescue.get': 'here',
  'rescue.retry': 'here',
  'rescue.act': 'here',
  'rescue.cancelRepair': 'here',
  'rescue.export': 'here',
  'app.quit': 'here',
  'settings.get': 'here',
  'settings.save': 'here',
  'clipboard.write': 'here',
  'folders.choose': 'here',
  'window.drawn': 'here',
  'health.get': 'here',
};
const passedOn = (Object.keys(places) as RequestName[]).filter((name) => places[name] === 'holder');

/** Asking a window to show something is for the windows of the process that says it. */
const heardEvents = (Object.keys(events) as EventName[]).filter((name) => name !== 'window.show');

export type HolderLink = {
  /** The process that runs the jobs, or null while it cannot be reached. */
  client(): Promise<SocketClient | null>;
  close(): void;
};

export type HolderLinkDeps = {
  readonly connect: () => Promise<SocketClient | null>;
  /** Gets every event of the other process. */
  readonly announce: Announce;
  /** The other process has gone away or closed its socket: whoever stands by may be needed now. */
  readonly onLost: () => void;
};

/** One connection, made when it is first needed and again after it was lost. */
export function createHolderLink({ connect, announce, onLost }: HolderLinkDeps): HolderLink {
  let link: Promise<SocketClient | null> | null = null;

  const open = async (): Promise<SocketClient | null> => {
    const client = await connect();
    if (client === null) {
      link = null;
      return null;
    }
    for (const name of heardEvents) client.subscribe(name, (payload) => announce(name, payload));
    client.onClose(() => {
      link = null;
      onLost();
    });
    return client;
  };

  return {
    client: () => {
      link ??= open();
      return link;
    },
    close: () => void link?.then((client) => client?.close()),
  };
}

/** `handlers` with every change handed to whom `holder` answers; null means to do it here. */
export function passToHolder(handlers: Handlers, holder: () => Promise<SocketClient | null>): Handlers {
  const passing = Object.fromEntries(
    passedOn.map((name) => {
      const here = handlers[name] as (input: unknown) => Promise<unknown>;
      return [
        name,
        async (input: never) => {
          const client = await holder();
          return client === null ? here(input) : client.request(name, input);
        },
      ];
    }),
  );
  return { ...handlers, ...passing };
}
