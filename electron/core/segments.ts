/**
 * Cuts what is due of a schedule where the answer may change: at the age limit, where a pause or an excluded day begins or
 * ends, and where the cause of a miss changes. Each occurrence is judged by its own moment, so a pause that began or ended
 * during sleep counts as it was. The calendar is asked a few times for each piece and never for each occurrence (C-040).
 */

import type { Pause } from '../../shared/model/pause';
import type { MissCause } from '../../shared/model/run';
import { excludedSpans, isExcluded } from '../../shared/schedule/dates';
import {
  countBetween,
  nextOccurrence,
  previousOccurrence,
  zoneOfRule,
} from '../../shared/schedule/occurrences';
import { type Instant, toInstant } from '../../shared/time';
import { COUNTED_MAX, contextOf, type DueRange, type MissedSpan, missCauseAt } from './catchUp';
import type { ScheduleState } from './ledger';
import { endOfPause, type PauseReason, pauseReasonAt } from './pauses';

/**
 * `skip`: why none of them runs, or null. `missCause`: why they were missed, unless they are met on time; null where a pause
 * or an excluded day is the whole reason.
 */
export type Verdict = {
  readonly skip: PauseReason | 'date_excluded' | 'too_old' | null;
  readonly missCause: MissCause | null;
};

export type Segment = DueRange & Verdict;

/** What the verdict on an occurrence of one schedule depends on, besides its moment. */
export type Grounds = {
  readonly schedule: ScheduleState;
  /** Those that hold the job. */
  readonly pauses: readonly Pause[];
  readonly spans: readonly MissedSpan[];
  /** Missed ones before it are too old; null: none is. */
  readonly ageLimitAt: Instant | null;
  readonly hostZone: string;
};

export function verdictAt(at: Instant, grounds: Grounds): Verdict {
  const { schedule, pauses, spans, ageLimitAt, hostZone } = grounds;
  const paused = pauseReasonAt(pauses, at);
  if (paused !== null) return { skip: paused, missCause: null };
  if (isExcluded(at, zoneOfRule(schedule.rule, { hostZone }), schedule.dates.excluded)) {
    return { skip: 'date_excluded', missCause: null };
  }
  const isTooOld = ageLimitAt !== null && at < ageLimitAt;
  return { skip: isTooOld ? 'too_old' : null, missCause: missCauseAt(at, spans) };
}

const isSame = (a: Verdict, b: Verdict): boolean => a.skip === b.skip && a.missCause === b.missCause;

type Border = { readonly at: Instant; readonly verdict: Verdict };

/** Moments of the stretch from which on the verdict is another than before, from old to new. */
function bordersOf({ from, until }: { from: Instant; until: Instant }, grounds: Grounds): Border[] {
  const { schedule, pauses, spans, ageLimitAt, hostZone } = grounds;
  const moments = new Set<number>();
  const add = (at: number | null): void => {
    if (at !== null && from < at && at <= until) moments.add(at);
  };
  add(ageLimitAt);
  for (const pause of pauses) {
    add(pause.since);
    add(endOfPause(pause));
  }
  for (const span of spans) {
    add(span.from + 1);
    add(span.to + 1);
  }
  const zone = zoneOfRule(schedule.rule, { hostZone });
  for (const span of excludedSpans(schedule.dates.excluded, zone, { from, to: until + 1 })) {
    add(span.from);
    add(span.to);
  }
  const borders: Border[] = [];
  for (const at of [...moments].sort((a, b) => a - b).map(toInstant)) {
    const verdict = verdictAt(at, grounds);
    const before = borders.at(-1)?.verdict ?? verdictAt(from, grounds);
    if (!isSame(before, verdict)) borders.push({ at, verdict });
  }
  return borders;
}

/** Occurrences from `from` to `until`, of which the first lies exactly at `from`; nothing if there is none. */
function segmentsFrom(from: Instant, until: Instant, grounds: Grounds): Segment[] {
  const { schedule, hostZone } = grounds;
  const context = contextOf(schedule, hostZone);
  const { rule } = schedule;
  const second = nextOccurrence(rule, from, context);
  if (second === undefined || second > until) {
    return [{ from, until: from, count: 1, ...verdictAt(from, grounds) }];
  }
  const borders = bordersOf({ from, until }, grounds);
  const segments: Segment[] = [];
  let verdict = verdictAt(from, grounds);
  let first: Instant | undefined = from;
  for (const end of [...borders, null]) {
    if (first !== undefined && first <= until && (end === null || first < end.at)) {
      const begin: Instant = first;
      const last: Instant = previousOccurrence(rule, end?.at ?? toInstant(until + 1), context) ?? begin;
      const { count } =
        last === begin
          ? { count: 1 }
          : countBetween(rule, toInstant(begin - 1), last, context, { max: COUNTED_MAX });
      segments.push({ from: begin, until: last, count, ...verdict });
      first = end === null ? undefined : nextOccurrence(rule, last, context);
    }
    if (end !== null) verdict = end.verdict;
  }
  return segments;
}

/** What is due of a schedule after its watermark and not after `now`, from old to new. */
export function segmentsSince(now: Instant, grounds: Grounds): Segment[] {
  const { rule, watermarkAt } = grounds.schedule;
  const oldest = nextOccurrence(rule, watermarkAt, contextOf(grounds.schedule, grounds.hostZone));
  return oldest === undefined || oldest > now ? [] : segmentsFrom(oldest, now, grounds);
}

/** The same for ranges that were found to be undecided, from old to new. */
export const segmentsAmong = (ranges: readonly DueRange[], grounds: Grounds): Segment[] =>
  ranges.flatMap(({ from, until }) => segmentsFrom(from, until, grounds));
