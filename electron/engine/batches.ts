/**
 * What is due, in portions of whole jobs: a job's schedules are answered together, and a portion is as large as fits into
 * the time that the main thread may be busy (D1). How long the last one took decides the size of the next.
 */

import type { JobId } from '../../shared/model/job';
import type { ScheduleState } from '../core/ledger';

/** How long a portion should take: well below the 50 ms that nothing may exceed, since the next job may be a costly one. */
const TAKES_MS = 10;
/** Schedules of the first portion, and the bounds of those that follow. */
const FIRST_COUNT = 64;
const COUNT_MIN = 8;
const COUNT_MAX = 256;

export class Batches {
  readonly #jobs: readonly (readonly ScheduleState[])[];
  #place = 0;
  #size = FIRST_COUNT;
  #lastCount = 0;

  constructor(due: readonly ScheduleState[]) {
    const byJob = new Map<JobId, ScheduleState[]>();
    for (const state of due) {
      const known = byJob.get(state.jobId);
      if (known === undefined) byJob.set(state.jobId, [state]);
      // One that is due already may be owed something besides: the newer state tells both.
      else
        byJob.set(state.jobId, [...known.filter(({ scheduleId }) => scheduleId !== state.scheduleId), state]);
    }
    // Nothing due is one portion too: what was noticed has to be written.
    this.#jobs = byJob.size === 0 ? [[]] : [...byJob.values()];
  }

  get isDone(): boolean {
    return this.#place >= this.#jobs.length;
  }

  /** The next portion, or null after the last. */
  next(): ScheduleState[] | null {
    if (this.isDone) return null;
    const batch: ScheduleState[] = [];
    do {
      batch.push(...(this.#jobs[this.#place] ?? []));
      this.#place += 1;
    } while (!this.isDone && batch.length < this.#size);
    this.#lastCount = batch.length;
    return batch;
  }

  /** How long the last portion took. */
  took(ms: number): void {
    const fitting = ms <= 0 ? COUNT_MAX : Math.floor((this.#lastCount * TAKES_MS) / ms);
    // Never grows by more than twice: one quick portion says little.
    this.#size = Math.max(COUNT_MIN, Math.min(COUNT_MAX, 2 * this.#size, fitting));
  }
}
