/** A length of time as a number and a unit, as people set it. The number is kept as typed. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';

export const UNITS = ['seconds', 'minutes', 'hours', 'days'] as const;
export type Unit = (typeof UNITS)[number];
export type SpanForm = { readonly amount: string; readonly unit: Unit };

const UNIT_MS: Readonly<Record<Unit, number>> = {
  seconds: SECOND_MS,
  minutes: MINUTE_MS,
  hours: HOUR_MS,
  days: DAY_MS,
};

export const emptySpan = (amount: string, unit: Unit): SpanForm => ({ amount, unit });

/** Milliseconds, or null if the number is none. One that is too large for anything is for the bounds to refuse. */
export function readSpan({ amount, unit }: SpanForm): number | null {
  if (!/^\s*\d+\s*$/.test(amount)) return null;
  return Number(amount) * UNIT_MS[unit];
}

/** The largest unit that gives a whole number. */
export function writeSpan(ms: number): SpanForm {
  const unit = UNITS.findLast((name) => ms !== 0 && ms % UNIT_MS[name] === 0) ?? 'seconds';
  return { amount: String(ms / UNIT_MS[unit]), unit };
}
