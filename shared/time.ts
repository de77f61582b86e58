/**
 * Instants and durations. An instant is a plain number on the wire and in the store; the brand keeps it from being
 * mixed up with a duration. Only a Clock mints the present one.
 */
import { z } from 'zod';

/** The largest distance from the epoch, in milliseconds, that the platform's date type can hold. */
export const INSTANT_ABSOLUTE_MAX = 8_640_000_000_000_000;

export const Instant = z
  .number()
  .int()
  .min(-INSTANT_ABSOLUTE_MAX)
  .max(INSTANT_ABSOLUTE_MAX)
  .brand<'Instant'>();
/** Milliseconds since the Unix epoch, UTC. */
export type Instant = z.output<typeof Instant>;

/** Brands a number of milliseconds since the epoch that is known to be one. */
export const toInstant = (milliseconds: number): Instant => milliseconds as Instant;

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
