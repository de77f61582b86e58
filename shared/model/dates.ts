/**
 * On which days a job runs at all. Days are calendar days in the zone of the schedule (for an interval: where the computer
 * is). Before `from` and after `until` nothing is planned; on an excluded day the due times are skipped, and say so.
 */
import { z } from 'zod';

export const EXCLUDED_MAX = 100;

const DATE_TEXT = 'Choose a date.';
/** `YYYY-MM-DD`, a day that exists. */
export const LocalDate = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, DATE_TEXT)
  .refine((text) => {
    const at = Date.parse(`${text}T00:00:00Z`);
    return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
  }, DATE_TEXT);
export type LocalDate = z.output<typeof LocalDate>;

const BACKWARDS_TEXT = 'The last day is before the first.';

/** Both days belong to it; a single day is its own first and last. */
export const DateRange = z
  .strictObject({ from: LocalDate, until: LocalDate })
  .refine(({ from, until }) => from <= until, { path: ['until'], message: BACKWARDS_TEXT });
export type DateRange = z.output<typeof DateRange>;

export const Dates = z
  .strictObject({
    /** The first day, or null for none. */
    from: LocalDate.nullable(),
    /** The last day, or null for none. */
    until: LocalDate.nullable(),
    excluded: z.array(DateRange).max(EXCLUDED_MAX, `Use at most ${EXCLUDED_MAX} excluded dates.`),
  })
  .refine(({ from, until }) => from === null || until === null || from <= until, {
    path: ['until'],
    message: BACKWARDS_TEXT,
  });
export type Dates = z.output<typeof Dates>;

export const everyDay: Dates = { from: null, until: null, excluded: [] };
