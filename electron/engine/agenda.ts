/**
 * What is due next, in memory: every active schedule with its next occurrence, computed anew only when something it
 * depends on changed. A cache and nothing more: the ledger in the store decides, and each commit checks against it.
 */

import type { JobId } from '../../shared/model/job';
import type { Decision } from '../../shared/model/run';
import { isCalendarRule, LOCAL_ZONE, type ScheduleId, type ScheduleRule } from '../../shared/model/schedule';
import { nextOccurrence } from '../../shared/schedule/occurrences';
import { type Instant, toInstant } from '../../shared/time';
import { contextOf } from '../core/catchUp';
import type { ScheduleState } from '../core/ledger';
import { endedBy } from '../core/wrongClock';

/** What is decided already of schedules that are ahead of the clock, from old to new. */
export type DecidedAhead = ReadonlyMap<ScheduleId, readonly Pick<Decision, 'plannedAt' | 'untilAt'>[]>;

const NOTHING_AHEAD: DecidedAhead = new Map();

type Entry = {
  readonly state: ScheduleState;
  /** Null while nothing is planned: the schedule has ended, or waits for a run to end. */
  readonly nextAt: Instant | null;
};

/** Days of a job follow the computer too, so an interval with days does. */
const isLocal = ({ rule, dates }: ScheduleState): boolean => {
  if (rule.kind === 'interval') return dates.from !== null || dates.until !== null;
  return isCalendarRule(rule) && rule.zone === LOCAL_ZONE;
};

const countsFromEnd = (rule: ScheduleRule): boolean => rule.kind === 'interval' && rule.basis === 'after_end';

const isSame = (a: ScheduleState, b: ScheduleState): boolean => JSON.stringify(a) === JSON.stringify(b);

export class Agenda {
  readonly #entries = new Map<ScheduleId, Entry>();
  readonly #byJob = new Map<JobId, Set<ScheduleId>>();
  /**
   * Schedules whose watermark lies ahead of the clock, or did so when it was last known to be planned, because the clock
   * went back. Their watermark says nothing about the time now, so they count from the last moment that was planned.
   * What is decided of them later than that never comes again.
   */
  readonly #ahead = new Map<ScheduleId, readonly Pick<Decision, 'plannedAt' | 'untilAt'>[]>();
  readonly #startedAt: Instant;
  #hostZone: string;
  #reachedAt: Instant;
  /** The newest moment that this agenda was told of. */
  #latestAt: Instant;

  /** `reachedAt` is when an engine last planned: nothing older is looked for in schedules that are ahead of the clock. */
  constructor(hostZone: string, now: Instant, reachedAt: Instant = now) {
    this.#hostZone = hostZone;
    this.#startedAt = now;
    this.#latestAt = now;
    this.#reachedAt = toInstant(Math.min(reachedAt, now));
  }

  get hostZone(): string {
    return this.#hostZone;
  }

  /** Replaces everything. What did not change is not computed again: reading 4,096 rules takes its time. */
  load(states: readonly ScheduleState[], now: Instant, decided: DecidedAhead = NOTHING_AHEAD): void {
    this.#tell(now);
    const before = new Map(this.#entries);
    this.#entries.clear();
    this.#byJob.clear();
    this.#ahead.clear();
    for (const state of states) {
      const known = before.get(state.scheduleId);
      const isKnown = known !== undefined && known.nextAt !== null && !this.isAhead(state);
      if (isKnown && isSame(known.state, endedBy(state, now))) this.#keep(known);
      else this.#add(state, now, decided);
    }
  }

  /** Replaces what is known of one job. */
  replaceJob(
    jobId: JobId,
    states: readonly ScheduleState[],
    now: Instant,
    decided: DecidedAhead = NOTHING_AHEAD,
  ): void {
    this.#tell(now);
    for (const id of this.#byJob.get(jobId) ?? []) {
      this.#entries.delete(id);
      this.#ahead.delete(id);
    }
    this.#byJob.delete(jobId);
    for (const state of states) this.#add(state, now, decided);
  }

  /** Whether something below the watermark may be undecided: what is decided of it later than `reachedAt` has to be known. */
  isAhead(state: ScheduleState): boolean {
    return state.watermarkAt > this.#reachedAt;
  }

  /** Up to when everything was planned. */
  get reachedAt(): Instant {
    return this.#reachedAt;
  }

  /** The computer travelled: schedules that follow it are planned anew. */
  setZone(hostZone: string): void {
    this.#hostZone = hostZone;
    for (const { state } of this.#entries.values()) if (isLocal(state)) this.#put(state);
  }

  /** The clock went back to `now`. Everything has to be loaded anew, with what is decided about the future. */
  rewind(now: Instant): void {
    if (now < this.#reachedAt) this.#reachedAt = now;
  }

  /** Everything up to `now` is decided. */
  reach(now: Instant): void {
    this.#tell(now);
    this.#reachedAt = now;
    for (const id of this.#ahead.keys()) {
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
  rewoundTo(scheduleId: ScheduleId, now: Instant): Instant | null {
    const state = this.#entries.get(scheduleId)?.state;
    return state === undefined || !this.#ahead.has(scheduleId) ? null : this.#owedSince(state, now);
  }

  /** What was due of a schedule is decided. `untilAt` is the newest occurrence, or null if none was. */
  decided(scheduleId: ScheduleId, untilAt: Instant | null): void {
    const state = this.#entries.get(scheduleId)?.state;
    if (state === undefined) return;
    const watermarkAt = untilAt !== null && untilAt > state.watermarkAt ? untilAt : state.watermarkAt;
    this.#put({ ...state, watermarkAt, pending: [] });
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

  #tell(now: Instant): void {
    if (now > this.#latestAt) this.#latestAt = now;
  }

  #add(read: ScheduleState, now: Instant, decided: DecidedAhead): void {
    const state = endedBy(read, now);
    if (this.isAhead(state)) this.#ahead.set(state.scheduleId, decided.get(state.scheduleId) ?? []);
    this.#keep({ state, nextAt: this.#nextOf(state) });
  }

  /**
   * Nothing older than the last edit, or than the job itself, is owed (D3), whatever the clock said in between. A job that
   * was made in this life while the clock was ahead is there all the same: it counts from the last moment planned.
   */
  #owedSince({ activeSince, createdAt }: ScheduleState, now: Instant): Instant {
    const floor = activeSince <= now ? activeSince : createdAt;
    const isOfThisLife = floor >= this.#startedAt && floor <= this.#latestAt;
    if (floor > now && isOfThisLife) return this.#reachedAt;
    return toInstant(Math.max(floor, this.#reachedAt));
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
    const [owed] = state.pending;
    if (owed !== undefined) return owed.at;
    const decided = this.#ahead.get(state.scheduleId);
    if (decided === undefined) return this.#after(state, state.watermarkAt);
    let nextAt = this.#after(state, this.#owedSince(state, this.#reachedAt));
    for (const { plannedAt, untilAt } of decided) {
      if (nextAt !== null && plannedAt <= nextAt && nextAt <= untilAt) nextAt = this.#after(state, untilAt);
    }
    return nextAt;
  }

  #after(state: ScheduleState, instant: Instant): Instant | null {
    return nextOccurrence(state.rule, instant, contextOf(state, this.#hostZone)) ?? null;
  }
}
