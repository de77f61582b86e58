/** What is wrong with a cron expression, where it stands, and the rewrite that one button applies. */

export type CronFieldName = 'second' | 'minute' | 'hour' | 'dayOfMonth' | 'month' | 'dayOfWeek';

export type CronMistakeCode =
  | 'empty'
  | 'too_long'
  | 'line_break'
  | 'field_count'
  | 'crontab_line'
  | 'quartz_line'
  | 'not_a_time'
  | 'unknown_word'
  | 'empty_item'
  | 'bad_item'
  | 'not_a_value'
  | 'out_of_range'
  | 'backward_range'
  | 'open_range'
  | 'bad_step'
  | 'step_too_large'
  | 'wrong_field'
  | 'not_alone'
  | 'bad_nth'
  | 'bad_nearest';

export interface CronMistake {
  readonly field: CronFieldName | 'expression';
  /** The column of the first wrong character, counted from 0. */
  readonly start: number;
  /** Number of wrong characters; at least 1 unless the text is empty. */
  readonly length: number;
  readonly code: CronMistakeCode;
  readonly message: string;
  /** `replacement` is the whole expression, not the part. */
  readonly fix?: { readonly label: string; readonly replacement: string };
}

/** A part of the whole text, and the whole text for the sake of the rewrite. */
export interface Span {
  readonly whole: string;
  readonly start: number;
  readonly text: string;
}

/** The part of a span that begins `offset` characters into it. */
export const partOf = (span: Span, offset: number, length: number): Span => ({
  whole: span.whole,
  start: span.start + offset,
  text: span.text.slice(offset, offset + length),
});

/** A mistake that covers a span. `use` replaces the span; its button says so unless `label` says something else. */
export const mistakeAt = (
  span: Span,
  field: CronMistake['field'],
  code: CronMistakeCode,
  message: string,
  use?: string,
  label?: string,
): CronMistake => {
  const length = Math.max(span.text.length, Math.min(1, span.whole.length));
  const mistake = { field, start: span.start, length, code, message };
  if (use === undefined) return mistake;
  const replacement = span.whole.slice(0, span.start) + use + span.whole.slice(span.start + span.text.length);
  return { ...mistake, fix: { label: label ?? `Use ${use}`, replacement } };
};

/** The name a mistyped one was probably meant to be, in lower case, or undefined if none is near. */
export const nearestName = (typed: string, names: readonly string[]): string | undefined => {
  const lower = typed.toLowerCase();
  const sameStart = names.find((name) => lower.startsWith(name.slice(0, 3)));
  if (sameStart !== undefined) return sameStart;
  return names.find(
    (name) => lower.length === 3 && [...name].filter((letter, i) => lower[i] === letter).length === 2,
  );
};
