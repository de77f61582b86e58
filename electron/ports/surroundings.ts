/** What conditions ask of the machine and what events it tells, as types only. */

import type { Condition, ConditionState } from '../../shared/model/condition';
import type { Store } from './store';

/** What may have changed: whoever waits for a condition of that sort asks again. */
export type SurroundingsChange = 'power' | 'network' | 'idle';

export type ConditionAnswer = {
  readonly state: ConditionState;
  /** A few words with the thing, for example the host that did not answer; null if there is nothing to add. */
  readonly detail: string | null;
};

export interface Surroundings {
  /** Never throws and never hangs: what cannot be found out within its limit is `unknown`. */
  check(condition: Condition, signal: AbortSignal): Promise<ConditionAnswer>;
  /** Whether the machine has a network now; `unknown` where it cannot be told. For the event "the network is back". */
  network(): 'up' | 'down' | 'unknown';
  /** Returns how to stop listening. May tell too often, and where the system tells nothing, never. */
  onChange(listener: (change: SurroundingsChange) => void): () => void;
}

/** Makes an empty store in memory for "what would happen": closed by whoever asked for it. */
export type OpenSandbox = () => Promise<Store>;
