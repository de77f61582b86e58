/**
 * Pausing a job, a tag, or everything, and going on. What is due is decided before a pause begins or ends, so that it neither
 * loses nor makes up anything (D3).
 */

import { type Pause, PauseId, type PauseScope } from '../../shared/model/pause';
import { fail, ok, type Result } from '../../shared/result';
import type { Instant } from '../../shared/time';
import { begunByHand } from '../core/pauses';
import type { Store } from '../ports/store';
import type { Announce, Clock, Ids } from '../ports/world';

/** More pauses at once than this are refused; nobody could still see what holds what. */
const PAUSES_MAX = 200;

export type PausePorts = {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly store: Store;
  readonly announce: Announce;
  /** Decides what is due now; does nothing while another process runs the jobs. */
  readonly settle: () => Promise<void>;
  /** A pause began or ended, and is stored. */
  readonly changed: () => void;
};

export type StartPause = {
  readonly scope: PauseScope;
  readonly note: string;
  readonly until: Instant | null;
};

export interface Pauses {
  /** Those that hold now, newest first. */
  list(): Promise<Pause[]>;
  start(input: StartPause): Promise<Result<Pause>>;
  end(pauseId: PauseId): Promise<Result<undefined>>;
  /** Begins a pause of everything, or ends every such pause. */
  setAll(isPaused: boolean): Promise<void>;
}

export function createPauses({ clock, ids, store, announce, settle, ...ports }: PausePorts): Pauses {
  const list = (): Promise<Pause[]> =>
    store.read(async (reader) => begunByHand(await reader.pauses.at(clock.now())));
  const changed = async (): Promise<void> => {
    ports.changed();
    await settle();
    announce('jobs.changed', { jobId: null });
    announce('status.changed', {});
  };
  const start = async ({ scope, note, until }: StartPause): Promise<Result<Pause>> => {
    await settle();
    const since = clock.now();
    if (until !== null && until <= since) {
      return fail('invalid_input', 'The pause would be over already.', { until: 'Choose a later moment.' });
    }
    const pause: Pause = {
      id: PauseId.parse(ids.next()),
      scope,
      note,
      cause: 'user',
      since,
      until,
      endedAt: null,
    };
    const refusal = await store.transact(async (writer): Promise<Result<Pause>> => {
      if (scope.kind === 'job') {
        const job = await writer.jobs.get(scope.jobId);
        if (job === null || job.deletedAt !== null)
          return fail('not_found', 'This job does not exist any more.');
      }
      if ((await writer.pauses.at(since)).length >= PAUSES_MAX) {
        return fail('invalid_input', `Belfry holds at most ${PAUSES_MAX} pauses at once. End one first.`);
      }
      await writer.pauses.insert(pause);
      return ok(pause);
    });
    if (refusal.ok) await changed();
    return refusal;
  };

  return {
    list,
    start,
    async end(pauseId) {
      await settle();
      const hasEnded = await store.transact((writer) => writer.pauses.end(pauseId, clock.now()));
      if (!hasEnded) return fail('not_found', 'This pause is over already.');
      await changed();
      return ok(undefined);
    },
    async setAll(isPaused) {
      const present = (await list()).filter(({ scope }) => scope.kind === 'all');
      if (isPaused && present.length === 0) await start({ scope: { kind: 'all' }, note: '', until: null });
      if (isPaused || present.length === 0) return;
      await settle();
      await store.transact(async (writer) => {
        for (const { id } of present) await writer.pauses.end(id, clock.now());
      });
      await changed();
    },
  };
}
