/**
 * Starts queued runs as places become free, watches those that go on, and records how they end. Nothing is spawned before
 * its start is committed (D4), and nothing is written after the lease is lost (H-29, X-12).
 */

import type { JobId } from '../../shared/model/job';
import type { Policies } from '../../shared/model/policies';
import { AttemptId, type Run, type RunId } from '../../shared/model/run';
import type { Instant } from '../../shared/time';
import { nextToStart } from '../core/pool';
import type { StopCause } from '../core/runs';
import type { AttemptEnd, LiveAttempt, Runner } from '../ports/running';
import type { Store } from '../ports/store';
import type { Clock, Ids, Log, Timer } from '../ports/world';
import {
  type AttemptPorts,
  type Begun,
  beginAttempt,
  type Finish,
  finishAttempt,
  recordProcess,
} from './attempts';
import { type Life, LifeOver } from './life';
import { untilWritten } from './persistence';
import { type Supervision, supervise } from './supervision';

export type DispatcherPorts = {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: Ids;
  readonly log: Log;
  readonly store: Store;
  readonly runner: Runner;
  readonly life: Life;
};

export type DispatcherEvents = {
  readonly onChanged: (run: { readonly runId: RunId; readonly jobId: JobId }) => void;
  readonly onEnded: (run: { readonly runId: RunId; readonly jobId: JobId }) => void;
  readonly onLost: () => void;
  readonly onAccess: (trouble: { readonly error: unknown } | null) => void;
};

/** An attempt of an earlier life that still runs. */
export type Adopted = {
  readonly run: Run;
  readonly attemptId: AttemptId;
  readonly startedAt: Instant;
  readonly live: LiveAttempt;
  readonly policies: Pick<Policies, 'graceMs'>;
  /** What is left of its time limit, or null for none. */
  readonly timeoutMs: number | null;
};

type Ongoing = {
  readonly runId: RunId;
  readonly jobId: JobId;
  readonly trigger: Run['trigger'];
  readonly attemptId: AttemptId;
  supervision: Supervision | null;
  live: LiveAttempt | null;
  /** A stop that was asked for before there was a process. */
  stopAsked: StopCause | null;
  /** The process, if there is one, is recorded: whoever comes next can find it. */
  isRecorded: boolean;
};

type Watch = { readonly startedAt: Instant; readonly startedMonotonic: number | null };

/** How long a quitting engine waits for starts in hand to be recorded, in milliseconds. */
export const RECORD_MS_MAX = 10_000;

export class Dispatcher {
  readonly #ports: DispatcherPorts;
  readonly #attemptPorts: AttemptPorts;
  readonly #events: DispatcherEvents;
  #queued: Run[] = [];
  readonly #ongoing = new Map<RunId, Ongoing>();
  #isOpen = true;
  #onChange = (): void => {};

  constructor(ports: DispatcherPorts, events: DispatcherEvents) {
    this.#ports = ports;
    this.#attemptPorts = { store: ports.store, clock: ports.clock, fence: ports.life.fence };
    this.#events = events;
  }

  /** Runs that are committed as queued, in the order in which they should start. */
  enqueue(runs: readonly Run[]): void {
    this.#queued.push(...runs);
    this.#startWhatMay();
  }

  /** Watches an attempt that an earlier life started and this one has taken over. */
  adopt({ run, attemptId, startedAt, live, policies, timeoutMs }: Adopted): void {
    const ongoing = this.#open(run, attemptId);
    ongoing.isRecorded = true;
    this.#supervise(ongoing, live, { timeoutMs, graceMs: policies.graceMs });
    void this.#conclude(ongoing, () => this.#awaitEnd(ongoing, live, { startedAt, startedMonotonic: null }));
  }

  /** Stops a run in whatever state it is; false if this engine neither waits for it nor runs it. */
  async stop(runId: RunId, cause: StopCause): Promise<boolean> {
    const ongoing = this.#ongoing.get(runId);
    if (ongoing !== undefined) {
      if (ongoing.supervision !== null) ongoing.supervision.stop(cause);
      else ongoing.stopAsked ??= cause;
      return true;
    }
    const queued = this.#queued.find(({ id }) => id === runId);
    if (queued === undefined) return false;
    const { store, clock, life } = this.#ports;
    // Out of the queue first, so that it is not started while the cancellation is being written.
    this.#queued = this.#queued.filter((other) => other !== queued);
    const endedAt = clock.now();
    try {
      await life.hold(() =>
        store.transact((writer) =>
          writer.runs.closeQueued(runId, {
            outcome: 'cancelled',
            reason: 'stopped_by_user',
            detail: null,
            endedAt,
          }),
        ),
      );
    } catch (error) {
      if (!(error instanceof LifeOver)) this.enqueue([queued]);
      throw error;
    }
    this.#events.onEnded({ runId, jobId: queued.jobId });
    return true;
  }

  /**
   * Starts nothing any more, and waits until what was being started is recorded. With `stop` it also stops everything and
   * waits for the ends, at most `msMax`.
   */
  async close(choice: { readonly runs: 'leave' | 'stop' }, msMax: number): Promise<void> {
    this.#isOpen = false;
    const isRecorded = (): boolean => [...this.#ongoing.values()].every((ongoing) => ongoing.isRecorded);
    await this.#until(isRecorded, RECORD_MS_MAX);
    if (choice.runs === 'leave') return;
    for (const runId of this.#ongoing.keys()) await this.stop(runId, 'user');
    await this.#until(() => this.#ongoing.size === 0, msMax);
  }

  /** Lets go of everything that runs; it goes on by itself and can be adopted. */
  detach(): void {
    this.#isOpen = false;
    for (const { supervision, live } of this.#ongoing.values()) {
      supervision?.end();
      live?.detach();
    }
  }

  #startWhatMay(): void {
    while (this.#isOpen && !this.#ports.life.isOver) {
      const run = nextToStart(this.#queued, [...this.#ongoing.values()]);
      if (run === null) return;
      this.#queued = this.#queued.filter((other) => other !== run);
      const ongoing = this.#open(run, AttemptId.parse(this.#ports.ids.next()));
      void this.#conclude(ongoing, () => this.#carryOut(ongoing));
    }
  }

  #open({ id, jobId, trigger }: Run, attemptId: AttemptId): Ongoing {
    const ongoing: Ongoing = {
      runId: id,
      jobId,
      trigger,
      attemptId,
      supervision: null,
      live: null,
      stopAsked: null,
      isRecorded: false,
    };
    this.#ongoing.set(id, ongoing);
    return ongoing;
  }

  /** The one path on which a place becomes free again, whatever happened before (H-60, C-067). */
  async #conclude(ongoing: Ongoing, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof LifeOver))
        this.#ports.log.error('run_flow_failed', { runId: ongoing.runId, error });
    } finally {
      ongoing.supervision?.end();
      this.#ongoing.delete(ongoing.runId);
      this.#onChange();
      this.#startWhatMay();
    }
  }

  async #carryOut(ongoing: Ongoing): Promise<void> {
    const { runId, jobId, attemptId } = ongoing;
    const begun = await this.#write(() => beginAttempt(this.#attemptPorts, runId, attemptId));
    if (begun.kind === 'lost') return this.#events.onLost();
    if (begun.kind === 'dropped') return this.#events.onEnded({ runId, jobId });
    const watch = { startedAt: begun.startedAt, startedMonotonic: this.#ports.clock.monotonic() };
    this.#events.onChanged({ runId, jobId });
    if (ongoing.stopAsked !== null) return this.#finish(ongoing, this.#neverSpawned(), watch);
    const started = await this.#start(begun);
    if (started.kind === 'failed') return this.#finish(ongoing, started.end, watch);
    const { attempt } = started;
    if (this.#ports.life.isOver) return attempt.detach();
    this.#supervise(ongoing, attempt, begun.job.policies);
    const isHeld = await this.#write(() => recordProcess(this.#attemptPorts, attemptId, attempt.identity));
    if (!isHeld) return this.#events.onLost();
    ongoing.isRecorded = true;
    this.#onChange();
    await this.#awaitEnd(ongoing, attempt, watch);
  }

  async #start({ order }: Begun): ReturnType<Runner['start']> {
    try {
      return await this.#ports.runner.start(order);
    } catch (error) {
      this.#ports.log.error('runner_failed', { runId: order.runId, error });
      const end = { ...this.#neverSpawned(), reason: 'spawn_failed' as const };
      return { kind: 'failed', end: { ...end, detail: 'Belfry could not start the command.' } };
    }
  }

  #neverSpawned(): AttemptEnd {
    const endedAt = this.#ports.clock.now();
    return { reason: null, detail: null, exitCode: null, signal: null, endedAt, outputBytes: 0 };
  }

  #supervise(
    ongoing: Ongoing,
    live: LiveAttempt,
    limits: { timeoutMs: number | null; graceMs: number },
  ): void {
    ongoing.live = live;
    ongoing.supervision = supervise(live, limits, this.#ports);
    if (ongoing.stopAsked !== null) ongoing.supervision.stop(ongoing.stopAsked);
  }

  async #awaitEnd(ongoing: Ongoing, live: LiveAttempt, watch: Watch): Promise<void> {
    const end = await live.ended.catch((error: unknown): AttemptEnd => {
      this.#ports.log.error('attempt_unwatched', { runId: ongoing.runId, error });
      return { ...this.#neverSpawned(), reason: 'interrupted' };
    });
    await this.#finish(ongoing, end, watch);
  }

  async #finish(ongoing: Ongoing, end: AttemptEnd, watch: Watch): Promise<void> {
    const { runId, jobId, attemptId } = ongoing;
    const { clock, store, life } = this.#ports;
    const { startedAt, startedMonotonic } = watch;
    const wasAdopted = startedMonotonic === null;
    const durationMs = startedMonotonic === null ? 'by_wall' : clock.monotonic() - startedMonotonic;
    const stop = ongoing.supervision?.stopCause() ?? ongoing.stopAsked;
    const finish: Finish = { runId, attemptId, startedAt, end, stop, durationMs, wasAdopted };
    const isHeld = await this.#write(() =>
      store.transact((writer) => finishAttempt(writer, finish, life.fence)),
    );
    if (isHeld) this.#events.onEnded({ runId, jobId });
    else this.#events.onLost();
  }

  #write<T>(write: () => Promise<T>): Promise<T> {
    return untilWritten(this.#ports.life, this.#events.onAccess, write);
  }

  /** Resolves when `isSo` holds, asked after each change, or after `msMax`. */
  #until(isSo: () => boolean, msMax: number): Promise<void> {
    if (isSo()) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = (): void => {
        callOff();
        this.#onChange = () => {};
        resolve();
      };
      const callOff = this.#ports.timer.after(msMax, finish);
      this.#onChange = () => {
        if (isSo()) finish();
      };
    });
  }
}
