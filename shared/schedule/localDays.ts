/**
 * Calendar days of a zone as stretches of instants. A day is what the clock shows: it begins at 01:00 where midnight does not
 * exist, may come back for an hour where the clock goes back over midnight, and may not exist at all (Apia, 2011-12-30).
 */
import type { LocalDate } from '../model/dates';
import { DAY_MS, HOUR_MS } from '../time';
import { createRecent } from './recent';
import { type LocalMs, localMsOf, offsetsOf } from './zone';

/** Instants from `from` (inclusive) until `to` (exclusive); both may be infinite. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Days counted from 1970-01-01. */
export type DayNumber = number;

/** No zone is, or was, more than 16 hours away from UTC. */
const OFFSET_MS_MAX = 16 * HOUR_MS;
/** Stretches of days that are remembered: the first and last days of jobs, asked for at every look at their calendars. */
const SPANS_MAX = 512;

/** The number of a date that exists. */
export const dayNumberOf = (date: LocalDate): DayNumber => Date.parse(`${date}T00:00:00Z`) / DAY_MS;

/** The date of a day number, `YYYY-MM-DD`. */
export const dateOfDay = (day: DayNumber): LocalDate => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** The day that the clock of a zone shows at an instant. */
export const dayNumberAt = (at: number, zone: string): DayNumber => Math.floor(localMsOf(at, zone) / DAY_MS);

/**
 * The instants from which on the clock of a zone shows `local` or later, as spans: one without an end, and one more before it
 * if the clock reaches `local`, goes back below it, and reaches it again.
 */
const spansFrom = (local: LocalMs, zone: string): Span[] => {
  const { stretchAt } = offsetsOf(zone);
  const spans: Span[] = [];
  for (let at = local - OFFSET_MS_MAX; ; ) {
    const stretch = stretchAt(at);
    const begin = Math.max(local - stretch.offsetMs, stretch.from);
    const isLast = stretch.until > local + OFFSET_MS_MAX;
    if (begin < stretch.until) {
      const before = spans.at(-1);
      const to = isLast ? Number.POSITIVE_INFINITY : stretch.until;
      if (before?.to === begin) spans[spans.length - 1] = { from: before.from, to };
      else spans.push({ from: begin, to });
    }
    if (isLast) return spans;
    at = stretch.until;
  }
};

const complementOf = (spans: readonly Span[]): Span[] => {
  const ends = [Number.NEGATIVE_INFINITY, ...spans.flatMap(({ from, to }) => [from, to])];
  const outside: Span[] = [];
  for (let i = 0; i + 1 < ends.length; i += 2) {
    outside.push({ from: ends[i] ?? Number.NaN, to: ends[i + 1] ?? Number.NaN });
  }
  return outside;
};

/** What two sorted lists of spans have in common, sorted. */
export const intersect = (one: readonly Span[], other: readonly Span[]): Span[] => {
  const both: Span[] = [];
  for (let i = 0, k = 0; ; ) {
    const a = one[i];
    const b = other[k];
    if (a === undefined || b === undefined) return both;
    const from = Math.max(a.from, b.from);
    const to = Math.min(a.to, b.to);
    if (from < to) both.push({ from, to });
    if (a.to < b.to) i += 1;
    else k += 1;
  }
};

/** The instants at which the clock of a zone shows a wall time from `from` until before `until`. */
export const spansOfLocal = (from: LocalMs, until: LocalMs, zone: string): Span[] => {
  const reached = Number.isFinite(from) ? spansFrom(from, zone) : [ALWAYS];
  return Number.isFinite(until) ? intersect(reached, complementOf(spansFrom(until, zone))) : reached;
};

const ALWAYS: Span = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** The instants of the days from `first` to `last`, both included, in a zone: sorted, without overlaps, mostly one span. */
export const spansOfDays = (first: DayNumber, last: DayNumber, zone: string): Span[] =>
  spansOfLocal(first * DAY_MS, (last + 1) * DAY_MS, zone);

const boundsOfKey = createRecent(SPANS_MAX, (key: string): readonly Span[] => {
  const [from = '', until = '', zone = ''] = key.split('|');
  const first = from === '' ? Number.NEGATIVE_INFINITY : dayNumberOf(from);
  const last = until === '' ? Number.POSITIVE_INFINITY : dayNumberOf(until);
  return spansOfDays(first, last, zone);
});

/** The instants of the days from the first to the last, where null stands for no such end. */
export const spansBetween = (
  from: LocalDate | null,
  until: LocalDate | null,
  zone: string,
): readonly Span[] => boundsOfKey(`${from ?? ''}|${until ?? ''}|${zone}`);
