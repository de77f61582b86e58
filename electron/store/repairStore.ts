/** Reads row by row what can be read of a damaged store into a new one, around each damaged page (tableWalk.ts). */

import type { RepairProgress } from '../../shared/model/data';
import { Job } from '../../shared/model/job';
import type { Instant } from '../../shared/time';
import { StoreError } from '../core/storeError';
import type { Connection, Row, Value } from './connection';
import { migrate, migrations, newestVersion, storedVersion } from './migrations';
import { REBUILD_WORDS } from './runWords';
import { readable, type Table, walkTable } from './tableWalk';

export type Repaired = {
  readonly jobCount: number;
  readonly runCount: number;
  /** Places at which something could not be read. */
  readonly gapCount: number;
  /** Jobs that were found by their definition alone. They are switched off: nobody knows whether they had been deleted. */
  readonly switchedOff: readonly string[];
};

/** Rows between two words about the progress. */
const TOLD_EVERY = 2_000;

/** `target` is an empty file. Afterwards it has the newest schema and is consistent in itself. */
export function repairStore(
  source: Connection,
  target: Connection,
  { at, onProgress }: { readonly at: Instant; readonly onProgress: (progress: RepairProgress) => void },
): Repaired {
  target.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; PRAGMA auto_vacuum = INCREMENTAL');
  const present = tableNames(source);
  const version = versionOf(source);
  migrate(
    target,
    migrations.filter((step) => step.version <= version),
  );
  target.exec('PRAGMA foreign_keys = OFF');
  const tables = tablesOf(target).filter(({ name }) => present.has(name));
  const expected = tables.reduce((sum, { name }) => sum + (countOf(source, name) ?? 0), 0);
  const counts = new Map<string, number>();
  let gapCount = 0;
  let taken = 0;
  target.exec('BEGIN IMMEDIATE');
  for (const table of tables) {
    const insert = insertOf(table);
    gapCount += walkTable(source, table, (rows) => {
      for (const row of rows) {
        taken += 1;
        if (takeRow(target, insert, table, row)) counts.set(table.name, (counts.get(table.name) ?? 0) + 1);
        if (taken % TOLD_EVERY === 0) {
          onProgress({
            jobCount: counts.get('jobs') ?? 0,
            runCount: counts.get('runs') ?? 0,
            share: expected === 0 ? null : Math.min(1, taken / expected),
          });
        }
      }
    });
  }
  const switchedOff = recoverJobs(target, at);
  makeConsistent(target, at);
  target.exec('COMMIT');
  migrate(target, migrations);
  rebuildCounts(target);
  return {
    jobCount: counting(target, 'SELECT count(*) AS count FROM jobs WHERE deleted_at IS NULL'),
    runCount: counting(target, 'SELECT count(*) AS count FROM runs'),
    gapCount,
    switchedOff,
  };
}

const counting = (connection: Connection, sql: string): number => Number(connection.get(sql)?.count);

/** What the header says, or the newest where it says nothing that can be. */
function versionOf(source: Connection): number {
  const newest = newestVersion(migrations);
  const version = readable(() => storedVersion(source)) ?? newest;
  return version >= 1 && version <= newest ? version : newest;
}

/** Tables of the new store, those left out that are derived from others. */
function tablesOf(target: Connection): Table[] {
  return target
    .all(
      `SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`,
    )
    .map(({ name, wr }) => {
      const columns = target.all(`SELECT name, pk FROM pragma_table_info('${String(name)}')`);
      const primary = columns
        .filter(({ pk }) => Number(pk) > 0)
        .sort((a, b) => Number(a.pk) - Number(b.pk))
        .map((column) => String(column.name));
      // In any other order SQLite would have to read all of the table first.
      const isNumbered = wr === 0;
      return {
        name: String(name),
        columns: columns.map((column) => String(column.name)),
        key: isNumbered ? ['rowid'] : primary,
        isNumbered,
      };
    });
}

/** Throws where even the list of tables is damaged: nothing can be found then. */
function tableNames(source: Connection): ReadonlySet<string> {
  const rows = readable(() => source.all(`SELECT name FROM sqlite_schema WHERE type = 'table'`));
  if (rows === null) {
    throw new StoreError('corrupt', 'Nothing of the damaged file can be read. Go back to a copy.');
  }
  return new Set(rows.map(({ name }) => String(name)));
}

const countOf = (source: Connection, name: string): number | null =>
  readable(() => counting(source, `SELECT count(*) AS count FROM ${name}`));

const insertOf = ({ name, columns }: Table): string =>
  `INSERT OR IGNORE INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;

/** A row that breaks a rule of the schema was damaged, and is left out. */
function takeRow(target: Connection, insert: string, { columns }: Table, row: Row): boolean {
  try {
    return (
      target.run(
        insert,
        columns.map((column) => row[column] as Value),
      ) === 1
    );
  } catch {
    return false;
  }
}

/** Definitions whose job was lost get one with a new id, so that their runs stay theirs. Returns their names. */
function recoverJobs(target: Connection, at: Instant): string[] {
  const lost = target.all(
    `SELECT r.job_key AS key, max(r.revision) AS revision, r.definition, min(r.saved_at) AS createdAt
     FROM job_revisions AS r
     WHERE NOT EXISTS (SELECT 1 FROM jobs AS j WHERE j.key = r.job_key)
     GROUP BY r.job_key`,
  );
  return lost.flatMap(({ key, revision, definition, createdAt }) => {
    const name = nameIn(definition);
    if (name === null) return [];
    const next = Number(revision) + 1;
    target.run(
      `INSERT INTO job_revisions (job_key, revision, definition, is_enabled, disabled_reason, saved_at)
       VALUES (?, ?, ?, 0, 'user', ?)`,
      [Number(key), next, String(definition), at],
    );
    target.run(
      `INSERT INTO jobs (key, id, revision, name, is_enabled, created_at)
       VALUES (?, unhex(hex(randomblob(6)) || '4' || substr(hex(randomblob(2)), 2) || '8'
         || substr(hex(randomblob(2)), 2) || hex(randomblob(6))), ?, ?, 0, ?)`,
      [Number(key), next, name, Number(createdAt)],
    );
    return [name];
  });
}

function nameIn(definition: unknown): string | null {
  try {
    const { name } = JSON.parse(String(definition)) as { name?: unknown };
    return Job.shape.name.safeParse(name).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Rows whose other half is lost are completed where a job would be lost with them, and go otherwise: a job keeps its newest revision
 * that is left, and a schedule that its definition names begins anew.
 */
function makeConsistent(target: Connection, at: Instant): void {
  target.run(
    `UPDATE jobs
     SET revision = (SELECT max(r.revision) FROM job_revisions AS r WHERE r.job_key = jobs.key)
     WHERE NOT EXISTS (SELECT 1 FROM job_revisions AS r WHERE r.job_key = jobs.key AND r.revision = jobs.revision)
       AND EXISTS (SELECT 1 FROM job_revisions AS r WHERE r.job_key = jobs.key)`,
  );
  target.run('INSERT OR IGNORE INTO job_stats (job_key) SELECT key FROM jobs');
  for (const row of target.all(
    `SELECT j.key, r.definition FROM jobs AS j
       JOIN job_revisions AS r ON r.job_key = j.key AND r.revision = j.revision
     WHERE j.deleted_at IS NULL`,
  )) {
    for (const id of scheduleIdsIn(row.definition)) {
      target.run(
        `INSERT OR IGNORE INTO schedules (id, job_key, created_at, watermark_at) VALUES (unhex(?, '-'), ?, ?, ?)`,
        [id, Number(row.key), at, at],
      );
    }
  }
  for (let found = orphans(target); found.length > 0; found = orphans(target)) {
    for (const { table, rowid, ...key } of found) removeOrphan(target, String(table), rowid, key);
  }
}

const Schedules = Job.shape.schedules;

function scheduleIdsIn(definition: unknown): string[] {
  try {
    const { schedules } = JSON.parse(String(definition)) as { schedules?: unknown };
    return (Schedules.safeParse(schedules).data ?? []).map(({ id }) => id);
  } catch {
    return [];
  }
}

const orphans = (target: Connection): Row[] => target.all('PRAGMA foreign_key_check');

/** Tables without row numbers are told by name only: then whatever names nothing that is there goes, table by table. */
function removeOrphan(target: Connection, table: string, rowid: unknown, { parent, fkid }: Row): void {
  if (rowid !== null) {
    target.run(`DELETE FROM ${table} WHERE rowid = ?`, [Number(rowid)]);
    return;
  }
  const columns = target
    .all(`SELECT "from", "to" FROM pragma_foreign_key_list('${table}') WHERE id = ? ORDER BY seq`, [
      Number(fkid),
    ])
    .map((column) => [String(column.from), String(column.to)] as const);
  const match = columns.map(([from, to]) => `p.${to} = ${table}.${from}`).join(' AND ');
  const given = columns.map(([from]) => `${from} IS NOT NULL`).join(' AND ');
  target.run(
    `DELETE FROM ${table} WHERE ${given} AND NOT EXISTS (SELECT 1 FROM ${String(parent)} AS p WHERE ${match})`,
  );
}

/** Derived from what was read, so that lists and numbers fit it. */
function rebuildCounts(target: Connection): void {
  target.exec(`
    BEGIN IMMEDIATE;
    DELETE FROM day_counts;
    INSERT INTO day_counts (day, outcome, count, duration_ms)
    SELECT ended_at / 86400000, outcome, count(*), ifnull(sum(duration_ms), 0)
    FROM runs WHERE state = 'finished' AND trigger <> 'test' GROUP BY 1, 2;
    DELETE FROM settings WHERE key = 'removed_runs';
    UPDATE job_stats SET run_count = max(run_count, (
      SELECT count(*) FROM runs AS r
      WHERE r.job_key = job_stats.job_key AND r.state = 'finished' AND r.trigger <> 'test'));
    UPDATE job_stats SET output_bytes = (
      SELECT ifnull(sum(min(r.output_bytes, 33554432)), 0) FROM runs AS r
      WHERE r.job_key = job_stats.job_key AND r.output_removed_at IS NULL);
    ${REBUILD_WORDS}
    COMMIT`);
}
