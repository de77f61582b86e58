/**
 * Runs that have not ended. There may be thousands, and questions about them are asked at every status and every step, so
 * all but `active` and `activeOf` are answered from the index alone, and nothing is read that is not asked for.
 */

import { Wait } from '../../shared/model/condition';
import type { JobId } from '../../shared/model/job';
import type { ActiveRun, RunReader } from '../ports/store';
import type { Row, Sql } from './connection';
import { idFromHex } from './rows';
import { runFromRow, SELECT_RUNS } from './runRows';

// The index is named, so that SQLite refuses the statement should it ever not fit.
const ACTIVE_OF_JOB = `
  INDEXED BY runs_active
  WHERE job_key = (SELECT key FROM jobs WHERE id = unhex(?, '-')) AND state <> 'finished'`;

export function createActiveRunReader(
  sql: Sql,
): Pick<RunReader, 'active' | 'activeCounts' | 'activeByJob' | 'activeOf' | 'isActive'> {
  return {
    async active() {
      return sql
        .all(`${SELECT_RUNS} WHERE r.state <> 'finished' ORDER BY r.queued_at, r.key`)
        .map(runFromRow);
    },
    async activeCounts() {
      const row = sql.get(
        `SELECT count(*) AS active, count(*) FILTER (WHERE state = 'running') AS running
         FROM runs INDEXED BY runs_active
         WHERE state <> 'finished'`,
      );
      const running = Number(row?.running);
      return { running, queued: Number(row?.active) - running };
    },
    async activeByJob() {
      // Of several runs of a job the newest comes last and stays.
      const rows = sql.all(
        `SELECT hex(j.id) AS id, r.state, r.queued_at AS queuedAt, r.started_at AS startedAt,
           r.not_before_at AS notBeforeAt, r.attempt_count AS attemptCount, r.attempts_max AS attemptsMax,
           CASE WHEN json_valid(r.waits) THEN r.waits -> '$[#-1]' END AS wait
         FROM runs AS r INDEXED BY runs_active JOIN jobs AS j ON j.key = r.job_key
         WHERE r.state <> 'finished'
         ORDER BY r.job_key, r.queued_at, r.key`,
      );
      return new Map(rows.map((row) => [idFromHex(row.id) as JobId, activeFromRow(row)]));
    },
    async activeOf(jobId) {
      return sql
        .all(
          `${SELECT_RUNS}
           WHERE r.key IN (SELECT key FROM runs ${ACTIVE_OF_JOB})
           ORDER BY r.queued_at, r.key`,
          [jobId],
        )
        .map(runFromRow);
    },
    async isActive(jobId) {
      return sql.get(`SELECT 1 FROM runs ${ACTIVE_OF_JOB} LIMIT 1`, [jobId]) !== undefined;
    },
  };
}

/** The types are those of the STRICT columns, and the CHECKs of the schema hold for the states. */
const activeFromRow = ({ wait, ...row }: Row): ActiveRun => {
  const { state, queuedAt, startedAt, notBeforeAt, attemptCount, attemptsMax } = row as Omit<
    ActiveRun,
    'wait'
  >;
  return { state, queuedAt, startedAt, notBeforeAt, attemptCount, attemptsMax, wait: openWait(wait) };
};

/** The newest wait if it goes on; one that cannot be read is not worth a list that cannot be shown. */
function openWait(text: unknown): Wait | null {
  if (typeof text !== 'string') return null;
  const wait = Wait.safeParse(JSON.parse(text)).data;
  return wait === undefined || wait.endedAt !== null ? null : wait;
}
