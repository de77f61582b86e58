/**
 * What may go, and its going, in portions: history is kept for as long as the user says, and no transaction holds others up.
 * What has not ended is never touched, and neither is the newest finished run of a job.
 */

import type { JobId } from '../../shared/model/job';
import { Outcome, type RunId } from '../../shared/model/run';
import type { Retention } from '../../shared/model/settings';
import { DAY_MS, type Instant } from '../../shared/time';
import type { RetentionReader, RetentionWriter } from '../ports/store';
import type { Row, Sql, Value } from './connection';
import { idFromHex } from './rows';
import { everCounted } from './runCounts';
import { OUTPUT_KEPT_BYTES_MAX } from './stats';

const FAILURES: readonly Outcome[] = ['failed', 'timed_out', 'abandoned'];
/** Outcomes of runs that go when their job has enough newer ones. */
const EXPENDABLE = Outcome.options
  .filter((outcome) => !FAILURES.includes(outcome))
  .map((outcome) => `'${outcome}'`)
  .join(', ');
const MIB = 1024 * 1024;
/** Jobs that are looked at before the main thread is given back for a moment. */
const JOBS_AT_ONCE = 16;

/** A run that has another, newer finished one of its job beside it. */
const IS_NOT_THE_NEWEST = `
  r.key <> (
    SELECT n.key FROM runs AS n INDEXED BY runs_history
    WHERE n.job_key = r.job_key AND n.trigger <> 'test' AND n.state = 'finished'
    ORDER BY n.queued_at DESC, n.key DESC
    LIMIT 1
  )`;

const idsFrom = (rows: readonly Row[]): RunId[] => rows.map((row) => idFromHex(row.id) as RunId);

export function createRetentionReader(sql: Sql): RetentionReader {
  return {
    async expiredRuns(rules, { now, max }) {
      const found = new Set<RunId>();
      const add = (ids: readonly RunId[]): void => {
        for (const id of ids) if (found.size < max) found.add(id);
      };
      for (const outcome of Outcome.options) {
        const days = FAILURES.includes(outcome) ? rules.failureDays : rules.runDays;
        if (days !== null && found.size < max) add(olderThan(sql, outcome, now - days * DAY_MS, max));
      }
      if (rules.runDays !== null) add(oldTests(sql, now - rules.runDays * DAY_MS, max));
      if (rules.runsPerJobMax !== null && found.size < max) {
        await beyondCount(sql, rules.runsPerJobMax, max, add, () => found.size >= max);
      }
      return [...found];
    },
    async expiredOutputs(rules, { now, max }) {
      const byAge = rules.outputDays === null ? [] : oldOutputs(sql, now - rules.outputDays * DAY_MS, max);
      return byAge.length > 0 ? byAge : beyondRoom(sql, rules, max);
    },
    async outputBytes() {
      const rows = sql.all(
        `SELECT hex(j.id) AS id, t.output_bytes AS bytes
         FROM job_stats AS t JOIN jobs AS j ON j.key = t.job_key
         WHERE t.output_bytes > 0`,
      );
      const byJob = new Map(rows.map((row) => [idFromHex(row.id) as JobId, Number(row.bytes)]));
      return { total: [...byJob.values()].reduce((sum, bytes) => sum + bytes, 0), byJob };
    },
    async stored() {
      const active = sql.get(
        `SELECT count(*) AS count FROM runs INDEXED BY runs_active WHERE state <> 'finished'`,
      );
      const oldest = sql.get(
        `SELECT queued_at AS at FROM runs INDEXED BY runs_newest WHERE trigger <> 'test' ORDER BY queued_at LIMIT 1`,
      );
      return {
        runCount: everCounted(sql) - removedCount(sql) + Number(active?.count),
        oldestRunAt: (oldest?.at ?? null) as Instant | null,
      };
    },
  };
}

function olderThan(sql: Sql, outcome: Outcome, before: number, max: number): RunId[] {
  return idsFrom(
    sql.all(
      `SELECT hex(r.id) AS id
       FROM runs AS r INDEXED BY runs_by_outcome
       WHERE r.outcome IS NOT NULL AND unicode(r.outcome) = unicode(:outcome) AND r.trigger <> 'test' AND r.queued_at < :before
         AND ${IS_NOT_THE_NEWEST}
       ORDER BY r.queued_at
       LIMIT :max`,
      { outcome, before, max },
    ),
  );
}

const oldTests = (sql: Sql, before: number, max: number): RunId[] =>
  idsFrom(
    sql.all(
      `SELECT hex(id) AS id
       FROM runs INDEXED BY runs_of_tests
       WHERE trigger = 'test' AND state = 'finished' AND queued_at < :before
       ORDER BY queued_at
       LIMIT :max`,
      { before, max },
    ),
  );

/** Only jobs that ever had so many can have too many now; of those an index tells where the newest ones end. */
async function beyondCount(
  sql: Sql,
  perJob: number,
  max: number,
  add: (ids: readonly RunId[]) => void,
  isEnough: () => boolean,
): Promise<void> {
  const jobs = sql.all('SELECT job_key AS jobKey FROM job_stats WHERE run_count > ?', [perJob]);
  for (const [index, row] of jobs.entries()) {
    if (isEnough()) return;
    add(beyondCountOf(sql, Number(row.jobKey), perJob, max));
    if (index % JOBS_AT_ONCE === JOBS_AT_ONCE - 1) await new Promise((proceed) => setImmediate(proceed));
  }
}

function beyondCountOf(sql: Sql, jobKey: number, perJob: number, max: number): RunId[] {
  const last = sql.get(
    `SELECT queued_at AS at, key FROM runs INDEXED BY runs_history
     WHERE job_key = ? AND trigger <> 'test'
     ORDER BY queued_at DESC, key DESC
     LIMIT 1 OFFSET ?`,
    [jobKey, perJob - 1],
  );
  if (last === undefined) return [];
  return idsFrom(
    sql.all(
      `SELECT hex(r.id) AS id
       FROM runs AS r INDEXED BY runs_history
       WHERE r.job_key = :jobKey AND r.trigger <> 'test' AND r.outcome IN (${EXPENDABLE})
         AND (r.queued_at, r.key) < (:at, :key) AND ${IS_NOT_THE_NEWEST}
       ORDER BY r.queued_at
       LIMIT :max`,
      { jobKey, max, ...(last as { at: Value; key: Value }) },
    ),
  );
}

const OUTPUTS_OLDEST_FIRST = `
  FROM runs INDEXED BY runs_with_output
  WHERE output_bytes > 0 AND output_removed_at IS NULL AND state = 'finished'`;

const oldOutputs = (sql: Sql, before: number, max: number): RunId[] =>
  idsFrom(
    sql.all(
      `SELECT hex(id) AS id ${OUTPUTS_OLDEST_FIRST} AND queued_at < :before ORDER BY queued_at LIMIT :max`,
      { before, max },
    ),
  );

/** The oldest ones, until what is left fits. */
function beyondRoom(sql: Sql, { outputMegabytesMax }: Retention, max: number): RunId[] {
  if (outputMegabytesMax === null) return [];
  const total = Number(sql.get('SELECT ifnull(sum(output_bytes), 0) AS bytes FROM job_stats')?.bytes);
  let excess = total - outputMegabytesMax * MIB;
  if (excess <= 0) return [];
  const rows = sql.all(
    `SELECT hex(id) AS id, output_bytes AS bytes ${OUTPUTS_OLDEST_FIRST} ORDER BY queued_at LIMIT :max`,
    { max },
  );
  return idsFrom(
    rows.filter((row) => {
      const isNeeded = excess > 0;
      excess -= Math.min(Number(row.bytes), OUTPUT_KEPT_BYTES_MAX);
      return isNeeded;
    }),
  );
}

const REMOVED = 'removed_runs';

const removedCount = (sql: Sql): number =>
  Number(sql.get('SELECT value FROM settings WHERE key = ?', [REMOVED])?.value ?? 0);

export function createRetentionWriter(sql: Sql): RetentionWriter {
  return {
    ...createRetentionReader(sql),
    async outputsRemoved(runIds, at) {
      for (const runId of runIds) {
        const row = sql.get(
          `UPDATE runs SET output_removed_at = ?
           WHERE id = unhex(?, '-') AND state = 'finished' AND output_removed_at IS NULL
           RETURNING job_key AS jobKey, output_bytes AS bytes, trigger`,
          [at, runId],
        );
        if (row !== undefined) forgetOutput(sql, row);
      }
    },
    async removeRuns(runIds) {
      const rows = sql.all(
        `SELECT key, job_key AS jobKey, trigger, output_removed_at AS removedAt, output_bytes AS bytes,
           detail IS NOT NULL AS hasWords
         FROM runs
         WHERE id IN (SELECT unhex(value, '-') FROM json_each(?)) AND state = 'finished'`,
        [JSON.stringify(runIds)],
      );
      const keysOf = (some: readonly Row[]): [string] => [JSON.stringify(some.map(({ key }) => Number(key)))];
      // One statement each: a portion must not hold others up.
      sql.run('DELETE FROM attempts WHERE run_key IN (SELECT value FROM json_each(?))', keysOf(rows));
      sql.run(
        'DELETE FROM run_words WHERE rowid IN (SELECT value FROM json_each(?))',
        keysOf(rows.filter(({ hasWords, trigger }) => hasWords === 1 && trigger !== 'test')),
      );
      sql.run('DELETE FROM runs WHERE key IN (SELECT value FROM json_each(?))', keysOf(rows));
      for (const row of rows) if (row.removedAt === null && Number(row.bytes) > 0) forgetOutput(sql, row);
      countRemoved(sql, rows.filter(({ trigger }) => trigger !== 'test').length);
      return rows.length;
    },
    async removeDecisions({ before, max }) {
      return sql.run(
        `DELETE FROM decisions
         WHERE (schedule_key, planned_at) IN (
           SELECT d.schedule_key, d.planned_at
           FROM schedules AS s CROSS JOIN decisions AS d ON d.schedule_key = s.key
           WHERE d.planned_at < :before AND d.until_at < :before
             AND d.until_at <= min(s.watermark_at, ifnull(s.owed_since, s.watermark_at))
             AND (d.run_id IS NULL OR NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = d.run_id))
           LIMIT :max
         )`,
        { before, max },
      );
    },
    async giveBack(pagesMax) {
      const free = (): number => Number(sql.get('PRAGMA freelist_count')?.freelist_count);
      const before = free();
      // The pragma does one page a step, so all of its steps have to be asked for.
      sql.all(`PRAGMA incremental_vacuum(${Math.max(1, Math.floor(pagesMax))})`);
      return before - free();
    },
  };
}

function countRemoved(sql: Sql, count: number): void {
  if (count === 0) return;
  sql.run(
    `INSERT INTO settings (key, value)
     VALUES (:key, CAST(:count AS TEXT))
     ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + :count AS TEXT)`,
    { key: REMOVED, count },
  );
}

function forgetOutput(sql: Sql, { jobKey, bytes }: Row): void {
  sql.run('UPDATE job_stats SET output_bytes = max(0, output_bytes - ?) WHERE job_key = ?', [
    Math.min(Number(bytes), OUTPUT_KEPT_BYTES_MAX),
    Number(jobKey),
  ]);
}
