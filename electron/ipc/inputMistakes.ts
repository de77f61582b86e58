/**
 * Turns what a schema found wrong with an input into sentences by field. Schemas that have a sentence of their own keep it; a
 * value is never repeated, since it may be long or secret.
 */

import type { Failure } from '../../shared/result';

/** More are not listed: a hostile input must not become a long answer. */
export const MISTAKES_MAX = 20;
const PATH_LENGTH_MAX = 200;

/** The part of a schema's issue that is used here, before or after its message is set. */
type Issue = { readonly code?: string | undefined; readonly [fact: string]: unknown };

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'This must be a text.',
  number: 'This must be a number.',
  int: 'This must be a whole number.',
  boolean: 'This must be yes or no.',
  array: 'This must be a list.',
  object: 'This must be a set of fields.',
  undefined: 'Nothing may be passed here.',
};

/** The sentence for an issue whose schema has none. */
export function inputSentence(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined && issue.expected !== 'undefined') return 'This is missing.';
      return EXPECTED[String(issue.expected)] ?? 'This has the wrong type.';
    case 'too_big':
      return `Use at most ${issue.maximum}${unit(issue.origin)}.`;
    case 'too_small':
      return `Use at least ${issue.minimum}${unit(issue.origin)}.`;
    case 'invalid_value':
      return `Choose one of: ${(issue.values as readonly unknown[]).join(', ')}.`;
    case 'invalid_union':
      return 'Choose one of the known kinds.';
    case 'unrecognized_keys':
      return 'Belfry does not know this field.';
    default:
      return 'This does not have the form that is needed.';
  }
}

function unit(origin: unknown): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' ? ' entries' : '';
}

/** The failure for a refused input. `fields` has one sentence a place, the first that was found. */
export function invalidInput(
  issues: readonly {
    readonly code?: string | undefined;
    readonly path: readonly PropertyKey[];
    readonly message: string;
    readonly keys?: readonly string[] | undefined;
  }[],
): Failure {
  const fields = new Map<string, string>();
  for (const issue of issues.slice(0, MISTAKES_MAX)) {
    const places = issue.code === 'unrecognized_keys' ? (issue.keys ?? []) : [null];
    for (const key of places.slice(0, MISTAKES_MAX)) {
      const path = [...issue.path, ...(key === null ? [] : [key])].map(String).join('.');
      const place = path.slice(0, PATH_LENGTH_MAX);
      if (fields.size < MISTAKES_MAX && !fields.has(place)) fields.set(place, issue.message);
    }
  }
  const [first] = fields.values();
  return {
    code: 'invalid_input',
    message: fields.size === 1 && first !== undefined ? first : `${fields.size} things to fix.`,
    fields: Object.fromEntries(fields),
  };
}
