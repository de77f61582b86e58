/** What a simulated life is told at its beginning, and what it tells at its end. */
import type { RigOptions } from './rig';

export type LifeOptions = {
  readonly seed: number;
  readonly days: number;
  /** With clocks that are days ahead for seconds, or ages back. */
  readonly hasWrongClocks: boolean;
  /** Every rule is looked at after every event. Slow late in a long life. */
  readonly isThorough?: boolean;
  /** Events that are left out, by number: to find those that a fault needs. */
  readonly skips?: ReadonlySet<number>;
} & Pick<RigOptions, 'open' | 'tamper'>;

/** What happened, and what must not have happened. */
export type LifeReport = { readonly events: number; readonly runs: number; readonly broken: string | null };
