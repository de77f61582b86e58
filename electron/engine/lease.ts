/**
 * Takes, renews and loses the right to schedule (D11). By conditional update only; a role exists only after the commit
 * . Whoever cannot renew steps down before others may take over, and a clean stop releases the row.
 */

import type { Instant } from '../../shared/time';
import type { Fence } from '../core/lease';
import { isHeldBy, type Lease, mayTake } from '../core/lease';
import { passageBetween, type Reading } from '../core/passage';
import { isReplaced } from '../core/storeError';
import type { LeaseTimings } from '../core/timings';
import type { Store } from '../ports/store';
import type { Clock, Host, Ids, Log, Timer } from '../ports/world';
import { FROM_RESERVE } from './persistence';

export type LeasePorts = {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: Ids;
  readonly host: Host;
  readonly log: Log;
  readonly store: Store;
  readonly timings: LeaseTimings;
};

export type LeaseEvents = {
  /** The lease is held and renewals run. `aliveAt` is when an engine was last known to live before, or null. */
  readonly onTaken: (fence: Fence, aliveAt: Instant | null) => Promise<void>;
  /** It is held no longer: nothing may be written under that fence. */
  readonly onLost: () => void;
  /** Another process was found to hold it, or no longer does. */
  readonly onOther: () => void;
  /** Called after each access: with what it threw, or with null. */
  readonly onAccess: (trouble: { readonly error: unknown } | null) => void;
};

export interface LeaseKeeper {
  /** Resolves when the role is known: `onTaken` has resolved, or another process holds the lease. */
  start(): Promise<void>;
  /** Releases the lease if it is held, and takes none afterwards. */
  stop(keepsLease?: boolean): Promise<void>;
  /** Who holds it while we do not; null if we do or nobody is known. */
  otherHolder(): Lease | null;
  /** Gives up at once because a fenced write failed. */
  drop(why: string): void;
  /** Looks or renews now: after waking up. Resolves when that is done, well or not. */
  check(): Promise<void>;
  /**
   * Releases the lease for another process, and takes it again only after YIELD_MS, or once that other one was seen and is gone.
   * Throws what the store throws; then it is still ours in the store, and resumed at once.
   */
  handOver(given: Fence): Promise<void>;
  /** Whether it was handed over and nobody was seen to take it so far. */
  isYielding(): boolean;
}

/** How long a lease that was handed over is left to others, in milliseconds. Longer than a process on standby takes to look. */
export const YIELD_MS = 10_000;

export function createLeaseKeeper(ports: LeasePorts, events: LeaseEvents): LeaseKeeper {
  const { clock, timer, log, store, timings } = ports;
  const unchangedMs = createObserver(ports);
  let isOver = false;
  let fence: Fence | null = null;
  let other: Lease | null = null;
  let renewedAtMonotonic = 0;
  let callOff = (): void => {};
  let current: Promise<void> | null = null;
  let taken: Promise<void> = Promise.resolve();
  const courtesy = createCourtesy(clock);

  const arm = (delayMs: number): void => {
    callOff();
    if (!isOver) callOff = timer.after(delayMs, () => void check());
  };
  const noteOther = (lease: Lease | null): void => {
    const isNews = lease?.holderId !== other?.holderId;
    other = lease;
    if (lease !== null) courtesy.end();
    if (isNews) events.onOther();
  };

  const look = async (): Promise<void> => {
    const row = await store.read((reader) => reader.leases.get());
    if (isOver) return;
    if (!isFree(row, row === null ? 0 : unchangedMs(row), ports)) return noteOther(row);
    if (courtesy.isOn()) return;
    const claim = await claimLease(row, ports);
    // Somebody was faster: whoever looks at us now must not be told that we lead.
    if (claim === null) return noteOther(await store.read((reader) => reader.leases.get()));
    // A stop that came while the row was being written: it must not keep others waiting (H-20, H-40).
    if (isOver)
      return void (await store.transact((writer) => writer.leases.release(claim.fence), FROM_RESERVE));
    fence = claim.fence;
    renewedAtMonotonic = clock.monotonic();
    noteOther(null);
    log.info('lease_taken', { epoch: fence.epoch });
    // Not awaited: recovery and catch-up may take longer than a renewal may wait (H-24).
    taken = events.onTaken(claim.fence, claim.aliveAt).catch((error: unknown) => events.onAccess({ error }));
  };

  const drop = (why: string): void => {
    if (fence === null) return;
    log.warn('lease_lost', { epoch: fence.epoch, why });
    fence = null;
    arm(timings.watchMs);
    events.onLost();
  };

  const attend = async (): Promise<void> => {
    const held = fence;
    const askedAt = clock.monotonic();
    try {
      if (held === null) await look();
      else if (await renewLease(held, ports)) renewedAtMonotonic = askedAt;
      else drop('another process took over');
      events.onAccess(null);
    } catch (error) {
      // "Cannot tell" is not "nobody leads" (H-16, H-33).
      unchangedMs(null);
      events.onAccess({ error });
      if (isReplaced(error)) drop('the data is not the one that it was taken in');
      else if (clock.monotonic() - renewedAtMonotonic > deadlineMs(timings)) drop('it could not be renewed');
    }
    current = null;
    arm(fence === null ? timings.watchMs : timings.renewMs);
  };

  const check = async (): Promise<void> => {
    if (!isOver && current === null) current = attend();
    await current;
  };

  return {
    async start() {
      await check();
      await taken;
    },
    async stop(keepsLease = false) {
      isOver = true;
      callOff();
      await current;
      const held = fence;
      fence = null;
      if (held !== null && !keepsLease) await releaseAtStop(held, ports);
    },
    otherHolder: () => other,
    drop,
    check,
    isYielding: courtesy.isOn,
    async handOver(given) {
      await current;
      if (fence?.epoch !== given.epoch || isOver) return;
      fence = null;
      courtesy.begin();
      arm(timings.watchMs);
      await releaseLease(given, ports).catch((error: unknown) => {
        courtesy.end();
        void check();
        throw error;
      });
    },
  };
}

/** After handing over: others go first, for YIELD_MS or until one of them was seen. */
function createCourtesy(clock: Pick<Clock, 'monotonic'>) {
  let untilMonotonic: number | null = null;
  return {
    begin(): void {
      untilMonotonic = clock.monotonic() + YIELD_MS;
    },
    end(): void {
      untilMonotonic = null;
    },
    isOn: (): boolean => untilMonotonic !== null && clock.monotonic() < untilMonotonic,
  };
}

/** Two periods before others may take over, so that we are out when they come (H-24). */
const deadlineMs = ({ renewMs, staleMs }: LeaseTimings): number => Math.max(renewMs, staleMs - 2 * renewMs);

const isFree = (row: Lease | null, unchangedMs: number, { host, timings }: LeasePorts): boolean =>
  mayTake(row, {
    self: host,
    holderState: row === null ? 'dead' : host.isAlive(row),
    unchangedMs,
    staleMs: timings.staleMs,
  });

/**
 * How long a row has been seen unchanged, in milliseconds of our monotonic clock. A suspend starts the count anew, because
 * holder and observer slept alike (H-13); so does null.
 */
function createObserver({ clock, host, timings }: LeasePorts): (lease: Lease | null) => number {
  let observed: { readonly lease: Lease; readonly since: number; readonly last: Reading } | null = null;
  return (lease) => {
    if (lease === null) {
      observed = null;
      return 0;
    }
    const last = { wall: clock.now(), monotonic: clock.monotonic(), uptime: host.uptimeMs() };
    const isSame =
      observed !== null &&
      isHeldBy(observed.lease, lease) &&
      observed.lease.renewedAt === lease.renewedAt &&
      passageBetween(observed.last, last, timings.watchMs).asleepMs === 0;
    const since = observed !== null && isSame ? observed.since : last.monotonic;
    observed = { lease, since, last };
    return last.monotonic - since;
  };
}

/** null if somebody else was faster. */
function claimLease(
  expected: Lease | null,
  { clock, ids, host, store }: LeasePorts,
): Promise<{ fence: Fence; aliveAt: Instant | null } | null> {
  const { nodeId, bootId, pid, processStart } = host;
  return store.transact(async (writer) => {
    const fence = { holderId: ids.next(), epoch: (await writer.leases.lastEpoch()) + 1 };
    const now = clock.now();
    const lease = { ...fence, nodeId, bootId, pid, processStart, takenAt: now, renewedAt: now };
    if (!(await writer.leases.take(lease, expected))) return null;
    return { fence, aliveAt: await writer.settings.aliveAt() };
  }, FROM_RESERVE);
}

/** False if the lease is no longer ours. */
const renewLease = (fence: Fence, { clock, store }: LeasePorts): Promise<boolean> =>
  store.transact(async (writer) => {
    const now = clock.now();
    const isRenewed = await writer.leases.renew(fence, now);
    if (isRenewed) await writer.settings.setAliveAt(now);
    return isRenewed;
  }, FROM_RESERVE);

/** Never fails: the next start finds our process gone and takes over at once. */
const releaseAtStop = (fence: Fence, ports: LeasePorts): Promise<void> =>
  releaseLease(fence, ports).catch((error: unknown) => ports.log.warn('lease_not_released', { error }));

const releaseLease = (fence: Fence, { clock, store }: LeasePorts): Promise<void> =>
  store.transact(async (writer) => {
    if (await writer.leases.release(fence)) await writer.settings.setAliveAt(clock.now());
  }, FROM_RESERVE);
