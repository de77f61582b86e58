/**
 * One virtual machine with a real store, processes and an engine that can be stopped, killed and started again. Engine
 * tests and the simulation live in it.
 */

import type { EventName, Payload } from '../../shared/ipc/contract';
import { emptyCommandSettings } from '../../shared/kinds/command';
import { everyDay } from '../../shared/model/dates';
import type { Job, JobDraft, JobId } from '../../shared/model/job';
import { defaultPolicies, type Policies } from '../../shared/model/policies';
import type { Decision, HistoryEntry, Run } from '../../shared/model/run';
import type { ScheduleRule } from '../../shared/model/schedule';
import type { Result } from '../../shared/result';
import { type Instant, toInstant } from '../../shared/time';
import { StoreError } from '../core/storeError';
import type { LeaseTimings } from '../core/timings';
import { createEngine } from '../engine/createEngine';
import type { Engine } from '../engine/engine';
import { createVirtualTime, type VirtualTime } from '../engine/virtualTime';
import type { Store, Writer } from '../ports/store';
import type { Host } from '../ports/world';
import { type Database, openDatabase } from '../store/database';
import { createStore } from '../store/store';
import { TestKeeper, TestPeers, TestSpill } from './dataDoubles';
import { countingIds, memoryLog, TestMachine, TestProcesses, TestSurroundings } from './doubles';
import { Incarnation } from './incarnation';

export type RigOptions = {
  readonly startAt?: string;
  readonly zone?: string;
  readonly monotonicCountsSleep?: boolean;
  /** Opens the store, at the beginning and again after a crash. In memory there is only the first time. */
  readonly open?: () => Database;
  readonly timings?: LeaseTimings;
  /** The store lies on a disk: it is copied, checked and kept small, and a spill file lies beside it. */
  readonly hasDisk?: boolean;
  /** Breaks the store on purpose, to see that a rule notices. */
  readonly tamper?: (writer: Writer) => Writer;
};

export type JobFacts = Partial<Omit<JobDraft, 'policies'>> & {
  readonly rules?: readonly ScheduleRule[];
  readonly policies?: Partial<Policies>;
};

/** Renewals of the lease are rarer than in life, because they make up most of what happens on an idle day. */
export const RARE_RENEWALS: LeaseTimings = { renewMs: 60_000, staleMs: 300_000, watchMs: 75_000 };

/** Everything that is only waiting for promises has happened. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const instant = (text: string): Instant => toInstant(Date.parse(text));

export const cron = (expression: string, zone = 'local'): ScheduleRule => ({
  kind: 'cron',
  expression,
  zone,
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
});

/** A job that runs a command; by default by hand only. */
export function draftOf({ rules = [], policies = {}, ...facts }: JobFacts = {}): JobDraft {
  return {
    name: 'Back up notes',
    settings: { ...emptyCommandSettings, line: 'true' },
    tags: [],
    notes: '',
    conditions: [],
    dates: everyDay,
    isEnabled: true,
    schedules: rules.map((rule) => ({ rule })),
    ...facts,
    policies: { ...defaultPolicies, ...policies },
  };
}

/** What an editor sends for a job that exists. */
export const asDraft = (job: Job): JobDraft => {
  const { name, settings, tags, notes, isEnabled, policies, conditions, dates, schedules } = job;
  return { name, settings, tags, notes, isEnabled, policies, conditions, dates, schedules };
};

export function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

const openInMemory = (): Database => unwrap(openDatabase('memory') as Result<Database>);

/** A process with its engine. */
export type Companion = { readonly engine: Engine; readonly host: Host; readonly incarnation: Incarnation };

export class Rig {
  readonly time: VirtualTime;
  readonly machine: TestMachine;
  readonly processes: TestProcesses;
  readonly surroundings = new TestSurroundings();
  readonly log = memoryLog();
  readonly keeper: TestKeeper;
  readonly spill = new TestSpill();
  readonly peers = new TestPeers();
  readonly #hasDisk: boolean;
  readonly announced: { name: EventName; payload: unknown }[] = [];
  database: Database;
  readonly #open: (() => Database) | null;
  readonly #ids = countingIds();
  readonly #timings: LeaseTimings;
  readonly #tamper: (writer: Writer) => Writer;
  /** While it is set, every transaction fails with it: a full disk, for example. */
  storeError: Error | null = null;
  /** While it is set, the disk is full but for the reserve. */
  isRoomGone = false;
  store: Store;
  host: Host;
  engine: Engine;
  incarnation: Incarnation;

  constructor({ startAt = '2026-05-04T07:58Z', zone = 'UTC', ...options }: RigOptions = {}) {
    const { monotonicCountsSleep = false, timings = RARE_RENEWALS, hasDisk = false } = options;
    this.#hasDisk = hasDisk;
    this.#timings = timings;
    this.#tamper = options.tamper ?? ((writer) => writer);
    this.time = createVirtualTime({ startAt: instant(startAt), settle, monotonicCountsSleep });
    this.keeper = new TestKeeper(this.time.clock);
    this.machine = new TestMachine(this.time);
    this.machine.zone = zone;
    this.processes = new TestProcesses(this.time, this.machine);
    this.#open = options.open ?? null;
    this.database = this.#open?.() ?? openInMemory();
    this.store = createStore(this.database);
    this.host = this.machine.newHost();
    this.incarnation = this.#newIncarnation(this.host);
    this.engine = createEngine(this.incarnation.ports);
  }

  /** A started engine. */
  static async started(options: RigOptions = {}): Promise<Rig> {
    const rig = new Rig(options);
    await rig.engine.start();
    return rig;
  }

  /**
   * The process dies at once; nothing is told to anybody. Its commands go on. A store on disk is opened anew, after something
   * may have been done to its file.
   */
  kill(exchange: () => void = () => undefined): void {
    this.incarnation.die();
    this.machine.kill(this.host);
    if (this.#open === null) return;
    exchange();
    this.database = this.#open();
    this.store = createStore(this.database);
  }

  /** Another process, built and not started. The one before must be dead or stopped. */
  renew(): Engine {
    this.machine.kill(this.host);
    this.host = this.machine.newHost();
    this.incarnation = this.#newIncarnation(this.host);
    this.engine = createEngine(this.incarnation.ports);
    return this.engine;
  }

  /** A second process beside the first, on the same store. */
  beside(): Companion {
    const host = this.machine.newHost();
    const incarnation = this.#newIncarnation(host);
    return { engine: createEngine(incarnation.ports), host, incarnation };
  }

  /** From now on `engine` means this one. */
  switchTo({ engine, host, incarnation }: Companion): void {
    this.engine = engine;
    this.host = host;
    this.incarnation = incarnation;
  }

  async addJob(facts: JobFacts): Promise<Job> {
    return unwrap(await this.engine.saveJob({ draft: draftOf(facts) }));
  }

  /** Advances to a wall time of this clock. */
  advanceTo(text: string): Promise<void> {
    return this.time.advance(instant(text) - this.time.clock.now());
  }

  async history(jobId: JobId): Promise<HistoryEntry[]> {
    const page = await this.store.read((reader) => reader.runs.history(jobId, { after: null, limit: 200 }));
    return [...page.entries].reverse();
  }

  /** All runs of a job, oldest first. */
  async runs(jobId: JobId): Promise<Run[]> {
    return (await this.history(jobId)).flatMap((entry) => (entry.entry === 'run' ? [entry.run] : []));
  }

  async skips(jobId: JobId): Promise<Decision[]> {
    return (await this.history(jobId)).flatMap((entry) => (entry.entry === 'skip' ? [entry.decision] : []));
  }

  #newIncarnation(host: Host): Incarnation {
    return new Incarnation({
      clock: this.time.clock,
      timer: this.time.timer,
      ids: this.#ids,
      host,
      log: this.log,
      store: {
        read: (work) => this.store.read(work),
        transact: async (work, options) => {
          if (this.storeError !== null) throw this.storeError;
          if (this.isRoomGone && options?.mayUseReserve !== true)
            throw new StoreError('full', 'No room is left.');
          return this.store.transact((writer) => work(this.#tamper(writer)), options);
        },
        close: () => this.store.close(),
      },
      runner: this.processes.runner,
      surroundings: this.surroundings,
      openSandbox: async () => createStore(openInMemory()),
      announce: <N extends EventName>(name: N, payload: Payload<N>) => {
        this.announced.push({ name, payload });
      },
      timings: this.#timings,
      peers: this.peers.join(),
      ...(this.#hasDisk ? { keeper: this.keeper, spill: this.spill } : {}),
    });
  }
}
