/**
 * The text of a cron expression, cut at its spaces and put together again. The text is the only truth: a box rewrites its own
 * piece and leaves every other character alone. What the pieces mean is for the engine to say.
 */

export type FieldName = 'second' | 'minute' | 'hour' | 'dayOfMonth' | 'month' | 'dayOfWeek';
export type BoxName = FieldName | 'word';

/** A piece between spaces, with its place in the text. */
export type Token = { readonly start: number; readonly text: string };

export const FIVE: readonly FieldName[] = ['minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'];
export const SIX: readonly FieldName[] = ['second', ...FIVE];

export const tokensOf = (expression: string): readonly Token[] =>
  [...expression.matchAll(/\S+/g)].map((match) => ({ start: match.index, text: match[0] }));

const isWord = (expression: string): boolean => expression.trim().startsWith('@');

/** The boxes that an expression is shown in. */
export function boxesOf(expression: string): readonly BoxName[] {
  if (isWord(expression)) return ['word'];
  return tokensOf(expression).length === 6 ? SIX : FIVE;
}

/** The expression with its piece at `index` replaced. Pieces before it that are missing become stars. */
export function withToken(expression: string, index: number, value: string): string {
  const pasted = tokensOf(value);
  if (pasted.length >= 5) return value.trim();
  const tokens = tokensOf(expression);
  const token = tokens[index];
  if (token !== undefined) {
    return `${expression.slice(0, token.start)}${value}${expression.slice(token.start + token.text.length)}`;
  }
  const filled = Array.from({ length: FIVE.length }, (_, at) => tokens[at]?.text ?? '*');
  filled[index] = value;
  return filled.join(' ');
}

const CRON_FIELD =
  /^(?:[\d*?LW#/,-]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)+$/i;

/** The two halves of a line of a crontab, or null if this is none. What looks like more fields is no command. */
export function crontabLineOf(text: string): { readonly schedule: string; readonly command: string } | null {
  const tokens = tokensOf(text);
  const count = isWord(text) ? 1 : FIVE.length;
  const [fields, rest] = [tokens.slice(0, count), tokens.slice(count)];
  const first = rest[0];
  if (first === undefined || rest.every((token) => CRON_FIELD.test(token.text))) return null;
  if (!isWord(text) && !fields.every((token) => CRON_FIELD.test(token.text))) return null;
  // cron reads a bare % as a line break, so lines write it with a backslash.
  const command = text.slice(first.start).trim().replaceAll('\\%', '%');
  return { schedule: text.slice(0, first.start).trim(), command };
}

/** A schedule that was pasted whole, rather than a piece for one field; null if it is a piece. */
export function wholeOf(pasted: string): string | null {
  const text = pasted.trim();
  return isWord(text) || tokensOf(text).length >= FIVE.length ? text.replace(/\s*\n\s*/g, ' ') : null;
}

/** Whether the time of day is fixed: no star, question mark or step in the second, minute and hour (D6). */
export function hasFixedTime(expression: string): boolean {
  if (isWord(expression)) return expression.trim().toLowerCase() !== '@hourly';
  const tokens = tokensOf(expression);
  if (tokens.length < 5) return false;
  const times = tokens.slice(0, tokens.length === 6 ? 3 : 2);
  return times.every((token) => !/[*?/]/.test(token.text));
}

/** A run of text that is drawn alike. */
export type Run = {
  readonly start: number;
  readonly text: string;
  readonly box: BoxName | null;
  readonly isWrong: boolean;
};

/** The text cut so that each run has one colour and is wrong or right as a whole. */
export function runsOf(
  expression: string,
  wrong: readonly { readonly start: number; readonly length: number }[],
): readonly Run[] {
  const boxes = boxesOf(expression);
  const tokens = tokensOf(expression);
  const boxAt = (at: number): BoxName | null => {
    const index = tokens.findIndex(({ start, text }) => at >= start && at < start + text.length);
    return index < 0 ? null : (boxes[index] ?? null);
  };
  const isWrongAt = (at: number): boolean =>
    wrong.some(({ start, length }) => at >= start && at < start + Math.max(1, length));
  const runs: Run[] = [];
  for (let at = 0; at < expression.length; at += 1) {
    const [box, isWrong] = [boxAt(at), isWrongAt(at)];
    const last = runs.at(-1);
    if (last !== undefined && last.box === box && last.isWrong === isWrong) {
      runs[runs.length - 1] = { ...last, text: last.text + expression.charAt(at) };
    } else runs.push({ start: at, text: expression.charAt(at), box, isWrong });
  }
  return runs;
}
