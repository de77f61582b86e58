/**
 * Schedules and their watermarks (D3). Only what the ledger adds to a rule lives here; the rule itself is part of the job's
 * revision, and `syncSchedules` keeps the two in line.
 */

import type { Job, JobId } from '../../shared/model/job';
import type { Schedule, ScheduleId } from '../../shared/model/schedule';
import { assert } from '../../shared/result';
import { Instant } from '../../shared/time';
import type { ScheduleState } from '../core/ledger';
import type { ScheduleReader, ScheduleWriter } from '../ports';
import type { Row, Sql } from './connection';
import type { Revisions } from './jobRows';
import { checkedIn, idFromHex } from './rows';

const SELECT_ACTIVE = `
  SELECT hex(s.id) AS scheduleId, hex(j.id) AS jobId, j.key AS jobKey, j.revision, s.created_at AS createdAt,
    s.watermark_at AS watermarkAt, s.pending_creation_at AS pendingCreationAt, t.last_ended_at AS lastEndedAt
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
    const times = row as Pick<
      ScheduleState,
      'createdAt' | 'watermarkAt' | 'pendingCreationAt' | 'lastEndedAt'
    >;
    return [
      {
        scheduleId,
        jobId: idFromHex(row.jobId) as JobId,
        rule: schedule.rule,
        createdAt: times.createdAt,
        activeSince: read.revision.updatedAt,
        watermarkAt: times.watermarkAt,
        pendingCreationAt: times.pendingCreationAt,
        lastEndedAt: times.lastEndedAt,
      },
    ];
  };
  return {
    async active() {
      revisions.expectAll(sql);
      return sql.all(SELECT_ACTIVE).flatMap(stateFromRow);
    },
    async ofJob(jobId) {
      return sql.all(`${SELECT_ACTIVE} AND j.id = unhex(?, '-')`, [jobId]).flatMap(stateFromRow);
    },
  };
}

export function createScheduleWriter(sql: Sql, revisions: Revisions): ScheduleWriter {
  return {
    ...createScheduleReader(sql, revisions),
    async setWatermark(scheduleId, at) {
      const changed = sql.run(
        `UPDATE schedules SET watermark_at = max(watermark_at, ?) WHERE id = unhex(?, '-')`,
        [checkedIn(Instant, at, 'a watermark'), scheduleId],
      );
      assert(changed === 1, `there is no schedule ${scheduleId}`);
    },
    async setPendingCreation(scheduleId, at) {
      const changed = sql.run(`UPDATE schedules SET pending_creation_at = ? WHERE id = unhex(?, '-')`, [
        checkedIn(Instant.nullable(), at, 'a creation minute'),
        scheduleId,
      ]);
      assert(changed === 1, `there is no schedule ${scheduleId}`);
    },
  };
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
    if (!isUnchanged) startSchedule(sql, { id, jobKey, at: updatedAt });
  }
  for (const id of present) {
    sql.run(`UPDATE schedules SET removed_at = ? WHERE id = unhex(?, '-')`, [updatedAt, id]);
  }
}

/** An id that another job has is refused; one that this job had before comes back. */
function startSchedule(sql: Sql, schedule: { id: ScheduleId; jobKey: number; at: Instant }): void {
  const changed = sql.run(
    `INSERT INTO schedules (id, job_key, created_at, watermark_at)
     VALUES (unhex(:id, '-'), :jobKey, :at, :at)
     ON CONFLICT (id) DO UPDATE SET
       watermark_at = max(watermark_at, excluded.watermark_at),
       pending_creation_at = NULL,
       removed_at = NULL
     WHERE job_key = excluded.job_key`,
    schedule,
  );
  assert(changed === 1, `schedule ${schedule.id} belongs to another job`);
}

/** Everything up to `at` counts as decided: enabling or bringing back a job makes nothing up (D3, S-35). */
export function restartSchedules(sql: Sql, jobKey: number, at: Instant): void {
  sql.run('UPDATE schedules SET watermark_at = max(watermark_at, ?) WHERE job_key = ?', [at, jobKey]);
}

/** A job that is switched off forgets the creation minute it still owed (S-35). */
export function forgetCreation(sql: Sql, jobKey: number): void {
  sql.run('UPDATE schedules SET pending_creation_at = NULL WHERE job_key = ?', [jobKey]);
}
