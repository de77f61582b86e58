/**
 * Runs from the queue to a place: what may start is started, what waits is kept waiting and told, and what need not wait
 * any more is closed. The queue knows whose turn it is, `waiting.ts` asks for conditions, `executions.ts` does the rest.
 */

import type { Job, JobId } from '../../shared/model/job';
import { AttemptId, type Run, type RunId } from '../../shared/model/run';
import type { Instant } from '../../shared/time';
import { isReleasedByHand } from '../core/conditions';
import { isHeldBy } from '../core/lease';
import { freePlace } from '../core/pool';
import type { StopCause } from '../core/runs';
import type { Store, Writer } from '../ports/store';
import type { Surroundings } from '../ports/surroundings';
import type { Ids } from '../ports/world';
import { jobToRun } from './attempts';
import { closeQueued } from './endings';
import { type Adopted, type ExecutionPorts, Executions, type OnAccess, type RunName } from './executions';
import { LifeOver } from './life';
import { FROM_RESERVE, untilWritten } from './persistence';
import { type QueueEntry, RunQueue } from './runQueue';
import { type Release, releaseByHand, type Vain, Waiting, type WaitingPorts } from './waiting';
import { SLEEP_MS_MAX } from './wakeLoop';

export type DispatcherPorts = ExecutionPorts &
  Pick<WaitingPorts, 'aliveAt'> & {
    readonly ids: Ids;
    readonly store: Store;
    readonly surroundings: Surroundings;
    /** False while the clock is wrong, so that nothing planned may start under it. */
    readonly isClockBelieved: () => boolean;
  };

export type DispatcherEvents = {
  readonly onChanged: (run: RunName) => void;
  /** The run is over, or was taken back. */
  readonly onEnded: (run: RunName) => void;
  /** What was not to run was skipped, and is still to come: a clock that was ahead had decided it. */
  readonly onSkippedAhead: () => void;
  readonly onLost: () => void;
  readonly onAccess: OnAccess;
};

/** How long a quitting engine waits for starts in hand to be recorded, in milliseconds. */
export const RECORD_MS_MAX = 10_000;
/** Jobs read in one go; between two goes others have their turn. */
const BRIEFED_MAX = 100;

/** Writes nothing if the lease is lost. */
type Written<T> = { readonly kind: 'written'; readonly value: T } | { readonly kind: 'lost' };

export class Dispatcher {
  readonly #ports: DispatcherPorts;
  readonly #events: DispatcherEvents;
  readonly #queue: RunQueue;
  readonly #waiting: Waiting;
  readonly #executions: Executions;
  readonly #unbriefed: QueueEntry[] = [];
  readonly #stopping = new Set<RunId>();
  #isBriefing = false;
  #isOpen = true;
  #armedFor: number | null = null;
  #callOff = (): void => {};

  constructor(ports: DispatcherPorts, events: DispatcherEvents) {
    this.#ports = ports;
    this.#events = events;
    this.#queue = new RunQueue(ports.clock, {
      onAsk: (entry) => this.#waiting.begin(entry.run, entry.job?.conditions ?? []),
      isClockBelieved: ports.isClockBelieved,
      onMove: (entry, notBeforeAt) => void this.#move(entry, notBeforeAt),
      onReplace: (runIds) => {
        for (const runId of runIds) void this.#stopQuietly(runId, 'replaced');
      },
    });
    this.#waiting = new Waiting(ports, {
      onMet: (run) => this.#met(run),
      record: (run) => this.#recordWaits(run),
      giveUp: (run, vain) => this.#giveUp(run, vain),
    });
    this.#executions = new Executions(ports, {
      ...events,
      onAgain: (run, stopAsked) => {
        events.onChanged({ runId: run.id, jobId: run.jobId });
        this.enqueue([run]);
        if (stopAsked !== null) void this.#stopQuietly(run.id, stopAsked);
      },
      onFree: (run) => {
        this.#queue.ended(run);
        this.#goOn();
      },
    });
  }

  /** Runs that are committed as queued, in the order in which they should start; with their jobs where those are at hand. */
  enqueue(runs: readonly Run[], jobs: readonly Job[] = []): void {
    for (const run of runs) {
      const job = jobs.find(({ id, revision }) => id === run.jobId && revision === run.revision) ?? null;
      const entry = this.#queue.add(run, job, isReleasedByHand(run));
      if (job === null) this.#unbriefed.push(entry);
    }
    void this.#brief();
    this.#goOn();
  }

  adopt(adopted: Adopted): void {
    this.#queue.started(adopted.run);
    this.#executions.adopt(adopted);
  }

  /** Stops a run in whatever state it is; false if this engine neither waits for it nor runs it. */
  async stop(runId: RunId, cause: StopCause): Promise<boolean> {
    if (this.#executions.stop(runId, cause)) return true;
    const entry = this.#queue.get(runId);
    if (entry === null) return false;
    // Out of the queue first, so that it is not started while the cancellation is being written.
    this.#remove(runId);
    const { store, clock, life } = this.#ports;
    const reason = cause === 'replaced' ? ('replaced' as const) : ('stopped_by_user' as const);
    const end = { outcome: 'cancelled' as const, reason, detail: null, endedAt: clock.now() };
    try {
      await life.hold(() => store.transact((writer) => closeQueued(writer, entry.run, end), FROM_RESERVE));
      this.#events.onEnded({ runId, jobId: entry.run.jobId });
    } catch (error) {
      if (!(error instanceof LifeOver)) this.enqueue([entry.run], entry.job === null ? [] : [entry.job]);
      throw error;
    }
    return true;
  }

  /** The run waits for nothing but a place any more; false if it does not wait here. */
  async startNow(runId: RunId): Promise<boolean> {
    const entry = this.#queue.get(runId);
    if (entry === null) return false;
    const { store, clock, life } = this.#ports;
    this.#waiting.cancel(runId);
    const conditions = entry.job?.conditions ?? [];
    const again = (run: Run): void => this.enqueue([run], entry.job === null ? [] : [entry.job]);
    let released: Release | null;
    try {
      released = await life.hold(() =>
        store.transact((writer) => releaseByHand(writer, runId, conditions, clock.now())),
      );
    } catch (error) {
      if (!(error instanceof LifeOver) && this.#queue.get(runId) === entry) again(entry.run);
      throw error;
    }
    if (this.#queue.get(runId) !== entry) return released !== null;
    if (released === null) {
      this.#remove(runId);
      return false;
    }
    this.#queue.add(released.run, entry.job, true);
    if (entry.job === null) again(released.run);
    this.#events.onChanged({ runId, jobId: entry.run.jobId });
    this.#goOn();
    return true;
  }

  /** The job was edited, switched or deleted: its runs that wait may be wanted no more (S-43). */
  jobChanged(jobId: JobId): void {
    for (const { run } of this.#queue.ofJob(jobId)) void this.#closeIfOff(run);
  }

  /** Jobs that have a run here. */
  jobIds(): JobId[] {
    return this.#queue.jobIds();
  }

  /** The clock is to be looked at: it may have been set, or the machine may have slept. */
  look(): void {
    this.#queue.look();
    this.#armedFor = null;
    this.#goOn();
  }

  /**
   * Starts nothing any more, and waits until what was being started is recorded. With `stop` it also stops everything and
   * waits for the ends, at most `msMax`.
   */
  async close(choice: { readonly runs: 'leave' | 'stop' }, msMax: number): Promise<void> {
    this.#shut();
    await this.#executions.until((all) => all.every(({ isRecorded }) => isRecorded), RECORD_MS_MAX);
    if (choice.runs === 'leave') return;
    for (const { runId } of [...this.#executions.all()]) this.#executions.stop(runId, 'user');
    await this.#executions.until((all) => all.length === 0, msMax);
  }

  /** Lets go of everything that runs; it goes on by itself and can be adopted. */
  detach(): void {
    this.#shut();
    this.#executions.detach();
  }

  #shut(): void {
    this.#isOpen = false;
    this.#callOff();
    this.#waiting.end();
  }

  #remove(runId: RunId): void {
    this.#waiting.cancel(runId);
    this.#queue.remove(runId);
    this.#goOn();
  }

  /** Starts what may start, and wakes up when the next run may. */
  #goOn(): void {
    while (this.#isOpen && !this.#ports.life.isOver) {
      const entry = this.#queue.take(freePlace(this.#executions.all()));
      if (entry === null) break;
      this.#executions.begin(entry.run, AttemptId.parse(this.#ports.ids.next()));
    }
    this.#arm();
  }

  /** One timer for the earliest, and never a long one: it may fire late or not at all (C-034). */
  #arm(): void {
    const nextAt = this.#isOpen && !this.#ports.life.isOver ? this.#queue.nextAt() : null;
    if (nextAt === this.#armedFor && nextAt !== null) return;
    this.#callOff();
    this.#armedFor = nextAt;
    if (nextAt === null) {
      this.#callOff = () => {};
      return;
    }
    const delayMs = Math.min(Math.max(0, nextAt - this.#ports.clock.now()), SLEEP_MS_MAX);
    this.#callOff = this.#ports.timer.after(delayMs, () => this.look());
  }

  /** Reads the jobs of runs that came without them, a few at a time. */
  async #brief(): Promise<void> {
    if (this.#isBriefing) return;
    this.#isBriefing = true;
    try {
      while (this.#unbriefed.length > 0) {
        const entries = this.#unbriefed.splice(0, BRIEFED_MAX);
        await this.#briefSome(entries);
        if (this.#unbriefed.length > 0) await this.#ports.life.pause(0);
      }
    } catch (error) {
      if (!(error instanceof LifeOver)) throw error;
    } finally {
      this.#isBriefing = false;
    }
  }

  async #briefSome(entries: readonly QueueEntry[]): Promise<void> {
    const { store } = this.#ports;
    const jobs = await this.#write('runs', () =>
      store.read(async (reader) => {
        const found: (Job | null)[] = [];
        for (const { run } of entries) found.push(await jobToRun(reader, run));
        return found;
      }),
    );
    for (const [index, entry] of entries.entries()) {
      const job = jobs[index] ?? null;
      if (job !== null) this.#queue.brief(entry, job);
      else if (this.#queue.get(entry.run.id) === entry) void this.#closeIfOff(entry.run);
    }
    this.#goOn();
  }

  async #move(entry: QueueEntry, notBeforeAt: Instant): Promise<void> {
    const { id, jobId } = entry.run;
    try {
      const written = await this.#writeHeld('runs', (writer) => writer.runs.setNotBefore(id, notBeforeAt));
      if (written.kind === 'lost') return;
      this.#queue.moved(entry, notBeforeAt);
      this.#events.onChanged({ runId: id, jobId });
      this.#goOn();
    } catch (error) {
      if (!(error instanceof LifeOver)) throw error;
    }
  }

  #met(run: Run): void {
    const entry = this.#queue.get(run.id);
    if (entry === null) return;
    entry.run = run;
    this.#queue.met(entry);
    this.#goOn();
  }

  async #recordWaits(run: Run): Promise<void> {
    const entry = this.#queue.get(run.id);
    if (entry !== null) entry.run = run;
    const written = await this.#writeHeld('runs', (writer) => writer.runs.setWaits(run.id, run.waits));
    if (written.kind === 'written') this.#events.onChanged({ runId: run.id, jobId: run.jobId });
  }

  async #giveUp(run: Run, { kind, sentence, waits }: Vain): Promise<void> {
    this.#remove(run.id);
    const written = await this.#writeHeld('ends', async (writer) => {
      const at = this.#ports.clock.now();
      const why = { reason: 'condition' as const, missCause: null, at };
      if (kind === 'skip' && (await writer.runs.withdraw(run.id, why))) return;
      await writer.runs.setWaits(run.id, waits);
      // One that has been tried before cannot be taken back: it failed, and its last chance did not come.
      const reason = 'condition_not_met' as const;
      await closeQueued(writer, run, { outcome: 'failed', reason, detail: sentence, endedAt: at });
    });
    if (written.kind !== 'written') return;
    this.#events.onEnded({ runId: run.id, jobId: run.jobId });
    if (run.plannedAt !== null && run.plannedAt > this.#ports.clock.now()) this.#events.onSkippedAhead();
  }

  /** Closes the run if its job is deleted, or off for a run that nobody asked for by hand. */
  async #closeIfOff(run: Run): Promise<void> {
    try {
      const written = await this.#writeHeld('ends', async (writer) => {
        const current = await writer.runs.get(run.id);
        if (current?.state !== 'queued' || (await jobToRun(writer, current)) !== null) return false;
        const end = { outcome: 'cancelled' as const, reason: 'job_off' as const, detail: null };
        return closeQueued(writer, current, { ...end, endedAt: this.#ports.clock.now() });
      });
      if (written.kind === 'lost' || !written.value) return;
      this.#remove(run.id);
      this.#events.onEnded({ runId: run.id, jobId: run.jobId });
    } catch (error) {
      if (!(error instanceof LifeOver)) throw error;
    }
  }

  /** Tried until it is written. Asked for again meanwhile, it is under way: a run that is put back is replaced anew. */
  async #stopQuietly(runId: RunId, cause: StopCause): Promise<void> {
    if (this.#stopping.has(runId)) return;
    this.#stopping.add(runId);
    try {
      await this.#write('ends', () => this.stop(runId, cause));
    } catch (error) {
      if (!(error instanceof LifeOver)) throw error;
    } finally {
      this.#stopping.delete(runId);
    }
  }

  /** `ends` may use the reserve. */
  async #writeHeld<T>(source: 'runs' | 'ends', work: (writer: Writer) => Promise<T>): Promise<Written<T>> {
    const { store, life } = this.#ports;
    const options = { mayUseReserve: source === 'ends' };
    const written = await this.#write(source, () =>
      store.transact(async (writer): Promise<Written<T>> => {
        if (!isHeldBy(await writer.leases.get(), life.fence)) return { kind: 'lost' };
        return { kind: 'written', value: await work(writer) };
      }, options),
    );
    if (written.kind === 'lost') this.#events.onLost();
    return written;
  }

  #write<T>(source: 'runs' | 'ends', write: () => Promise<T>): Promise<T> {
    return untilWritten(this.#ports.life, (trouble) => this.#events.onAccess(source, trouble), write);
  }
}
