/**
 * What depends on whether this process runs the jobs: it opens the socket where others look for it, or talks to the one that
 * does. Looked at anew whenever the engine says that its status changed.
 */

import type { Engine } from '../engine/engine';
import type { Log, Timer } from '../ports/world';
import type { Changer, HolderLink } from './holder';
import type { SocketServer } from './socket';
import type { SocketClient } from './socketClient';

export interface Role {
  /** Acts on the present role. Resolves when that is done; a call meanwhile makes it look once more. */
  follow(): Promise<void>;
  /** The other process that runs the jobs, as far as there is a connection to it; null while this one runs them. */
  holder(): Promise<SocketClient | null>;
  /** Who makes the next change. Asked anew for each one. */
  changer(): Promise<Changer>;
  /** Nothing is opened any more. */
  leave(): void;
}

export type RoleDeps = {
  readonly engine: Pick<Engine, 'status' | 'notifyResume'>;
  readonly socket: Pick<SocketServer, 'open' | 'isFound'>;
  readonly link: Pick<HolderLink, 'client' | 'answering'>;
  readonly log: Log;
  readonly timer: Timer;
};

/**
 * How soon a process on standby looks again for a holder that it did not reach, in milliseconds: the one that leads may take the
 * lease before it opens its socket, and then nothing else would tell that it is there, or that it has gone.
 */
export const LOOK_AGAIN_MS = 1_000;

export function createRole({ engine, socket, link, log, timer }: RoleDeps): Role {
  let following: Promise<void> | null = null;
  let isWanted = false;
  let hasLeft = false;
  let hasFailed = false;
  let callOff = (): void => undefined;

  const isStandby = async (): Promise<boolean> => (await engine.status()).state === 'standby';
  const act = async (): Promise<void> => {
    const { state } = await engine.status();
    if (hasLeft) return;
    try {
      await socket.open({ runsJobs: state === 'running' || state === 'paused' });
      hasFailed = false;
    } catch (error) {
      // The jobs run without command lines too. It is tried again at every change, and said once.
      if (!hasFailed) log.error('socket.notOpened', { error });
      hasFailed = true;
    }
    callOff();
    if (state !== 'standby' || hasLeft) return;
    const isLinked = !socket.isFound() && (await link.client()) !== null;
    if (!isLinked && !hasLeft) callOff = timer.after(LOOK_AGAIN_MS, lookAgain);
  };
  const actUntilSettled = async (): Promise<void> => {
    try {
      do {
        isWanted = false;
        await act();
      } while (isWanted && !hasLeft);
    } finally {
      following = null;
    }
  };

  const lookAgain = (): void => {
    // It may have gone as quickly as it came.
    engine.notifyResume();
    void follow();
  };
  const follow = (): Promise<void> => {
    isWanted = true;
    following ??= actUntilSettled();
    return following;
  };

  return {
    follow,
    holder: async () => (!socket.isFound() && (await isStandby()) ? link.client() : null),
    changer: async () => {
      if (!(await isStandby())) return 'this';
      const other = socket.isFound() ? null : await link.answering();
      if (other !== null) return other;
      // Waiting for a sign of life takes a moment, in which this process may have taken over.
      return (await isStandby()) ? 'silent' : 'this';
    },
    leave: () => {
      hasLeft = true;
      callOff();
    },
  };
}
