/**
 * The one row that says who schedules (D11). It is taken and renewed by conditional update only, and stays after a
 * release, because its epoch has to go on rising.
 */

import { assert } from '../../shared/result';
import type { Instant } from '../../shared/time';
import type { Fence, Lease } from '../core/lease';
import type { LeaseReader, LeaseWriter } from '../ports/store';
import type { Sql } from './connection';

/** Condition of every write about an attempt. Its parameters are those of `fenceParameters`. */
export const FENCE_HOLDS = `EXISTS (
  SELECT 1 FROM leases WHERE holder_id = :fenceHolder AND epoch = :fenceEpoch
)`;

export const fenceParameters = (fence: Fence): { fenceHolder: string; fenceEpoch: number } => ({
  fenceHolder: fence.holderId,
  fenceEpoch: fence.epoch,
});

const SELECT_LEASE = `
  SELECT holder_id AS holderId, node_id AS nodeId, boot_id AS bootId, pid, process_start AS processStart,
    epoch, taken_at AS takenAt, renewed_at AS renewedAt
  FROM leases`;

/** Writes over a row that is released, or is still the expected one. A smaller epoch never gets in. */
const TAKE_LEASE = `
  INSERT INTO leases (id, holder_id, node_id, boot_id, pid, process_start, epoch, taken_at, renewed_at)
  VALUES (1, :holderId, :nodeId, :bootId, :pid, :processStart, :epoch, :takenAt, :renewedAt)
  ON CONFLICT (id) DO UPDATE SET
    holder_id = excluded.holder_id,
    node_id = excluded.node_id,
    boot_id = excluded.boot_id,
    pid = excluded.pid,
    process_start = excluded.process_start,
    epoch = excluded.epoch,
    taken_at = excluded.taken_at,
    renewed_at = excluded.renewed_at
  WHERE leases.epoch < excluded.epoch
    AND leases.holder_id IS :expectedHolder
    AND (:expectedEpoch IS NULL OR leases.epoch = :expectedEpoch)`;

export function createLeaseReader(sql: Sql): LeaseReader {
  return {
    async get() {
      const row = sql.get(`${SELECT_LEASE} WHERE holder_id IS NOT NULL`);
      // The types are those of the STRICT columns.
      return row === undefined ? null : (row as unknown as Lease);
    },
    async lastEpoch() {
      return Number(sql.get('SELECT epoch FROM leases')?.epoch ?? 0);
    },
  };
}

export function createLeaseWriter(sql: Sql): LeaseWriter {
  const reader = createLeaseReader(sql);
  return {
    ...reader,
    async take(lease, expected) {
      const current = await reader.get();
      const isAsExpected = current?.holderId === expected?.holderId && current?.epoch === expected?.epoch;
      if (!isAsExpected) return false;
      assert(lease.epoch > (await reader.lastEpoch()), 'the epoch of a lease must be above all earlier ones');
      const taken = sql.run(TAKE_LEASE, {
        holderId: lease.holderId,
        nodeId: lease.nodeId,
        bootId: lease.bootId,
        pid: lease.pid,
        processStart: lease.processStart,
        epoch: lease.epoch,
        takenAt: lease.takenAt,
        renewedAt: lease.renewedAt,
        expectedHolder: expected?.holderId ?? null,
        expectedEpoch: expected?.epoch ?? null,
      });
      return taken === 1;
    },
    async renew(fence: Fence, at: Instant) {
      return (
        sql.run(`UPDATE leases SET renewed_at = :at WHERE ${FENCE_HOLDS}`, {
          at,
          ...fenceParameters(fence),
        }) === 1
      );
    },
    async release(fence: Fence) {
      return sql.run(`UPDATE leases SET holder_id = NULL WHERE ${FENCE_HOLDS}`, fenceParameters(fence)) === 1;
    },
  };
}
