/**
 * Runs that wait for conditions. One flow for each: ask in order, record what is waited for, and ask again when an event or
 * the time says so, until all are met or the patience ends. Time is counted in pieces of at most 30 s, as the engine's
 * timers count it, so that sleep uses up no patience, whatever the clocks do meanwhile.
 */

import type { Condition, Wait } from '../../shared/model/condition';
import type { Run, RunId } from '../../shared/model/run';
import { assertNever } from '../../shared/result';
import type { Instant } from '../../shared/time';
import {
  ASK_MS_MAX,
  askAgainMs,
  beginWait,
  concerns,
  endWait,
  givenUp,
  indexOfWait,
  leftOf,
  noteWait,
  openWait,
  retoldUntil,
  vainSentence,
} from '../core/conditions';
import type { Writer } from '../ports/store';
import type { ConditionAnswer, Surroundings, SurroundingsChange } from '../ports/surroundings';
import type { Clock, Log, Timer } from '../ports/world';
import { type Life, LifeOver } from './life';
import { Questions } from './questions';

export type WaitingPorts = {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  readonly life: Life;
  readonly surroundings: Surroundings;
  /** When an engine was last known to live before this life, or null. */
  readonly aliveAt: Instant | null;
};

/** What a wait in vain does to the run. */
export type Vain = {
  readonly kind: 'skip' | 'fail';
  readonly sentence: string;
  readonly waits: readonly Wait[];
};

export type WaitingEvents = {
  /** Everything is met, or counts as met. */
  readonly onMet: (run: Run) => void;
  /** Stores what the run waits for; resolves when that is done. */
  readonly record: (run: Run) => Promise<void>;
  /** Ends the run that waited in vain; resolves when that is done. */
  readonly giveUp: (run: Run, vain: Vain) => Promise<void>;
};

type Patient = {
  run: Run;
  readonly conditions: readonly Condition[];
  /** Milliseconds awake that are left for each condition. */
  readonly leftMs: number[];
  /** Conditions that count as met, because they were waited for in vain or nobody could tell. */
  readonly waived: Set<number>;
  /** The condition that the open wait is for, or -1. */
  open: number;
  askedCount: number;
  /** Up to where time is counted, by the monotonic clock. */
  countedAt: number;
  /** An event came while it was being asked. */
  isAskedAnew: boolean;
  isOver: boolean;
  /** What the store has. */
  recorded: readonly Wait[];
  wake: () => void;
};

type Unmet = { readonly index: number; readonly condition: Condition; readonly detail: string | null };

export class Waiting {
  readonly #ports: WaitingPorts;
  readonly #events: WaitingEvents;
  readonly #questions: Questions;
  readonly #patients = new Map<RunId, Patient>();
  readonly #stopListening: () => void;
  #isOver = false;

  constructor(ports: WaitingPorts, events: WaitingEvents) {
    this.#ports = ports;
    this.#events = events;
    this.#questions = new Questions(ports);
    this.#stopListening = ports.surroundings.onChange((change) => this.#hear(change));
  }

  /** Asks until `onMet` or `giveUp`, or until `cancel`. */
  begin(run: Run, conditions: readonly Condition[]): void {
    this.cancel(run.id);
    if (this.#isOver) return;
    const patient = this.#admit(run, conditions);
    this.#patients.set(run.id, patient);
    void this.#wait(patient);
  }

  cancel(runId: RunId): void {
    const patient = this.#patients.get(runId);
    if (patient === undefined) return;
    this.#patients.delete(runId);
    patient.isOver = true;
    patient.wake();
  }

  end(): void {
    this.#isOver = true;
    this.#stopListening();
    this.#questions.end();
    for (const runId of [...this.#patients.keys()]) this.cancel(runId);
  }

  #admit(run: Run, conditions: readonly Condition[]): Patient {
    const wait = openWait(run.waits);
    const open = wait === null ? -1 : indexOfWait(wait, conditions);
    const leftMs = conditions.map(({ waitMsMax }) => waitMsMax);
    const opened = conditions[open];
    if (wait !== null && opened !== undefined)
      leftMs[open] = leftOf(wait, this.#ports.aliveAt, opened.waitMsMax);
    return {
      run,
      conditions,
      leftMs,
      waived: new Set(givenUp(run, conditions)),
      open,
      askedCount: 0,
      countedAt: this.#ports.clock.monotonic(),
      isAskedAnew: false,
      isOver: false,
      recorded: run.waits,
      wake: () => {},
    };
  }

  async #wait(patient: Patient): Promise<void> {
    try {
      for (;;) {
        patient.isAskedAnew = false;
        const unmet = await this.#firstUnmet(patient);
        if (patient.isOver) return;
        this.#count(patient);
        if (unmet === null) return await this.#goOn(patient);
        if ((patient.leftMs[unmet.index] ?? 0) <= 0) {
          if (await this.#endInVain(patient, unmet)) return;
          continue;
        }
        await this.#record(patient, this.#waitsFor(patient, unmet));
        if (patient.isOver) return;
        await this.#sleep(patient, unmet);
        if (patient.isOver) return;
      }
    } catch (error) {
      if (error instanceof LifeOver) return;
      this.#ports.log.error('wait_failed', { runId: patient.run.id, error });
      if (patient.isOver) return;
      // What cannot be found out holds no run up.
      this.cancel(patient.run.id);
      this.#events.onMet(patient.run);
    }
  }

  async #firstUnmet(patient: Patient): Promise<Unmet | null> {
    for (const [index, condition] of patient.conditions.entries()) {
      if (patient.waived.has(index)) continue;
      const answer = await this.#questions.ask(condition);
      if (patient.isOver) return null;
      if (answer.state === 'unmet') return { index, condition, detail: answer.detail };
      if (answer.state === 'unknown') this.#noteUnknown(patient, index, condition, answer);
    }
    return null;
  }

  /** Counts as met, and the run says that nobody could tell. */
  #noteUnknown(patient: Patient, index: number, condition: Condition, { detail }: ConditionAnswer): void {
    const now = this.#ports.clock.now();
    const { waits } = patient.run;
    patient.waived.add(index);
    const noted =
      patient.open === index
        ? endWait(waits, 'unknown', now)
        : noteWait(endWait(waits, 'met', now), condition, { detail, now, end: 'unknown' });
    patient.open = -1;
    patient.run = { ...patient.run, waits: noted };
  }

  /** The recorded waits, with one for this condition that goes on. */
  #waitsFor(patient: Patient, { index, condition, detail }: Unmet): readonly Wait[] {
    const now = this.#ports.clock.now();
    const leftMs = patient.leftMs[index] ?? 0;
    const { waits } = patient.run;
    if (patient.open === index) return retoldUntil(waits, now, leftMs);
    patient.open = index;
    patient.askedCount = 1;
    return beginWait(endWait(waits, 'met', now), condition, { detail, now, leftMs });
  }

  async #record(patient: Patient, waits: readonly Wait[]): Promise<void> {
    if (waits !== patient.run.waits) patient.run = { ...patient.run, waits: [...waits] };
    const told = patient.run.waits;
    if (told === patient.recorded) return;
    await this.#events.record(patient.run);
    patient.recorded = told;
  }

  async #goOn(patient: Patient): Promise<void> {
    const { waits } = patient.run;
    const isOpen = openWait(waits) !== null;
    await this.#record(patient, isOpen ? endWait(waits, 'met', this.#ports.clock.now()) : waits);
    if (patient.isOver) return;
    this.cancel(patient.run.id);
    this.#events.onMet(patient.run);
  }

  /** True if the run is over. */
  async #endInVain(patient: Patient, { index, condition, detail }: Unmet): Promise<boolean> {
    const now = this.#ports.clock.now();
    const { waits } = patient.run;
    const begun =
      patient.open === index
        ? waits
        : beginWait(endWait(waits, 'met', now), condition, { detail, now, leftMs: 0 });
    const ended = endWait(begun, 'gave_up', now);
    switch (condition.otherwise) {
      case 'run':
        patient.waived.add(index);
        patient.open = -1;
        await this.#record(patient, ended);
        return patient.isOver;
      case 'skip':
      case 'fail':
        this.cancel(patient.run.id);
        await this.#events.giveUp(patient.run, {
          kind: condition.otherwise,
          sentence: vainSentence(condition),
          waits: ended,
        });
        return true;
      default:
        return assertNever(condition.otherwise);
    }
  }

  /** Until it is time to ask again, the patience ends, or an event says so. */
  async #sleep(patient: Patient, { index, condition }: Unmet): Promise<void> {
    if (patient.isAskedAnew) return;
    const { timer, life } = this.#ports;
    const ms = Math.min(patient.leftMs[index] ?? 0, askAgainMs(condition.kind, patient.askedCount));
    await new Promise<void>((resolve) => {
      const callOff = timer.after(Math.max(1, Math.ceil(ms)), resolve);
      patient.wake = () => {
        callOff();
        resolve();
      };
    });
    patient.wake = () => {};
    patient.askedCount += 1;
    if (life.isOver) patient.isOver = true;
    this.#count(patient);
  }

  /** No piece counts for more than the longest sleep of the engine: the rest was suspend. */
  #count(patient: Patient): void {
    const at = this.#ports.clock.monotonic();
    const awakeMs = Math.min(Math.max(0, at - patient.countedAt), ASK_MS_MAX);
    patient.countedAt = at;
    const left = patient.leftMs[patient.open];
    if (left !== undefined) patient.leftMs[patient.open] = Math.max(0, left - awakeMs);
  }

  #hear(change: SurroundingsChange): void {
    for (const patient of this.#patients.values()) {
      const waitedFor = patient.conditions[patient.open];
      if (waitedFor === undefined || !concerns(change, waitedFor.kind)) continue;
      patient.isAskedAnew = true;
      patient.wake();
    }
  }
}

/** A run that waits for nothing but a place. */
export type Release = { readonly run: Run };

/** A person said to run it anyway: its moment has come, and its conditions count as met. null if it does not wait any more. */
export async function releaseByHand(
  writer: Writer,
  runId: RunId,
  conditions: readonly Condition[],
  now: Instant,
): Promise<Release | null> {
  const run = await writer.runs.get(runId);
  if (run?.state !== 'queued') return null;
  const [first] = conditions;
  const noted =
    openWait(run.waits) === null && first !== undefined
      ? noteWait(run.waits, first, { detail: null, now, end: 'by_hand' })
      : endWait(run.waits, 'by_hand', now);
  await writer.runs.setNotBefore(runId, null);
  await writer.runs.setWaits(runId, noted);
  return { run: { ...run, notBeforeAt: null, waits: noted } };
}
