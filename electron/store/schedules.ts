/**
 * Schedules and their watermarks (D3). Only what the ledger adds to a rule lives here; the rule itself is part of the job's
 * revision, and `syncSchedules` keeps the two in line.
 */

import { z } from 'zod';
import type { Job, JobId } from '../../shared/model/job';
import { RunId } from '../../shared/model/run';
import type { Schedule, ScheduleId } from '../../shared/model/schedule';
import { assert } from '../../shared/result';
import { Instant } from '../../shared/time';
import type { PendingOccurrence, ScheduleState } from '../core/ledger';
import type { ScheduleReader, ScheduleWriter } from '../ports/store';
import type { Row, Sql } from './connection';
import { insertDecision } from './decisions';
import type { Revisions } from './jobRows';
import { checkedIn, idFromHex } from './rows';

const Pending = z.strictObject({
  at: Instant,
  trigger: z.enum(['creation', 'chain', 'event']),
  sourceRunId: RunId.nullable(),
});

type StoredPending = { readonly at: unknown; readonly trigger: unknown; readonly source: string };

const ID_HEX_LENGTH = 32;

/** What one schedule can owe: more is skipped at once, so that a chain that goes mad fills no disk (S-02). */
const PENDING_MAX = 100;

const SELECT_ACTIVE = `
  SELECT hex(s.id) AS scheduleId, hex(j.id) AS jobId, j.key AS jobKey, j.revision, s.created_at AS createdAt,
    s.watermark_at AS watermarkAt, s.owed_since AS owedSince, t.last_ended_at AS lastEndedAt,
    (SELECT json_group_array(json_object('at', p.planned_at, 'trigger', p.trigger, 'source', hex(p.source_run_id)))
     FROM pending_occurrences AS p WHERE p.schedule_key = s.key) AS pending
  FROM jobs AS j
    JOIN job_stats AS t ON t.job_key = j.key
    JOIN schedules AS s ON s.job_key = j.key
  WHERE j.is_enabled = 1 AND j.deleted_at IS NULL AND s.removed_at IS NULL`;

export function createScheduleReader(sql: Sql, revisions: Revisions): ScheduleReader {
  /** Nothing for a job in quarantine: what it should run cannot be read, so it must not be due. */
  const stateFromRow = (row: Row): ScheduleState[] => {
    const read = revisions.get(sql, Number(row.jobKey), Number(row.revision));
    if (!read.ok) return [];
    const scheduleId = idFromHex(row.scheduleId) as ScheduleId;
    const schedule = read.revision.schedules.find((each) => each.id === scheduleId);
    // A row without a rule can only be the work of a foreign hand. It must not keep the others from being planned.
    if (schedule === undefined) return [];
    // The types are those of the STRICT columns.
    const times = row as Pick<ScheduleState, 'createdAt' | 'watermarkAt' | 'owedSince' | 'lastEndedAt'>;
    return [
      {
        scheduleId,
        jobId: idFromHex(row.jobId) as JobId,
        rule: schedule.rule,
        createdAt: times.createdAt,
        activeSince: read.revision.updatedAt,
        watermarkAt: times.watermarkAt,
        ...(times.owedSince === null ? {} : { owedSince: times.owedSince }),
        pending: pendingFrom(row.pending),
        dates: read.revision.dates,
        lastEndedAt: times.lastEndedAt,
      },
    ];
  };
  return {
    async active() {
      await revisions.expectAll(sql);
      return sql.all(SELECT_ACTIVE).flatMap(stateFromRow);
    },
    async ofJob(jobId) {
      return sql.all(`${SELECT_ACTIVE} AND j.id = unhex(?, '-')`, [jobId]).flatMap(stateFromRow);
    },
    async waitingFor(jobId) {
      return sql.all(`${SELECT_ACTIVE} AND s.after_job_id = unhex(?, '-')`, [jobId]).flatMap(stateFromRow);
    },
    async beganAt() {
      return (sql.get('SELECT min(created_at) AS at FROM jobs')?.at ?? null) as Instant | null;
    },
    async chains() {
      return sql
        .all(
          `SELECT hex(j.id) AS jobId, hex(s.after_job_id) AS afterJobId
           FROM schedules AS s JOIN jobs AS j ON j.key = s.job_key
           WHERE s.after_job_id IS NOT NULL AND s.removed_at IS NULL AND j.deleted_at IS NULL`,
        )
        .map((row) => ({
          jobId: idFromHex(row.jobId) as JobId,
          afterJobId: idFromHex(row.afterJobId) as JobId,
        }));
    },
  };
}

/** As the statement above puts them together; most schedules owe nothing. One that cannot be read is owed no more. */
function pendingFrom(text: unknown): PendingOccurrence[] {
  if (text === '[]') return [];
  return (JSON.parse(String(text)) as StoredPending[])
    .flatMap(({ at, trigger, source }) => {
      const sourceRunId = source === '' ? null : source.length === ID_HEX_LENGTH ? idFromHex(source) : source;
      return Pending.safeParse({ at, trigger, sourceRunId }).data ?? [];
    })
    .sort((a, b) => a.at - b.at);
}

export function createScheduleWriter(sql: Sql, revisions: Revisions): ScheduleWriter {
  return {
    ...createScheduleReader(sql, revisions),
    async setWatermark(scheduleId, at) {
      const changed = sql.run(
        `UPDATE schedules
         SET watermark_at = max(watermark_at, :at),
           owed_since = CASE WHEN max(owed_since, :at) < watermark_at THEN max(owed_since, :at) END
         WHERE id = unhex(:scheduleId, '-')`,
        { at: checkedIn(Instant, at, 'a watermark'), scheduleId },
      );
      assert(changed === 1, `there is no schedule ${scheduleId}`);
    },
    async rewind(to) {
      sql.run(
        `UPDATE schedules SET owed_since = min(ifnull(owed_since, watermark_at), :to) WHERE watermark_at > :to`,
        { to: checkedIn(Instant, to, 'the moment a clock went back to') },
      );
      // Each at an instant of its own, because that is what an occurrence is known by.
      sql.run(
        `UPDATE OR REPLACE pending_occurrences AS p SET planned_at = :to + (
           SELECT count(*) FROM pending_occurrences AS e
           WHERE e.schedule_key = p.schedule_key AND e.planned_at > :to AND e.planned_at < p.planned_at)
         WHERE planned_at > :to`,
        { to },
      );
      sql.run('UPDATE job_stats SET last_ended_at = :to WHERE last_ended_at > :to', { to });
    },
    async addPending(scheduleId, pending) {
      const { at, trigger, sourceRunId } = checkedIn(Pending, pending, 'an owed occurrence');
      const changed = sql.run(
        `INSERT INTO pending_occurrences (schedule_key, planned_at, trigger, source_run_id)
         SELECT s.key, :at, :trigger, unhex(:sourceRunId, '-')
         FROM schedules AS s
         WHERE s.id = unhex(:scheduleId, '-')
           AND ifnull(${NEWEST_DECIDED_UNTIL}, :at - 1) < :at
           AND (SELECT count(*) FROM pending_occurrences AS p WHERE p.schedule_key = s.key) < :max
         ON CONFLICT DO NOTHING`,
        { scheduleId, at, trigger, sourceRunId, max: PENDING_MAX },
      );
      if (changed === 0) skipIfFull(sql, scheduleId, at);
      return changed === 1;
    },
    async removePending(scheduleId, at) {
      sql.run(
        `DELETE FROM pending_occurrences
         WHERE schedule_key = (SELECT key FROM schedules WHERE id = unhex(?, '-')) AND planned_at = ?`,
        [scheduleId, at],
      );
    },
  };
}

/** The end of the decision that begins last at or before the instant: ranges do not overlap, so none else can cover it. */
const NEWEST_DECIDED_UNTIL = `(
  SELECT d.until_at FROM decisions AS d
  WHERE d.schedule_key = s.key AND d.planned_at <= :at
  ORDER BY d.planned_at DESC
  LIMIT 1
)`;

/** An occurrence that there is no room for is decided at once, so that it is accounted for all the same. */
function skipIfFull(sql: Sql, scheduleId: ScheduleId, at: Instant): void {
  const owed = sql.get(
    `SELECT count(*) AS count, count(*) FILTER (WHERE p.planned_at = :at) AS known
     FROM schedules AS s JOIN pending_occurrences AS p ON p.schedule_key = s.key
     WHERE s.id = unhex(:scheduleId, '-')`,
    { scheduleId, at },
  );
  if (Number(owed?.count) < PENDING_MAX || Number(owed?.known) > 0) return;
  insertDecision(sql, {
    ...{ scheduleId, plannedAt: at, untilAt: at, count: 1, kind: 'skip', reason: 'queue_full' },
    ...{ missCause: null, runId: null, decidedAt: at },
  });
}

/**
 * Brings the rows in line with the job's new revision. A schedule whose rule did not change is not touched: its watermark
 * goes on. A new or changed one starts at `updatedAt`, so that an edit fires nothing old (D3). What is gone is only marked,
 * because decisions refer to it.
 */
export function syncSchedules(
  sql: Sql,
  jobKey: number,
  change: { readonly before: readonly Schedule[]; readonly job: Job },
): void {
  const { schedules, updatedAt } = change.job;
  const ruleBefore = new Map(change.before.map(({ id, rule }) => [id, JSON.stringify(rule)]));
  const present = new Set(
    sql
      .all('SELECT hex(id) AS id FROM schedules WHERE job_key = ? AND removed_at IS NULL', [jobKey])
      .map((row) => idFromHex(row.id) as ScheduleId),
  );
  for (const { id, rule } of schedules) {
    const isUnchanged = present.delete(id) && ruleBefore.get(id) === JSON.stringify(rule);
    if (isUnchanged) continue;
    startSchedule(sql, {
      id,
      jobKey,
      at: updatedAt,
      afterJobId: rule.kind === 'after_job' ? rule.jobId : null,
    });
  }
  for (const id of present) {
    sql.run(`UPDATE schedules SET removed_at = ? WHERE id = unhex(?, '-')`, [updatedAt, id]);
  }
}

/** An id that another job has is refused; one that this job had before comes back. */
function startSchedule(
  sql: Sql,
  schedule: { id: ScheduleId; jobKey: number; at: Instant; afterJobId: string | null },
): void {
  const changed = sql.run(
    `INSERT INTO schedules (id, job_key, created_at, watermark_at, after_job_id)
     VALUES (unhex(:id, '-'), :jobKey, :at, :at, unhex(:afterJobId, '-'))
     ON CONFLICT (id) DO UPDATE SET
       watermark_at = max(watermark_at, excluded.watermark_at),
       owed_since = CASE WHEN :at < watermark_at THEN max(ifnull(owed_since, :at), :at) END,
       after_job_id = excluded.after_job_id,
       removed_at = NULL
     WHERE job_key = excluded.job_key`,
    schedule,
  );
  assert(changed === 1, `schedule ${schedule.id} belongs to another job`);
  sql.run(
    `DELETE FROM pending_occurrences WHERE schedule_key = (SELECT key FROM schedules WHERE id = unhex(?, '-'))`,
    [schedule.id],
  );
}

/** Everything up to `at` counts as decided: enabling or bringing back a job makes nothing up (D3, S-35). */
export function restartSchedules(sql: Sql, jobKey: number, at: Instant): void {
  sql.run(
    `UPDATE schedules
     SET watermark_at = max(watermark_at, :at),
       owed_since = CASE WHEN :at < watermark_at THEN max(ifnull(owed_since, :at), :at) END
     WHERE job_key = :jobKey`,
    { at, jobKey },
  );
}

/** A job that is switched off forgets what it still owed (S-35). */
export function forgetPending(sql: Sql, jobKey: number): void {
  sql.run(
    `DELETE FROM pending_occurrences WHERE schedule_key IN (SELECT key FROM schedules WHERE job_key = ?)`,
    [jobKey],
  );
}
