/** Jobs and their revisions. A revision is written once; the row of the job says which one counts. */

import { Job, type JobId } from '../../shared/model/job';
import { assert } from '../../shared/result';
import { Instant } from '../../shared/time';
import type { JobReader, JobWriter } from '../ports';
import type { Sql } from './connection';
import { definitionOf, jobFromRow, SELECT_JOBS, SELECT_REVISIONS } from './jobRows';
import { checkedIn } from './rows';
import { forgetCreation, restartSchedules, syncSchedules, unreadableRules } from './schedules';
import { allStats, statsOf } from './stats';

export function createJobReader(sql: Sql): JobReader {
  const one = (select: string, parameters: readonly (string | number)[]): Job | null => {
    const row = sql.get(select, parameters);
    if (row === undefined) return null;
    const read = jobFromRow(row);
    return read.ok ? read.job : null;
  };
  return {
    async get(jobId) {
      return one(`${SELECT_JOBS} WHERE j.id = unhex(?, '-')`, [jobId]);
    },
    async list() {
      return sql
        .all(`${SELECT_JOBS} WHERE j.deleted_at IS NULL ORDER BY j.name COLLATE NOCASE, j.key`)
        .map(jobFromRow)
        .flatMap((read) => (read.ok ? [read.job] : []));
    },
    async atRevision(jobId, revision) {
      return one(`${SELECT_REVISIONS} WHERE j.id = unhex(?, '-') AND r.revision = ?`, [jobId, revision]);
    },
    async quarantined() {
      const jobs = sql.all(`${SELECT_JOBS} WHERE j.deleted_at IS NULL ORDER BY j.key`).map(jobFromRow);
      const found = jobs.flatMap((read) => (read.ok ? [] : [{ jobId: read.jobId, why: read.why }]));
      const known = new Set(found.map((each) => each.jobId));
      return [...found, ...unreadableRules(sql).filter((each) => !known.has(each.jobId))];
    },
    async count() {
      return Number(sql.get('SELECT count(*) AS count FROM jobs WHERE deleted_at IS NULL')?.count);
    },
    async changeNumber() {
      return Number(sql.get(`SELECT value FROM settings WHERE key = 'job_changes'`)?.value ?? 0);
    },
    async stats(jobId) {
      return statsOf(sql, jobId);
    },
    async allStats() {
      return allStats(sql);
    },
  };
}

export function createJobWriter(sql: Sql): JobWriter {
  return {
    ...createJobReader(sql),
    async insert(job) {
      insertJob(sql, checkedIn(Job, job, 'a job'));
    },
    async update(job) {
      return updateJob(sql, checkedIn(Job, job, 'a job'));
    },
    async setDeleted(jobId, at) {
      const changed = sql.run(
        `UPDATE jobs SET deleted_at = ? WHERE id = unhex(?, '-') AND deleted_at IS NULL`,
        [checkedIn(Instant, at, 'a deletion'), jobId],
      );
      if (changed === 1) countChange(sql);
      return changed === 1;
    },
    async restore(jobId, at) {
      return restoreJob(sql, jobId, checkedIn(Instant, at, 'a restoration'));
    },
    async setSeen(jobId, at) {
      sql.run(
        `UPDATE job_stats SET seen_at = ?
         WHERE job_key = (SELECT key FROM jobs WHERE id = unhex(?, '-'))`,
        [checkedIn(Instant, at, 'a look'), jobId],
      );
    },
  };
}

function insertJob(sql: Sql, job: Job): void {
  sql.run(
    `INSERT INTO jobs (id, revision, name, is_enabled, created_at, deleted_at)
     VALUES (unhex(:id, '-'), :revision, :name, :isEnabled, :createdAt, :deletedAt)`,
    {
      id: job.id,
      revision: job.revision,
      name: job.name,
      isEnabled: Number(job.isEnabled),
      createdAt: job.createdAt,
      deletedAt: job.deletedAt,
    },
  );
  const jobKey = keyOf(sql, job.id);
  insertRevision(sql, jobKey, job);
  sql.run('INSERT INTO job_stats (job_key) VALUES (?)', [jobKey]);
  syncSchedules(sql, jobKey, job);
  countChange(sql);
}

/** The deletion is not part of a revision: an edit neither deletes nor brings back. */
function updateJob(sql: Sql, job: Job): boolean {
  const before = sql.get(
    `SELECT key, is_enabled AS isEnabled FROM jobs WHERE id = unhex(?, '-') AND revision = ?`,
    [job.id, job.revision - 1],
  );
  if (before === undefined) return false;
  const jobKey = Number(before.key);
  insertRevision(sql, jobKey, job);
  sql.run('UPDATE jobs SET revision = ?, name = ?, is_enabled = ? WHERE key = ?', [
    job.revision,
    job.name,
    Number(job.isEnabled),
    jobKey,
  ]);
  syncSchedules(sql, jobKey, job);
  if (job.isEnabled && before.isEnabled === 0) restartSchedules(sql, jobKey, job.updatedAt);
  if (!job.isEnabled) forgetCreation(sql, jobKey);
  countChange(sql);
  return true;
}

function restoreJob(sql: Sql, jobId: JobId, at: Instant): boolean {
  const changed = sql.run(
    `UPDATE jobs SET deleted_at = NULL WHERE id = unhex(?, '-') AND deleted_at IS NOT NULL`,
    [jobId],
  );
  if (changed === 0) return false;
  const jobKey = keyOf(sql, jobId);
  restartSchedules(sql, jobKey, at);
  forgetCreation(sql, jobKey);
  countChange(sql);
  return true;
}

function insertRevision(sql: Sql, jobKey: number, job: Job): void {
  sql.run(
    `INSERT INTO job_revisions (job_key, revision, definition, is_enabled, disabled_reason, saved_at)
     VALUES (:jobKey, :revision, :definition, :isEnabled, :disabledReason, :savedAt)`,
    {
      jobKey,
      revision: job.revision,
      definition: definitionOf(job),
      isEnabled: Number(job.isEnabled),
      disabledReason: job.disabledReason,
      savedAt: job.updatedAt,
    },
  );
}

function keyOf(sql: Sql, jobId: JobId): number {
  const row = sql.get(`SELECT key FROM jobs WHERE id = unhex(?, '-')`, [jobId]);
  assert(row !== undefined, `there is no job ${jobId}`);
  return Number(row.key);
}

/** What `changeNumber` answers: written in the same transaction, so every process sees it. */
function countChange(sql: Sql): void {
  sql.run(
    `INSERT INTO settings (key, value)
     VALUES ('job_changes', '1')
     ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1`,
  );
}
