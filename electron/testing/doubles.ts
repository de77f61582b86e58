/**
 * Small doubles for what an engine acts through, each typed by its port: counting ids, a log that remembers, a host that
 * can travel, and processes that go on when the engine that started them is gone.
 */

import type { Condition, ConditionKind, ConditionState } from '../../shared/model/condition';
import type { AttemptId, EndReason } from '../../shared/model/run';
import type { VirtualTime } from '../engine/virtualTime';
import type {
  Adoption,
  AttemptEnd,
  AttemptOrder,
  LiveAttempt,
  ProcessIdentity,
  Runner,
} from '../ports/running';
import type { ConditionAnswer, Surroundings, SurroundingsChange } from '../ports/surroundings';
import type { Host, Ids, Log } from '../ports/world';

/** UUIDs in the order in which they were made. */
export function countingIds(): Ids {
  let count = 0;
  return {
    next() {
      count += 1;
      return `00000000-0000-7000-8000-${count.toString(16).padStart(12, '0')}`;
    },
  };
}

export type LogLine = {
  readonly level: 'info' | 'warn' | 'error';
  readonly event: string;
  readonly facts: Record<string, unknown>;
};

/** Remembers every line. */
export function memoryLog(): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const add =
    (level: LogLine['level']) =>
    (event: string, facts: Record<string, unknown> = {}): void => {
      lines.push({ level, event, facts });
    };
  return { lines, info: add('info'), warn: add('warn'), error: add('error') };
}

/** A machine with a name, boots and a zone, on which engine processes live and die. */
export class TestMachine {
  zone = 'UTC';
  readonly #time: VirtualTime;
  readonly #alive = new Set<number>();
  #bootCount = 1;
  #pid = 1_000;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  get bootId(): string {
    return `boot-${this.#bootCount}`;
  }

  /** A new engine process. It lives until `kill` or `reboot`. */
  newHost(): Host {
    this.#pid += 1;
    const pid = this.#pid;
    const bootId = this.bootId;
    this.#alive.add(pid);
    return {
      nodeId: 'node-1',
      bootId,
      pid,
      processStart: `start-${pid}`,
      zone: () => this.zone,
      uptimeMs: () => this.#time.uptimeMs(),
      isAlive: (other) => {
        if (other.nodeId !== 'node-1') return 'unknown';
        if (other.bootId !== this.bootId) return 'dead';
        return this.#alive.has(other.pid) && other.processStart === `start-${other.pid}` ? 'alive' : 'dead';
      },
    };
  }

  kill(host: Host): void {
    this.#alive.delete(host.pid);
  }

  /** The machine starts anew: nothing that ran before lives. */
  reboot(): void {
    this.#alive.clear();
    this.#bootCount += 1;
  }
}

/** What a command does. */
export type Script = {
  /** Milliseconds awake until it ends by itself, or null for never. */
  readonly durationMs: number | null;
  readonly exitCode?: number;
  /** It goes on after a soft signal. */
  readonly ignoresSoft?: boolean;
  /** It cannot be started, for this reason. */
  readonly failure?: EndReason;
};

type Process = {
  readonly order: AttemptOrder;
  readonly identity: ProcessIdentity;
  readonly bootId: string;
  state: 'alive' | 'ended' | 'vanished';
  end: AttemptEnd | null;
  callOff: () => void;
  readonly listeners: Set<(end: AttemptEnd) => void>;
};

/** All commands that were ever started on a machine. They belong to it and not to the engine that started them. */
export class TestProcesses {
  /** What was spawned, in order. */
  readonly spawned: AttemptOrder[] = [];
  script: (order: AttemptOrder) => Script = () => ({ durationMs: 1_000 });
  /** While it is set, nobody can tell whether a process lives. */
  areHidden = false;
  /** Whether it can be proved that a command never began. */
  areStartsProvable = true;
  readonly #time: VirtualTime;
  readonly #machine: TestMachine;
  readonly #processes = new Map<AttemptId, Process>();

  constructor(time: VirtualTime, machine: TestMachine) {
    this.#time = time;
    this.#machine = machine;
  }

  readonly runner: { -readonly [K in keyof Runner]: Runner[K] } = {
    start: async (order) => {
      const script = this.script(order);
      if (script.failure !== undefined) {
        return {
          kind: 'failed',
          end: this.#end({ reason: script.failure, detail: 'It cannot be started.' }),
        };
      }
      this.spawned.push(order);
      return { kind: 'started', attempt: this.#watch(this.#spawn(order, script)) };
    },
    adopt: async ({ attemptId }): Promise<Adoption> => {
      const process = this.#processes.get(attemptId);
      if (this.areHidden) return { kind: 'unknown', why: 'The process cannot be watched.' };
      if (process?.state === 'alive') return { kind: 'running', attempt: this.#watch(process) };
      if (process?.end != null) return { kind: 'ended', end: process.end };
      if (process === undefined && this.areStartsProvable) return { kind: 'never_started' };
      return { kind: 'gone', restarted: process !== undefined && process.bootId !== this.#machine.bootId };
    },
    lateResult: async ({ attemptId }) => this.#lateEndOf(attemptId),
  };

  #lateEndOf(attemptId: AttemptId): AttemptEnd | null {
    return this.areHidden ? null : (this.#processes.get(attemptId)?.end ?? null);
  }

  alive(): AttemptOrder[] {
    return [...this.#processes.values()].filter(({ state }) => state === 'alive').map(({ order }) => order);
  }

  isAlive(attemptId: AttemptId): boolean {
    return this.#processes.get(attemptId)?.state === 'alive';
  }

  /** Power failure: everything that was alive is gone without a result. */
  vanish(): void {
    for (const process of this.#processes.values()) {
      if (process.state !== 'alive') continue;
      process.state = 'vanished';
      process.callOff();
      process.listeners.clear();
    }
  }

  #spawn(order: AttemptOrder, { durationMs, exitCode = 0, ignoresSoft = false }: Script): Process {
    const pid = 50_000 + this.spawned.length;
    const process: Process = {
      order,
      identity: {
        nodeId: 'node-1',
        bootId: this.#machine.bootId,
        pid,
        processGroup: pid,
        processStart: `start-${pid}`,
      },
      bootId: this.#machine.bootId,
      state: 'alive',
      end: null,
      callOff: () => {},
      listeners: new Set(),
    };
    this.#processes.set(order.attemptId, process);
    this.#ignoring.set(process, ignoresSoft);
    if (durationMs !== null) {
      process.callOff = this.#time.timer.after(durationMs, () => this.#finish(process, { exitCode }));
    }
    return process;
  }

  readonly #ignoring = new WeakMap<Process, boolean>();

  #watch(process: Process): LiveAttempt {
    let listener: (end: AttemptEnd) => void = () => {};
    const ended = new Promise<AttemptEnd>((resolve) => {
      listener = resolve;
      if (process.end === null) process.listeners.add(resolve);
      else resolve(process.end);
    });
    return {
      identity: process.identity,
      ended,
      signal: async (strength) => {
        if (strength === 'soft' && this.#ignoring.get(process) === true) return;
        const signal = strength === 'soft' ? 'SIGTERM' : 'SIGKILL';
        this.#finish(process, { signal, reason: 'signal' });
      },
      detach: () => void process.listeners.delete(listener),
    };
  }

  #finish(process: Process, facts: Partial<AttemptEnd>): void {
    if (process.state !== 'alive') return;
    process.state = 'ended';
    process.callOff();
    process.end = this.#end(facts);
    for (const listener of process.listeners) listener(process.end);
    process.listeners.clear();
  }

  #end(facts: Partial<AttemptEnd>): AttemptEnd {
    return {
      reason: null,
      detail: null,
      exitCode: null,
      signal: null,
      outputBytes: 0,
      ...facts,
      endedAt: this.#time.clock.now(),
    };
  }
}

/** A machine that tells what it is set to; everything is met until something else is said. */
export class TestSurroundings implements Surroundings {
  /** By condition; one that is absent is met. */
  readonly states = new Map<ConditionKind, ConditionState>();
  /** How often each was asked. */
  readonly asked: ConditionKind[] = [];
  /** Answers instead of `states`, for tests that hold an answer back. */
  answer: ((condition: Condition, signal: AbortSignal) => Promise<ConditionAnswer>) | null = null;
  networkState: 'up' | 'down' | 'unknown' = 'up';
  readonly #listeners = new Set<(change: SurroundingsChange) => void>();

  async check(condition: Condition, signal: AbortSignal): Promise<ConditionAnswer> {
    this.asked.push(condition.kind);
    if (this.answer !== null) return this.answer(condition, signal);
    return { state: this.states.get(condition.kind) ?? 'met', detail: null };
  }

  network(): 'up' | 'down' | 'unknown' {
    return this.networkState;
  }

  onChange(listener: (change: SurroundingsChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What a system's event would do. */
  tell(change: SurroundingsChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
