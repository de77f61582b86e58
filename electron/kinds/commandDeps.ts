/** What starting and adopting commands need from the rest of the world. */

import type { ProcessIdentity } from '../ports/running';
import type { Clock, Host, Log, Timer } from '../ports/world';
import type { Surroundings } from './commandPlan';
import type { Outputs } from './output';
import type { ProcessTable } from './processGroup';

export type CommandDeps = {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  readonly host: Pick<Host, 'nodeId' | 'bootId'>;
  readonly processes: ProcessTable;
  readonly outputs: Outputs;
  readonly surroundings: Surroundings;
  /** The umask that the user started Belfry with: what commands create is the user's business. */
  readonly umask: number;
};

/** Everything that tells this process from another one with the same number. */
export function identify(
  pid: number,
  { host, processes }: Pick<CommandDeps, 'host' | 'processes'>,
): ProcessIdentity {
  const seen = processes.look(pid);
  return {
    nodeId: host.nodeId,
    bootId: host.bootId,
    pid,
    // The shim leads its own session and group.
    processGroup: pid,
    processStart: seen.kind === 'found' ? seen.process.start : null,
  };
}
