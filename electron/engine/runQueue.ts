/**
 * Runs that wait, each with its job. One of them may start when its moment has come, its job has room, its conditions are
 * met, and there is a place; here it is known which of these is the next thing to look at, so that a change looks at the
 * runs that it concerns and at no others. Runs of one job go in order, unless their job allows several at once.
 */

import type { Job, JobId } from '../../shared/model/job';
import type { Run, RunId } from '../../shared/model/run';
import { type Instant, SECOND_MS, toInstant } from '../../shared/time';
import { type FreePlace, isByHand } from '../core/pool';
import { delayAfter } from '../core/retry';
import type { Clock } from '../ports/world';
import { DueHeap, type HeapEntry } from './dueHeap';

/**
 * The least time between two starts of one job that nobody asked for one by one: catch-up runs, chains and events. It keeps
 * a loop of causes from running hot (H-45) and spreads a night's catch-up (D7). Schedules keep a second by themselves,
 * retries have a delay and a count, and a person's own start, queue or "several at once" is meant as it is.
 */
export const START_SPACING_MS = SECOND_MS;

/** Conditions that were met longer ago than this are asked again before the start. */
const MET_MS_MAX = 30 * SECOND_MS;

/**
 * `lined`: waits for its turn or its job's room. `moving`: its moment is being stored anew. `delayed`: its moment has not come. `asking`: its
 * conditions are asked. `ready`: waits for a place only.
 */
type EntryState = 'lined' | 'moving' | 'delayed' | 'asking' | 'ready';

/** How soon a run is looked at again that waits for a wrong clock to be put right. */
const DOUBTED_MS = 30_000;

export type QueueEntry = HeapEntry & {
  run: Run;
  /** As it was when the run was queued; null until it is read. */
  job: Job | null;
  state: EntryState;
  /** A person said that it waits for nothing but a place. */
  isReleased: boolean;
  /** When its conditions were met, by the monotonic clock; null if they have to be asked. */
  metAt: number | null;
  /** Older runs of its job were asked to give way. */
  hasReplaced: boolean;
};

type Line = {
  readonly jobId: JobId;
  /** Runs of the job that go on. */
  readonly running: Set<RunId>;
  readyCount: number;
  /** Those that had an attempt are older than those that had none. */
  readonly begun: Set<QueueEntry>;
  readonly fresh: Set<QueueEntry>;
  /** By the monotonic clock. */
  startedAt: number | null;
};

export type RunQueueEvents = {
  /** False while the clock is wrong, so that nothing planned may start under it. */
  readonly isClockBelieved: () => boolean;
  /** Its moment lies too far ahead; it is to be stored anew. Answered by `moved`. */
  readonly onMove: (entry: QueueEntry, notBeforeAt: Instant) => void;
  /** Its turn has come: its conditions are to be asked. Answered by `met`. */
  readonly onAsk: (entry: QueueEntry) => void;
  /** These older runs of its job give way to it. */
  readonly onReplace: (runIds: readonly RunId[]) => void;
};

export class RunQueue {
  readonly #clock: Clock;
  readonly #events: RunQueueEvents;
  readonly #entries = new Map<RunId, QueueEntry>();
  readonly #lines = new Map<JobId, Line>();
  readonly #delayed = new DueHeap<QueueEntry>();
  /** In the order in which they became ready. */
  readonly #ready = { planned: new Set<QueueEntry>(), byHand: new Set<QueueEntry>() };
  #lookedAt: Instant;

  constructor(clock: Clock, events: RunQueueEvents) {
    this.#clock = clock;
    this.#events = events;
    this.#lookedAt = clock.now();
  }

  get(runId: RunId): QueueEntry | null {
    return this.#entries.get(runId) ?? null;
  }

  ofJob(jobId: JobId): QueueEntry[] {
    const line = this.#lines.get(jobId);
    return line === undefined ? [] : [...line.begun, ...line.fresh];
  }

  /** Adds a run, or replaces what is known of it. Without its job it is not looked at before `brief`. */
  /** Jobs that have a run here, or one that goes on. */
  jobIds(): JobId[] {
    return [...this.#lines.keys()];
  }

  add(run: Run, job: Job | null, isReleased: boolean): QueueEntry {
    this.remove(run.id);
    const state = 'lined' as const;
    const entry = { run, job, state, isReleased, metAt: null, hasReplaced: false, dueAt: null, slot: -1 };
    this.#entries.set(run.id, entry);
    const line = this.#lineOf(run.jobId);
    (run.attemptCount > 0 ? line.begun : line.fresh).add(entry);
    if (job !== null) this.#consider(line);
    return entry;
  }

  brief(entry: QueueEntry, job: Job): void {
    if (this.#entries.get(entry.run.id) !== entry) return;
    entry.job = job;
    this.#consider(this.#lineOf(entry.run.jobId));
  }

  remove(runId: RunId): void {
    const entry = this.#entries.get(runId);
    if (entry === undefined) return;
    const line = this.#lineOf(entry.run.jobId);
    this.#take(entry, line);
    this.#consider(line);
    this.#forget(line);
  }

  moved(entry: QueueEntry, notBeforeAt: Instant): void {
    if (this.#entries.get(entry.run.id) !== entry || entry.state !== 'moving') return;
    entry.run = { ...entry.run, notBeforeAt };
    entry.state = 'lined';
    this.#consider(this.#lineOf(entry.run.jobId));
  }

  met(entry: QueueEntry): void {
    if (this.#entries.get(entry.run.id) !== entry || entry.state !== 'asking') return;
    entry.metAt = this.#clock.monotonic();
    entry.state = 'lined';
    this.#consider(this.#lineOf(entry.run.jobId));
  }

  /** Takes out the run that starts next, or null. It counts as going on from now. */
  take(place: FreePlace): QueueEntry | null {
    for (let entry = this.#first(place); entry !== null; entry = this.#first(place)) {
      const line = this.#lineOf(entry.run.jobId);
      if (this.#isDoubted(entry) || this.#isStale(entry)) {
        this.#unready(entry, line);
        this.#advance(entry, line);
        continue;
      }
      this.#take(entry, line);
      this.started(entry.run);
      this.#consider(line);
      return entry;
    }
    return null;
  }

  /** A run of the job goes on, from the queue or from an earlier life. */
  started({ id, jobId }: Pick<Run, 'id' | 'jobId'>): void {
    const line = this.#lineOf(jobId);
    line.running.add(id);
    line.startedAt = this.#clock.monotonic();
  }

  ended({ id, jobId }: Pick<Run, 'id' | 'jobId'>): void {
    const line = this.#lineOf(jobId);
    line.running.delete(id);
    this.#consider(line);
    this.#forget(line);
  }

  /** Looks at the clock: what has come is considered, and what a clock set back put too far away comes nearer. */
  look(): void {
    const now = this.#clock.now();
    if (now < this.#lookedAt) {
      for (const entry of this.#delayed.upTo(Number.POSITIVE_INFINITY)) this.#wake(entry);
    }
    this.#lookedAt = now;
    for (const entry of this.#delayed.upTo(now)) this.#wake(entry);
  }

  /** The earliest moment that a run waits for, or null. */
  nextAt(): Instant | null {
    const dueAt = this.#delayed.first()?.dueAt ?? null;
    return dueAt === null ? null : toInstant(dueAt);
  }

  #wake(entry: QueueEntry): void {
    this.#delayed.place(entry, null);
    entry.state = 'lined';
    this.#consider(this.#lineOf(entry.run.jobId));
  }

  #lineOf(jobId: JobId): Line {
    let line = this.#lines.get(jobId);
    if (line === undefined) {
      line = {
        jobId,
        running: new Set(),
        readyCount: 0,
        begun: new Set(),
        fresh: new Set(),
        startedAt: null,
      };
      this.#lines.set(jobId, line);
    }
    return line;
  }

  /** A line is kept as long as it has anything to say. */
  #forget(line: Line): void {
    if (line.running.size + line.begun.size + line.fresh.size > 0) return;
    if (this.#spacingLeft(line) > 0) return;
    this.#lines.delete(line.jobId);
  }

  #take(entry: QueueEntry, line: Line): void {
    this.#entries.delete(entry.run.id);
    this.#delayed.place(entry, null);
    this.#unready(entry, line);
    line.begun.delete(entry);
    line.fresh.delete(entry);
  }

  #unready(entry: QueueEntry, line: Line): void {
    if (entry.state !== 'ready') return;
    entry.state = 'lined';
    line.readyCount -= 1;
    this.#ready.planned.delete(entry);
    this.#ready.byHand.delete(entry);
  }

  #first(place: FreePlace): QueueEntry | null {
    const byHand = first(this.#ready.byHand);
    if (place === 'none') return null;
    return place === 'by_hand' ? byHand : (byHand ?? first(this.#ready.planned));
  }

  /** The run of a line whose turn it is; of a job that allows several, each of them while there is room. */
  #consider(line: Line): void {
    const fresh = first(line.fresh);
    // An older run gives way to a planned one as soon as nothing else keeps that waiting.
    if (fresh !== null && doesReplace(fresh)) {
      this.#advance(fresh, line);
      return;
    }
    for (const entries of [line.begun, line.fresh]) {
      for (const entry of entries) {
        this.#advance(entry, line);
        if (entry.job?.policies.overlap.mode !== 'allow' || !this.#hasRoom(entry, line)) return;
      }
    }
  }

  #advance(entry: QueueEntry, line: Line): void {
    if (entry.state !== 'lined' || entry.job === null) return;
    const nearerAt = this.#nearer(entry, entry.job);
    if (nearerAt !== null) {
      entry.state = 'moving';
      this.#events.onMove(entry, nearerAt);
      return;
    }
    const dueAt = this.#dueAt(entry, line);
    if (dueAt > this.#clock.now()) {
      entry.state = 'delayed';
      this.#delayed.place(entry, dueAt);
      return;
    }
    const replaces = doesReplace(entry);
    if (!replaces && !this.#hasRoom(entry, line)) return;
    if (this.#isStale(entry)) this.#ask(entry);
    else if (replaces && line.running.size + line.begun.size > 0) this.#replace(entry, line);
    else if (this.#hasRoom(entry, line)) this.#makeReady(entry, line);
  }

  #makeReady(entry: QueueEntry, line: Line): void {
    entry.state = 'ready';
    line.readyCount += 1;
    this.#ready[isByHand(entry.run.trigger) ? 'byHand' : 'planned'].add(entry);
  }

  #ask(entry: QueueEntry): void {
    entry.state = 'asking';
    this.#events.onAsk(entry);
  }

  #replace(entry: QueueEntry, line: Line): void {
    if (entry.hasReplaced) return;
    entry.hasReplaced = true;
    this.#events.onReplace([...line.running, ...[...line.begun].map(({ run }) => run.id)]);
  }

  #hasRoom({ job }: QueueEntry, line: Line): boolean {
    const overlap = job?.policies.overlap;
    const max = overlap?.mode === 'allow' ? overlap.countMax : 1;
    return line.running.size + line.readyCount < max;
  }

  #isStale({ run, job, isReleased, metAt }: QueueEntry): boolean {
    if (isReleased || isByHand(run.trigger) || (job?.conditions.length ?? 0) === 0) return false;
    return metAt === null || this.#clock.monotonic() - metAt > MET_MS_MAX;
  }

  #dueAt(entry: QueueEntry, line: Line): number {
    const { run, isReleased } = entry;
    const now = this.#clock.now();
    if (this.#isDoubted(entry)) return now + DOUBTED_MS;
    const spacedAt = isSpaced(run) && !isReleased ? now + this.#spacingLeft(line) : now;
    return isReleased ? spacedAt : Math.max(spacedAt, run.notBeforeAt ?? spacedAt);
  }

  /** The clock is wrong now: what nobody starts by hand waits until it is put right. */
  #isDoubted({ run, isReleased }: QueueEntry): boolean {
    return !isReleased && !isByHand(run.trigger) && !this.#events.isClockBelieved();
  }

  /**
   * The furthest that its moment may lie ahead, if it was put further by a clock that has gone back since. A clock
   * that is wrong now moves nothing.
   */
  #nearer({ run, isReleased }: QueueEntry, { policies }: Job): Instant | null {
    if (run.notBeforeAt === null || isReleased || !this.#events.isClockBelieved()) return null;
    const limitMs = run.attemptCount > 0 ? delayAfter(run.attemptCount, policies.retry) : policies.jitterMs;
    const latestAt = toInstant(this.#clock.now() + limitMs);
    return run.notBeforeAt > latestAt ? latestAt : null;
  }

  #spacingLeft({ startedAt }: Line): number {
    if (startedAt === null) return 0;
    return Math.ceil(Math.max(0, startedAt + START_SPACING_MS - this.#clock.monotonic()));
  }
}

const first = <T>(set: ReadonlySet<T>): T | null => set.values().next().value ?? null;

const isSpaced = ({ trigger, attemptCount }: Run): boolean =>
  attemptCount === 0 && (trigger === 'catch_up' || trigger === 'chain' || trigger === 'event');

/** A run that a person queued behind another was asked to wait for it. */
const doesReplace = ({ run, job }: QueueEntry): boolean =>
  job?.policies.overlap.mode === 'replace' && !isByHand(run.trigger);
