/**
 * Cron expressions: text in, a checked expression or the list of mistakes out.
 *
 * The grammar is stricter than that of any other cron (cases.md section 1), because what crons disagree about is refused with a
 * rewrite. Nothing here throws, and a text of any length is answered at once.
 */
import { EXPRESSION_LENGTH_MAX } from '../model/schedule';
import type { Result } from '../result';
import { type CronField, readField } from './cronField';
import { type CronFieldName, type CronMistake, mistakeAt, nearestName, type Span } from './cronMistake';
import { createRecent } from './recent';

export interface CronExpression {
  /** Exactly as typed. */
  readonly text: string;
  /** `frequent` if the second, minute or hour has a star, a question mark or a step (D6). */
  readonly kind: 'fixed' | 'frequent';
  readonly hasSeconds: boolean;
  readonly fields: Readonly<Record<CronFieldName, CronField>>;
  /** Both day fields say something: the schedule's `dayMatch` decides how they are joined. */
  readonly areBothDaysRestricted: boolean;
}

const FIVE: readonly CronFieldName[] = ['minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'];
const SIX: readonly CronFieldName[] = ['second', ...FIVE];

const WORDS: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

type ParsedCron = Result<CronExpression, readonly CronMistake[]>;

const refuse = (...mistakes: CronMistake[]): ParsedCron => ({ ok: false, error: mistakes });

/** Splits at spaces and tabs only: any other white space is a character that does not belong here. */
const splitTokens = (whole: string): Span[] =>
  [...whole.matchAll(/[^ \t]+/g)].map((match) => ({ whole, start: match.index, text: match[0] }));

const spanOf = (whole: string, tokens: readonly Span[]): Span => {
  const first = tokens[0];
  const last = tokens.at(-1);
  if (first === undefined || last === undefined) return { whole, start: 0, text: whole };
  return { whole, start: first.start, text: whole.slice(first.start, last.start + last.text.length) };
};

const isFrequentText = (text: string): boolean => /[*?/]/.test(text);

const readFields = (whole: string, tokens: readonly Span[]): ParsedCron => {
  const names = tokens.length === 6 ? SIX : FIVE;
  const second: Span = { whole, start: 0, text: '0' };
  const mistakes: CronMistake[] = [];
  const fields = {} as Record<CronFieldName, CronField>;
  fields.second = { ...readField('second', second).field, text: '' };
  names.forEach((name, i) => {
    const read = readField(name, tokens[i] ?? second);
    fields[name] = read.field;
    mistakes.push(...read.mistakes);
  });
  if (mistakes.length > 0) return refuse(...mistakes);
  const { minute, hour, dayOfMonth, dayOfWeek } = fields;
  const isFrequent = [fields.second, minute, hour].some((field) => isFrequentText(field.text));
  return {
    ok: true,
    value: {
      text: whole,
      kind: isFrequent ? 'frequent' : 'fixed',
      hasSeconds: tokens.length === 6,
      fields,
      areBothDaysRestricted: !dayOfMonth.isEvery && !dayOfWeek.isEvery,
    },
  };
};

const readWord = (whole: string, tokens: readonly Span[]): ParsedCron => {
  const span = spanOf(whole, tokens);
  const [word = span] = tokens;
  const lower = word.text.toLowerCase();
  const meaning = Object.hasOwn(WORDS, lower) ? WORDS[lower] : undefined;
  if (meaning !== undefined && tokens.length > 1) return refuse(refuseCrontabLine(span, word.text));
  if (meaning !== undefined) {
    const read = readFields(meaning, splitTokens(meaning));
    return read.ok ? { ok: true, value: { ...read.value, text: whole } } : read;
  }
  if (lower === '@reboot') {
    return refuse(
      mistakeAt(span, 'expression', 'not_a_time', '@reboot is the start of the computer, not a time.'),
    );
  }
  if (lower === '@every') {
    return refuse(
      mistakeAt(span, 'expression', 'not_a_time', '@every is not cron. Use an interval instead.'),
    );
  }
  const near = nearestName(
    lower.slice(1),
    Object.keys(WORDS).map((known) => known.slice(1)),
  );
  const message = `“${word.text}” is not known. Use @hourly, @daily, @weekly, @monthly or @yearly.`;
  return refuse(
    mistakeAt(word, 'expression', 'unknown_word', message, near === undefined ? undefined : `@${near}`),
  );
};

const refuseCrontabLine = (span: Span, schedule: string): CronMistake => {
  const message =
    'This looks like a whole crontab line. Only the schedule belongs here, the command elsewhere.';
  return mistakeAt(span, 'expression', 'crontab_line', message, schedule, 'Only the schedule');
};

/** Quartz counts its weekdays from 1 = Sunday and puts a year at the end. */
const rewriteQuartz = (tokens: readonly Span[]): string | undefined => {
  const [second, minute, hour, dayOfMonth, month, dayOfWeek, year] = tokens.map((token) => token.text);
  if (tokens.length !== 7 || (year !== '*' && year !== '?') || dayOfWeek === undefined) return undefined;
  const day = dayOfWeek.replace(/[a-z]{3}|(?<![#/\d])\d+/gi, (part) => {
    const index = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'].indexOf(part.toLowerCase());
    return String(index >= 0 ? index : Number(part) - 1);
  });
  const star = (text: string | undefined): string => (text === '?' ? '*' : (text ?? '*'));
  const five = [minute, hour, star(dayOfMonth), month, star(day)];
  const rewritten = (second === '0' ? five : [second, ...five]).join(' ');
  return readFields(rewritten, splitTokens(rewritten)).ok ? rewritten : undefined;
};

const refuseCount = (whole: string, tokens: readonly Span[]): CronMistake => {
  const span = spanOf(whole, tokens);
  const quartz = rewriteQuartz(tokens);
  if (quartz !== undefined) {
    const message = `This looks like Quartz (7 fields). Belfry reads it as ${quartz}.`;
    return mistakeAt(span, 'expression', 'quartz_line', message, quartz, 'Use that');
  }
  const five = spanOf(whole, tokens.slice(0, 5)).text;
  if (tokens.length > 5 && readFields(five, splitTokens(five)).ok) return refuseCrontabLine(span, five);
  const message = `A cron expression has five fields. This one has ${tokens.length}.`;
  const missing = 5 - tokens.length;
  const use = missing > 0 ? `${span.text}${' *'.repeat(missing)}` : undefined;
  return mistakeAt(span, 'expression', 'field_count', message, use, 'Add *');
};

const read = (text: string): ParsedCron => {
  const all: Span = { whole: text, start: 0, text };
  if (text.length > EXPRESSION_LENGTH_MAX) {
    const message = `A cron expression has at most ${EXPRESSION_LENGTH_MAX} characters. This one has ${text.length}.`;
    return refuse(mistakeAt(all, 'expression', 'too_long', message));
  }
  if (/[\r\n\u2028\u2029]/.test(text)) {
    const line = text
      .split(/[\r\n\u2028\u2029]+/)
      .find((part) => part.trim() !== '')
      ?.trim();
    const message = 'A cron expression stands on one line.';
    return refuse(mistakeAt(all, 'expression', 'line_break', message, line, 'Keep the first line'));
  }
  const tokens = splitTokens(text);
  const [first] = tokens;
  if (first === undefined) {
    return refuse(mistakeAt(all, 'expression', 'empty', 'Type five fields, such as 0 9 * * 1-5.'));
  }
  if (first.text.startsWith('@')) return readWord(text, tokens);
  if (tokens.length !== 5 && tokens.length !== 6) return refuse(refuseCount(text, tokens));
  const parsed = readFields(text, tokens);
  if (parsed.ok || tokens.length === 5) return parsed;
  // Six words may be five fields and a one-word command; a mistyped weekday has a rewrite, a command has none.
  const [mistake] = parsed.error;
  const isCommand =
    mistake?.field === 'dayOfWeek' && mistake.code === 'not_a_value' && mistake.fix === undefined;
  const five = spanOf(text, tokens.slice(0, 5)).text;
  if (isCommand && readFields(five, splitTokens(five)).ok) {
    return refuse(refuseCrontabLine(spanOf(text, tokens), five));
  }
  return parsed;
};

/** Answers are small; a window that is typed into asks for each prefix once. */
const PARSED_MAX = 512;
const readRecent = createRecent(PARSED_MAX, read);

/** Reads a cron expression. The error lists every mistake in the order of the text; it is never empty. */
export const parseCron = (text: string): ParsedCron =>
  text.length > EXPRESSION_LENGTH_MAX ? read(text) : readRecent(text);
