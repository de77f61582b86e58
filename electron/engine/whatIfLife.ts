/** The engine of the sandbox through a scenario: awake, asleep, and off with a new start of the machine after it. */

import { assert } from '../../shared/result';
import { SECOND_MS } from '../../shared/time';
import type { MachineState, Stretch } from '../core/scenario';
import type { SurroundingsChange } from '../ports/surroundings';
import type { Engine } from './engine';
import type { VirtualTime } from './virtualTime';
import type { WhatIfMachine } from './whatIfMachine';

/** Turns in which a promise may settle without time passing, and seconds that it may take after that. */
const TURNS_MAX = 20;
const SECONDS_MAX = 3_600;

/** Lets virtual time pass until a promise of the engine has settled. */
export async function untilOver<T>(time: VirtualTime, promise: Promise<T>): Promise<T> {
  let isOver = false;
  const note = (): void => {
    isOver = true;
  };
  promise.then(note, note);
  for (let turn = 0; !isOver; turn += 1) {
    assert(turn < TURNS_MAX + SECONDS_MAX, 'the engine of a sandbox answers');
    await time.advance(turn < TURNS_MAX ? 0 : SECOND_MS);
  }
  return promise;
}

export class WhatIfLife {
  engine: Engine;
  readonly #time: VirtualTime;
  readonly #machine: WhatIfMachine;
  readonly #build: () => Engine;

  constructor(time: VirtualTime, machine: WhatIfMachine, build: () => Engine) {
    this.#time = time;
    this.#machine = machine;
    this.#build = build;
    this.engine = build();
  }

  /**
   * Stands by and takes over when `release` has let go of the lease: Belfry does not start at the beginning of the span, it
   * has been there for a while.
   */
  async takeOver(release: () => Promise<void>): Promise<void> {
    await untilOver(this.#time, this.engine.start());
    await release();
    this.engine.notifyResume();
    await this.#time.advance(0);
  }

  async through(stretches: readonly Stretch[]): Promise<void> {
    let state: MachineState = 'awake';
    let restedMs = 0;
    const untold = new Set<SurroundingsChange>();
    for (const stretch of stretches) {
      if (stretch.state !== state) {
        await this.#leave(state, restedMs);
        restedMs = 0;
        state = stretch.state;
        await this.#enter(state);
      }
      for (const change of this.#machine.set(stretch)) untold.add(change);
      if (stretch.stepMs !== 0) this.#time.jump(stretch.stepMs);
      if (state === 'awake') {
        // Nobody hears anything in his sleep. After it, and after a journey or a set clock, the system says so.
        this.#machine.tell([...untold]);
        untold.clear();
        this.engine.notifyResume();
        await this.#time.advance(stretch.to - stretch.from);
      } else restedMs += stretch.to - stretch.from;
    }
    // A laptop that rests at the end of the span is not woken: what it missed is decided after the span.
  }

  /** Ends the engine; nothing of it is left on virtual time. */
  async end(): Promise<void> {
    await untilOver(this.#time, this.engine.stop({ runs: 'leave' }));
  }

  async #leave(state: MachineState, restedMs: number): Promise<void> {
    if (state === 'awake') return;
    await this.#time.sleepFor(restedMs);
    if (state === 'off') {
      this.#machine.boot();
      this.engine = this.#build();
      await untilOver(this.#time, this.engine.start());
    }
    this.engine.notifyResume();
    await this.#time.advance(0);
  }

  /** The system says before both what is about to happen. */
  async #enter(state: MachineState): Promise<void> {
    if (state === 'asleep') {
      this.engine.notifySuspend();
      await this.#time.advance(0);
    } else if (state === 'off') {
      await untilOver(this.#time, this.engine.stop({ runs: 'leave' }));
      this.#machine.powerOff();
    }
  }
}
