/**
 * Schedules and their watermarks (D3). Only what the ledger adds to a rule lives here; the rule itself is part of the job's
 * revision, and `syncSchedules` is the one place that brings the two together.
 */

import type { Job, JobId } from '../../shared/model/job';
import { type ScheduleId, ScheduleRule } from '../../shared/model/schedule';
import { assert } from '../../shared/result';
import { Instant } from '../../shared/time';
import type { ScheduleState } from '../core/ledger';
import { StoreError } from '../core/storeError';
import type { ScheduleReader, ScheduleWriter } from '../ports';
import type { Row, Sql } from './connection';
import type { Readability } from './jobRows';
import { checkedIn, checkedOut, idFromHex, jsonFrom } from './rows';

const SELECT_ACTIVE = `
  SELECT hex(s.id) AS scheduleId, hex(j.id) AS jobId, j.key AS jobKey, j.revision, s.rule, s.created_at AS createdAt,
    s.watermark_at AS watermarkAt, s.pending_creation_at AS pendingCreationAt, t.last_ended_at AS lastEndedAt
  FROM jobs AS j
    JOIN job_stats AS t ON t.job_key = j.key
    JOIN schedules AS s ON s.job_key = j.key
  WHERE j.is_enabled = 1 AND j.deleted_at IS NULL AND s.removed_at IS NULL`;

const NullableInstant = Instant.nullable();

function stateFromRow(row: Row): ScheduleState {
  const scheduleId = idFromHex(row.scheduleId) as ScheduleId;
  const what = `schedule ${scheduleId}`;
  return {
    scheduleId,
    jobId: idFromHex(row.jobId) as JobId,
    rule: checkedOut(ScheduleRule, jsonFrom(row.rule, what), what),
    createdAt: checkedOut(Instant, row.createdAt, what),
    watermarkAt: checkedOut(Instant, row.watermarkAt, what),
    pendingCreationAt: checkedOut(NullableInstant, row.pendingCreationAt, what),
    lastEndedAt: checkedOut(NullableInstant, row.lastEndedAt, what),
  };
}

export function createScheduleReader(sql: Sql, readability: Readability): ScheduleReader {
  const readable = (rows: readonly Row[]): ScheduleState[] =>
    rows
      .filter((row) => readability.isReadable(sql, Number(row.jobKey), Number(row.revision)))
      .map(stateOrNull)
      .filter((state) => state !== null);
  return {
    async active() {
      return readable(sql.all(SELECT_ACTIVE));
    },
    async ofJob(jobId) {
      return readable(sql.all(`${SELECT_ACTIVE} AND j.id = unhex(?, '-')`, [jobId]));
    },
  };
}

/** null for a row that cannot be read; `unreadableRules` tells of it. */
function stateOrNull(row: Row): ScheduleState | null {
  try {
    return stateFromRow(row);
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

/** Jobs with a rule that cannot be read, for the quarantine. */
export function unreadableRules(sql: Sql): { jobId: string; why: string }[] {
  const rows = sql.all(
    `SELECT hex(j.id) AS jobId, s.rule
     FROM schedules AS s JOIN jobs AS j ON j.key = s.job_key
     WHERE s.removed_at IS NULL AND j.deleted_at IS NULL`,
  );
  return rows
    .filter((row) => !ScheduleRule.safeParse(jsonOrNull(row.rule)).success)
    .map((row) => ({ jobId: idFromHex(row.jobId), why: 'the rule of a schedule cannot be read' }));
}

function jsonOrNull(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}

export function createScheduleWriter(sql: Sql, readability: Readability): ScheduleWriter {
  return {
    ...createScheduleReader(sql, readability),
    async setWatermark(scheduleId, at) {
      const changed = sql.run(
        `UPDATE schedules SET watermark_at = max(watermark_at, ?) WHERE id = unhex(?, '-')`,
        [checkedIn(Instant, at, 'a watermark'), scheduleId],
      );
      assert(changed === 1, `there is no schedule ${scheduleId}`);
    },
    async setPendingCreation(scheduleId, at) {
      const changed = sql.run(`UPDATE schedules SET pending_creation_at = ? WHERE id = unhex(?, '-')`, [
        checkedIn(NullableInstant, at, 'a creation minute'),
        scheduleId,
      ]);
      assert(changed === 1, `there is no schedule ${scheduleId}`);
    },
  };
}

/**
 * Brings the rows in line with the job's revision. A schedule whose rule did not change is not touched: its watermark goes
 * on. A new or changed one starts at `updatedAt`, so that an edit fires nothing old (D3). What is gone is only marked,
 * because decisions refer to it.
 */
export function syncSchedules(sql: Sql, jobKey: number, job: Job): void {
  const stored = new Map(
    sql
      .all('SELECT key, hex(id) AS id, rule, removed_at AS removedAt FROM schedules WHERE job_key = ?', [
        jobKey,
      ])
      .map((row) => [idFromHex(row.id), row]),
  );
  for (const { id, rule } of job.schedules) {
    const row = stored.get(id);
    stored.delete(id);
    const text = JSON.stringify(rule);
    if (row === undefined) {
      insertSchedule(sql, { id, jobKey, rule: text, at: job.updatedAt });
    } else if (row.rule !== text || row.removedAt !== null) {
      changeSchedule(sql, { key: Number(row.key), rule: text, at: job.updatedAt });
    }
  }
  for (const row of stored.values()) {
    sql.run('UPDATE schedules SET removed_at = ? WHERE key = ? AND removed_at IS NULL', [
      job.updatedAt,
      Number(row.key),
    ]);
  }
}

function insertSchedule(
  sql: Sql,
  schedule: { id: ScheduleId; jobKey: number; rule: string; at: Instant },
): void {
  sql.run(
    `INSERT INTO schedules (id, job_key, rule, created_at, watermark_at)
     VALUES (unhex(:id, '-'), :jobKey, :rule, :at, :at)`,
    schedule,
  );
}

function changeSchedule(sql: Sql, change: { key: number; rule: string; at: Instant }): void {
  sql.run(
    `UPDATE schedules
     SET rule = :rule, watermark_at = max(watermark_at, :at), pending_creation_at = NULL, removed_at = NULL
     WHERE key = :key`,
    change,
  );
}

/** Everything up to `at` counts as decided: enabling or bringing back a job makes nothing up (D3, S-35). */
export function restartSchedules(sql: Sql, jobKey: number, at: Instant): void {
  sql.run('UPDATE schedules SET watermark_at = max(watermark_at, ?) WHERE job_key = ?', [at, jobKey]);
}

/** A job that is switched off forgets the creation minute it still owed (S-35). */
export function forgetCreation(sql: Sql, jobKey: number): void {
  sql.run('UPDATE schedules SET pending_creation_at = NULL WHERE job_key = ?', [jobKey]);
}
