/**
 * What must hold at every moment, whatever happened (architecture.md, section 11). Read straight from the tables, by
 * statements that share nothing with those of the store's own readers.
 */

import type { JobId } from '../../shared/model/job';
import type { ScheduleId } from '../../shared/model/schedule';
import { nextOccurrence, occurrencesBetween } from '../../shared/schedule/occurrences';
import { type Instant, toInstant } from '../../shared/time';
import { contextOf } from '../core/catchUp';
import type { ScheduleState } from '../core/ledger';
import { HAND_PLACES_MAX, POOL_MAX } from '../core/pool';
import { seenAt } from '../core/wrongClock';
import { SLEEP_MS_MAX } from '../engine/wakeLoop';
import type { Database } from '../store/database';
import type { TestProcesses } from './doubles';

/** Occurrences of one schedule that are checked one by one in one go. */
const CHECKED_MAX = 5_000;

/** Rules about the tables alone. Each query finds what must not exist. */
const FORBIDDEN: Readonly<Record<string, string>> = {
  'two decisions cover one occurrence': `
    SELECT planned_at FROM (
      SELECT planned_at, lag(until_at) OVER (PARTITION BY schedule_key ORDER BY planned_at) AS before_until_at
      FROM decisions)
    WHERE before_until_at >= planned_at`,
  'two runs answer one occurrence': `
    SELECT planned_at FROM runs WHERE schedule_key IS NOT NULL
    GROUP BY schedule_key, planned_at HAVING count(*) > 1`,
  'a planned run has no decision of its own': `
    SELECT r.key FROM runs AS r WHERE r.schedule_key IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM decisions AS d
      WHERE d.schedule_key = r.schedule_key AND d.planned_at = r.planned_at AND d.kind = 'run' AND d.run_id = r.id)`,
  'a decision to run has no run': `
    SELECT planned_at FROM decisions WHERE kind = 'run' AND run_id NOT IN (SELECT id FROM runs)`,
  'a run counts other merged occurrences than were decided': `
    SELECT r.key FROM runs AS r LEFT JOIN (
      SELECT run_id, sum(count) AS count FROM decisions WHERE kind = 'merge' GROUP BY run_id
    ) AS d ON d.run_id = r.id
    WHERE r.merged_count <> ifnull(d.count, 0)`,
  'an attempt bears an epoch that no lease ever had': `
    SELECT a.number FROM attempts AS a WHERE a.epoch > (SELECT epoch FROM leases)`,
  'a run is running without an open attempt, or the other way round': `
    SELECT r.key FROM runs AS r WHERE (r.state = 'running') <> EXISTS (
      SELECT 1 FROM attempts AS a WHERE a.run_key = r.key AND a.ended_at IS NULL)`,
  'a run has two open attempts': `
    SELECT run_key FROM attempts WHERE ended_at IS NULL GROUP BY run_key HAVING count(*) > 1`,
  'a job has two active runs although it skips on overlap': `
    SELECT job_key FROM runs WHERE state <> 'finished' GROUP BY job_key HAVING count(*) > 1`,
  'more runs at once than there are places': `
    SELECT count(*) FROM runs WHERE state = 'running' HAVING count(*) > ${POOL_MAX + HAND_PLACES_MAX}`,
  'a schedule decided something beyond its watermark': `
    SELECT s.key FROM schedules AS s WHERE s.watermark_at < (
      SELECT max(d.until_at) FROM decisions AS d WHERE d.schedule_key = s.key)`,
};

/** The rules that the tables break, as sentences. */
export const brokenRules = (database: Database): string[] =>
  Object.entries(FORBIDDEN).flatMap(([rule, query]) => (database.writer.all(query).length > 0 ? [rule] : []));

/** Nothing is spawned that was not committed before, no attempt twice, and no run again unless its job allows it (D4). */
export function brokenSpawns(database: Database, processes: TestProcesses): string[] {
  const attempts = new Map(
    database.writer
      .all(
        'SELECT hex(a.id) AS id, hex(r.id) AS runId FROM attempts AS a JOIN runs AS r ON r.key = a.run_key',
      )
      .map((row) => [String(row.id), String(row.runId)]),
  );
  const hex = (id: string): string => id.replaceAll('-', '').toUpperCase();
  const spawned = processes.spawned.map(({ attemptId }) => hex(attemptId));
  return [
    ...(spawned.every((id) => attempts.has(id)) ? [] : ['something was spawned without a committed attempt']),
    ...(new Set(spawned).size === spawned.length ? [] : ['an attempt was spawned twice']),
  ];
}

/** While an engine leads and its store works, what the tables call running does run. */
export function brokenRunning(database: Database, processes: TestProcesses): string[] {
  const open = database.writer.all('SELECT hex(id) AS id FROM attempts WHERE ended_at IS NULL');
  const alive = new Set(
    processes.alive().map(({ attemptId }) => attemptId.replaceAll('-', '').toUpperCase()),
  );
  return open.every(({ id }) => alive.has(String(id))) ? [] : ['a run is running that has no process'];
}

/**
 * Every occurrence after `base` and up to `until` has its decision. Intervals after the end are left out: their
 * occurrences depend on when runs ended.
 */
export function undecidedOccurrences(
  database: Database,
  read: ScheduleState,
  { base, until }: { readonly base: Instant; readonly until: Instant },
  now: Instant,
  hostZone: string,
): Instant[] {
  const state = seenAt(read, now);
  if (state.rule.kind === 'interval' && state.rule.basis === 'after_end') return [];
  const context = contextOf(state, hostZone);
  const ranges = database.writer.all(
    `SELECT planned_at AS plannedAt, until_at AS untilAt FROM decisions
     WHERE schedule_key = (SELECT key FROM schedules WHERE id = unhex(?, '-')) ORDER BY planned_at`,
    [state.scheduleId],
  );
  const isDecided = (at: Instant): boolean =>
    ranges.some(({ plannedAt, untilAt }) => Number(plannedAt) <= at && at <= Number(untilAt));
  return occurrencesBetween(state.rule, base, until, context, { max: CHECKED_MAX }).filter(
    (at) => !isDecided(at),
  );
}

/**
 * While an engine leads and its store works, it keeps up: nothing has been due for longer than it may sleep. Schedules
 * whose watermark lies ahead of a clock that went back are left out, and intervals after the end while a run goes on.
 */
export function silentSchedules(
  states: readonly ScheduleState[],
  busy: ReadonlySet<JobId>,
  now: Instant,
  hostZone: string,
): string[] {
  const isSilent = (state: ScheduleState): boolean => {
    const isAfterEnd = state.rule.kind === 'interval' && state.rule.basis === 'after_end';
    if (isAfterEnd && busy.has(state.jobId)) return false;
    const due = nextOccurrence(state.rule, state.watermarkAt, contextOf(seenAt(state, now), hostZone));
    return due !== undefined && due <= now - SLEEP_MS_MAX;
  };
  return states.filter(isSilent).map(({ rule }) => `${JSON.stringify(rule)} is due and nothing is decided`);
}

/**
 * While an engine leads and its store works, nothing that is still to come is merged or skipped. Schedules that are younger
 * than the clock says are left out: then the clock is wrong now.
 */
export function decidedTooEarly(
  database: Database,
  states: readonly ScheduleState[],
  now: Instant,
): string[] {
  const early = database.writer.all(
    `SELECT hex(s.id) AS id FROM decisions AS d JOIN schedules AS s ON s.key = d.schedule_key
     WHERE d.kind <> 'run' AND d.until_at > ?`,
    [now],
  );
  const present = states.filter(({ createdAt }) => createdAt <= now);
  const ids = new Set(present.map(({ scheduleId }) => scheduleId.replaceAll('-', '').toUpperCase()));
  return early.some(({ id }) => ids.has(String(id)))
    ? ['something that is still to come was merged or skipped']
    : [];
}

/** Remembers watermarks and tells of those that went back. */
export function watchWatermarks(): (states: readonly ScheduleState[]) => string[] {
  const known = new Map<ScheduleId, Instant>();
  return (states) =>
    states.flatMap(({ scheduleId, watermarkAt }) => {
      const before = known.get(scheduleId) ?? toInstant(Number.NEGATIVE_INFINITY);
      known.set(scheduleId, watermarkAt);
      return watermarkAt < before ? ['a watermark went back'] : [];
    });
}
