/**
 * What a store is told before it takes the place of another one: from its own time on nobody knows what has happened. What is
 * undecided until now may have run since, so it is skipped with that reason, and what waited is closed (D3, D4).
 */

import type { Instant } from '../../shared/time';
import type { Connection } from './connection';

/** `note` is the sentence that explains it wherever a due time of that span is explained. At most 200 characters. */
export function markRestored(connection: Connection, { at, note }: { at: Instant; note: string }): void {
  connection.exec('BEGIN IMMEDIATE');
  try {
    closeWaiting(connection, at);
    connection.run(
      `INSERT INTO pauses (id, scope, note, cause, since_at, ended_at)
       SELECT unhex(hex(randomblob(6)) || '4' || substr(hex(randomblob(2)), 2) || '8' || substr(hex(randomblob(2)), 2)
           || hex(randomblob(6))),
         'all', :note, 'restored', min(:at, ifnull(min(min(watermark_at, ifnull(owed_since, watermark_at))), :at)), :at
       FROM schedules
       WHERE removed_at IS NULL`,
      { note, at },
    );
    connection.run('UPDATE leases SET holder_id = NULL');
    // What a check found belongs to another file.
    connection.run(`DELETE FROM settings WHERE key = 'last_check'`);
    connection.run(
      `INSERT INTO settings (key, value) VALUES ('alive_at', :at)
       ON CONFLICT (key) DO UPDATE SET value = CAST(max(CAST(value AS INTEGER), CAST(:at AS INTEGER)) AS TEXT)`,
      { at: String(at) },
    );
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

/** Attempts that were going on are left to recovery: their own files tell how they ended. */
function closeWaiting(connection: Connection, at: Instant): void {
  const closed = connection.all(
    `UPDATE runs
     SET state = 'finished', outcome = 'abandoned', reason = 'data_restored', ended_at = :at
     WHERE state = 'queued'
       AND NOT EXISTS (SELECT 1 FROM attempts AS a WHERE a.run_key = runs.key AND a.ended_at IS NULL)
     RETURNING job_key AS jobKey, trigger`,
    { at },
  );
  for (const { jobKey, trigger } of closed) {
    if (trigger === 'test') continue;
    connection.run('UPDATE job_stats SET run_count = run_count + 1 WHERE job_key = ?', [Number(jobKey)]);
    connection.run(
      `INSERT INTO day_counts (day, outcome, count, duration_ms) VALUES (CAST(? AS INTEGER) / 86400000, 'abandoned', 1, 0)
       ON CONFLICT (day, outcome) DO UPDATE SET count = count + 1`,
      [at],
    );
  }
}
