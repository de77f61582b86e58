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
