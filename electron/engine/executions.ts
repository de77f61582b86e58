/**
 * Runs that go on: each is committed as running before anything is spawned (D4), watched, and recorded when it ends. Nothing is
 * written after the lease is lost (H-29, X-12).
 */

import type { JobId } from '../../shared/model/job';
import type { Policies } from '../../shared/model/policies';
import type { AttemptId, Run, RunId } from '../../shared/model/run';
import type { Instant } from '../../shared/time';
import type { StopCause } from '../core/runs';
import type { Spill } from '../ports/data';
import type { AttemptEnd, LiveAttempt, Runner } from '../ports/running';
import type { Store } from '../ports/store';
import type { Clock, Log, Timer } from '../ports/world';
import {
  type AttemptPorts,
  type Begun,
  beginAttempt,
  type Finish,
  finishAttempt,
  recordProcess,
} from './attempts';
import { type Life, LifeOver } from './life';
import { FROM_RESERVE, untilWritten } from './persistence';
import { createKeptEnd } from './spilledEnds';
import { type Supervision, supervise } from './supervision';

export type ExecutionPorts = {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  readonly store: Store;
  readonly runner: Runner;
  readonly life: Life;
  /** Where ends are kept that the store refuses; absent in a sandbox. */
  readonly spill?: Spill;
};

export type RunName = { readonly runId: RunId; readonly jobId: JobId };

export type OnAccess = (source: 'runs' | 'ends', trouble: { readonly error: unknown } | null) => void;

export type ExecutionEvents = {
  readonly onChanged: (run: RunName) => void;
  readonly onEnded: (run: RunName) => void;
  /** Its attempt is over and another one is to follow, unless somebody stopped it meanwhile. Told before its place is free. */
  readonly onAgain: (run: Run, stopAsked: StopCause | null) => void;
  /** A place is free, whatever happened to the run. */
  readonly onFree: (run: Pick<Run, 'id' | 'jobId'>) => void;
  readonly onLost: () => void;
  readonly onAccess: OnAccess;
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

export type Ongoing = {
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

export class Executions {
  readonly #ports: ExecutionPorts;
  readonly #attemptPorts: AttemptPorts;
  readonly #events: ExecutionEvents;
  readonly #ongoing = new Map<RunId, Ongoing>();
  #onChange = (): void => {};

  constructor(ports: ExecutionPorts, events: ExecutionEvents) {
    this.#ports = ports;
    this.#attemptPorts = { store: ports.store, clock: ports.clock, fence: ports.life.fence };
    this.#events = events;
  }

  /** At most as many as there are places. */
  all(): Iterable<Ongoing> {
    return this.#ongoing.values();
  }

  /** Starts a queued run. */
  begin(run: Run, attemptId: AttemptId): void {
    const ongoing = this.#open(run, attemptId);
    void this.#conclude(ongoing, () => this.#carryOut(ongoing));
  }

  /** Watches an attempt that an earlier life started and this one has taken over. */
  adopt({ run, attemptId, startedAt, live, policies, timeoutMs }: Adopted): void {
    const ongoing = this.#open(run, attemptId);
    ongoing.isRecorded = true;
    this.#supervise(ongoing, live, { timeoutMs, graceMs: policies.graceMs });
    void this.#conclude(ongoing, () => this.#awaitEnd(ongoing, live, { startedAt, startedMonotonic: null }));
  }

  /** False if the run does not go on. */
  stop(runId: RunId, cause: StopCause): boolean {
    const ongoing = this.#ongoing.get(runId);
    if (ongoing === undefined) return false;
    if (ongoing.supervision !== null) ongoing.supervision.stop(cause);
    else ongoing.stopAsked ??= cause;
    return true;
  }

  /** Resolves when `isSo` holds of all that go on, asked after each change, or after `msMax`. */
  until(isSo: (ongoing: readonly Ongoing[]) => boolean, msMax: number): Promise<void> {
    const holds = (): boolean => isSo([...this.#ongoing.values()]);
    if (holds()) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = (): void => {
        callOff();
        this.#onChange = () => {};
        resolve();
      };
      const callOff = this.#ports.timer.after(msMax, finish);
      this.#onChange = () => {
        if (holds()) finish();
      };
    });
  }

  /** Lets go of everything that runs; it goes on by itself and can be adopted. */
  detach(): void {
    for (const { supervision, live } of this.#ongoing.values()) {
      supervision?.end();
      live?.detach();
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
      this.#events.onFree({ id: ongoing.runId, jobId: ongoing.jobId });
    }
  }

  async #carryOut(ongoing: Ongoing): Promise<void> {
    const { runId, jobId, attemptId } = ongoing;
    const begun = await this.#write('runs', () => beginAttempt(this.#attemptPorts, runId, attemptId));
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
    const isHeld = await this.#write('ends', () =>
      recordProcess(this.#attemptPorts, attemptId, attempt.identity),
    );
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
    const kept = createKeptEnd(finish, this.#ports);
    const finished = await this.#write(
      'ends',
      () => store.transact((writer) => finishAttempt(writer, finish, life.fence), FROM_RESERVE),
      kept.keep,
    );
    await kept.forget();
    if (finished.kind === 'lost') this.#events.onLost();
    else if (finished.kind === 'again') {
      const stopNow = ongoing.supervision?.stopCause() ?? ongoing.stopAsked;
      this.#events.onAgain(finished.run, stopNow === stop ? null : stopNow);
    } else this.#events.onEnded({ runId, jobId });
  }

  #write<T>(source: 'runs' | 'ends', write: () => Promise<T>, onRefused?: () => Promise<void>): Promise<T> {
    const onAccess = (trouble: { readonly error: unknown } | null) => this.#events.onAccess(source, trouble);
    return untilWritten(this.#ports.life, onAccess, write, onRefused);
  }
}
