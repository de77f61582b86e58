/**
 * When a schedule is due: the next and the previous occurrence, those in between, and how many there are.
 *
 * Every rule must have passed `validateSchedule`; another is a bug and throws. `next` is strictly later and `previous`
 * strictly earlier than the instant given, and the two agree: whatever stands between an occurrence and the next is
 * empty. Nothing here reads a clock.
 */

import type { Dates } from '../model/dates';
import { type IntervalRule, LOCAL_ZONE, type OnceRule, type ScheduleRule } from '../model/schedule';
import { assert, assertNever } from '../result';
import { type Instant, toInstant } from '../time';
import { countCron, cronWalkOf, nextCron, previousCron } from './cronOccurrences';
import { type Span, spansBetween } from './localDays';
import { instantsOf, type LocalMs, resolveZone } from './zone';

/** What a rule does not say itself. */
export interface OccurrenceContext {
  /** IANA name of the zone this computer is in now; stands in for `local`. */
  readonly hostZone: string;
  /** The origin of an interval that names none. */
  readonly createdAt?: Instant;
  /** When the last run of the job ended; an interval with basis `after_end` counts from here. */
  readonly lastEndedAt?: Instant;
  /** The first and the last day on which anything is planned; excluded days are planned, and skipped by `plan`. */
  readonly dates?: Pick<Dates, 'from' | 'until'>;
}

/** More occurrences than this are not listed by one call. */
export const OCCURRENCES_MAX = 10_000;
/** Counting goes no further than this unless the caller says so. */
export const COUNT_MAX = 1_000_000;

/** The zone whose days count for a rule: its own, or that of the computer for one that has none. */
export const zoneOfRule = (rule: ScheduleRule, { hostZone }: Pick<OccurrenceContext, 'hostZone'>): string =>
  resolveZone(rule.kind === 'cron' || rule.kind === 'once' ? rule.zone : LOCAL_ZONE, hostZone);

/** The instants of the days on which anything is planned, or undefined if that is every day. */
const boundsOf = (rule: ScheduleRule, context: OccurrenceContext): readonly Span[] | undefined => {
  const { dates } = context;
  if (dates === undefined || (dates.from === null && dates.until === null)) return undefined;
  return spansBetween(dates.from, dates.until, zoneOfRule(rule, context));
};

/** Milliseconds of `YYYY-MM-DDTHH:mm` with optional seconds as wall time, or undefined if there is no such date. */
export const parseLocal = (text: string): LocalMs | undefined => {
  const match = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(text);
  if (match === null) return undefined;
  const local = Date.parse(`${text}${match[6] === undefined ? ':00' : ''}Z`);
  const isSame = !Number.isNaN(local) && new Date(local).toISOString().startsWith(text);
  return isSame ? local : undefined;
};

/** The instant of a once rule: after the gap if its time does not exist, the first pass if it comes twice. */
export const onceAt = (rule: OnceRule, context: OccurrenceContext): Instant => {
  const local = parseLocal(rule.local);
  assert(local !== undefined, `not a date: ${rule.local}`);
  const found = instantsOf(local, resolveZone(rule.zone, context.hostZone));
  if (found.kind === 'none') return found.gapEnd;
  return found.kind === 'two' ? found.first : found.at;
};

/** An interval as first occurrence and distance; nothing is due before the first. */
interface Grid {
  readonly first: number;
  readonly every: number;
}

/**
 * `after_end` goes on in steps after the last end although one run would be enough: should that one be skipped, the
 * schedule must not stand still for ever. While a run is going the engine asks for nothing.
 */
const gridOf = (rule: IntervalRule, context: OccurrenceContext): Grid => {
  const every = rule.everyMs;
  if (rule.basis === 'after_end' && context.lastEndedAt !== undefined) {
    return { first: context.lastEndedAt + every, every };
  }
  if (rule.anchorAt !== undefined) return { first: rule.anchorAt, every };
  assert(context.createdAt !== undefined, 'an interval without an anchor needs the time of its creation');
  return { first: context.createdAt + every, every };
};

const stepsUntil = (grid: Grid, instant: number): number => Math.floor((instant - grid.first) / grid.every);

/** The first occurrence after `after`, or undefined if there is none. */
export const nextOccurrence = (
  rule: ScheduleRule,
  after: Instant,
  context: OccurrenceContext,
): Instant | undefined => {
  const bounds = boundsOf(rule, context);
  if (bounds === undefined) return nextOnAnyDay(rule, after, context);
  for (const { from, to } of bounds) {
    if (to - 1 <= after) continue;
    const next = nextOnAnyDay(rule, toInstant(Math.max(after, from - 1)), context);
    if (next === undefined || next < to) return next;
  }
  return undefined;
};

/** As `nextOccurrence`, whatever the first and the last day are. */
const nextOnAnyDay = (
  rule: ScheduleRule,
  after: Instant,
  context: OccurrenceContext,
): Instant | undefined => {
  switch (rule.kind) {
    case 'after_job':
    case 'event':
      return undefined;
    case 'cron': {
      const next = nextCron(cronWalkOf(rule, resolveZone(rule.zone, context.hostZone)), after);
      return next === undefined ? undefined : toInstant(next);
    }
    case 'interval': {
      const grid = gridOf(rule, context);
      return toInstant(grid.first + Math.max(0, stepsUntil(grid, after) + 1) * grid.every);
    }
    case 'once': {
      const at = onceAt(rule, context);
      return at > after ? at : undefined;
    }
    default:
      return assertNever(rule);
  }
};

/** The last occurrence before `before`, or undefined if there is none. */
export const previousOccurrence = (
  rule: ScheduleRule,
  before: Instant,
  context: OccurrenceContext,
): Instant | undefined => {
  const bounds = boundsOf(rule, context);
  if (bounds === undefined) return previousOnAnyDay(rule, before, context);
  for (const { from, to } of bounds.toReversed()) {
    if (from >= before) continue;
    const previous = previousOnAnyDay(rule, toInstant(Math.min(before, to)), context);
    if (previous === undefined || previous >= from) return previous;
  }
  return undefined;
};

/** As `previousOccurrence`, whatever the first and the last day are. */
const previousOnAnyDay = (
  rule: ScheduleRule,
  before: Instant,
  context: OccurrenceContext,
): Instant | undefined => {
  switch (rule.kind) {
    case 'after_job':
    case 'event':
      return undefined;
    case 'cron': {
      const previous = previousCron(cronWalkOf(rule, resolveZone(rule.zone, context.hostZone)), before);
      return previous === undefined ? undefined : toInstant(previous);
    }
    case 'interval': {
      const grid = gridOf(rule, context);
      const steps = stepsUntil(grid, before - 1);
      return steps < 0 ? undefined : toInstant(grid.first + steps * grid.every);
    }
    case 'once': {
      const at = onceAt(rule, context);
      return at < before ? at : undefined;
    }
    default:
      return assertNever(rule);
  }
};

/** The first `max` occurrences after `after` and not after `until`, in their order. */
export const occurrencesBetween = (
  rule: ScheduleRule,
  after: Instant,
  until: Instant,
  context: OccurrenceContext,
  { max = OCCURRENCES_MAX }: { readonly max?: number } = {},
): Instant[] => {
  const found: Instant[] = [];
  let next = nextOccurrence(rule, after, context);
  while (next !== undefined && next <= until && found.length < max) {
    found.push(next);
    next = nextOccurrence(rule, next, context);
  }
  return found;
};

/** `isMore`: there are more than `max`, and `count` is `max`. */
export interface OccurrenceCount {
  readonly count: number;
  readonly isMore: boolean;
}

/** How many occurrences lie after `after` and not after `until`. They are counted by days, not listed (C-040). */
export const countBetween = (
  rule: ScheduleRule,
  after: Instant,
  until: Instant,
  context: OccurrenceContext,
  { max = COUNT_MAX }: { readonly max?: number } = {},
): OccurrenceCount => {
  const count = countAtLeast(rule, after, until, context, max);
  return count > max ? { count: max, isMore: true } : { count, isMore: false };
};

const countAtLeast = (
  rule: ScheduleRule,
  after: number,
  until: number,
  context: OccurrenceContext,
  enough: number,
): number => {
  const bounds = boundsOf(rule, context);
  if (bounds === undefined) return countOnAnyDay(rule, after, until, context, enough);
  let sum = 0;
  for (const { from, to } of bounds) {
    const [begin, end] = [Math.max(after, from - 1), Math.min(until, to - 1)];
    if (begin < end) sum += countOnAnyDay(rule, begin, end, context, enough - sum);
    if (sum > enough) break;
  }
  return sum;
};

const countOnAnyDay = (
  rule: ScheduleRule,
  after: number,
  until: number,
  context: OccurrenceContext,
  enough: number,
): number => {
  switch (rule.kind) {
    case 'after_job':
    case 'event':
      return 0;
    case 'cron':
      return countCron(cronWalkOf(rule, resolveZone(rule.zone, context.hostZone)), after, until, enough);
    case 'interval': {
      const grid = gridOf(rule, context);
      return Math.max(0, stepsUntil(grid, until) - Math.max(-1, stepsUntil(grid, after)));
    }
    case 'once': {
      const at = onceAt(rule, context);
      return at > after && at <= until ? 1 : 0;
    }
    default:
      return assertNever(rule);
  }
};
