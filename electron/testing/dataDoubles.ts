/**
 * Doubles for what the engine needs of the disk and of other processes: copies and checks that only remember, a spill file
 * that survives its process, and processes that hear of each other at once.
 */

import { type Backup, BackupId } from '../../shared/model/data';
import type { AttemptId, RunId } from '../../shared/model/run';
import type { DataKeeper, Peers, Spill, SpilledEnd } from '../ports/data';
import type { Clock } from '../ports/world';

/** Remembers what it was asked for. */
export class TestKeeper implements DataKeeper {
  readonly made: Backup[] = [];
  readonly removedOutputs: RunId[] = [];
  checkCount = 0;
  /** What the next checks find. */
  finding: string | null = null;
  /** While it is set, copies and checks fail with it. */
  error: Error | null = null;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  async backUp(reason: Backup['reason']): Promise<Backup> {
    if (this.error !== null) throw this.error;
    const madeAt = this.#clock.now();
    const id = BackupId.parse(`${reason}-${this.made.length + 1}.db`);
    const backup = { id, reason, madeAt, bytes: 4_096, jobCount: 0, runCount: 0, problem: null };
    this.made.unshift(backup);
    return backup;
  }

  async backups(): Promise<Backup[]> {
    return [...this.made];
  }

  async check(): Promise<string | null> {
    this.checkCount += 1;
    if (this.error !== null) throw this.error;
    return this.finding;
  }

  async sizes() {
    return { folder: 'the data folder', storeBytes: 8_192, backupBytes: 4_096, freeBytes: null };
  }

  async removeOutputs(runIds: readonly RunId[]): Promise<void> {
    this.removedOutputs.push(...runIds);
  }
}

/** Belongs to the data folder and not to a process: what one kept, the next one reads. */
export class TestSpill implements Spill {
  readonly ends = new Map<AttemptId, SpilledEnd>();
  /** While it is set, nothing more is kept. */
  isFull = false;

  async keep(end: SpilledEnd): Promise<boolean> {
    if (this.isFull) return false;
    this.ends.delete(end.attemptId);
    this.ends.set(end.attemptId, end);
    return true;
  }

  async all(): Promise<SpilledEnd[]> {
    return [...this.ends.values()];
  }

  async forget(attemptIds: readonly AttemptId[]): Promise<void> {
    for (const attemptId of attemptIds) this.ends.delete(attemptId);
  }
}

/** Processes on one store: what one tells, all others hear. */
export class TestPeers {
  /** How often anybody told. */
  toldCount = 0;
  readonly #listeners = new Map<object, Set<() => void>>();

  /** The port of one process. */
  join(): Peers {
    const self = {};
    const listeners = new Set<() => void>();
    this.#listeners.set(self, listeners);
    return {
      tell: () => {
        this.toldCount += 1;
        for (const [process, heard] of this.#listeners) {
          if (process !== self) for (const listener of heard) listener();
        }
      },
      onTold: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  }
}
