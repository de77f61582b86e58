/**
 * A job as it lies in the store: a row with what lists and joins need, and one row per revision with the definition as
 * JSON. A definition that cannot be read puts that job aside; it never harms the others and is never rewritten.
 */

import { Job } from '../../shared/model/job';
import type { Row, Sql } from './connection';
import { faultOf, idFromHex } from './rows';

const COLUMNS = `
  hex(j.id) AS id, r.revision, r.definition, r.is_enabled AS isEnabled, r.disabled_reason AS disabledReason,
  j.created_at AS createdAt, r.saved_at AS updatedAt, j.deleted_at AS deletedAt`;

/** Jobs with their current revision. A revision that is gone leaves the job here, with nothing to read. */
export const SELECT_JOBS = `
  SELECT ${COLUMNS}
  FROM jobs AS j LEFT JOIN job_revisions AS r ON r.job_key = j.key AND r.revision = j.revision`;

export const SELECT_REVISIONS = `
  SELECT ${COLUMNS}
  FROM jobs AS j JOIN job_revisions AS r ON r.job_key = j.key`;

export type ReadJob =
  | { readonly ok: true; readonly job: Job }
  | { readonly ok: false; readonly jobId: string; readonly why: string };

/** The fields of a job that a revision stores as JSON. Named one by one, so that nothing else slips in. */
export function definitionOf(job: Job): string {
  const { name, settings, tags, notes, policies, schedules } = job;
  return JSON.stringify({ name, settings, tags, notes, policies, schedules });
}

export function jobFromRow(row: Row): ReadJob {
  const jobId = idFromHex(row.id);
  const { revision, disabledReason, createdAt, updatedAt, deletedAt } = row;
  let definition: Record<string, unknown>;
  try {
    definition = JSON.parse(String(row.definition)) as Record<string, unknown>;
  } catch {
    return { ok: false, jobId, why: `revision ${String(revision)} is not JSON` };
  }
  const isEnabled = row.isEnabled === 1;
  const parsed = Job.safeParse({
    ...definition,
    ...{ id: jobId, revision, isEnabled, disabledReason, createdAt, updatedAt, deletedAt },
  });
  if (parsed.success) return { ok: true, job: parsed.data };
  return { ok: false, jobId, why: `revision ${String(revision)}, ${faultOf(parsed.error)}` };
}

/**
 * Remembers which revisions were found readable, so that planning does not read every definition at every step. A revision
 * never changes, therefore one look is enough.
 */
export interface Readability {
  isReadable(sql: Sql, jobKey: number, revision: number): boolean;
}

export function createReadability(): Readability {
  const readableRevisions = new Map<number, number>();
  return {
    isReadable(sql, jobKey, revision) {
      if (readableRevisions.get(jobKey) === revision) return true;
      const row = sql.get(`${SELECT_REVISIONS} WHERE j.key = ? AND r.revision = ?`, [jobKey, revision]);
      if (row === undefined || !jobFromRow(row).ok) return false;
      readableRevisions.set(jobKey, revision);
      return true;
    },
  };
}
