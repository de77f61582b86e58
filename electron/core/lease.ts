/**
 * The right to schedule and run (D11): one row, an epoch that only rises, and what an observer may conclude from it.
 */

import type { Instant } from '../../shared/time';

export type Lease = {
  /** One incarnation of one engine. */
  readonly holderId: string;
  readonly nodeId: string;
  readonly bootId: string | null;
  readonly pid: number;
  readonly processStart: string | null;
  readonly epoch: number;
  readonly takenAt: Instant;
  readonly renewedAt: Instant;
};

/** Proof of holding the lease that every write about an attempt carries. */
export type Fence = { readonly holderId: string; readonly epoch: number };

type Process = Pick<Lease, 'nodeId' | 'bootId' | 'pid' | 'processStart'>;

export const isHeldBy = (lease: Lease | null, fence: Fence): boolean =>
  lease !== null && lease.holderId === fence.holderId && lease.epoch === fence.epoch;

const isSameProcess = (a: Process, b: Process): boolean =>
  a.nodeId === b.nodeId && a.bootId === b.bootId && a.pid === b.pid && a.processStart === b.processStart;

/**
 * Whether the lease may be taken. A live holder is never displaced, however preferred one is oneself (H-17); an earlier
 * incarnation of this process is resumed at once (H-19), a holder that provably died is replaced at once, and a silent one
 * after the threshold.
 */
export function mayTake(
  lease: Lease | null,
  observer: {
    readonly self: Process;
    readonly holderState: 'alive' | 'dead' | 'unknown';
    /** How long the row has been seen unchanged, on the observer's own monotonic clock (H-13, X-11). */
    readonly unchangedMs: number;
    readonly staleMs: number;
  },
): boolean {
  if (lease === null || isSameProcess(lease, observer.self)) return true;
  return observer.holderState === 'dead' || observer.unchangedMs > observer.staleMs;
}
