/**
 * The role of this process and what goes with it: the lease decides, a leadership lives while it is held, and stopping
 * ends both in the right order.
 */

import type { JobId } from '../../shared/model/job';
import type { EngineState } from '../../shared/model/settings';
import { fail, ok, type Result } from '../../shared/result';
import type { Lease } from '../core/lease';
import { isReplaced } from '../core/storeError';
import { LEASE_TIMINGS_DEFAULT } from '../core/timings';
import type { Announce } from '../ports/world';
import type { EnginePorts, StopChoice } from './engine';
import { FailingJobs } from './failingJobs';
import { createLeadership, type Leadership, type LeadershipEvents } from './leadership';
import { createLeaseKeeper, type LeaseKeeper } from './lease';
import { createTrouble, type Trouble } from './trouble';

/** How long quitting waits for runs that it stops, in milliseconds. */
export const STOP_MS_MAX = 30_000;

/** More than this many changed jobs are told as "all of them". */
const JOBS_TOLD_MAX = 20;

export interface Body {
  readonly failing: FailingJobs;
  /** What lives while the lease is held, or null. */
  leading(): Leadership | null;
  role(): Extract<EngineState, 'starting' | 'running' | 'standby' | 'stopped'>;
  otherHolder(): Lease | null;
  problem(): string | null;
  start(): Promise<void>;
  stop(choice: StopChoice): Promise<void>;
  /** Ends this leadership like a stop that leaves runs, but stays to follow the process that takes over. */
  handOver(): Promise<Result<undefined>>;
  /** The clocks may have moved: look now. */
  wake(): void;
}

const createTellJobs =
  (announce: Announce, failing: FailingJobs) =>
  (jobIds: readonly JobId[] | null): void => {
    for (const jobId of jobIds ?? [null]) failing.note(jobId);
    const told = jobIds === null || jobIds.length > JOBS_TOLD_MAX ? [null] : jobIds;
    for (const jobId of told) announce('jobs.changed', { jobId });
    announce('status.changed', {});
  };

const createTellData = (announce: Announce) => (): void => {
  announce('data.changed', {});
  // What a check found is part of the status.
  announce('status.changed', {});
};

function createLeadershipEvents(
  { announce }: Pick<EnginePorts, 'announce'>,
  parts: {
    readonly trouble: Trouble;
    readonly tellJobs: (jobIds: readonly JobId[] | null) => void;
    readonly keeper: () => LeaseKeeper;
  },
): LeadershipEvents {
  const { trouble, tellJobs, keeper } = parts;
  return {
    onRunChanged: ({ runId, jobId }) => {
      announce('runs.changed', { runId, jobId });
      tellJobs([jobId]);
    },
    onJobsChanged: tellJobs,
    onRecovered: () => announce('status.changed', {}),
    onDataChanged: createTellData(announce),
    confirmLease: () => keeper().check(),
    onLost: () => keeper().drop('a write under the lease was refused'),
    onAccess: (source, access) => {
      trouble.note(source, access);
      // The lease is not ours any more; the keeper finds that out for itself and steps down.
      if (isReplaced(access?.error)) void keeper().check();
    },
  };
}

export function createBody(ports: EnginePorts): Body {
  const { announce, log } = ports;
  const failing = new FailingJobs();
  const trouble = createTrouble(log, () => announce('status.changed', {}));
  let leadership: Leadership | null = null;
  let starting: Promise<void> | null = null;
  let stopping: Promise<void> | null = null;
  /** Neither led nor stood by so far: a process that takes over later has started long ago. */
  let isFresh = true;

  const tellStatus = (): void => announce('status.changed', {});
  const tellJobs = createTellJobs(announce, failing);
  const tellData = createTellData(announce);

  const forgetLeadership = (): void => {
    leadership = null;
    for (const source of ['schedule', 'runs', 'ends'] as const) trouble.forget(source);
  };

  const leadershipEvents = createLeadershipEvents(ports, { trouble, tellJobs, keeper: () => keeper });
  const keeper = createLeaseKeeper(
    { ...ports, timings: ports.timings ?? LEASE_TIMINGS_DEFAULT },
    {
      onTaken: async (fence, aliveAt) => {
        // A stop is under way: it releases the lease in a moment.
        if (stopping !== null) return;
        const isStart = isFresh;
        isFresh = false;
        leadership = createLeadership(ports, { fence, aliveAt, isStart }, leadershipEvents);
        // Whoever let go sees that somebody took it.
        ports.peers?.tell();
        await leadership.loop.start();
        tellStatus();
      },
      onLost: () => {
        leadership?.end();
        forgetLeadership();
        tellJobs(null);
      },
      onOther: () => {
        if (keeper.otherHolder() !== null) isFresh = false;
        tellStatus();
      },
      onAccess: (access) => trouble.note('lease', access),
    },
  );

  /** Another process changed something in the store, or let go of the lease. */
  const told = (): void => {
    if (leadership === null) void keeper.check();
    else leadership.told();
    tellJobs(null);
    tellData();
  };
  let stopListening = (): void => {};
  const begin = (): Promise<void> => {
    if (stopping === null) stopListening = ports.peers?.onTold(told) ?? stopListening;
    return keeper.start();
  };

  const stop = async ({ runs, keepsLease }: StopChoice): Promise<void> => {
    stopListening();
    const current = leadership;
    await current?.close({ runs }, STOP_MS_MAX);
    leadership = null;
    await keeper.stop(keepsLease);
    tellStatus();
  };

  const handOver = async (): Promise<Result<undefined>> => {
    const current = leadership;
    if (current === null || stopping !== null) {
      return fail('conflict', 'This Belfry process does not run the jobs.');
    }
    await current.close({ runs: 'leave' }, 0);
    // It may have been lost, and even taken again, while what was being started was recorded.
    if (leadership === current) forgetLeadership();
    log.info('lease_handed_over', { epoch: current.fence.epoch });
    await keeper.handOver(current.fence);
    tellJobs(null);
    ports.peers?.tell();
    return ok(undefined);
  };

  return {
    failing,
    handOver,
    leading: () => leadership,
    role() {
      if (stopping !== null) return 'stopped';
      if (leadership !== null) return leadership.isReady() ? 'running' : 'starting';
      return keeper.otherHolder() === null && !keeper.isYielding() ? 'starting' : 'standby';
    },
    otherHolder: () => keeper.otherHolder(),
    problem: () => trouble.sentence(),
    start: () => {
      starting ??= begin();
      return starting;
    },
    stop: (choice) => {
      stopping ??= stop(choice);
      return stopping;
    },
    wake() {
      void keeper.check();
      void leadership?.loop.nudge();
    },
  };
}
