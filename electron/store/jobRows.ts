/**
 * A job as it lies in the store: a row with what lists and joins need, and one row per revision with the definition as
 * JSON. A definition that cannot be read puts that job aside; it never harms the others and is never rewritten.
 */

import { Job } from '../../shared/model/job';
import type { Row, Sql } from './connection';
import { faultOf, idFromHex } from './rows';

const Revision = Job.omit({ id: true, createdAt: true, deletedAt: true });
/** The part of a job that an edit replaces as a whole. Frozen, because it is handed out more than once. */
export type Revision = Readonly<Omit<Job, 'id' | 'createdAt' | 'deletedAt'>>;

export type ReadRevision =
  | { readonly ok: true; readonly revision: Revision }
  | { readonly ok: false; readonly why: string };

/** The fields of a job that a revision stores as JSON. Named one by one, so that nothing else slips in. */
export function definitionOf(job: Job): string {
  const { name, settings, tags, notes, policies, conditions, dates, schedules } = job;
  return JSON.stringify({ name, settings, tags, notes, policies, conditions, dates, schedules });
}

function revisionFromRow(row: Row): ReadRevision {
  const { revision, disabledReason, updatedAt } = row;
  let definition: object;
  try {
    definition = JSON.parse(String(row.definition));
  } catch {
    return { ok: false, why: `revision ${String(revision)} is not JSON` };
  }
  const isEnabled = row.isEnabled === 1;
  const parsed = Revision.safeParse({ ...definition, isEnabled, revision, disabledReason, updatedAt });
  if (!parsed.success) return { ok: false, why: `revision ${String(revision)}, ${faultOf(parsed.error)}` };
  return { ok: true, revision: frozen(parsed.data) };
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const key in value) frozen(value[key]);
  return Object.freeze(value);
}

/** Needs `id` as hex, `createdAt` and `deletedAt`. */
export const jobOfRevision = (row: Row, revision: Revision): Job => ({
  ...revision,
  id: idFromHex(row.id) as Job['id'],
  createdAt: row.createdAt as Job['createdAt'],
  deletedAt: row.deletedAt as Job['deletedAt'],
});

const REVISION_COLUMNS = `
  r.revision, r.definition, r.is_enabled AS isEnabled, r.disabled_reason AS disabledReason, r.saved_at AS updatedAt`;

export function loadRevision(sql: Sql, jobKey: number, revision: number): ReadRevision {
  const row = sql.get(
    `SELECT ${REVISION_COLUMNS} FROM job_revisions AS r WHERE r.job_key = ? AND r.revision = ?`,
    [jobKey, revision],
  );
  return row === undefined ? { ok: false, why: `revision ${revision} is missing` } : revisionFromRow(row);
}

/** Current revisions, each parsed once: parsing 4,096 definitions at every step would block the main thread. */
export interface Revisions {
  get(sql: Sql, jobKey: number, revision: number): ReadRevision;
  /** Says that all of them will be asked for: the first time, one statement is cheaper than thousands. */
  expectAll(sql: Sql): Promise<void>;
}

/** Definitions that are read before the main thread is given back for a moment: about ten milliseconds' worth (D1). */
const READ_AT_ONCE = 128;

/** What a committed read has seen. Nothing that may still be rolled back gets in: its number would be used again. */
export function createRevisionCache(): { readonly forReads: Revisions; readonly forTransactions: Revisions } {
  const known = new Map<number, Revision>();
  let isWhole = false;
  const find = (jobKey: number, revision: number): ReadRevision | undefined => {
    const found = known.get(jobKey);
    return found?.revision === revision ? { ok: true, revision: found } : undefined;
  };
  const keep = (jobKey: number, read: ReadRevision): ReadRevision => {
    if (read.ok) known.set(jobKey, read.revision);
    return read;
  };
  return {
    forReads: {
      get: (sql, jobKey, revision) =>
        find(jobKey, revision) ?? keep(jobKey, loadRevision(sql, jobKey, revision)),
      async expectAll(sql) {
        if (isWhole) return;
        // CROSS keeps the order: from the jobs to their present revisions, and not through every revision there ever was.
        const rows = sql.all(
          `SELECT j.key, ${REVISION_COLUMNS}
           FROM jobs AS j CROSS JOIN job_revisions AS r ON r.job_key = j.key AND r.revision = j.revision
           WHERE j.deleted_at IS NULL`,
        );
        for (const [index, row] of rows.entries()) {
          const jobKey = Number(row.key);
          if (find(jobKey, Number(row.revision)) === undefined) keep(jobKey, revisionFromRow(row));
          if (index % READ_AT_ONCE === READ_AT_ONCE - 1)
            await new Promise((proceed) => setImmediate(proceed));
        }
        isWhole = true;
      },
    },
    forTransactions: {
      get: (sql, jobKey, revision) => find(jobKey, revision) ?? loadRevision(sql, jobKey, revision),
      expectAll: async () => undefined,
    },
  };
}
