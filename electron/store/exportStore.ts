/** What is readable of a store as one JSON file: jobs with their definitions first, because those are what a person wants back. */

import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { StoreError } from '../core/storeError';
import type { Connection, Row } from './connection';
import { idFromHex, idFromHexOrNull } from './rows';

export type Exported = { readonly jobCount: number; readonly runCount: number };

/** Rows that are read at a time. */
const PORTION = 500;

/** `target` is for the user alone. Rows that cannot be read are left out, and what follows a damaged place may be too. */
export function exportStore(connection: Connection, target: string): Exported {
  const file = openSync(target, 'w', 0o600);
  try {
    writeSync(file, `{"belfry":1,"exportedAt":${JSON.stringify(new Date().toISOString())},"jobs":[`);
    const jobCount = writeRows(file, jobsOf(connection));
    writeSync(file, '],"runs":[');
    const runCount = writeRows(file, runsOf(connection));
    writeSync(file, ']}\n');
    fsyncSync(file);
    return { jobCount, runCount };
  } finally {
    closeSync(file);
  }
}

function writeRows(file: number, rows: Iterable<unknown>): number {
  let count = 0;
  for (const row of rows) {
    writeSync(file, `${count === 0 ? '' : ','}\n${JSON.stringify(row)}`);
    count += 1;
  }
  return count;
}

function* jobsOf(connection: Connection): Iterable<unknown> {
  const text = `
    SELECT j.key, hex(j.id) AS id, j.created_at AS createdAt, j.deleted_at AS deletedAt, r.definition,
      r.is_enabled AS isEnabled
    FROM jobs AS j
      JOIN job_revisions AS r ON r.job_key = j.key AND r.revision = j.revision
    WHERE j.key > :after
    ORDER BY j.key
    LIMIT :limit`;
  for (const row of rowsOf(connection, text, 0)) {
    const { id, createdAt, deletedAt, isEnabled } = row;
    yield {
      ...{ id: idFromHex(id), createdAt, deletedAt, isEnabled: isEnabled === 1 },
      definition: parsed(row.definition),
    };
  }
}

function* runsOf(connection: Connection): Iterable<unknown> {
  const text = `
    SELECT r.key, hex(r.id) AS id, hex(j.id) AS jobId, r.trigger, r.state, r.outcome, r.reason, r.detail,
      hex(s.id) AS scheduleId, r.planned_at AS plannedAt, r.queued_at AS queuedAt, r.started_at AS startedAt,
      r.ended_at AS endedAt, r.duration_ms AS durationMs, r.exit_code AS exitCode, r.signal
    FROM runs AS r
      LEFT JOIN jobs AS j ON j.key = r.job_key
      LEFT JOIN schedules AS s ON s.key = r.schedule_key
    WHERE r.key > :after
    ORDER BY r.key
    LIMIT :limit`;
  for (const { key: _, ...row } of rowsOf(connection, text, 0)) {
    yield {
      ...row,
      id: idFromHex(row.id),
      jobId: idFromHexOrNull(row.jobId),
      scheduleId: idFromHexOrNull(row.scheduleId),
    };
  }
}

/** Until the end, or until the first row that cannot be read. */
function* rowsOf(connection: Connection, text: string, from: number): Iterable<Row> {
  let after = from;
  for (;;) {
    const rows =
      readable(() => connection.all(text, { after, limit: PORTION })) ?? oneByOne(connection, text, after);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = Number(last.key);
  }
}

function oneByOne(connection: Connection, text: string, from: number): Row[] {
  const rows: Row[] = [];
  for (let after = from; ; ) {
    const row = readable(() => connection.get(text, { after, limit: 1 }));
    if (row === undefined || row === null) return rows;
    rows.push(row);
    after = Number(row.key);
  }
}

/** null if the file is damaged there. */
function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof StoreError && error.code === 'corrupt') return null;
    throw error;
  }
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}
