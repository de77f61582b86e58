/**
 * What must hold at every moment, whatever happened (architecture.md, section 11). Read straight from the tables, by
 * statements that share nothing with those of the store's own readers.
 */

import type { JobId } from '../../shared/model/job';
import type { Policies } from '../../shared/model/policies';
import { nextOccurrence, occurrencesBetween } from '../../shared/schedule/occurrences';
import type { Instant } from '../../shared/time';
import { contextOf } from '../core/catchUp';
import type { ScheduleState } from '../core/ledger';
import { HAND_PLACES_MAX, POOL_MAX } from '../core/pool';
import { seenAt } from '../core/wrongClock';
import { SLEEP_MS_MAX } from '../engine/wakeLoop';
import type { SpilledEnd } from '../ports/data';
import type { AttemptOrder } from '../ports/running';
import type { Database } from '../store/database';
import type { TestProcesses } from './doubles';

/** Occurrences of one schedule that are checked one by one in one go. */
const CHECKED_MAX = 5_000;
/** Spawns that are looked at after each event. */
const NEWEST_SPAWNS = 100;

/** Rules about what is stored for good: broken once, they stay broken. Each query finds what must not exist. */
const LASTING: Readonly<Record<string, string>> = {
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
  'a run was tried more often than its job says': `
    SELECT r.key FROM runs AS r JOIN attempts AS a ON a.run_key = r.key
    WHERE a.outcome IS NULL OR a.outcome <> 'abandoned'
    GROUP BY r.key HAVING count(*) > r.attempts_max`,
  'a schedule decided something beyond its watermark': `
    SELECT s.key FROM schedules AS s WHERE s.watermark_at < (
      SELECT max(d.until_at) FROM decisions AS d WHERE d.schedule_key = s.key)`,
  'what is owed is decided already': `
    SELECT p.planned_at FROM pending_occurrences AS p JOIN decisions AS d ON d.schedule_key = p.schedule_key
    WHERE p.planned_at BETWEEN d.planned_at AND d.until_at`,
};

/** Rules about what goes on at this moment. */
const MOMENTARY: Readonly<Record<string, string>> = {
  'a run is running without an open attempt, or the other way round': `
    SELECT r.key FROM runs AS r WHERE r.state <> 'finished' AND (r.state = 'running') <> EXISTS (
      SELECT 1 FROM attempts AS a WHERE a.run_key = r.key AND a.ended_at IS NULL)`,
  'an attempt is open although its run has ended': `
    SELECT a.number FROM attempts AS a JOIN runs AS r ON r.key = a.run_key
    WHERE a.ended_at IS NULL AND r.state = 'finished'`,
  'a run has two open attempts': `
    SELECT run_key FROM attempts WHERE ended_at IS NULL GROUP BY run_key HAVING count(*) > 1`,
  'more runs at once than there are places': `
    SELECT count(*) FROM runs WHERE state = 'running' HAVING count(*) > ${POOL_MAX + HAND_PLACES_MAX}`,
};

const brokenAmong = (rules: Readonly<Record<string, string>>, database: Database): string[] =>
  Object.entries(rules).flatMap(([rule, query]) => (database.writer.all(query).length > 0 ? [rule] : []));

/** The rules that the tables break, as sentences. */
export const brokenRules = (database: Database): string[] => [
  ...brokenAmong(LASTING, database),
  ...brokenAmong(MOMENTARY, database),
  ...brokenOverlaps(database),
];

/** Only those that may be broken now and kept a moment later: much cheaper late in a long life. */
export const brokenNow = (database: Database): string[] => [
  ...brokenAmong(MOMENTARY, database),
  ...brokenOverlaps(database),
];

type Limits = { readonly running: number; readonly waiting: number };

/** How many planned runs of a job may go on and may wait, as one revision of it says. */
function limitsOf(definition: string): Limits {
  const { overlap } = (JSON.parse(definition) as { policies: Policies }).policies;
  const all = overlap.mode === 'allow' ? overlap.countMax : 1;
  const queued = overlap.mode === 'queue_all' ? overlap.countMax : overlap.mode === 'allow' ? all : 1;
  return { running: all, waiting: queued };
}

/**
 * No more planned runs of a job at once, and no more that wait and never began, than its overlap policy says. An edit in
 * between leaves what is there already, so the widest of the revisions counts that made a run or hold now. What is caught up has
 * a number of its own after each gap.
 */
function brokenOverlaps(database: Database): string[] {
  const rows = database.writer.all(
    `SELECT r.job_key AS jobKey, r.state, r.trigger, r.attempt_count AS attemptCount, v.definition
     FROM runs AS r JOIN job_revisions AS v ON v.job_key = r.job_key AND v.revision = r.revision
     WHERE r.state <> 'finished' AND r.trigger NOT IN ('manual', 'cli', 'test')`,
  );
  return [...new Set(rows.map(({ jobKey }) => Number(jobKey)))].flatMap((jobKey) => {
    const runs = rows.filter((row) => Number(row.jobKey) === jobKey);
    if (runs.length < 2) return [];
    const present = database.writer.all(
      `SELECT v.definition FROM jobs AS j
         JOIN job_revisions AS v ON v.job_key = j.key AND v.revision = j.revision
       WHERE j.key = ?`,
      [jobKey],
    );
    const limits = [...runs, ...present].map(({ definition }) => limitsOf(String(definition)));
    const running = runs.filter(({ state }) => state === 'running').length;
    const waiting = runs.filter(
      ({ state, attemptCount, trigger }) =>
        state === 'queued' && attemptCount === 0 && trigger !== 'catch_up',
    ).length;
    return [
      ...(running > Math.max(...limits.map((each) => each.running))
        ? ['more runs of a job go on than its overlap policy allows']
        : []),
      ...(waiting > Math.max(...limits.map((each) => each.waiting))
        ? ['more runs of a job wait than its policies allow']
        : []),
    ];
  });
}

/**
 * Nothing is spawned that was not committed before, no attempt twice, and no run again unless its job allows it (D4). The
 * newest ones only, unless it is to be thorough.
 */
export function brokenSpawns(database: Database, processes: TestProcesses, isThorough = true): string[] {
  const newest = isThorough ? processes.spawned : processes.spawned.slice(-NEWEST_SPAWNS);
  const spawned = newest.map(({ attemptId }) => attemptId);
  const isCommitted = ({ runId, attemptId }: AttemptOrder): boolean =>
    database.writer.all(
      `SELECT 1 FROM runs AS r JOIN attempts AS a ON a.run_key = r.key
       WHERE r.id = unhex(?, '-') AND a.id = unhex(?, '-')`,
      [runId, attemptId],
    ).length > 0;
  return [
    ...(newest.every(isCommitted) ? [] : ['something was spawned without a committed attempt']),
    ...(new Set(spawned).size === spawned.length ? [] : ['an attempt was spawned twice']),
  ];
}

/** The newest run that there is: `startedTooEarly` cannot judge it once the clock is set. */
/** Ends that were kept while the disk was full are stored as they were, or beside what was stored without them. */
export function lostEnds(database: Database, kept: readonly SpilledEnd[]): string[] {
  return kept.flatMap(({ attemptId, outcome }) => {
    const [attempt] = database.writer.all(
      "SELECT outcome, late_recorded_at AS lateAt FROM attempts WHERE id = unhex(:attemptId, '-')",
      { attemptId },
    );
    const isThere = attempt?.outcome === outcome || (attempt?.lateAt ?? null) !== null;
    return isThere ? [] : [`an end that was kept is lost: ${outcome}`];
  });
}

export const newestRunKey = (database: Database): number =>
  Number(database.writer.all('SELECT ifnull(max(key), 0) AS key FROM runs')[0]?.key);

/**
 * Told at the moment of a start: jitter and the delay before a retry are over. Runs up to `judgedAfterKey` may have been
 * ready when the clock was set back.
 */
export function startedTooEarly(
  database: Database,
  { runId }: AttemptOrder,
  { now, judgedAfterKey }: { readonly now: Instant; readonly judgedAfterKey: number },
): string[] {
  const rows = database.writer.all(
    `SELECT 1 FROM runs WHERE id = unhex(?, '-') AND not_before_at > ? AND key > ?`,
    [runId, now, judgedAfterKey],
  );
  return rows.length === 0 ? [] : ['something started before its moment'];
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
  if (base >= until) return [];
  const context = contextOf(state, hostZone);
  const ranges = database.writer.all(
    `SELECT planned_at AS plannedAt, until_at AS untilAt FROM decisions
     WHERE schedule_key = (SELECT key FROM schedules WHERE id = unhex(:scheduleId, '-'))
       AND until_at > :base AND planned_at <= :until
     ORDER BY planned_at`,
    { scheduleId: state.scheduleId, base, until },
  );
  let place = 0;
  const isDecided = (at: Instant): boolean => {
    while (place < ranges.length && Number(ranges[place]?.untilAt) < at) place += 1;
    return place < ranges.length && Number(ranges[place]?.plannedAt) <= at;
  };
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
