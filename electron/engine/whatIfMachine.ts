/**
 * The laptop of "what would happen": where it is, whether it has power and network, and its commands, which do nothing but
 * last as long as their job usually takes. It knows no real machine.
 */

import type { Condition, ConditionState } from '../../shared/model/condition';
import type { JobId } from '../../shared/model/job';
import type { AttemptId } from '../../shared/model/run';
import { DAY_MS } from '../../shared/time';
import type { Stretch } from '../core/scenario';
import type { Runner } from '../ports/running';
import type { Surroundings, SurroundingsChange } from '../ports/surroundings';
import type { Host, Ids, Log } from '../ports/world';
import type { VirtualTime } from './virtualTime';
import { createWhatIfProcesses, NODE_ID } from './whatIfProcesses';

/** The process that copies the real state and holds the lease meanwhile. */
export const COPIER = { nodeId: NODE_ID, bootId: 'boot-0', pid: 1, processStart: 'copier' } as const;
/** Any machine that Belfry is opened on has been up for a while. */
const UPTIME_AT_FIRST_MS = DAY_MS;

export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Ids that only have to differ within one sandbox, so that none of the real ones is used up. */
export function sandboxIds(): Ids {
  let count = 0;
  return {
    next() {
      count += 1;
      return `ffffffff-ffff-7fff-8fff-${count.toString(16).padStart(12, '0')}`;
    },
  };
}

export type WhatIfMachine = {
  readonly runner: Runner;
  readonly surroundings: Surroundings;
  /** A new process of Belfry on it; the one before is over. */
  newHost(): Host;
  /** A command that goes on already, for so long. */
  goesOn(attemptId: AttemptId, ms: number): void;
  /** Everything that ran is gone. */
  powerOff(): void;
  /** It starts anew. */
  boot(): void;
  /** Answers what changed, and tells nobody. `zone` null: where it was at the beginning. */
  set(state: Pick<Stretch, 'zone' | 'isOnMains' | 'hasNetwork'>): SurroundingsChange[];
  /** What the system would say to whoever listens. */
  tell(changes: readonly SurroundingsChange[]): void;
};

export function createWhatIfMachine(
  time: VirtualTime,
  { zone: firstZone, usualMsOf }: { readonly zone: string; readonly usualMsOf: (jobId: JobId) => number },
): WhatIfMachine {
  let zone = firstZone;
  let isOnMains = true;
  let hasNetwork = true;
  let bootCount = 0;
  let bootedAtMs = -UPTIME_AT_FIRST_MS;
  let pid: number = COPIER.pid;
  const listeners = new Set<(change: SurroundingsChange) => void>();
  const bootId = (): string => `boot-${bootCount}`;
  const processes = createWhatIfProcesses(time, { bootId, usualMsOf });

  return {
    runner: processes.runner,
    surroundings: {
      check: async (condition) => ({ state: stateOf(condition, { isOnMains, hasNetwork }), detail: null }),
      network: () => (hasNetwork ? 'up' : 'down'),
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    newHost() {
      pid += 1;
      const own = { nodeId: COPIER.nodeId, bootId: bootId(), pid, processStart: `start-${pid}` };
      const isCopier = (other: { pid: number; processStart: string | null }): boolean =>
        other.pid === COPIER.pid && other.processStart === COPIER.processStart;
      return {
        ...own,
        zone: () => zone,
        uptimeMs: () => time.uptimeMs() - bootedAtMs,
        isAlive: (other) =>
          isCopier(other) || (other.bootId === own.bootId && other.pid === own.pid) ? 'alive' : 'dead',
      };
    },
    goesOn: processes.goesOn,
    powerOff: processes.vanish,
    boot() {
      bootCount += 1;
      bootedAtMs = time.uptimeMs();
    },
    set(next) {
      const changes: SurroundingsChange[] = [];
      if (next.isOnMains !== isOnMains) changes.push('power');
      if (next.hasNetwork !== hasNetwork) changes.push('network');
      isOnMains = next.isOnMains;
      hasNetwork = next.hasNetwork;
      zone = next.zone ?? firstZone;
      return changes;
    },
    tell(changes) {
      for (const change of changes) for (const listener of listeners) listener(change);
    },
  };
}

/** What a scenario does not say is unknown, which never holds anything up. The user's own check command is not run. */
function stateOf(
  { kind }: Condition,
  { isOnMains, hasNetwork }: { readonly isOnMains: boolean; readonly hasNetwork: boolean },
): ConditionState {
  switch (kind) {
    case 'mains':
      return isOnMains ? 'met' : 'unmet';
    case 'battery_above':
      return isOnMains ? 'met' : 'unknown';
    case 'network':
    case 'host_answers':
      return hasNetwork ? 'met' : 'unmet';
    case 'user_idle':
    case 'check_command':
      return 'unknown';
  }
}
