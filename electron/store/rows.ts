/**
 * Values on their way into the store and out of it. Both ways are checked: what we would store wrongly is our mistake and
 * a BugError; what comes out wrong was damaged behind our back and is a StoreError.
 */

import type { z } from 'zod';
import { assert, BugError } from '../../shared/result';
import { StoreError } from '../core/storeError';

/**
 * The text form of `hex(id)`. Ids have 16 bytes in the store, which keeps a run small on disk (D2); `unhex(?, '-')` in
 * the SQL turns text into bytes, so only the way back needs code.
 */
export function idFromHex(hex: unknown): string {
  assert(typeof hex === 'string' && hex.length === 32, 'an identifier has 16 bytes');
  const text = hex.toLowerCase();
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}

/** The same for a column that may be NULL, of which SQLite makes an empty text. */
export const idFromHexOrNull = (hex: unknown): string | null => (hex === '' ? null : idFromHex(hex));

/** Where the first fault lies and what it is, for a log or a bug report. */
export function faultOf(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? 'unknown' : `${issue.path.join('.')}: ${issue.message}`;
}

/** `value` as `schema` has it; a BugError that names `what` otherwise. */
export function checkedIn<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new BugError(`refused to store ${what} (${faultOf(parsed.error)})`);
  return parsed.data;
}

/** `value` as `schema` has it; a StoreError `corrupt` that names `what` otherwise. */
export function checkedOut<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw unreadable(what, faultOf(parsed.error));
  return parsed.data;
}

/** JSON from a column, not yet checked. */
export function jsonFrom(text: unknown, what: string): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    throw unreadable(what, 'not JSON');
  }
}

const unreadable = (what: string, why: string): StoreError =>
  new StoreError('corrupt', `The data of Belfry is damaged: ${what} cannot be read (${why}).`);
