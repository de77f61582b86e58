/** Who still works on a store that no socket answers for: looked up in the store itself, with the proof of death that the lease asks for. */

import { existsSync } from 'node:fs';
import type { Lease } from './core/lease';
import { StoreError } from './core/storeError';
import type { Host } from './ports/world';
import { openConnection } from './store/connection';
import { createLeaseReader } from './store/leases';
import { OPEN_BUSY_MS, uriToLookAt } from './store/pragmas';
import { createSettingReader } from './store/settings';
import { createHost } from './system/host';
import { createProcessTable } from './system/processTable';

type Judge = Pick<Host, 'isAlive'>;

/** `nodeId` is the one of this installation, which its store knows. */
const ownHost = (nodeId: string): Judge => createHost({ nodeId, processes: createProcessTable() });

/**
 * A sentence that names the process which may still run the jobs of the store in `file`; null if nobody does, and where damage hides
 * who does: to mend that is what a copy is for, and whoever has the file open notices that another lies in its place (H-02).
 * A death that cannot be proven counts as a life (D11).
 */
export async function livingHolder(
  file: string,
  hostOf: (nodeId: string) => Judge = ownHost,
): Promise<string | null> {
  if (!existsSync(file)) return null;
  try {
    const { lease, nodeId } = await readHolder(file);
    if (lease === null) return null;
    const state = nodeId === null ? 'unknown' : hostOf(nodeId).isAlive(lease);
    return state === 'dead' ? null : TEXTS[state](lease.pid);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'corrupt') return null;
    if (error instanceof StoreError) return `${error.message} So it cannot be told who works with it.`;
    // No store of Belfry: nothing in it can say who holds it.
    return null;
  }
}

const TEXTS = {
  alive: (pid: number) =>
    `Process ${pid} is Belfry and has your data open, but does not answer. End that process, and try again.`,
  unknown: (pid: number) =>
    `It cannot be told whether process ${pid}, the Belfry that ran your jobs last, still lives. Start Belfry, which finds out, and try again.`,
};

async function readHolder(file: string): Promise<{ lease: Lease | null; nodeId: string | null }> {
  const connection = openConnection(uriToLookAt(file), { isReadOnly: true, busyMs: OPEN_BUSY_MS });
  try {
    return {
      lease: await createLeaseReader(connection).get(),
      nodeId: await createSettingReader(connection).nodeId(),
    };
  } finally {
    connection.close();
  }
}
