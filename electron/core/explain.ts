/**
 * What the definitions of a job planned around a moment. Facts that were recorded count above it (engine/explain.ts): a
 * calendar read today knows nothing of the zones that the laptop was in, or of when earlier runs ended.
 */

import type { Explanation } from '../../shared/model/explanation';
import type { Job } from '../../shared/model/job';
import type { Pause } from '../../shared/model/pause';
import type { DecisionReason, Run } from '../../shared/model/run';
import {
  type CalendarRule,
  type CronRule,
  isCalendarRule,
  type Schedule,
  type ScheduleRule,
} from '../../shared/model/schedule';
import { isExcluded } from '../../shared/schedule/dates';
import {
  nextOccurrence,
  type OccurrenceContext,
  previousOccurrence,
  zoneOfRule,
} from '../../shared/schedule/occurrences';
import { localMsOf } from '../../shared/schedule/zone';
import { type Instant, MINUTE_MS, SECOND_MS, toInstant } from '../../shared/time';
import { contextOf } from './catchUp';

/** A start that is later than planned by less than this counts as on time. */
const LATE_MS_MIN = SECOND_MS;

/** The minute that a moment lies in; both ends belong to it. */
export function minuteOf(at: Instant): { readonly from: Instant; readonly until: Instant } {
  const from = Math.floor(at / MINUTE_MS) * MINUTE_MS;
  return { from: toInstant(from), until: toInstant(from + MINUTE_MS - 1) };
}

/** Of several moments the nearest to `at`, the later of two that are as near; null for none. */
export const nearestOf = (moments: readonly Instant[], at: Instant): Instant | null =>
  moments.reduce<Instant | null>(
    (best, moment) => (best === null || Math.abs(moment - at) <= Math.abs(best - at) ? moment : best),
    null,
  );

/** A rule whose due times can be told for any moment. "N after the end" depends on runs that are not known then. */
const isSteady = (rule: ScheduleRule): rule is CalendarRule =>
  isCalendarRule(rule) && !(rule.kind === 'interval' && rule.basis === 'after_end');

const contextFor = (job: Pick<Job, 'createdAt' | 'dates'>, hostZone: string): OccurrenceContext =>
  contextOf({ createdAt: job.createdAt, lastEndedAt: null, dates: job.dates }, hostZone);

export type Definition = Pick<Job, 'createdAt' | 'dates' | 'schedules'>;

/** Whether the rule is due at exactly this moment. */
export const isDueAt = (rule: ScheduleRule, at: Instant, job: Definition, hostZone: string): boolean =>
  isSteady(rule) && nextOccurrence(rule, toInstant(at - 1), contextFor(job, hostZone)) === at;

/** The schedule that is due at exactly this moment, or null. */
export const plannedAt = (job: Definition, at: Instant, hostZone: string): Schedule | null =>
  job.schedules.find(({ rule }) => isDueAt(rule, at, job, hostZone)) ?? null;

/** The due times of the minute around a moment that are next to it, before and after. */
export function plannedNear(job: Definition, at: Instant, hostZone: string): Instant[] {
  const { from, until } = minuteOf(at);
  const context = contextFor(job, hostZone);
  return job.schedules.flatMap(({ rule }) => {
    if (!isSteady(rule)) return [];
    const next = nextOccurrence(rule, toInstant(at - 1), context);
    const previous = previousOccurrence(rule, at, context);
    return [previous, next].filter(
      (moment): moment is Instant => moment !== undefined && from <= moment && moment <= until,
    );
  });
}

/** The due times before and after a moment, over all schedules; none is older than the job. */
export function dueAround(
  job: Definition,
  at: Instant,
  hostZone: string,
): { readonly previousAt: Instant | null; readonly nextAt: Instant | null } {
  const context = contextFor(job, hostZone);
  const rules = job.schedules.map(({ rule }) => rule).filter(isSteady);
  const previous = rules.flatMap((rule) => previousOccurrence(rule, at, context) ?? []);
  const next = rules.flatMap((rule) => nextOccurrence(rule, at, context) ?? []);
  const previousAt = previous.length === 0 ? null : toInstant(Math.max(...previous));
  return {
    previousAt: previousAt === null || previousAt < job.createdAt ? null : previousAt,
    nextAt: next.length === 0 ? null : toInstant(Math.min(...next)),
  };
}

export type WhyNothing = Extract<Explanation, { code: 'not_planned' }>['why'];

/** Why no schedule of the job is due at a moment. */
export function whyNothingAt(job: Definition, at: Instant, hostZone: string): WhyNothing {
  const rules = job.schedules.map(({ rule }) => rule);
  if (rules.length === 0) return 'by_hand_only';
  const calendar = rules.filter(isCalendarRule);
  if (calendar.length === 0) return 'event_only';
  const { from, until } = job.dates;
  const isOutside = (rule: CalendarRule): boolean => {
    const day = dateOf(rule, at, hostZone);
    return (from !== null && day < from) || (until !== null && day > until);
  };
  if (calendar.every(isOutside)) return 'outside_dates';
  const would = (rule: CronRule): boolean => isDueAt(rule, at, job, hostZone);
  const crons = calendar.filter((rule): rule is CronRule => rule.kind === 'cron');
  if (crons.some((rule) => rule.gap === 'skip' && would({ ...rule, gap: 'run_after' }))) return 'clock_gap';
  if (crons.some((rule) => rule.repeat !== 'both' && would({ ...rule, repeat: 'both' }))) {
    return 'clock_repeat';
  }
  return 'no_occurrence';
}

/** The calendar day of a moment in the zone of a rule, as `dates` writes it. */
const dateOf = (rule: CalendarRule, at: Instant, hostZone: string): string =>
  new Date(localMsOf(at, zoneOfRule(rule, { hostZone }))).toISOString().slice(0, 10);

/** Whether the job leaves the day of a due time out. */
export const isLeftOut = (job: Definition, rule: ScheduleRule, at: Instant, hostZone: string): boolean =>
  isExcluded(at, zoneOfRule(rule, { hostZone }), job.dates.excluded);

/** A pause as an explanation names it; everything comes before a tag, and a tag before the job itself. */
export function pauseFactsOf(pauses: readonly Pause[]): {
  readonly reason: Extract<DecisionReason, 'paused_all' | 'paused_tag' | 'paused_job'>;
  readonly pause: NonNullable<Extract<Explanation, { code: 'skipped' }>['pause']>;
} | null {
  for (const kind of ['all', 'tag', 'job'] as const) {
    const found = pauses.find(({ scope }) => scope.kind === kind);
    if (found === undefined) continue;
    const { scope, note, since, until } = found;
    const tag = scope.kind === 'tag' ? scope.tag : null;
    return { reason: `paused_${kind}`, pause: { scope: kind, tag, note, since, until } };
  }
  return null;
}

/** How much later than planned, and than spread out on purpose, a run started; 0 if it was on time or not planned. */
export function latenessOf(run: Pick<Run, 'plannedAt' | 'startedAt' | 'notBeforeAt'>): number {
  const { plannedAt: planned, startedAt, notBeforeAt } = run;
  if (planned === null || startedAt === null) return 0;
  // What holds back a retry lies after the first start, and says nothing about it.
  const meant = notBeforeAt !== null && notBeforeAt <= startedAt ? Math.max(planned, notBeforeAt) : planned;
  const lateMs = startedAt - meant;
  return lateMs < LATE_MS_MIN ? 0 : lateMs;
}

/** How long a run stood in the queue although it might have started. */
export function queuedMsOf(run: Pick<Run, 'queuedAt' | 'startedAt' | 'notBeforeAt'>): number {
  if (run.startedAt === null) return 0;
  const held = run.notBeforeAt !== null && run.notBeforeAt <= run.startedAt ? run.notBeforeAt : run.queuedAt;
  return run.startedAt - Math.max(run.queuedAt, held);
}

/** What a queued run waits for. `isAnotherActive`: an earlier run of the job goes on, and they may not go on together. */
export function waitedFor(
  run: Pick<Run, 'waits' | 'attemptCount' | 'notBeforeAt'>,
  { now, isAnotherActive }: { readonly now: Instant; readonly isAnotherActive: boolean },
): Extract<Explanation, { code: 'waiting' }>['for'] {
  if (run.waits.some(({ endedAt }) => endedAt === null)) return 'condition';
  if (run.notBeforeAt !== null && run.notBeforeAt > now) return run.attemptCount > 0 ? 'retry' : 'jitter';
  return isAnotherActive ? 'earlier_run' : 'place';
}
