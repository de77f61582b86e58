/** What a simulated life is told at its beginning, and what it tells at its end. */
import type { RigOptions } from './rig';

export type LifeOptions = {
  readonly seed: number;
  readonly days: number;
  /** With clocks that are days ahead for seconds, or ages back; and then nothing still to come may be merged or skipped. */
  readonly hasWrongClocks: boolean;
} & Pick<RigOptions, 'open' | 'tamper'>;

/** What happened, and what must not have happened. */
export type LifeReport = { readonly events: number; readonly runs: number; readonly broken: string | null };
