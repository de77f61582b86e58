/** Time, identity and words: what the engine needs of the machine and of whoever listens. Types only. */

import type { EventName, Payload } from '../../shared/ipc/contract';
import type { Instant } from '../../shared/time';
import type { Lease } from '../core/lease';

export interface Clock {
  /** Wall time. May jump, in both directions. */
  now(): Instant;
  /** Milliseconds since an arbitrary start. Never goes back. Whether it counts sleep differs by system. */
  monotonic(): number;
}

export interface Timer {
  /** Calls `wake` once, no sooner than `delayMs`. Returns how to call it off. */
  after(delayMs: number, wake: () => void): () => void;
}

/** New identifiers, sortable by the time they were made. */
export interface Ids {
  next(): string;
}

/** Who and where this process is. */
export interface Host {
  /** Stable for this installation; made once and kept in the store. */
  readonly nodeId: string;
  /** Changes with every start of the machine; null where the system tells none. */
  readonly bootId: string | null;
  readonly pid: number;
  /** When this process began, in the system's own unit, so that a reused pid is not taken for us. */
  readonly processStart: string | null;
  /** The IANA zone in force now; asked anew each time because a laptop travels. */
  zone(): string;
  /** Milliseconds since the machine started, sleep included; null where it is not known. */
  uptimeMs(): number | null;
  /** Whether that process still lives. `dead` only with proof: another boot, no such pid, or a pid with another start. */
  isAlive(process: Pick<Lease, 'nodeId' | 'bootId' | 'pid' | 'processStart'>): 'alive' | 'dead' | 'unknown';
}

export interface Log {
  info(event: string, facts?: Record<string, unknown>): void;
  warn(event: string, facts?: Record<string, unknown>): void;
  error(event: string, facts?: Record<string, unknown>): void;
}

/** Tells windows and command lines that something changed. */
export type Announce = <N extends EventName>(name: N, payload: Payload<N>) => void;
