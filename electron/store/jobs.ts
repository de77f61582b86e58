/** Jobs and their revisions. A revision is written once; the row of the job says which one counts. */

import { Job, type JobId } from '../../shared/model/job';
import { assert } from '../../shared/result';
import { Instant } from '../../shared/time';
import type { JobReader, JobWriter } from '../ports/store';
import type { Row, Sql } from './connection';
import { definitionOf, jobOfRevision, loadRevision, type ReadRevision, type Revisions } from './jobRows';
import { checkedIn, idFromHex } from './rows';
import { forgetPending, restartSchedules, syncSchedules } from './schedules';
import { allStats, type StripCache, statsOf } from './stats';

const SELECT_JOBS = `
  SELECT key, hex(id) AS id, revision, created_at AS createdAt, deleted_at AS deletedAt
  FROM jobs`;

export function createJobReader(sql: Sql, revisions: Revisions, strips: StripCache): JobReader {
  const current = (row: Row): ReadRevision => revisions.get(sql, Number(row.key), Number(row.revision));
  const readable = (row: Row, read: ReadRevision): Job[] =>
    read.ok ? [jobOfRevision(row, read.revision)] : [];
  const rowOf = (jobId: JobId): Row | undefined =>
    sql.get(`${SELECT_JOBS} WHERE id = unhex(?, '-')`, [jobId]);
  return {
    async get(jobId) {
      const row = rowOf(jobId);
      return row === undefined ? null : (readable(row, current(row))[0] ?? null);
    },
    async list() {
      await revisions.expectAll(sql);
      return sql
        .all(`${SELECT_JOBS} WHERE deleted_at IS NULL ORDER BY name COLLATE NOCASE, key`)
        .flatMap((row) => readable(row, current(row)));
    },
    async atRevision(jobId, revision) {
      const row = rowOf(jobId);
      if (row === undefined) return null;
      const read = row.revision === revision ? current(row) : loadRevision(sql, Number(row.key), revision);
      return readable(row, read)[0] ?? null;
    },
    async definedAt(jobId, at) {
      const row = rowOf(jobId);
      if (row === undefined) return null;
      // The clock may have gone back between two revisions, so the number decides, and not the moment alone.
      const found = sql.get(
        `SELECT revision FROM job_revisions WHERE job_key = ? AND saved_at <= ? ORDER BY revision DESC LIMIT 1`,
        [Number(row.key), checkedIn(Instant, at, 'a moment')],
      );
      if (typeof found?.revision !== 'number') return null;
      return readable(row, loadRevision(sql, Number(row.key), found.revision))[0] ?? null;
    },
    async quarantined() {
      await revisions.expectAll(sql);
      return sql
        .all(`${SELECT_JOBS} WHERE deleted_at IS NULL ORDER BY key`)
        .map((row) => ({ row, read: current(row) }))
        .flatMap(({ row, read }) => (read.ok ? [] : [{ jobId: idFromHex(row.id), why: read.why }]));
    },
    async unreadable(jobId) {
      const row = rowOf(jobId);
      if (row === undefined || current(row).ok) return null;
      return { deletedAt: row.deletedAt as Instant | null };
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
      return allStats(sql, strips);
    },
  };
}

export function createJobWriter(sql: Sql, revisions: Revisions, strips: StripCache): JobWriter {
  return {
    ...createJobReader(sql, revisions, strips),
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
     VALUES (unhex(?, '-'), ?, ?, ?, ?, ?)`,
    [job.id, job.revision, job.name, Number(job.isEnabled), job.createdAt, job.deletedAt],
  );
  const jobKey = keyOf(sql, job.id);
  insertRevision(sql, jobKey, job);
  sql.run('INSERT INTO job_stats (job_key) VALUES (?)', [jobKey]);
  syncSchedules(sql, jobKey, { before: [], job });
  countChange(sql);
}

/** The deletion is not part of a revision: an edit neither deletes nor brings back. */
function updateJob(sql: Sql, job: Job): boolean {
  const row = sql.get(
    `SELECT key, is_enabled AS isEnabled FROM jobs WHERE id = unhex(?, '-') AND revision = ?`,
    [job.id, job.revision - 1],
  );
  if (row === undefined) return false;
  const jobKey = Number(row.key);
  const before = loadRevision(sql, jobKey, job.revision - 1);
  insertRevision(sql, jobKey, job);
  sql.run('UPDATE jobs SET revision = ?, name = ?, is_enabled = ? WHERE key = ?', [
    job.revision,
    job.name,
    Number(job.isEnabled),
    jobKey,
  ]);
  syncSchedules(sql, jobKey, { before: before.ok ? before.revision.schedules : [], job });
  if (job.isEnabled && row.isEnabled === 0) restartSchedules(sql, jobKey, job.updatedAt);
  if (!job.isEnabled) forgetPending(sql, jobKey);
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
  forgetPending(sql, jobKey);
  countChange(sql);
  return true;
}

function insertRevision(sql: Sql, jobKey: number, job: Job): void {
  sql.run(
    `INSERT INTO job_revisions (job_key, revision, definition, is_enabled, disabled_reason, saved_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    [jobKey, job.revision, definitionOf(job), Number(job.isEnabled), job.disabledReason, job.updatedAt],
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
