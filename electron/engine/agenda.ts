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

const countsFromEnd = (rule: ScheduleRule): boolean => rule.kind === 'interval' && rule.basis === 'after_end';

const isSame = (a: ScheduleState, b: ScheduleState): boolean => JSON.stringify(a) === JSON.stringify(b);

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

  /** Replaces everything. What did not change is not computed again: reading 4,096 rules takes its time. */
  load(states: readonly ScheduleState[], now: Instant): void {
    const before = new Map(this.#entries);
    this.#entries.clear();
    this.#byJob.clear();
    this.#ahead.clear();
    for (const state of states) {
      const known = before.get(state.scheduleId);
      const isKnown = known !== undefined && known.nextAt !== null && state.watermarkAt <= now;
      if (isKnown && isSame(known.state, state)) this.#keep(known);
      else this.#add(state, now);
    }
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

  /**
   * It seemed due at `now`, but nothing was to be decided. An interval after the end waits for the run that goes on;
   * anything else goes on with its next occurrence.
   */
  pass(scheduleId: ScheduleId, now: Instant): void {
    const state = this.#entries.get(scheduleId)?.state;
    if (state === undefined) return;
    const nextAt = countsFromEnd(state.rule) ? null : this.#after(state, now);
    this.#entries.set(scheduleId, { state, nextAt });
  }

  /** Whether an interval of the job counts from the end of its runs. */
  countsFromEnds(jobId: JobId): boolean {
    const rules = [...(this.#byJob.get(jobId) ?? [])].flatMap(
      (id) => this.#entries.get(id)?.state.rule ?? [],
    );
    return rules.some(countsFromEnd);
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
    this.#keep({ state, nextAt: this.#nextOf(state) });
  }

  #keep(entry: Entry): void {
    const { scheduleId, jobId } = entry.state;
    this.#entries.set(scheduleId, entry);
    this.#byJob.set(jobId, (this.#byJob.get(jobId) ?? new Set()).add(scheduleId));
  }

  #put(state: ScheduleState): void {
    this.#entries.set(state.scheduleId, { state, nextAt: this.#nextOf(state) });
  }

  #nextOf(state: ScheduleState): Instant | null {
    if (state.pendingCreationAt !== null) return state.pendingCreationAt;
    return this.#after(state, this.rewoundTo(state.scheduleId) ?? state.watermarkAt);
  }

  #after(state: ScheduleState, instant: Instant): Instant | null {
    return nextOccurrence(state.rule, instant, contextOf(state, this.#hostZone)) ?? null;
  }
}
