/**
 * The ports of one engine process that can die or be frozen. From its death on no timer of it fires, no call of it returns,
 * and nothing it announces is heard; what it committed stays, what it spawned goes on. A frozen one does the same until it
 * is thawed, and then goes on where it was, unaware (SIGSTOP, SIGCONT).
 */

import type { EnginePorts } from '../engine/engine';

/** Where to die: at the n-th call of the store, the runner or the surroundings from now on, before or after it takes effect. */
export type DeathPlan = {
  readonly port: 'store' | 'runner' | 'surroundings';
  readonly call: number;
  readonly when: 'before' | 'after';
};

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

class Died extends Error {
  override readonly name = 'Died';
}

export class Incarnation {
  readonly ports: EnginePorts;
  /** Resolves at its death. */
  readonly died: Promise<void>;
  #isDead = false;
  #isFrozen = false;
  #plan: DeathPlan | null = null;
  #held: (() => void)[] = [];
  #tellDeath = (): void => {};
  readonly #callOffs = new Set<() => void>();

  constructor(ports: EnginePorts) {
    this.died = new Promise((resolve) => {
      this.#tellDeath = resolve;
    });
    const { store, timer, runner, surroundings, announce } = ports;
    this.ports = {
      ...ports,
      timer: { after: (delayMs, wake) => this.#arm(timer, delayMs, wake) },
      store: {
        read: (work) => this.#call('store', () => store.read(work)),
        transact: (work, options) =>
          this.#call('store', () =>
            store.transact(async (writer) => {
              const result = await work(writer);
              // Dead before its commit: the transaction is rolled back, as the system does it.
              if (this.#isDead) throw new Died('died before the commit');
              return result;
            }, options),
          ),
        close: () => store.close(),
      },
      runner: {
        start: (order) => this.#call('runner', () => runner.start(order)),
        adopt: (attempt) => this.#call('runner', () => runner.adopt(attempt)),
        lateResult: (attempt) => this.#call('runner', () => runner.lateResult(attempt)),
      },
      surroundings: {
        check: (condition, signal) => this.#call('surroundings', () => surroundings.check(condition, signal)),
        network: () => surroundings.network(),
        onChange: (listener) =>
          surroundings.onChange((change) => {
            if (!this.#isDead && !this.#isFrozen) listener(change);
          }),
      },
      announce: (name, payload) => {
        if (!this.#isDead) announce(name, payload);
      },
    };
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  die(): void {
    this.#isDead = true;
    for (const callOff of this.#callOffs) callOff();
    this.#callOffs.clear();
    this.#held = [];
    this.#tellDeath();
  }

  /** null calls the plan off. */
  dieAt(plan: DeathPlan | null): void {
    this.#plan = plan;
  }

  freeze(): void {
    this.#isFrozen = true;
  }

  thaw(): void {
    this.#isFrozen = false;
    for (const goOn of this.#held.splice(0)) goOn();
  }

  #arm(timer: EnginePorts['timer'], delayMs: number, wake: () => void): () => void {
    if (this.#isDead) return () => undefined;
    const fire = (): void => {
      this.#callOffs.delete(callOff);
      wake();
    };
    let isOff = false;
    const callOffTimer = timer.after(delayMs, () => {
      if (this.#isFrozen) this.#held.push(() => !isOff && fire());
      else fire();
    });
    const callOff = (): void => {
      isOff = true;
      this.#callOffs.delete(callOff);
      callOffTimer();
    };
    this.#callOffs.add(callOff);
    return callOff;
  }

  async #call<T>(port: DeathPlan['port'], call: () => Promise<T>): Promise<T> {
    if (this.#isFrozen) await new Promise<void>((resolve) => this.#held.push(resolve));
    if (this.#isDead) return never();
    if (!this.#isTheCall(port)) {
      const result = await call();
      return this.#isDead ? never() : result;
    }
    if (this.#plan?.when === 'after') await call();
    this.die();
    return never();
  }

  /** True if this very call is the one to die at. */
  #isTheCall(port: DeathPlan['port']): boolean {
    if (this.#plan?.port !== port) return false;
    this.#plan = { ...this.#plan, call: this.#plan.call - 1 };
    return this.#plan.call <= 0;
  }
}
