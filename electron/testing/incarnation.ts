/**
 * The ports of one engine process that can die: from the moment of its death no timer of it fires, no call of it returns,
 * and nothing it announces is heard. What it committed stays, what it spawned goes on.
 */

import type { EnginePorts } from '../engine/engine';
import type { Reader, Writer } from '../ports';

/** Where to die: at the n-th call of the store or the runner from now on, before or after it takes effect. */
export type DeathPlan = {
  readonly port: 'store' | 'runner';
  readonly call: number;
  readonly when: 'before' | 'after';
};

export interface Incarnation {
  readonly ports: EnginePorts;
  readonly isDead: boolean;
  /** Resolves at its death. */
  readonly died: Promise<void>;
  die(): void;
  /** null calls the plan off. */
  dieAt(plan: DeathPlan | null): void;
}

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

class Died extends Error {
  override readonly name = 'Died';
}

export function createIncarnation(ports: EnginePorts): Incarnation {
  let isDead = false;
  let plan: DeathPlan | null = null;
  let tellDeath = (): void => {};
  const died = new Promise<void>((resolve) => {
    tellDeath = resolve;
  });
  const callOffs = new Set<() => void>();

  const die = (): void => {
    isDead = true;
    for (const callOff of callOffs) callOff();
    callOffs.clear();
    tellDeath();
  };
  /** True if this very call is the one to die at. */
  const isTheCall = (port: DeathPlan['port']): boolean => {
    if (plan?.port !== port) return false;
    plan = { ...plan, call: plan.call - 1 };
    return plan.call <= 0;
  };
  const mortal = async <T>(port: DeathPlan['port'], call: () => Promise<T>): Promise<T> => {
    if (isDead) return never();
    if (!isTheCall(port)) {
      const result = await call();
      return isDead ? never() : result;
    }
    if (plan?.when === 'after') await call();
    die();
    return never();
  };

  const { store, timer, runner, announce } = ports;
  return {
    get isDead() {
      return isDead;
    },
    died,
    die,
    dieAt(at) {
      plan = at;
    },
    ports: {
      ...ports,
      timer: {
        after(delayMs, wake) {
          if (isDead) return () => undefined;
          const callOff = timer.after(delayMs, () => {
            callOffs.delete(callOff);
            wake();
          });
          callOffs.add(callOff);
          return () => {
            callOffs.delete(callOff);
            callOff();
          };
        },
      },
      store: {
        read: (work) => mortal('store', () => store.read((reader: Reader) => work(reader))),
        transact: (work) =>
          mortal('store', () =>
            store.transact(async (writer: Writer) => {
              const result = await work(writer);
              // Dead before its commit: the transaction is rolled back, as the system does it.
              if (isDead) throw new Died('died before the commit');
              return result;
            }),
          ),
        close: () => store.close(),
      },
      runner: {
        start: (order) => mortal('runner', () => runner.start(order)),
        adopt: (attempt) => mortal('runner', () => runner.adopt(attempt)),
      },
      announce: (name, payload) => {
        if (!isDead) announce(name, payload);
      },
    },
  };
}
