/**
 * Remembers the attempts that this process started itself, as long as it lives. A full disk takes the result file and the
 * engine's lease at once; the engine then recovers within the same process and has to be told the true end.
 */
import type { AttemptId, RunId } from '../../shared/model/run';
import type { Adoption, AttemptEnd, LiveAttempt, ProcessIdentity, StartedAttempt } from '../ports/running';
import type { Outputs } from './output';
import type { ProcessGroup } from './processGroup';
import { type Strength, strongest } from './runFolder';
import { type ShimEnd, type SupervisionDeps, superviseAttempt } from './supervision';

/**
 * Ends that are kept. Whoever could not write an end down begins nothing new, so the ends that are still wanted are at most
 * as many as ran at once.
 */
export const OWN_ENDS_MAX = 1_000;

/** A shim that is a child of this process. */
export type OwnChild = {
  readonly runId: RunId;
  readonly attemptId: AttemptId;
  readonly identity: ProcessIdentity;
  readonly group: ProcessGroup;
  readonly ended: Promise<ShimEnd>;
  readonly isRunning: () => boolean;
};

export interface OwnAttempts {
  /** Remembers an attempt from before its start. */
  start(attemptId: AttemptId, start: () => Promise<StartedAttempt>): Promise<StartedAttempt>;
  /** Watches a child that `start` made. */
  watch(child: OwnChild): LiveAttempt;
  /** null for an attempt that this process did not start, or has forgotten. Waits for a start that is under way. */
  adopt(attemptId: AttemptId): Promise<Adoption | null>;
}

type Own = {
  started: Promise<StartedAttempt> | null;
  child: OwnChild | null;
  live: LiveAttempt | null;
  /** The strongest signal sent, which a full disk may have kept out of the run's folder. */
  sent: Strength | null;
  end: AttemptEnd | null;
};

/** Nothing is remembered yet. */
export function createOwnAttempts(deps: SupervisionDeps & { readonly outputs: Outputs }): OwnAttempts {
  const attempts = new Map<AttemptId, Own>();
  const over = new Set<AttemptId>();

  const noteOver = (attemptId: AttemptId): void => {
    over.add(attemptId);
    for (const oldest of [...over].slice(0, Math.max(0, over.size - OWN_ENDS_MAX))) {
      over.delete(oldest);
      attempts.delete(oldest);
    }
  };
  const watch = (own: Own, child: OwnChild): LiveAttempt => {
    const { runId, attemptId, identity, group, ended } = child;
    own.live?.detach();
    const output = deps.outputs.open(runId, attemptId);
    output.watch(() => {});
    const runFolder = deps.outputs.folder(runId, attemptId);
    const watched = { identity, group, runFolder, output, shimEnded: ended, sentBefore: own.sent };
    const attempt = superviseAttempt(watched, deps);
    void attempt.ended.then((end) => {
      own.end = end;
      own.child = null;
      own.live = null;
    });
    const signal: LiveAttempt['signal'] = (strength) => {
      own.sent = strongest(own.sent, strength);
      return attempt.signal(strength);
    };
    own.live = { ...attempt, signal };
    return own.live;
  };

  return {
    start: async (attemptId, start) => {
      const own: Own = { started: null, child: null, live: null, sent: null, end: null };
      attempts.set(attemptId, own);
      own.started = start();
      const started = await own.started;
      if (started.kind === 'failed') {
        own.end = started.end;
        noteOver(attemptId);
      }
      return started;
    },
    watch: (child) => {
      const own = attempts.get(child.attemptId);
      if (own === undefined) throw new Error('A child belongs to an attempt that is being started.');
      own.child = child;
      void child.ended.then(() => noteOver(child.attemptId));
      return watch(own, child);
    },
    adopt: async (attemptId) => {
      const own = attempts.get(attemptId);
      // A start that threw is judged by what it left behind.
      await own?.started?.catch(() => {});
      if (own === undefined) return null;
      if (own.end !== null) return { kind: 'ended', end: own.end };
      if (own.child === null) return null;
      const attempt = watch(own, own.child);
      // Told as an end where it is one: whoever watches might find its time to be up first.
      const isOver = !own.child.isRunning() && (await isNobodyLeft(own.child));
      return isOver ? { kind: 'ended', end: await attempt.ended } : { kind: 'running', attempt };
    },
  };
}

/** Without an exit code the end of the group is waited for. */
async function isNobodyLeft({ ended, group }: OwnChild): Promise<boolean> {
  const { code } = await ended;
  return code !== null || (await group.members())?.inGroup.length === 0;
}
