/**
 * One field of a cron expression: its grammar and the values it stands for.
 *
 * Strict on purpose: a schedule at the wrong time is worse than a refused one, so whatever crons disagree about
 * (ranges that wrap, steps as large as the field, `W` on ranges) is refused with a rewrite. Cases C-003 to C-013.
 */
import {
  type CronFieldName,
  type CronMistake,
  mistakeAt,
  nearestName,
  partOf,
  type Span,
} from './cronMistake';

export interface CronField {
  readonly name: CronFieldName;
  /** As typed; empty for the seconds of a five-field expression. */
  readonly text: string;
  readonly start: number;
  /** Exactly `*` or `?`: the field restricts nothing. */
  readonly isEvery: boolean;
  readonly hasStep: boolean;
  /** Ascending, without repeats; Sunday is 0. */
  readonly values: readonly number[];
  readonly isLastDay: boolean;
  readonly isLastWeekday: boolean;
  /** Days of the month of `nW` items. */
  readonly nearest: readonly number[];
  readonly nth: readonly { readonly weekday: number; readonly n: number }[];
  /** Weekdays of `dL` items. */
  readonly lastOf: readonly number[];
}

interface FieldRule {
  readonly label: string;
  readonly low: number;
  readonly high: number;
  /** The end of `*` and of `a/n`; for weekdays 6, because 7 is only another name of Sunday. */
  readonly top: number;
  readonly stepMax: number;
  readonly names: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

export const FIELD_RULES: Readonly<Record<CronFieldName, FieldRule>> = {
  second: { label: 'second', low: 0, high: 59, top: 59, stepMax: 59, names: [] },
  minute: { label: 'minute', low: 0, high: 59, top: 59, stepMax: 59, names: [] },
  hour: { label: 'hour', low: 0, high: 23, top: 23, stepMax: 23, names: [] },
  dayOfMonth: { label: 'day of the month', low: 1, high: 31, top: 31, stepMax: 31, names: [] },
  month: { label: 'month', low: 1, high: 12, top: 12, stepMax: 12, names: MONTHS },
  dayOfWeek: { label: 'weekday', low: 0, high: 7, top: 6, stepMax: 7, names: WEEKDAYS },
};

/** A single value and the name it was written with, kept so that a rewrite speaks the same language. */
interface Value {
  readonly number: number;
  readonly isName: boolean;
}

class FieldReader {
  readonly values = new Set<number>();
  readonly nearest: number[] = [];
  readonly nth: { weekday: number; n: number }[] = [];
  readonly lastOf: number[] = [];
  isLastDay = false;
  isLastWeekday = false;
  readonly mistakes: CronMistake[] = [];
  readonly #name: CronFieldName;
  readonly #rule: FieldRule;
  readonly #isDay: boolean;

  constructor(name: CronFieldName) {
    this.#name = name;
    this.#rule = FIELD_RULES[name];
    this.#isDay = name === 'dayOfMonth' || name === 'dayOfWeek';
  }

  readItem(item: Span, isOnly: boolean): void {
    const { low, top, label } = this.#rule;
    if (item.text === '?') {
      this.#readQuestionMark(item, isOnly);
    } else if (this.#name === 'dayOfMonth' && this.#readDayOfMonth(item, isOnly)) {
      return;
    } else if (this.#name === 'dayOfWeek' && this.#readDayOfWeek(item)) {
      return;
    } else if (!this.#isDay && /^\d*LW?$/i.test(item.text)) {
      this.#refuse(item, 'wrong_field', 'L works in the day fields only.', String(top));
    } else if (/^H(\/\d+|\(.*)?$/i.test(item.text)) {
      const slash = item.text.lastIndexOf('/');
      const use = slash < 0 ? String(low) : `*${item.text.slice(slash)}`;
      this.#refuse(item, 'bad_item', `H is Jenkins' word for a ${label} it picks. Type one.`, use);
    } else {
      this.#readRange(item);
    }
  }

  #refuse(span: Span, code: CronMistake['code'], message: string, use?: string, label?: string): void {
    this.mistakes.push(mistakeAt(span, this.#name, code, message, use, label));
  }

  #readQuestionMark(item: Span, isOnly: boolean): void {
    if (!this.#isDay) this.#refuse(item, 'wrong_field', '? works in the day fields only.', '*');
    else if (!isOnly) this.#refuse(item, 'not_alone', '? cannot stand in a list.', '*');
    else this.#addRange(this.#rule.low, this.#rule.top, 1);
  }

  /** Reads `L`, `LW` and `nW`. Answers whether the item was one of them, right or wrong. */
  #readDayOfMonth(item: Span, isOnly: boolean): boolean {
    const { text } = item;
    if (/^L$/i.test(text)) {
      this.isLastDay = true;
    } else if (/^LW$/i.test(text)) {
      if (isOnly) this.isLastWeekday = true;
      else this.#refuse(item, 'not_alone', 'LW cannot stand in a list.');
    } else if (/^\d+W$/i.test(text)) {
      const day = Number(text.slice(0, -1));
      if (day >= 1 && day <= 31) this.nearest.push(day);
      else this.#refuseNearest(item, day);
    } else if (/\d.*W$/i.test(text)) {
      this.#refuse(item, 'bad_nearest', 'W works with a single day of the month, such as 15W.');
    } else {
      return false;
    }
    return true;
  }

  #refuseNearest(item: Span, day: number): void {
    const message = `Days run from 1 to 31, so ${item.text} cannot happen.`;
    this.#refuse(item, 'bad_nearest', message, day < 1 ? '1W' : 'LW');
  }

  /** Reads `d#n`, `d#L` and `dL`. Answers whether the item was one of them, right or wrong. */
  #readDayOfWeek(item: Span): boolean {
    const { text } = item;
    if (/^L$/i.test(text)) {
      this.#refuse(item, 'bad_item', 'L needs a weekday before it, as in 5L or FRIL.');
      return true;
    }
    const hash = text.indexOf('#');
    const isLast = hash < 0 && /^(\d+|[a-z]{3})L$/i.test(text);
    if (hash < 0 && !isLast) return false;
    const dayLength = hash < 0 ? text.length - 1 : hash;
    const day = this.#readValue(partOf(item, 0, dayLength));
    if (day === undefined) return true;
    const weekday = day.number % 7;
    const n = text.slice(hash + 1);
    if (isLast || /^L$/i.test(n)) this.lastOf.push(weekday);
    else if (/^[1-5]$/.test(n)) this.nth.push({ weekday, n: Number(n) });
    else {
      const use = `${text.slice(0, hash)}#${/^0*$/.test(n) ? 1 : 5}`;
      this.#refuse(item, 'bad_nth', 'A month has at most five of any weekday. Use #1 to #5.', use);
    }
    return true;
  }

  /** Reads `*`, `a`, `a-b` and each of them with a step. */
  #readRange(item: Span): void {
    const slash = item.text.indexOf('/');
    const base = slash < 0 ? item : partOf(item, 0, slash);
    const step = slash < 0 ? 1 : this.#readStep(partOf(item, slash + 1, item.text.length), base);
    if (step === undefined) return;
    const dash = base.text.indexOf('-');
    if (base.text === '*') {
      this.#addRange(this.#rule.low, this.#rule.top, step);
    } else if (base.text.includes('*')) {
      this.#refuse(base, 'bad_item', 'A star stands alone or before a step, as in */5.', '*');
    } else if (dash < 0) {
      const value = this.#readValue(base);
      if (value !== undefined) this.#addRange(value.number, slash < 0 ? value.number : this.#rule.top, step);
    } else if (dash === 0 || dash === base.text.length - 1) {
      const rest = base.text.replaceAll('-', '');
      const message = `The range has no ${dash === 0 ? 'beginning' : 'end'}.`;
      this.#refuse(base, 'open_range', message, rest === '' ? '*' : rest);
    } else {
      const from = this.#readValue(partOf(base, 0, dash));
      const until = this.#readValue(partOf(base, dash + 1, base.text.length));
      if (from !== undefined && until !== undefined) this.#readFromUntil(item, base, from, until, step);
    }
  }

  #readFromUntil(item: Span, base: Span, from: Value, until: Value, step: number): void {
    const isWeekday = this.#name === 'dayOfWeek';
    // SUN at the end of a range can only mean the seventh day: FRI-SUN, SAT-SUN (C-009).
    const end = isWeekday && until.isName && until.number === 0 ? 7 : until.number;
    if (isWeekday && from.isName && until.isName && from.number === until.number) {
      const use = base.text.slice(0, 3);
      this.#refuse(item, 'backward_range', 'The range begins and ends on the same day.', use);
    } else if (from.number <= end) {
      this.#addRange(from.number, end, step);
    } else {
      const use = this.#wrapped(base, from, until, step);
      this.#refuse(item, 'backward_range', 'The range ends before it starts.', use);
    }
  }

  /** What a range that runs backwards was meant to be: around the end of the field, or simply swapped. */
  #wrapped(base: Span, from: Value, until: Value, step: number): string {
    const { low, high, names } = this.#rule;
    const [fromText = '', untilText = ''] = base.text.split('-');
    if (names.length === 0 && this.#name !== 'hour')
      return `${untilText}-${fromText}${step > 1 ? `/${step}` : ''}`;
    const isWeekday = this.#name === 'dayOfWeek';
    const restart = isWeekday ? 1 : low;
    if (step > 1) {
      const size = isWeekday ? 7 : high - low + 1;
      const list: number[] = [];
      for (let n = from.number; n <= until.number + size; n += step) list.push(((n - low) % size) + low);
      return [...new Set(list)].sort((a, b) => a - b).join(',');
    }
    const isNamed = from.isName && until.isName;
    const write = (n: number): string =>
      isNamed ? (names[isWeekday ? n % 7 : n - low] ?? '').toUpperCase() : String(n);
    const join = (a: string, b: string): string => (a.toUpperCase() === b.toUpperCase() ? a : `${a}-${b}`);
    const first = from.number >= high && isWeekday ? '0' : join(fromText, write(high));
    return until.number < restart ? first : `${first},${join(write(restart), untilText)}`;
  }

  #readStep(step: Span, base: Span): number | undefined {
    const { stepMax, label, low, high } = this.#rule;
    const number = /^\d+$/.test(step.text) ? Number(step.text) : 0;
    if (base.text === '') {
      this.#refuse(base, 'bad_item', 'There is nothing before the slash.', '*', 'Add *');
    } else if (number < 1) {
      this.#refuse(step, 'bad_step', 'A step must be a whole number, 1 or more.', '1', `Use ${base.text}/1`);
    } else if (number === stepMax + 1 && base.text === '*') {
      const all: Span = { ...base, text: `*/${step.text}` };
      this.#refuse(all, 'step_too_large', `A step of ${number} reaches only ${label} ${low}.`, String(low));
    } else if (number > stepMax) {
      const span = this.#name === 'hour' || high === 59 ? ' For longer steps use an interval.' : '';
      this.#refuse(step, 'step_too_large', `A step in the ${label} must be 1 to ${stepMax}.${span}`);
    } else {
      return number;
    }
    return undefined;
  }

  #readValue(span: Span): Value | undefined {
    const { label, low, high, names } = this.#rule;
    if (/^\d+$/.test(span.text)) {
      const number = Number(span.text);
      if (number >= low && number <= high) return { number, isName: false };
      const message = `The ${label} must be ${low} to ${high}. You typed ${span.text}.`;
      this.#refuse(span, 'out_of_range', message, this.#clamped(number));
      return undefined;
    }
    const index = names.indexOf(span.text.toLowerCase());
    if (index >= 0) return { number: index + low, isName: true };
    const near = nearestName(span.text, names);
    this.#refuse(span, 'not_a_value', `“${span.text}” is not a ${label}.`, near?.toUpperCase());
    return undefined;
  }

  /** 60 minutes and 24 hours were meant as 0; a day or month too high as the last one. */
  #clamped(number: number): string | undefined {
    const { low, high } = this.#rule;
    if (this.#name === 'dayOfWeek') return undefined;
    return String(number < low || low === 0 ? low : high);
  }

  #addRange(from: number, until: number, step: number): void {
    for (let value = from; value <= until; value += step)
      this.values.add(this.#name === 'dayOfWeek' ? value % 7 : value);
  }
}

/** Reads one field. The values are complete only if `mistakes` is empty. */
export const readField = (
  name: CronFieldName,
  span: Span,
): { readonly field: CronField; readonly mistakes: readonly CronMistake[] } => {
  const reader = new FieldReader(name);
  const items = span.text.split(',');
  let offset = 0;
  items.forEach((text, i) => {
    if (text === '') {
      // The comma to remove is the one before the gap; the first item has only the one after it.
      const comma = partOf(span, i === 0 ? 0 : offset - 1, 1);
      const message =
        i === 0 ? 'There is a comma with nothing before it.' : 'There is a comma with nothing after it.';
      reader.mistakes.push(mistakeAt(comma, name, 'empty_item', message, '', 'Remove it'));
    } else {
      reader.readItem(partOf(span, offset, text.length), items.length === 1);
    }
    offset += text.length + 1;
  });
  const { isLastDay, isLastWeekday, nearest, nth, lastOf } = reader;
  const field: CronField = {
    name,
    text: span.text,
    start: span.start,
    isEvery: span.text === '*' || span.text === '?',
    hasStep: span.text.includes('/'),
    values: [...reader.values].sort((a, b) => a - b),
    isLastDay,
    isLastWeekday,
    nearest,
    nth,
    lastOf,
  };
  return { field, mistakes: reader.mistakes };
};
