/**
 * How a call that can fail answers. An expected failure is a value with a code from a closed list, because it has to
 * cross process borders where a thrown error loses everything but its text.
 */
import { z } from 'zod';

export const FailureCode = z.enum([
  'invalid_input',
  'not_found',
  'conflict',
  'busy',
  'unavailable',
  'unsupported',
  'internal',
]);
export type FailureCode = z.output<typeof FailureCode>;

/** `fields` maps a dotted path of the input, such as `schedules.0.expression`, to the sentence that mends it. */
export const Failure = z.strictObject({
  code: FailureCode,
  message: z.string(),
  fields: z.record(z.string(), z.string()).optional(),
});
export type Failure = z.output<typeof Failure>;

export type Result<T, E = Failure> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({
  ok: true,
  value,
});

/** A failed result. `message` is a sentence for the person at the screen: no path of ours, no stack. */
export const fail = (
  code: FailureCode,
  message: string,
  fields?: Record<string, string>,
): { readonly ok: false; readonly error: Failure } => ({
  ok: false,
  error: fields === undefined ? { code, message } : { code, message, fields },
});

/** The end of a switch over a union: a new member that nobody handled fails to compile here. */
export function assertNever(value: never): never {
  throw new BugError(`unhandled member: ${JSON.stringify(value)}`);
}

/** Something that cannot happen unless the program is wrong. Caught at two borders only: `serve` and the wake loop. */
export class BugError extends Error {
  override readonly name = 'BugError';
}

/** Throws a BugError with `text` unless `condition` holds. */
export function assert(condition: boolean, text: string): asserts condition {
  if (!condition) throw new BugError(text);
}
