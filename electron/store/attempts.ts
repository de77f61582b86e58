/**
 * Attempts: which process does the work of a run, and under which lease. Every write names the epoch, so a holder that slept
 * through its lease changes nothing (D11).
 */

import { z } from 'zod';
import { JobId } from '../../shared/model/job';
import { Attempt, AttemptId, type Outcome, RunId } from '../../shared/model/run';
import { Instant } from '../../shared/time';
import type { Fence } from '../core/lease';
import type { ProcessIdentity } from '../ports/running';
import type { LostAttempt, OpenAttempt } from '../ports/store';
import type { Row, Sql } from './connection';
import { FENCE_HOLDS, fenceParameters } from './leases';
import { checkedIn, checkedOut, idFromHex } from './rows';

const Identity = z.strictObject({
  nodeId: z.string().min(1).max(100),
  bootId: z.string().min(1).max(256).nullable(),
  pid: z.number().int().positive(),
  processGroup: z.number().int().positive(),
  processStart: z.string().min(1).max(256).nullable(),
});

const StoredAttempt = z.strictObject({
  attemptId: AttemptId,
  runId: RunId,
  jobId: JobId,
  number: z.number().int(),
  epoch: z.number().int(),
  startedAt: Instant,
  identity: Identity.nullable(),
});

const StoredLostAttempt = StoredAttempt.pick({
  attemptId: true,
  runId: true,
  jobId: true,
  identity: true,
}).extend({ hasLateResult: z.boolean() });

const SELECT_WITH_PROCESS = `
  SELECT hex(a.id) AS attemptId, hex(r.id) AS runId, hex(j.id) AS jobId, a.number, a.epoch,
    a.started_at AS startedAt, n.id AS nodeId, b.boot_id AS bootId, a.pid,
    a.process_group AS processGroup, a.process_start AS processStart, a.late_recorded_at AS lateRecordedAt
  FROM attempts AS a
    JOIN runs AS r ON r.key = a.run_key
    JOIN jobs AS j ON j.key = r.job_key
    LEFT JOIN boots AS b ON b.key = a.boot_key
    LEFT JOIN nodes AS n ON n.key = b.node_key`;

/** An attempt that is open and belongs to this lease, which still holds. */
const IS_OURS = `id = unhex(:attemptId, '-') AND ended_at IS NULL AND epoch = :fenceEpoch AND ${FENCE_HOLDS}`;

export function openAttempts(sql: Sql): OpenAttempt[] {
  return sql
    .all(
      `${SELECT_WITH_PROCESS}
       WHERE a.ended_at IS NULL
       ORDER BY a.started_at, a.run_key`,
    )
    .map(attemptFromRow);
}

/** Newest first. */
export function lostAttempts(
  sql: Sql,
  { jobId, after, max }: { readonly jobId: JobId | null; readonly after: Instant; readonly max: number },
): LostAttempt[] {
  return sql
    .all(
      `${SELECT_WITH_PROCESS}
       WHERE a.outcome = 'abandoned' AND a.ended_at >= :after AND (:jobId IS NULL OR j.id = unhex(:jobId, '-'))
       ORDER BY a.ended_at DESC, a.run_key DESC, a.number DESC
       LIMIT :max`,
      { jobId, after, max },
    )
    .map((row) => {
      const attempt = {
        attemptId: idFromHex(row.attemptId),
        runId: idFromHex(row.runId),
        jobId: idFromHex(row.jobId),
        identity: identityFrom(row),
        hasLateResult: row.lateRecordedAt !== null,
      };
      return checkedOut(StoredLostAttempt, attempt, `attempt ${attempt.attemptId}`);
    });
}

const identityFrom = ({ nodeId, bootId, pid, processGroup, processStart }: Row) =>
  pid === null ? null : { nodeId, bootId, pid, processGroup, processStart };

function attemptFromRow(row: Row): OpenAttempt {
  const { number, epoch, startedAt } = row;
  const attemptId = idFromHex(row.attemptId);
  const identity = identityFrom(row);
  return checkedOut(
    StoredAttempt,
    {
      attemptId,
      runId: idFromHex(row.runId),
      jobId: idFromHex(row.jobId),
      number,
      epoch,
      startedAt,
      identity,
    },
    `attempt ${attemptId}`,
  );
}

export function insertAttempt(
  sql: Sql,
  attempt: { runKey: number; attemptId: AttemptId; number: number; epoch: number; startedAt: Instant },
): void {
  sql.run(
    `INSERT INTO attempts (run_key, number, id, epoch, started_at)
     VALUES (:runKey, :number, unhex(:attemptId, '-'), :epoch, :startedAt)`,
    attempt,
  );
}

export function recordProcess(
  sql: Sql,
  attemptId: AttemptId,
  process: ProcessIdentity,
  fence: Fence,
): boolean {
  const { nodeId, bootId, pid, processGroup, processStart } = checkedIn(Identity, process, 'a process');
  sql.run('INSERT INTO nodes (id) VALUES (?) ON CONFLICT DO NOTHING', [nodeId]);
  sql.run(
    `INSERT INTO boots (node_key, boot_id)
     VALUES ((SELECT key FROM nodes WHERE id = ?), ?)
     ON CONFLICT DO NOTHING`,
    [nodeId, bootId],
  );
  const changed = sql.run(
    `UPDATE attempts
     SET pid = :pid, process_group = :processGroup, process_start = :processStart, boot_key = (
       SELECT b.key FROM boots AS b JOIN nodes AS n ON n.key = b.node_key
       WHERE n.id = :nodeId AND b.boot_id IS :bootId
     )
     WHERE ${IS_OURS}`,
    { attemptId, nodeId, bootId, pid, processGroup, processStart, ...fenceParameters(fence) },
  );
  return changed === 1;
}

export function takeOver(sql: Sql, attemptId: AttemptId, fromEpoch: number, fence: Fence): boolean {
  const changed = sql.run(
    `UPDATE attempts SET epoch = :fenceEpoch
     WHERE id = unhex(:attemptId, '-') AND ended_at IS NULL AND epoch = :fromEpoch AND ${FENCE_HOLDS}`,
    { attemptId, fromEpoch, ...fenceParameters(fence) },
  );
  return changed === 1;
}

export type AttemptEnding = {
  readonly runId: RunId;
  readonly attemptId: AttemptId;
  readonly outcome: Outcome;
  readonly reason: string | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly endedAt: Instant;
};

/** False if the attempt is not open, not of this run, or not ours to close. */
export function closeAttempt(sql: Sql, end: AttemptEnding, fence: Fence): boolean {
  const { runId, attemptId, outcome, reason, exitCode, signal, endedAt } = end;
  const changed = sql.run(
    `UPDATE attempts
     SET outcome = :outcome, reason = :reason, exit_code = :exitCode, signal = :signal, ended_at = :endedAt
     WHERE ${IS_OURS} AND run_key = (SELECT key FROM runs WHERE id = unhex(:runId, '-'))`,
    { runId, attemptId, outcome, reason, exitCode, signal, endedAt, ...fenceParameters(fence) },
  );
  return changed === 1;
}

/** Attempts of one run, oldest first. */
export function attemptsOf(sql: Sql, runId: RunId): Attempt[] {
  return sql
    .all(
      `SELECT hex(a.id) AS id, a.number, a.started_at AS startedAt, a.ended_at AS endedAt, a.outcome, a.reason,
         a.exit_code AS exitCode, a.signal, a.late_exit_code AS lateExitCode, a.late_signal AS lateSignal,
         a.late_ended_at AS lateEndedAt, a.late_recorded_at AS lateRecordedAt
       FROM runs AS r JOIN attempts AS a ON a.run_key = r.key
       WHERE r.id = unhex(?, '-')
       ORDER BY a.number`,
      [runId],
    )
    .map(({ lateExitCode, lateSignal, lateEndedAt, lateRecordedAt, ...row }) => {
      const id = idFromHex(row.id);
      const late = {
        exitCode: lateExitCode,
        signal: lateSignal,
        endedAt: lateEndedAt,
        recordedAt: lateRecordedAt,
      };
      return checkedOut(
        Attempt,
        { ...row, id, lateResult: lateRecordedAt === null ? null : late },
        `attempt ${id}`,
      );
    });
}

const LateResult = z.object({
  exitCode: z.number().int().nullable(),
  signal: z.string().min(1).max(40).nullable(),
  endedAt: Instant,
  recordedAt: Instant,
});

/** The true end of an attempt that is closed; false if it is open, unknown, or has one. */
export function recordLateResult(
  sql: Sql,
  { runId, attemptId }: { readonly runId: RunId; readonly attemptId: AttemptId },
  result: z.output<typeof LateResult>,
): boolean {
  const { exitCode, signal, endedAt, recordedAt } = checkedIn(LateResult, result, 'a late result');
  const changed = sql.run(
    `UPDATE attempts
     SET late_exit_code = :exitCode, late_signal = :signal, late_ended_at = :endedAt, late_recorded_at = :recordedAt
     WHERE run_key = (SELECT key FROM runs WHERE id = unhex(:runId, '-')) AND id = unhex(:attemptId, '-')
       AND ended_at IS NOT NULL AND late_recorded_at IS NULL`,
    { runId, attemptId, exitCode, signal, endedAt, recordedAt },
  );
  return changed === 1;
}
