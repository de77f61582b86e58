/**
 * How times, durations, sizes, counts and ends of runs are written (ui.md, section 17). Pure functions of their arguments:
 * the present moment is passed in, and the zone is the computer's unless one is named.
 */
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../shared/time';

const LOCALE = 'en-GB';
/** What is not known is an en dash, never a zero and never a word. */
export const UNKNOWN = '–';

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(key: string, options: Intl.DateTimeFormatOptions, zone?: string): Intl.DateTimeFormat {
  const id = `${key} ${zone ?? ''}`;
  const known = formatters.get(id);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(LOCALE, {
    ...options,
    ...(zone === undefined ? {} : { timeZone: zone }),
  });
  formatters.set(id, made);
  return made;
}

type Parts = Readonly<Record<'weekday' | 'day' | 'month' | 'year' | 'hour' | 'minute' | 'second', string>>;

function partsOf(at: Instant, zone?: string): Parts {
  const parts: Record<string, string> = {};
  const format = formatter(
    'parts',
    {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    },
    zone,
  );
  for (const part of format.formatToParts(at)) parts[part.type] = part.value;
  return { ...parts, month: (parts.month ?? '').slice(0, 3) } as Parts;
}

const dayNumber = (at: Instant, zone?: string): number => {
  const format = formatter('day', { year: 'numeric', month: '2-digit', day: '2-digit' }, zone);
  const found: Record<string, string> = {};
  for (const part of format.formatToParts(at)) found[part.type] = part.value;
  return Date.UTC(Number(found.year), Number(found.month) - 1, Number(found.day)) / DAY_MS;
};

/** Whole calendar days from `now` to `at`: 0 today, 1 tomorrow, -1 yesterday. */
export const daysApart = (at: Instant, now: Instant, zone?: string): number =>
  dayNumber(at, zone) - dayNumber(now, zone);

/** `14:05`. */
export const clockTime = (at: Instant, zone?: string): string => {
  const { hour, minute } = partsOf(at, zone);
  return `${hour}:${minute}`;
};

/** `14:05:09`. */
export const clockTimeExact = (at: Instant, zone?: string): string => {
  const { hour, minute, second } = partsOf(at, zone);
  return `${hour}:${minute}:${second}`;
};

/** `18:00` today, `Fri 16:45` within six days, `1 Apr 04:00` this year, `1 Apr 2028` otherwise. */
export function moment(at: Instant, now: Instant, zone?: string): string {
  const there = partsOf(at, zone);
  const apart = daysApart(at, now, zone);
  const time = `${there.hour}:${there.minute}`;
  if (apart === 0) return time;
  if (Math.abs(apart) <= 6) return `${there.weekday} ${time}`;
  if (there.year === partsOf(now, zone).year) return `${there.day} ${there.month} ${time}`;
  return `${there.day} ${there.month} ${there.year}`;
}

/** `Thu 11 Mar 14:05`, with the year if it is not this one. */
export function fullMoment(at: Instant, now: Instant, zone?: string): string {
  const there = partsOf(at, zone);
  const year = there.year === partsOf(now, zone).year ? '' : ` ${there.year}`;
  return `${there.weekday} ${there.day} ${there.month}${year} ${there.hour}:${there.minute}`;
}

/** `Thu 11 Mar`, with the year if it is not this one. */
export function dayOf(at: Instant, now: Instant, zone?: string): string {
  const there = partsOf(at, zone);
  const year = there.year === partsOf(now, zone).year ? '' : ` ${there.year}`;
  return `${there.weekday} ${there.day} ${there.month}${year}`;
}

/** `in 46 s`, `in 26 min`, `4 min ago`; an absolute moment from an hour on. */
export function relative(at: Instant, now: Instant, zone?: string): string {
  const away = at - now;
  const distance = Math.abs(away);
  if (distance >= HOUR_MS) return moment(at, now, zone);
  if (distance < SECOND_MS) return 'now';
  const text =
    distance < MINUTE_MS
      ? `${Math.floor(distance / SECOND_MS)} s`
      : `${Math.floor(distance / MINUTE_MS)} min`;
  return away > 0 ? `in ${text}` : `${text} ago`;
}

/** `18:00:09` today, otherwise as `moment`: for what may come several times in one minute. */
export const momentToSecond = (at: Instant, now: Instant, zone?: string): string =>
  daysApart(at, now, zone) === 0 ? clockTimeExact(at, zone) : moment(at, now, zone);

/** `4 min ago`, for what has happened: never a word of the future, even if the present moment shown is a little old. */
export const since = (at: Instant, now: Instant, zone?: string): string =>
  now - at < SECOND_MS ? 'just now' : relative(at, now, zone);

/** `in 26 min`, for what is still to come: what is overdue is due now. */
export const until = (at: Instant, now: Instant, zone?: string): string =>
  at <= now ? 'now' : relative(at, now, zone);

/** How far ahead in one rounded word, for the preview: `in 26 min`, `in 12 h`, `in 3 days`, `in 4 months`. */
export function ahead(at: Instant, now: Instant): string {
  const away = at - now;
  if (away < MINUTE_MS) return `in ${Math.max(0, Math.round(away / SECOND_MS))} s`;
  const minutes = Math.round(away / MINUTE_MS);
  if (minutes < 60) return `in ${minutes} min`;
  const hours = Math.round(minutes / 60);
  if (hours < 36) return `in ${hours} h`;
  const days = Math.round(away / DAY_MS);
  if (days < 60) return `in ${counted(days, 'day')}`;
  const months = Math.round(days / 30.44);
  return months < 24 ? `in ${months} months` : `in ${Math.round(months / 12)} years`;
}

/** For screen readers: a relative time always comes with the absolute one. */
export const spokenMoment = (at: Instant, now: Instant, zone?: string): string => {
  const away = Math.abs(at - now);
  if (away >= HOUR_MS || away < SECOND_MS) return fullMoment(at, now, zone);
  const count = away < MINUTE_MS ? Math.floor(away / SECOND_MS) : Math.floor(away / MINUTE_MS);
  const unit = `${away < MINUTE_MS ? 'second' : 'minute'}${count === 1 ? '' : 's'}`;
  const span = at > now ? `in ${count} ${unit}` : `${count} ${unit} ago`;
  return `${span}, ${clockTime(at, zone)}`;
};

/** `under 0.01 s`, `0.03 s`, `0.4 s`, `46 s`, `4 min 2 s`, `2 h 5 min`, `3 days`. */
export function duration(ms: number): string {
  if (ms < 10) return 'under 0.01 s';
  if (ms < 95) return `${(ms / SECOND_MS).toFixed(2)} s`;
  if (ms < 9_950) return `${(ms / SECOND_MS).toFixed(1)} s`;
  const seconds = Math.round(ms / SECOND_MS);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return joined(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 2 * 1_440) return joined(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  return `${Math.round(minutes / 1_440)} days`;
}

/** How long something has been going on, in whole seconds at least: `0 s`, `7 s`, `4 min 2 s`. */
export const elapsed = (ms: number): string =>
  ms < MINUTE_MS ? `${Math.max(0, Math.floor(ms / SECOND_MS))} s` : duration(ms);

/** A name for a passing notice: at most forty letters. */
export function shortName(name: string): string {
  const letters = [...name];
  return letters.length <= NAME_SHOWN_MAX
    ? name
    : `${letters
        .slice(0, NAME_SHOWN_MAX - 1)
        .join('')
        .trimEnd()}…`;
}
const NAME_SHOWN_MAX = 40;

const joined = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;

/** A limit as a person would set it: `5 s`, `30 min`, `1 h`, `1 day`. */
export function span(ms: number): string {
  if (ms % DAY_MS === 0 && ms > 0) return ms === DAY_MS ? '1 day' : `${ms / DAY_MS} days`;
  return ms % SECOND_MS === 0 && ms < 10_000 ? `${ms / SECOND_MS} s` : duration(ms);
}

/** `812 B`, `812 kB`, `1.9 MB`, `2 GB`. */
export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  const text =
    unit >= 2 && value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value).toString();
  return `${text} ${units[unit]}`;
}

const whole = new Intl.NumberFormat('en-US');

/** `1,284`; from eight digits on `12.4 million`. */
export const count = (value: number): string =>
  value < 10_000_000 ? whole.format(value) : `${(value / 1_000_000).toFixed(1)} million`;

/** `1 run`, `2 runs`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** `Backups, Git and Work`. */
export const listed = (items: readonly string[]): string =>
  new Intl.ListFormat(LOCALE, { type: 'conjunction' }).format(items);

/** `UTC−5`, `UTC+5:30`. */
export function offset(minutes: number): string {
  if (minutes === 0) return 'UTC';
  const size = Math.abs(minutes);
  const rest = size % 60 === 0 ? '' : `:${String(size % 60).padStart(2, '0')}`;
  return `UTC${minutes < 0 ? '−' : '+'}${Math.floor(size / 60)}${rest}`;
}

/** `New York` of `America/New_York`. */
export const cityOf = (zone: string): string => (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');

const EXIT_MEANINGS: Readonly<Record<number, string>> = {
  126: 'not allowed to run',
  127: 'the command was not found',
  129: 'its terminal was closed',
  130: 'interrupted with Ctrl+C',
  134: 'it stopped itself after an internal fault',
  137: 'killed, often by low memory',
  139: 'it crashed (segmentation fault)',
  143: 'asked to stop',
};

/** `Exit 23`. */
export const exitCode = (code: number): string => `Exit ${code}`;

/** `Exit 127: the command was not found`; codes without a common meaning stand alone. */
export const exitSentence = (code: number): string => {
  const meaning = EXIT_MEANINGS[code];
  return meaning === undefined ? exitCode(code) : `${exitCode(code)}: ${meaning}`;
};
