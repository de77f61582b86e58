/** Days and months in words, built from the parsed values and not from the text (C-120). */
import { DAY_MS } from '../time';
import type { CronExpression } from './cron';
import type { CronField } from './cronField';
import type { LocalMs } from './zone';

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const NTH = ['', 'first', 'second', 'third', 'fourth', 'fifth'];

export const weekdayName = (weekday: number): string => WEEKDAYS[weekday % 7] ?? '';
export const monthName = (month: number): string => MONTHS[month - 1] ?? '';
export const shortName = (name: string): string => name.slice(0, 3);

export const ordinal = (n: number): string => {
  const ending = n % 100 > 10 && n % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${ending}`;
};

/** `a, b and c` */
export const listWords = (words: readonly string[], last = 'and'): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

/** Runs of three or more neighbours become `a to c`. */
export const rangeWords = (
  values: readonly number[],
  name: (value: number) => string,
  to = ' to ',
): string[] => {
  const words: string[] = [];
  for (let i = 0; i < values.length; ) {
    const from = values[i] ?? 0;
    let length = 1;
    while (values[i + length] === from + length) length += 1;
    if (length > 2) words.push(`${name(from)}${to}${name(from + length - 1)}`);
    else for (let k = 0; k < length; k += 1) words.push(name(from + k));
    i += length;
  }
  return words;
};

/** The distance between all neighbours, if there are at least four values and it is the same and above 1. */
export const stepOf = (values: readonly number[]): number | undefined => {
  const [first = 0, second = 0] = values;
  const step = second - first;
  if (values.length < 4 || step < 2) return undefined;
  return values.every((value, i) => value === first + i * step) ? step : undefined;
};

const pad = (n: number): string => String(n).padStart(2, '0');

/** `HH:mm`, with seconds only where there are any. */
export const clockText = (local: LocalMs): string => {
  const seconds = Math.floor((((local % DAY_MS) + DAY_MS) % DAY_MS) / 1_000);
  const second = seconds % 60;
  const text = `${pad(Math.floor(seconds / 3_600))}:${pad(Math.floor(seconds / 60) % 60)}`;
  return second === 0 ? text : `${text}:${pad(second)}`;
};

/** `14 Mar` */
export const shortDate = (local: LocalMs): string => {
  const date = new Date(local);
  return `${date.getUTCDate()} ${shortName(monthName(date.getUTCMonth() + 1))}`;
};

/** `14 Mar 2027` */
export const dateText = (local: LocalMs): string => `${shortDate(local)} ${new Date(local).getUTCFullYear()}`;

/** `Sun 14 Mar` */
export const weekdayDate = (local: LocalMs): string =>
  `${shortName(weekdayName(new Date(local).getUTCDay()))} ${shortDate(local)}`;

/** Monday first. */
const fromMonday = (weekdays: readonly number[]): number[] =>
  weekdays.map((weekday) => (weekday === 0 ? 7 : weekday)).sort((a, b) => a - b);

const isSet = (values: readonly number[], ...wanted: number[]): boolean =>
  values.length === wanted.length && wanted.every((value) => values.includes(value));

export const isWeekdays = (values: readonly number[]): boolean => isSet(values, 1, 2, 3, 4, 5);
export const isWeekend = (values: readonly number[]): boolean => isSet(values, 0, 6);

/** Whether the field leaves no day out, whatever it was written with. */
export const isAllDays = (field: CronField): boolean =>
  field.isEvery || field.values.length === (field.name === 'dayOfWeek' ? 7 : 31);

/** `the 1st and 14th`, `the last day`, each without its month. */
const dayOfMonthWords = (field: CronField): string[] => {
  const words: string[] = [];
  const step = stepOf(field.values);
  if (step !== undefined) words.push(`every ${ordinal(step)} day from the ${ordinal(field.values[0] ?? 1)}`);
  else if (field.values.length > 0) {
    const ranges = rangeWords(field.values, ordinal);
    words.push(`the ${listWords(ranges)}`);
  }
  for (const day of field.nearest) words.push(`the weekday nearest the ${ordinal(day)}`);
  if (field.isLastDay) words.push('the last day');
  if (field.isLastWeekday) words.push('the last weekday');
  return words;
};

const weekdaySetWords = (values: readonly number[]): string[] => {
  if (values.length === 0) return [];
  if (isWeekdays(values)) return ['weekdays'];
  if (isWeekend(values)) return ['weekends'];
  return rangeWords(fromMonday(values), weekdayName);
};

const nthWords = (field: CronField): string[] => [
  ...field.nth.map(({ weekday, n }) => `the ${NTH[n]} ${weekdayName(weekday)}`),
  ...field.lastOf.map((weekday) => `the last ${weekdayName(weekday)}`),
];

/** `every Friday`, to follow `and also on`. */
const alsoWords = (field: CronField): string => {
  const plain = weekdaySetWords(field.values).map((word) => {
    if (word === 'weekdays') return 'weekday';
    return word === 'weekends' ? 'weekend day' : word;
  });
  const every = plain.length === 0 ? [] : [`every ${listWords(plain)}`];
  return listWords([...every, ...nthWords(field)]);
};

/** `a Friday`, to follow `but only if it is`. */
const onlyWords = (field: CronField): string => {
  const plain = weekdaySetWords(field.values).map((word) => {
    if (word === 'weekdays') return 'a weekday';
    if (word === 'weekends') return 'a weekend day';
    return word.includes(' to ') ? word : `a ${word}`;
  });
  return listWords([...plain, ...nthWords(field)], 'or');
};

/** A weekday such as the fifth Friday, which some months do not have, and nothing else. */
const isRare = ({ values, nth, lastOf }: CronField): boolean =>
  values.length === 0 && lastOf.length === 0 && nth.every(({ n }) => n === 5);

/**
 * On which days, with the preposition: `every day`, `on weekdays`, `on the 1st of the month, and also on every Friday`.
 * Empty if every day and `isFrequent`, where it would say nothing.
 */
export const daysInWords = (
  cron: CronExpression,
  dayMatch: 'either' | 'both',
  isFrequent: boolean,
): string => {
  const { dayOfMonth, month, dayOfWeek } = cron.fields;
  const months = listWords(rangeWords(month.values, monthName));
  const inMonths = month.values.length === 12 ? '' : ` in ${months}`;
  const ofMonth = month.values.length === 1 ? ` of ${months}` : ` of the month${inMonths}`;
  const hasNth = dayOfWeek.nth.length + dayOfWeek.lastOf.length > 0;
  const isAnyDay = isAllDays(dayOfMonth);
  const isAnyWeekday = isAllDays(dayOfWeek);
  const isEither = cron.areBothDaysRestricted && dayMatch === 'either';
  if ((isAnyDay && isAnyWeekday) || (isEither && (isAnyDay || isAnyWeekday))) {
    return isFrequent ? inMonths.trim() : `every day${inMonths}`;
  }
  const days = `on ${listWords(dayOfMonthWords(dayOfMonth))}${ofMonth}`;
  if (isAnyWeekday) return days;
  if (isAnyDay) {
    const weekdays = listWords([...weekdaySetWords(dayOfWeek.values), ...nthWords(dayOfWeek)]);
    const some = isRare(dayOfWeek) ? ' (only some months have one)' : '';
    return `on ${weekdays}${hasNth ? ofMonth : inMonths}${some}`;
  }
  if (isEither) return `${days}, and also on ${alsoWords(dayOfWeek)}${hasNth ? ofMonth : inMonths}`;
  return `${days}, but only if it is ${onlyWords(dayOfWeek)}`;
};
