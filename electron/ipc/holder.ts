/**
 * What a Belfry process does that does not run the jobs itself (D11): it reads the store on its own, sends every change to
 * the process that does, and hears from there what has changed. It makes an edit itself only while that process does not answer,
 * and never one that it has sent.
 */

import { type EventName, events, type Handlers, type RequestName } from '../../shared/ipc/contract';
import { HOLDER_UNREACHABLE } from '../../shared/model/settings';
import { fail } from '../../shared/result';
import type { Announce } from '../ports/world';
import type { SocketClient } from './socketClient';

/**
 * Who does what is asked in a process that does not run the jobs: this one, or the one that does. Changes go there, so that one
 * process writes; while it is silent edits are made here, but nobody else can start, stop or watch a run, or look after the store
 * (holder_only). Preferences are this window's own. Complete by type, so that a new request has to say where it belongs.
 */
const places: Readonly<Record<RequestName, 'here' | 'holder' | 'holder_only'>> = {
  'jobs.list': 'here',
  'jobs.get': 'here',
  'jobs.save': 'holder',
  'jobs.setEnabled': 'holder',
  'jobs.duplicate': 'holder',
  'jobs.delete': 'holder',
  'jobs.restore': 'holder',
  'jobs.checkAndResume': 'holder_only',
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
  'runs.start': 'holder_only',
  'runs.startNow': 'holder_only',
  'runs.stop': 'holder_only',
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
  'data.check': 'holder_only',
  'data.reveal': 'here',
  'backups.list': 'here',
  'backups.create': 'holder_only',
  'backups.restore': 'holder_only',
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
const passedOn = (Object.keys(places) as RequestName[]).filter((name) => places[name] !== 'here');

/** Asking a window to show something is for the windows of the process that says it. */
const heardEvents = (Object.keys(events) as EventName[]).filter((name) => name !== 'window.show');

/**
 * How long the process that runs the jobs may take to show that it goes on, in milliseconds. It answers within one; what takes so
 * long is stopped or hangs. Mistaking a slow one does no harm: it hears of the edit anyway.
 */
export const SIGN_OF_LIFE_MS_MAX = 1_500;

export type HolderLink = {
  /** The process that runs the jobs, or null while it cannot be reached. */
  client(): Promise<SocketClient | null>;
  /** The same, but null also for one that is connected and does not answer now. */
  answering(): Promise<SocketClient | null>;
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

  const client = (): Promise<SocketClient | null> => {
    link ??= open();
    return link;
  };

  return {
    client,
    answering: async () => {
      const other = await client();
      return other !== null && (await other.isAnswering(SIGN_OF_LIFE_MS_MAX)) ? other : null;
    },
    close: () => void link?.then((client) => client?.close()),
  };
}

/** Who runs the jobs: this process, another one, or one that does not answer. */
export type Changer = 'this' | 'silent' | Pick<SocketClient, 'request'>;

/** `handlers` with every change handed to whom `changer` answers. */
export function passToHolder(handlers: Handlers, changer: () => Promise<Changer>): Handlers {
  const passing = Object.fromEntries(
    passedOn.map((name) => {
      const here = handlers[name] as (input: unknown) => Promise<unknown>;
      return [
        name,
        async (input: never) => {
          const other = await changer();
          if (other === 'this') return here(input);
          if (other !== 'silent') return other.request(name, input);
          return places[name] === 'holder' ? here(input) : fail('unavailable', HOLDER_UNREACHABLE);
        },
      ];
    }),
  );
  return { ...handlers, ...passing };
}
