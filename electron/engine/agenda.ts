/**
 * What is due next, in memory: every active schedule with its next occurrence in a heap, computed anew only when something
 * it depends on changed. A cache and nothing more: the ledger in the store decides, and each commit checks against it.
 */

import type { JobId } from '../../shared/model/job';
import type { Decision } from '../../shared/model/run';
import {
  type EventRule,
  isCalendarRule,
  LOCAL_ZONE,
  type ScheduleId,
  type ScheduleRule,
} from '../../shared/model/schedule';
import { assert } from '../../shared/result';
import { nextRunnable } from '../../shared/schedule/dates';
import { nextOccurrence } from '../../shared/schedule/occurrences';
import { type Instant, toInstant } from '../../shared/time';
import { contextOf } from '../core/catchUp';
import type { ScheduleState } from '../core/ledger';
import { decidedUntil, seenAt } from '../core/wrongClock';
import type { Breath } from './breath';
import { DueHeap } from './dueHeap';

/** What is decided later than `owedSince` of schedules that have one, from old to new. */
export type DecidedAhead = ReadonlyMap<ScheduleId, readonly Pick<Decision, 'plannedAt' | 'untilAt'>[]>;

const NOTHING_AHEAD: DecidedAhead = new Map();
const NONE_HELD: ReadonlySet<JobId> = new Set();
/** How soon a schedule is looked at again that waits for a run of its job to end. */
const WAIT_MS = 30_000;

type Entry = {
  state: ScheduleState;
  /** The same as it was read, with dates that may lie in the future. */
  read: ScheduleState;
  ahead: readonly Pick<Decision, 'plannedAt' | 'untilAt'>[];
  /** Null while nothing is planned: the schedule has ended, or waits for a run to end, or for something to happen. */
  nextAt: Instant | null;
  dueAt: number | null;
  slot: number;
};

/** What became of a schedule that seemed due. */
export type Settled = {
  readonly now: Instant;
  /** The newest occurrence that was decided, or null if none was. */
  readonly untilAt: Instant | null;
  /** An interval after the end, while a run of its job goes on: it has no moment now. */
  readonly isWaiting: boolean;
};

/** Days of a job follow the computer too, so an interval with days does. */
const isLocal = ({ rule, dates }: ScheduleState): boolean => {
  if (rule.kind === 'interval') return dates.from !== null || dates.until !== null;
  return isCalendarRule(rule) && rule.zone === LOCAL_ZONE;
};

const countsFromEnd = (rule: ScheduleRule): boolean => rule.kind === 'interval' && rule.basis === 'after_end';

/** Only an interval after the end asks when a run ended, and runs end all the time. */
const isSame = (a: ScheduleState, b: ScheduleState): boolean =>
  JSON.stringify({ ...a, lastEndedAt: countsFromEnd(a.rule) ? a.lastEndedAt : null }) ===
  JSON.stringify({ ...b, lastEndedAt: countsFromEnd(b.rule) ? b.lastEndedAt : null });

export class Agenda {
  readonly #entries = new Map<ScheduleId, Entry>();
  /** Nearly every job has one schedule, and a list for each would cost more than the schedules. */
  readonly #byJob = new Map<JobId, Entry | Entry[]>();
  /** Jobs that start after the runs of another one. */
  readonly #after = new Map<string, Set<JobId>>();
  readonly #events = new Set<Entry>();
  /** Those of which something is dated later than now. */
  readonly #dated = new Set<Entry>();
  readonly #heap = new DueHeap<Entry>();
  /** Those that wait for a run to end. They have no next occurrence. */
  readonly #waiting = new DueHeap<Entry>();
  /** Some job has, or had, days on which it does not run. */
  #hasDaysOff = false;
  #hostZone: string;

  constructor(hostZone: string) {
    this.#hostZone = hostZone;
  }

  get hostZone(): string {
    return this.#hostZone;
  }

  /** Replaces everything. What did not change is not computed again: reading 4,096 rules takes its time. */
  load(states: readonly ScheduleState[], now: Instant, decided: DecidedAhead = NOTHING_AHEAD): void {
    const before = new Map(this.#entries);
    for (const { state } of this.#dated) before.delete(state.scheduleId);
    this.#entries.clear();
    this.#byJob.clear();
    this.#after.clear();
    this.#events.clear();
    this.#dated.clear();
    this.#heap.clear();
    this.#waiting.clear();
    for (const state of states) {
      const known = before.get(state.scheduleId);
      const isKnown = known !== undefined && known.nextAt !== null && known.state.owedSince == null;
      if (isKnown && state.owedSince == null && isSame(known.state, state)) this.#keep(known);
      else this.#add(state, now, decided);
    }
  }

  /** The first load, with rests: what it answers meanwhile is not the whole. */
  async fill(
    states: readonly ScheduleState[],
    now: Instant,
    breath: Breath,
    decided: DecidedAhead = NOTHING_AHEAD,
  ): Promise<void> {
    assert(this.#entries.size === 0, 'only an empty agenda is filled');
    for (const state of states) {
      this.#add(state, now, decided);
      if (breath.isDue()) await breath.rest();
    }
  }

  /** Replaces what is known of one job. */
  replaceJob(
    jobId: JobId,
    states: readonly ScheduleState[],
    now: Instant,
    decided: DecidedAhead = NOTHING_AHEAD,
  ): void {
    for (const entry of this.#ofJob(jobId)) this.#drop(entry);
    this.#byJob.delete(jobId);
    for (const state of states) this.#add(state, now, decided);
  }

  /** The computer travelled: schedules that follow it are planned anew. */
  setZone(hostZone: string, now: Instant): void {
    this.#hostZone = hostZone;
    for (const entry of this.#entries.values()) if (isLocal(entry.state)) this.#compute(entry, now);
  }

  /** The clock has come to what was dated later than it: from now on that counts as it was stored. */
  followDates(now: Instant): void {
    for (const entry of this.#dated) {
      const { rule, createdAt, lastEndedAt } = entry.read;
      if (seenAt(entry.read, now) !== entry.read) continue;
      this.#dated.delete(entry);
      entry.state = { ...entry.state, rule, createdAt, lastEndedAt };
      this.#compute(entry, now);
    }
  }

  /** What may be due at `now`. */
  due(now: Instant): ScheduleState[] {
    return [...this.#heap.upTo(now), ...this.#waiting.upTo(now)].map(({ state }) => state);
  }

  /** What was due of a schedule is decided, or nothing was to be decided. */
  settle(scheduleId: ScheduleId, { now, untilAt, isWaiting }: Settled): void {
    const entry = this.#entries.get(scheduleId);
    if (entry === undefined) return;
    const { state } = entry;
    const { watermarkAt, owedSince, pending, ...facts } = state;
    const reachedAt = isWaiting ? (untilAt ?? owedSince) : toInstant(Math.max(untilAt ?? now, now));
    entry.state = {
      ...facts,
      watermarkAt: untilAt !== null && untilAt > watermarkAt ? untilAt : watermarkAt,
      ...(owedSince != null && reachedAt != null && reachedAt < watermarkAt ? { owedSince: reachedAt } : {}),
      pending: pending.length === 0 ? pending : pending.filter(({ at }) => at > now),
    };
    if (isWaiting) this.#wait(entry, now + WAIT_MS);
    else this.#compute(entry, now, untilAt === null ? now : null);
  }

  /** Whether an interval of the job counts from the end of its runs. */
  countsFromEnds(jobId: JobId): boolean {
    return this.#ofJob(jobId).some(({ state }) => countsFromEnd(state.rule));
  }

  /** The jobs that may start because a run of this one ended. */
  waitersOf(jobId: JobId): JobId[] {
    return [...(this.#after.get(jobId) ?? [])];
  }

  /** The schedules that start when that happens. */
  onEvent(event: EventRule['on']): ScheduleState[] {
    const isOn = ({ rule }: ScheduleState): boolean => rule.kind === 'event' && rule.on === event;
    return [...this.#events].flatMap(({ state }) => (isOn(state) ? [state] : []));
  }

  /** When something is to be looked at again, or null. */
  wakeAt(): Instant | null {
    const at = Math.min(this.#heap.first()?.dueAt ?? Infinity, this.#waiting.first()?.dueAt ?? Infinity);
    return at === Infinity ? null : toInstant(at);
  }

  /** The soonest occurrence of all that will run, and the jobs that are due then; without jobs that are held. */
  next(
    held: ReadonlySet<JobId> = NONE_HELD,
  ): { readonly at: Instant; readonly jobIds: readonly JobId[] } | null {
    if (held.size > 0 || this.#hasDaysOff) return this.#nextAmong(held);
    const at = this.#heap.first()?.nextAt ?? null;
    if (at === null) return null;
    return { at, jobIds: [...new Set(this.#heap.upTo(at).map(({ state }) => state.jobId))] };
  }

  #nextAmong(held: ReadonlySet<JobId>): { readonly at: Instant; readonly jobIds: readonly JobId[] } | null {
    let at: Instant | null = null;
    let jobIds = new Set<JobId>();
    for (const entry of this.#entries.values()) {
      // It runs no sooner than it is due, and most are later than the best so far.
      if (entry.nextAt === null || (at !== null && entry.nextAt > at) || held.has(entry.state.jobId))
        continue;
      const runsAt = this.#nextRun(entry);
      if (runsAt === null || (at !== null && runsAt > at)) continue;
      if (runsAt !== at) jobIds = new Set();
      at = runsAt;
      jobIds.add(entry.state.jobId);
    }
    return at === null ? null : { at, jobIds: [...jobIds] };
  }

  /** The soonest occurrence of one job. */
  nextOfJob(jobId: JobId): Instant | null {
    return this.#ofJob(jobId).reduce<Instant | null>(
      (best, { nextAt }) => (nextAt !== null && (best === null || nextAt < best) ? nextAt : best),
      null,
    );
  }

  /** The same, without occurrences on excluded dates, which are only recorded as skipped. */
  nextRunOfJob(jobId: JobId): Instant | null {
    return this.#ofJob(jobId).reduce<Instant | null>((best, entry) => {
      const at = this.#nextRun(entry);
      return at !== null && (best === null || at < best) ? at : best;
    }, null);
  }

  #nextRun({ state, nextAt }: Entry): Instant | null {
    const isOwed = state.pending.length > 0;
    if (nextAt === null || isOwed || state.dates.excluded.length === 0) return nextAt;
    const context = contextOf(state, this.#hostZone);
    return nextRunnable(state.rule, toInstant(nextAt - 1), context, state.dates) ?? null;
  }

  #ofJob(jobId: JobId): readonly Entry[] {
    const found = this.#byJob.get(jobId);
    if (found === undefined) return [];
    return Array.isArray(found) ? found : [found];
  }

  #add(read: ScheduleState, now: Instant, decided: DecidedAhead): void {
    const ahead = read.owedSince == null ? [] : (decided.get(read.scheduleId) ?? []);
    const entry: Entry = { read, state: seenAt(read, now), ahead, nextAt: null, dueAt: null, slot: -1 };
    this.#keep(entry);
    if (entry.state !== read) this.#dated.add(entry);
    this.#compute(entry, now);
  }

  #keep(entry: Entry): void {
    const { scheduleId, jobId, rule } = entry.state;
    this.#entries.set(scheduleId, entry);
    const others = this.#byJob.get(jobId);
    if (others === undefined) this.#byJob.set(jobId, entry);
    else this.#byJob.set(jobId, Array.isArray(others) ? [...others, entry] : [others, entry]);
    if (entry.state.dates.excluded.length > 0) this.#hasDaysOff = true;
    if (rule.kind === 'event') this.#events.add(entry);
    if (rule.kind === 'after_job') {
      this.#after.set(rule.jobId, (this.#after.get(rule.jobId) ?? new Set()).add(jobId));
    }
    this.#heap.place(entry, entry.nextAt);
  }

  #drop(entry: Entry): void {
    const { scheduleId, jobId, rule } = entry.state;
    this.#entries.delete(scheduleId);
    this.#events.delete(entry);
    this.#dated.delete(entry);
    if (rule.kind === 'after_job') this.#after.get(rule.jobId)?.delete(jobId);
    this.#heapOf(entry).place(entry, null);
  }

  /** `notUntil`: occurrences up to there were looked at, and none was to be decided. */
  #compute(entry: Entry, now: Instant, notUntil: Instant | null = null): void {
    this.#heapOf(entry).place(entry, null);
    entry.nextAt = this.#nextOf(entry, now, notUntil);
    this.#heap.place(entry, entry.nextAt);
  }

  #wait(entry: Entry, until: number): void {
    this.#heapOf(entry).place(entry, null);
    entry.nextAt = null;
    this.#waiting.place(entry, until);
  }

  #heapOf({ nextAt }: Entry): DueHeap<Entry> {
    return nextAt === null ? this.#waiting : this.#heap;
  }

  #nextOf({ state, ahead }: Entry, now: Instant, notUntil: Instant | null): Instant | null {
    const [owed] = state.pending;
    if (owed !== undefined) return owed.at;
    const from = decidedUntil(state, now);
    let nextAt = this.#following(state, notUntil !== null && notUntil > from ? notUntil : from);
    if (state.owedSince == null) return nextAt;
    for (const { plannedAt, untilAt } of ahead) {
      if (nextAt !== null && plannedAt <= nextAt && nextAt <= untilAt)
        nextAt = this.#following(state, untilAt);
    }
    return nextAt;
  }

  #following(state: ScheduleState, instant: Instant): Instant | null {
    return nextOccurrence(state.rule, instant, contextOf(state, this.#hostZone)) ?? null;
  }
}
