/** Numbers as they are typed, and how a form collects what is wrong with them. */
import { readSpan, type SpanForm } from './spanForm';

/** A limit that can be switched off and keeps its value while it is off. */
export type LimitForm = { readonly isOn: boolean; readonly span: SpanForm };

/** Reads what was typed; what is no number is 0 and gets a sentence at its path. */
export type NumberReader = {
  whole(text: string, path: string): number;
  /** Milliseconds. */
  span(span: SpanForm, path: string): number;
  /** Milliseconds, or null while the limit is off. */
  limit(limit: LimitForm, path: string): number | null;
};

const NO_NUMBER = 'Type a whole number.';

export function createNumberReader(mistakes: Record<string, string>): NumberReader {
  const kept = (value: number | null, path: string): number => {
    if (value === null) mistakes[path] = NO_NUMBER;
    return value ?? 0;
  };
  const span = (typed: SpanForm, path: string): number => kept(readSpan(typed), path);
  return {
    whole: (text, path) => kept(/^\s*\d{1,15}\s*$/.test(text) ? Number(text) : null, path),
    span,
    limit: (limit, path) => (limit.isOn ? span(limit.span, path) : null),
  };
}
