/**
 * What a Belfry process does that does not run the jobs itself (D11): it reads the store on its own, sends every change to
 * the process that does, and hears from there what has changed. It writes directly only when that process does not answer.
 */

import { type EventName, events, type Handlers, type RequestName } from '../../shared/ipc/contract';
import type { Announce } from '../ports/world';
import type { SocketClient } from './socketClient';

/** Changes to jobs and runs. Preferences are this window's own and are written here. */
const passedOn = [
  'jobs.save',
  'jobs.setEnabled',
  'jobs.duplicate',
  'jobs.delete',
  'jobs.restore',
  'jobs.markSeen',
  'runs.start',
  'runs.stop',
  'engine.setPaused',
] as const satisfies readonly RequestName[];

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
