/**
 * Asks the surroundings about conditions: the same question of several runs once, a few at a time, and never in a way that
 * breaks whoever asks. What cannot be found out is unknown.
 */

import type { Condition } from '../../shared/model/condition';
import { questionOf } from '../core/conditions';
import type { ConditionAnswer, Surroundings } from '../ports/surroundings';
import type { Log } from '../ports/world';
import type { Life } from './life';

/** Questions asked at the same time; a hundred check commands at once would be a load of their own. */
const ASKED_MAX = 8;

export class Questions {
  readonly #ports: { readonly surroundings: Surroundings; readonly life: Life; readonly log: Log };
  readonly #end = new AbortController();
  readonly #asked = new Map<string, Promise<ConditionAnswer>>();
  readonly #waiting: (() => void)[] = [];
  #askedCount = 0;

  constructor(ports: { readonly surroundings: Surroundings; readonly life: Life; readonly log: Log }) {
    this.#ports = ports;
  }

  /** Throws LifeOver when this life ends meanwhile. */
  ask(condition: Condition): Promise<ConditionAnswer> {
    const question = questionOf(condition);
    const asked = this.#asked.get(question);
    if (asked !== undefined) return asked;
    const answer = this.#inTurn(condition).finally(() => this.#asked.delete(question));
    this.#asked.set(question, answer);
    return answer;
  }

  /** Cuts short what is being asked. */
  end(): void {
    this.#end.abort();
    for (const goOn of this.#waiting.splice(0)) goOn();
  }

  async #inTurn(condition: Condition): Promise<ConditionAnswer> {
    if (this.#askedCount >= ASKED_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#askedCount += 1;
    try {
      return await this.#ports.life.hold(() => this.#check(condition));
    } finally {
      // The turn is handed on, or given back.
      const next = this.#waiting.shift();
      if (next === undefined) this.#askedCount -= 1;
      else next();
    }
  }

  async #check(condition: Condition): Promise<ConditionAnswer> {
    try {
      return await this.#ports.surroundings.check(condition, this.#end.signal);
    } catch (error) {
      this.#ports.log.error('condition_unasked', { kind: condition.kind, error });
      return { state: 'unknown', detail: null };
    }
  }
}
