/** What is known of this computer now, for the words beside a condition. What it does not tell is unknown, never guessed. */
import { z } from 'zod';

/** `mains` is also the answer of a computer without a battery. */
export const PowerSource = z.enum(['mains', 'battery', 'unknown']);
export type PowerSource = z.output<typeof PowerSource>;

export const NetworkState = z.enum(['up', 'down', 'unknown']);
export type NetworkState = z.output<typeof NetworkState>;

export const Machine = z.strictObject({
  power: PowerSource,
  /** Charge of all batteries together; null without a battery, or where it is unknown. */
  batteryPercent: z.number().int().min(0).max(100).nullable(),
  network: NetworkState,
  /** Milliseconds since keyboard or mouse were touched; null where it is unknown. */
  idleMs: z.number().int().min(0).nullable(),
});
export type Machine = z.output<typeof Machine>;
