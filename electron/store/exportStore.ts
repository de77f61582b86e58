/**
 * What is readable of a store as one JSON file: jobs with their definitions first, because those are what a person wants back. Each
 * table is read for itself and around its damaged pages, so that what is lost in one takes nothing of another with it.
 */

import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { Connection, Row } from './connection';
import { idFromHex } from './rows';
import { walkTable } from './tableWalk';

export type Exported = {
  readonly jobCount: number;
  readonly runCount: number;
  /** Places at which something could not be read, and is left out. */
  readonly gapCount: number;
};

/** `target` is for the user alone. */
export function exportStore(connection: Connection, target: string): Exported {
  const source = createSource(connection);
  const file = openSync(target, 'w', 0o600);
  try {
    writeSync(file, `{"belfry":1,"exportedAt":${JSON.stringify(new Date().toISOString())},"jobs":[`);
    const { jobs, idOf } = readJobs(source);
    const writeJob = listWriter(file);
    for (const job of jobs) writeJob(job);
    writeSync(file, '],"runs":[');
    const writeRun = listWriter(file);
    let runCount = 0;
    const scheduleIds = readIds(source, 'schedules');
    source.walk('runs', RUN_COLUMNS, (row) => {
      writeRun(
        runOf(row, { jobId: idOf(row.job_key), scheduleId: scheduleIds.get(row.schedule_key) ?? null }),
      );
      runCount += 1;
    });
    writeSync(file, `],"gapCount":${source.gapCount()}}\n`);
    fsyncSync(file);
    return { jobCount: jobs.length, runCount, gapCount: source.gapCount() };
  } finally {
    closeSync(file);
  }
}

type Source = {
  /** Columns that an older store has not got are left out of its rows. */
  walk(table: string, columns: readonly string[], take: (row: Row) => void): void;
  /** So far. */
  gapCount(): number;
};

function createSource(connection: Connection): Source {
  let gapCount = 0;
  return {
    walk: (name, wanted, take) => {
      const present = connection.all(`SELECT name FROM pragma_table_info('${name}')`).map((row) => row.name);
      const columns = wanted.filter((column) => present.includes(column));
      if (columns.length === 0) return;
      gapCount += walkTable(connection, { name, columns, key: ['rowid'], isNumbered: true }, (rows) => {
        for (const row of rows) take(row);
      });
    },
    gapCount: () => gapCount,
  };
}

function listWriter(file: number): (value: unknown) => void {
  let isFirst = true;
  return (value) => {
    writeSync(file, `${isFirst ? '' : ','}\n${JSON.stringify(value)}`);
    isFirst = false;
  };
}

type Revision = { readonly number: number; readonly definition: unknown; readonly isEnabled: boolean };

/** Jobs whose definition alone was found have no id; those whose definition was lost have none. */
function readJobs(source: Source): { jobs: unknown[]; idOf: (key: unknown) => string | null } {
  const rows = new Map<unknown, Row>();
  source.walk('jobs', ['key', 'id', 'revision', 'name', 'created_at', 'deleted_at'], (row) => {
    rows.set(row.key, row);
  });
  const revisions = new Map<unknown, Revision>();
  source.walk('job_revisions', ['job_key', 'revision', 'definition', 'is_enabled'], (row) => {
    const current = rows.get(row.job_key)?.revision ?? null;
    const number = Number(row.revision);
    const known = revisions.get(row.job_key)?.number ?? 0;
    // The one that is in force, or else the newest that is left.
    if (known !== current && (number === current || number > known)) {
      revisions.set(row.job_key, { number, definition: row.definition, isEnabled: row.is_enabled === 1 });
    }
  });
  const keys = [...new Set([...rows.keys(), ...revisions.keys()])].sort((a, b) => Number(a) - Number(b));
  return {
    jobs: keys.map((key) => jobOf(rows.get(key), revisions.get(key))),
    idOf: (key) => idOrNull(rows.get(key)?.id),
  };
}

const jobOf = (row: Row | undefined, revision: Revision | undefined) => ({
  id: idOrNull(row?.id),
  name: row?.name ?? null,
  createdAt: row?.created_at ?? null,
  deletedAt: row?.deleted_at ?? null,
  isEnabled: revision?.isEnabled ?? false,
  definition: revision === undefined ? null : parsed(revision.definition),
});

function readIds(source: Source, table: string): Map<unknown, string | null> {
  const ids = new Map<unknown, string | null>();
  source.walk(table, ['key', 'id'], (row) => ids.set(row.key, idOrNull(row.id)));
  return ids;
}

const RUN_COLUMNS = [
  ...['id', 'job_key', 'schedule_key', 'trigger', 'state', 'outcome', 'reason', 'detail', 'planned_at'],
  ...['queued_at', 'started_at', 'ended_at', 'duration_ms', 'exit_code', 'signal'],
];

const runOf = (row: Row, ids: { jobId: string | null; scheduleId: string | null }) => ({
  id: idOrNull(row.id),
  jobId: ids.jobId,
  trigger: row.trigger,
  state: row.state,
  outcome: row.outcome,
  reason: row.reason,
  detail: row.detail,
  scheduleId: ids.scheduleId,
  plannedAt: row.planned_at,
  queuedAt: row.queued_at,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  durationMs: row.duration_ms,
  exitCode: row.exit_code,
  signal: row.signal,
});

/** null for one that damage has shortened or lengthened. */
const idOrNull = (bytes: unknown): string | null =>
  bytes instanceof Uint8Array && bytes.length === ID_BYTES
    ? idFromHex(Buffer.from(bytes).toString('hex'))
    : null;

const ID_BYTES = 16;

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}
