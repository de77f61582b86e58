/**
 * What is due next, in memory: every active schedule with its next occurrence, computed anew only when something it
 * depends on changed. A cache and nothing more: the ledger in the store decides, and each commit checks against it.
 */

import type { JobId } from '../../shared/model/job';
import { LOCAL_ZONE, type ScheduleId, type ScheduleRule } from '../../shared/model/schedule';
import { nextOccurrence } from '../../shared/schedule/occurrences';
import type { Instant } from '../../shared/time';
import { contextOf } from '../core/catchUp';
import type { ScheduleState } from '../core/ledger';

type Entry = {
  readonly state: ScheduleState;
  /** Null while nothing is planned: the schedule has ended, or waits for a run to end. */
  readonly nextAt: Instant | null;
};

const isLocal = (rule: ScheduleRule): boolean => rule.kind !== 'interval' && rule.zone === LOCAL_ZONE;

export class Agenda {
  readonly #entries = new Map<ScheduleId, Entry>();
  readonly #byJob = new Map<JobId, Set<ScheduleId>>();
  /**
   * Schedules whose watermark lies ahead of the clock, because the clock went back. Their watermark says nothing about the
   * time now, so they count from the last moment that was planned.
   */
  readonly #ahead = new Set<ScheduleId>();
  #hostZone: string;
  #reachedAt: Instant;

  /** `now` is the first moment that is planned: nothing older is looked for in schedules that are ahead of the clock. */
  constructor(hostZone: string, now: Instant) {
    this.#hostZone = hostZone;
    this.#reachedAt = now;
  }

  get hostZone(): string {
    return this.#hostZone;
  }

  /** Replaces everything. */
  load(states: readonly ScheduleState[], now: Instant): void {
    this.#entries.clear();
    this.#byJob.clear();
    this.#ahead.clear();
    for (const state of states) this.#add(state, now);
  }

  /** Replaces what is known of one job. */
  replaceJob(jobId: JobId, states: readonly ScheduleState[], now: Instant): void {
    for (const id of this.#byJob.get(jobId) ?? []) {
      this.#entries.delete(id);
      this.#ahead.delete(id);
    }
    this.#byJob.delete(jobId);
    for (const state of states) this.#add(state, now);
  }

  /** The computer travelled: schedules that follow it are planned anew. */
  setZone(hostZone: string): void {
    this.#hostZone = hostZone;
    for (const { state } of this.#entries.values()) if (isLocal(state.rule)) this.#put(state);
  }

  /** The clock went back to `now`. */
  rewind(now: Instant): void {
    this.#reachedAt = now;
    for (const { state } of this.#entries.values()) {
      if (state.watermarkAt <= now) continue;
      this.#ahead.add(state.scheduleId);
      this.#put(state);
    }
  }

  /** Everything up to `now` is decided. */
  reach(now: Instant): void {
    this.#reachedAt = now;
    for (const id of this.#ahead) {
      const entry = this.#entries.get(id);
      if (entry === undefined || entry.state.watermarkAt <= now) this.#ahead.delete(id);
      if (entry?.nextAt != null && entry.nextAt <= now) this.#put(entry.state);
    }
  }

  /** What may be due at `now`. */
  due(now: Instant): ScheduleState[] {
    const states: ScheduleState[] = [];
    for (const { state, nextAt } of this.#entries.values()) {
      if (nextAt !== null && nextAt <= now) states.push(state);
    }
    return states;
  }

  /** The moment after which occurrences of the schedule have to be looked up one by one, or null as usual. */
  rewoundTo(scheduleId: ScheduleId): Instant | null {
    return this.#ahead.has(scheduleId) ? this.#reachedAt : null;
  }

  /** What was due of a schedule is decided. `untilAt` is the newest occurrence, or null if none was. */
  decided(scheduleId: ScheduleId, untilAt: Instant | null): void {
    const state = this.#entries.get(scheduleId)?.state;
    if (state === undefined) return;
    const watermarkAt = untilAt !== null && untilAt > state.watermarkAt ? untilAt : state.watermarkAt;
    this.#put({ ...state, watermarkAt, pendingCreationAt: null });
  }

  /** It seemed due, but nothing was to be decided: leaves it alone until something changes. */
  park(scheduleId: ScheduleId): void {
    const entry = this.#entries.get(scheduleId);
    if (entry !== undefined) this.#entries.set(scheduleId, { ...entry, nextAt: null });
  }

  /** Whether an interval of the job counts from the end of its runs. */
  countsFromEnds(jobId: JobId): boolean {
    return [...(this.#byJob.get(jobId) ?? [])].some((id) => {
      const rule = this.#entries.get(id)?.state.rule;
      return rule?.kind === 'interval' && rule.basis === 'after_end';
    });
  }

  /** The soonest occurrence of all, and the jobs that are due then. */
  next(): { readonly at: Instant; readonly jobIds: readonly JobId[] } | null {
    let at: Instant | null = null;
    let jobIds = new Set<JobId>();
    for (const { state, nextAt } of this.#entries.values()) {
      if (nextAt === null || (at !== null && nextAt > at)) continue;
      if (nextAt !== at) jobIds = new Set();
      at = nextAt;
      jobIds.add(state.jobId);
    }
    return at === null ? null : { at, jobIds: [...jobIds] };
  }

  /** The soonest occurrence of one job. */
  nextOfJob(jobId: JobId): Instant | null {
    const moments = [...(this.#byJob.get(jobId) ?? [])].flatMap((id) => this.#entries.get(id)?.nextAt ?? []);
    return moments.reduce<Instant | null>((best, at) => (best === null || at < best ? at : best), null);
  }

  #add(state: ScheduleState, now: Instant): void {
    if (state.watermarkAt > now) this.#ahead.add(state.scheduleId);
    this.#byJob.set(state.jobId, (this.#byJob.get(state.jobId) ?? new Set()).add(state.scheduleId));
    this.#put(state);
  }

  #put(state: ScheduleState): void {
    this.#entries.set(state.scheduleId, { state, nextAt: this.#nextOf(state) });
  }

  #nextOf(state: ScheduleState): Instant | null {
    if (state.pendingCreationAt !== null) return state.pendingCreationAt;
    const after = this.rewoundTo(state.scheduleId) ?? state.watermarkAt;
    return nextOccurrence(state.rule, after, contextOf(state, this.#hostZone)) ?? null;
  }
}
