/**
 * Time zones: which names exist, which offset holds when, and which instants a wall time stands for.
 *
 * The platform's zone data is the only source. It answers in about two microseconds, which is too slow for planning, so
 * offsets are kept as stretches of constant offset in blocks of 64 days. The host's own zone never enters here (C-026).
 */
import { LOCAL_ZONE } from '../model/schedule';
import { DAY_MS, HOUR_MS, INSTANT_ABSOLUTE_MAX, type Instant, SECOND_MS, toInstant } from '../time';
import { createRecent } from './recent';

/** A formatter holds about 50 kB. */
const ZONES_MAX = 64;
const BLOCKS_PER_ZONE_MAX = 256;
/** Names that were asked for, right or wrong. */
const NAMES_MAX = 1_024;
const BLOCK_MS = 64 * DAY_MS;
/** No two changes of one zone since 1970 are closer than 6.9 days (checked over all zones to 2050). */
const SAMPLE_MS = 4 * DAY_MS;
/** A block looks this far past its edges, so that a repeated hour cut by an edge is still known to be repeated. */
const MARGIN_MS = 2 * DAY_MS;
/** The platform writes years before 1 without a sign. What is asked for earlier is answered with the offset of then. */
const EARLIEST_MS = -62_135_000_000_000;
/** A day before the end of the date type, because a wall time must fit it too. */
const LATEST_MS = INSTANT_ABSOLUTE_MAX - DAY_MS;

/**
 * Wall time in milliseconds, counted as if it were UTC: 1970-01-01T00:00 in any zone is 0. Arithmetic on it knows no
 * clock changes; only this module turns it into instants.
 */
export type LocalMs = number;

/** Instants from `from` (inclusive) until `until` (exclusive) that share one offset. */
export interface Stretch {
  readonly from: number;
  readonly until: number;
  /** Wall time minus instant, in milliseconds. */
  readonly offsetMs: number;
  /** The clock jumped forward at `from`: the wall times from here until `from + offsetMs` do not exist. */
  readonly gapFrom: LocalMs | undefined;
  /** Wall times below this one were met before, in the stretch that ended when the clock went back. */
  readonly isRepeatBelow: LocalMs;
  /** Wall times from this one on come again, after the clock will have gone back. */
  readonly repeatsFrom: LocalMs;
}

/** What one zone knows. */
export interface ZoneOffsets {
  /** The stretch that holds an instant. Stretches are cut at block edges, where nothing changes. */
  readonly stretchAt: (instant: number) => Stretch;
}

const createFormat = (zone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });

const createOffsetAt = (zone: string): ((instant: number) => number) => {
  const format = createFormat(zone);
  return (instant) => {
    const asked = Math.min(Math.max(instant, EARLIEST_MS), LATEST_MS);
    const second = Math.floor(asked / SECOND_MS) * SECOND_MS;
    const numbers = format.format(second).match(/\d+/g);
    const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, s = 0] = (numbers ?? []).map(Number);
    // `Date.UTC` reads years below 100 as 19xx; 400 years are a whole cycle of the calendar.
    const shift = year < 100 ? 400 : 0;
    const wall = Date.UTC(year + shift, month - 1, day, hour % 24, minute, s) - shift * 365.2425 * DAY_MS;
    return wall - second;
  };
};

interface Change {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

const findChanges = (offsetAt: (instant: number) => number, from: number, until: number): Change[] => {
  const changes: Change[] = [];
  let before = offsetAt(from);
  for (let at = from; at < until; at += SAMPLE_MS) {
    const end = Math.min(at + SAMPLE_MS, until);
    const after = offsetAt(end);
    if (after === before) continue;
    let low = at / SECOND_MS;
    let high = end / SECOND_MS;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle * SECOND_MS) === before) low = middle;
      else high = middle;
    }
    changes.push({ at: high * SECOND_MS, before, after });
    before = after;
  }
  return changes;
};

const createBlock = (offsetAt: (instant: number) => number, index: number): readonly Stretch[] => {
  const blockFrom = index * BLOCK_MS;
  const blockUntil = blockFrom + BLOCK_MS;
  const changes = findChanges(offsetAt, blockFrom - MARGIN_MS, blockUntil + MARGIN_MS);
  const stretches: Stretch[] = [];
  for (let i = 0; i <= changes.length; i += 1) {
    const start = changes[i - 1];
    const end = changes[i];
    const from = Math.max(start?.at ?? blockFrom, blockFrom);
    const until = Math.min(end?.at ?? blockUntil, blockUntil);
    if (from >= until) continue;
    const offsetMs = start?.after ?? end?.before ?? offsetAt(blockFrom);
    stretches.push({
      from,
      until,
      offsetMs,
      gapFrom:
        start !== undefined && start.at === from && start.after > start.before
          ? from + start.before
          : undefined,
      isRepeatBelow: start !== undefined ? start.at + start.before : Number.NEGATIVE_INFINITY,
      repeatsFrom: end !== undefined ? end.at + end.after : Number.POSITIVE_INFINITY,
    });
  }
  return stretches;
};

const createOffsets = (zone: string): ZoneOffsets => {
  const offsetAt = createOffsetAt(zone);
  const blockOf = createRecent(BLOCKS_PER_ZONE_MAX, (index: number) => createBlock(offsetAt, index));
  let last: Stretch | undefined;
  return {
    stretchAt: (instant) => {
      if (last !== undefined && instant >= last.from && instant < last.until) return last;
      const block = blockOf(Math.floor(instant / BLOCK_MS));
      last = block.find((stretch) => instant < stretch.until) ?? last;
      return last as Stretch;
    },
  };
};

/** The offsets of a zone that `isZone` accepts. Throws a RangeError for another. */
export const offsetsOf: (zone: string) => ZoneOffsets = createRecent(ZONES_MAX, createOffsets);

const isKnown = createRecent(NAMES_MAX, (text: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    // The platform has no other way to ask: an unknown name is a RangeError.
    return false;
  }
});

/**
 * Whether the platform knows `text` as the name of a zone, old names and any case included. `local` is none, and neither
 * is an offset such as `+02:00`: it would not follow the clock changes of a place.
 */
export const isZone = (text: string): boolean => text.length <= 64 && /^[A-Za-z]/.test(text) && isKnown(text);

/**
 * The IANA name in force: that of this computer for `local`, otherwise the zone itself. A computer whose zone nobody
 * knows (the platform then says `Etc/Unknown`) is taken to be on UTC, as its clock is.
 */
export const resolveZone = (zone: string, hostZone: string): string => {
  if (zone !== LOCAL_ZONE) return zone;
  return isZone(hostZone) ? hostZone : 'UTC';
};

/** All zones the platform offers, UTC first, the others by name. */
export const listZones = (): readonly string[] => [
  'UTC',
  ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC'),
];

/** The offset of a zone at an instant, in milliseconds east of UTC. */
export const offsetMsAt = (at: number, zone: string): number => offsetsOf(zone).stretchAt(at).offsetMs;

/** The wall time of an instant in a zone. */
export const localMsOf = (at: number, zone: string): LocalMs => at + offsetMsAt(at, zone);

/** The instants a wall time stands for. In `none`, the clock jumps over it at `gapEnd`. */
export type LocalInstants =
  | { readonly kind: 'none'; readonly gapEnd: Instant; readonly gapFromLocal: LocalMs }
  | { readonly kind: 'one'; readonly at: Instant }
  | { readonly kind: 'two'; readonly first: Instant; readonly second: Instant };

/** Which instants, if any, have the wall time `local` in `zone`. */
export const instantsOf = (local: LocalMs, zone: string): LocalInstants => {
  const offsets = offsetsOf(zone);
  const found: number[] = [];
  let gap: Stretch | undefined;
  // No zone is, or was, more than 16 hours away from UTC.
  const searchUntil = local + 16 * HOUR_MS;
  for (let at = local - 16 * HOUR_MS; at <= searchUntil; ) {
    const stretch = offsets.stretchAt(at);
    const instant = local - stretch.offsetMs;
    if (instant >= stretch.from && instant < stretch.until) found.push(instant);
    if (
      stretch.gapFrom !== undefined &&
      local >= stretch.gapFrom &&
      local < stretch.from + stretch.offsetMs
    ) {
      gap = stretch;
    }
    at = stretch.until;
  }
  const [first, second] = found;
  if (first !== undefined && second !== undefined) {
    return { kind: 'two', first: toInstant(first), second: toInstant(second) };
  }
  if (first !== undefined) return { kind: 'one', at: toInstant(first) };
  if (gap === undefined) return { kind: 'one', at: toInstant(local - offsets.stretchAt(local).offsetMs) };
  return { kind: 'none', gapEnd: toInstant(gap.from), gapFromLocal: gap.gapFrom ?? local };
};
