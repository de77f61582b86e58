/**
 * All processes of one attempt: the group of its shim, and those that left the group but still carry BELFRY_RUN_ID. A
 * signal goes to the group only while it is certainly ours, because a number can be used again.
 */
import type { ProcessIdentity } from '../ports/running';

/** What is needed of the system's process table; `null` and `unknown` mean that the system does not tell. */
export interface ProcessTable {
  look(pid: number):
    | {
        readonly kind: 'found';
        readonly process: { readonly start: string | null; readonly isZombie: boolean };
      }
    | { readonly kind: 'absent' }
    | { readonly kind: 'unknown' };
  search(wanted: { entry: string; group: number | null }): Promise<MarkedProcess[] | null>;
}
type MarkedProcess = { readonly pid: number; readonly group: number; readonly hasEntry: boolean };

export interface ProcessGroup {
  /** Whether the shim itself lives; `unknown` fails closed. */
  shim(): 'alive' | 'gone' | 'unknown';
  /** Quick and coarse: false means that the group is certainly empty. */
  mayHaveMembers(): boolean;
  /** Living processes of the attempt besides the shim; null where the system does not tell. */
  members(): Promise<{ inGroup: number[]; escaped: number[] } | null>;
  /** Signals the group and then whoever left it. Answers the pids that had left. */
  signal(name: 'SIGTERM' | 'SIGKILL'): Promise<number[]>;
}

/** `isOwnChild` says whether the shim is a child of this process that has not been waited for: then its pid is certain. */
export function processGroup(
  identity: Pick<ProcessIdentity, 'pid' | 'processGroup' | 'processStart'>,
  { runId, processes, isOwnChild }: { runId: string; processes: ProcessTable; isOwnChild: () => boolean },
): ProcessGroup {
  const entry = `BELFRY_RUN_ID=${runId}`;

  const shim = (): 'alive' | 'gone' | 'unknown' => {
    if (isOwnChild()) return 'alive';
    const seen = processes.look(identity.pid);
    if (seen.kind === 'absent') return 'gone';
    if (seen.kind === 'unknown') return 'unknown';
    if (seen.process.isZombie) return 'gone';
    if (identity.processStart === null || seen.process.start === null) return 'unknown';
    return identity.processStart === seen.process.start ? 'alive' : 'gone';
  };
  // As long as a member lives, the system does not give the group's number away: so with nobody at its head, the group
  // is ours, and with a stranger at its head, it is not.
  const isGroupOurs = (): boolean => {
    if (isOwnChild()) return true;
    const seen = processes.look(identity.pid);
    if (seen.kind !== 'found') return seen.kind === 'absent';
    return seen.process.start !== null && seen.process.start === identity.processStart;
  };
  const members = async (): Promise<{ inGroup: number[]; escaped: number[] } | null> => {
    const group = isGroupOurs() ? identity.processGroup : null;
    const all = await processes.search({ entry, group });
    if (all === null) return null;
    const found = all.filter((one) => one.pid !== identity.pid);
    return {
      inGroup: found.filter((one) => one.group === group).map((one) => one.pid),
      escaped: found.filter((one) => one.group !== group && one.hasEntry).map((one) => one.pid),
    };
  };
  return {
    shim,
    members,
    mayHaveMembers: () => send(-identity.processGroup, 0),
    signal: async (name) => {
      if (isGroupOurs()) send(-identity.processGroup, name);
      const escaped = (await members())?.escaped ?? [];
      for (const pid of escaped) send(pid, name);
      return escaped;
    },
  };
}

/** False if there is nobody to send it to. */
function send(target: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch (error) {
    // Not permitted (for example a program that changed its user) means that somebody is there.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
