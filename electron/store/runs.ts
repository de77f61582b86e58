/**
 * Runs, from the queue to their end. Each change of state takes the states it may start from out of the table in core, and
 * says in the same statement that the lease still holds (D4, D11).
 */

import { z } from 'zod';
import { AttemptId, EndReason, Outcome, Run, RunId, type RunState } from '../../shared/model/run';
import { assert } from '../../shared/result';
import { Instant } from '../../shared/time';
import type { Fence } from '../core/lease';
import { runTransitions, statesBefore } from '../core/runs';
import type { RunReader, RunWriter } from '../ports/store';
import { createActiveRunReader } from './activeRuns';
import {
  attemptsOf,
  closeAttempt,
  insertAttempt,
  lostAttempts,
  openAttempts,
  recordProcess,
  takeOver,
} from './attempts';
import type { Sql } from './connection';
import { findRuns } from './findRuns';
import { historyOf } from './history';
import type { JobWordCache } from './jobWords';
import { FENCE_HOLDS, fenceParameters } from './leases';
import { checkedIn } from './rows';
import { readCounts } from './runCounts';
import { runFromRow, SELECT_RUNS } from './runRows';
import { recordEnd } from './stats';
import { createWaitingRunWriter } from './waitingRuns';

/** Longer details are cut: a text that no longer fits must not keep a run from being finished (X-50, X-51). */
const DETAIL_LENGTH_MAX = 2_000;

/** No more runs than this are queued after one and end before it: the caps of the overlap policies are far below. */
const QUEUED_BEFORE_MAX = 1_000;

const Start = z.object({
  runId: RunId,
  attemptId: AttemptId,
  number: z.number().int().min(1),
  startedAt: Instant,
});

const End = z.object({
  runId: RunId,
  attemptId: AttemptId,
  outcome: Outcome,
  reason: EndReason.nullable(),
  detail: z.string().nullable(),
  exitCode: z.number().int().nullable(),
  signal: z.string().max(40).nullable(),
  endedAt: Instant,
  durationMs: z.number().int().min(0).nullable(),
  outputBytes: z.number().int().min(0),
  wasAdopted: z.boolean(),
});

const Requeue = End.pick({
  runId: true,
  attemptId: true,
  outcome: true,
  reason: true,
  exitCode: true,
  signal: true,
  endedAt: true,
}).extend({ notBeforeAt: Instant.nullable() });

const Closing = z.object({
  outcome: Outcome.extract(['cancelled', 'failed', 'abandoned']),
  reason: EndReason,
  detail: z.string().nullable(),
  endedAt: Instant,
});

const mayBecome = (state: RunState): string =>
  `state IN (${statesBefore(runTransitions, state)
    .map((from) => `'${from}'`)
    .join(', ')})`;

/** What an end that was stored answers. */
type EndedRun = Pick<Run, 'trigger' | 'startedAt' | 'detail'> & {
  readonly key: number;
  readonly jobKey: number;
};

export function createRunReader(sql: Sql, jobWords: JobWordCache): RunReader {
  return {
    async get(runId) {
      const row = sql.get(`${SELECT_RUNS} WHERE r.id = unhex(?, '-')`, [runId]);
      return row === undefined ? null : runFromRow(row);
    },
    ...createActiveRunReader(sql),
    async openAttempts() {
      return openAttempts(sql);
    },
    async lostAttempts(query) {
      return lostAttempts(sql, query);
    },
    async attempts(runId) {
      return attemptsOf(sql, runId);
    },
    async plannedCountSince(jobId, since) {
      const row = sql.get(
        `SELECT count(*) AS count FROM runs
         WHERE job_key = (SELECT key FROM jobs WHERE id = unhex(?, '-')) AND queued_at > ?
           AND trigger <> 'test' AND trigger NOT IN ('manual', 'cli')`,
        [jobId, since],
      );
      return Number(row?.count);
    },
    async runningAt(jobId, at) {
      const row = sql.get(
        `${SELECT_RUNS}
         WHERE r.key IN (
             SELECT key FROM runs
             WHERE job_key = (SELECT key FROM jobs WHERE id = unhex(:jobId, '-')) AND queued_at <= :at
               AND trigger <> 'test'
             ORDER BY queued_at DESC, key DESC
             LIMIT :max
           )
           AND r.started_at <= :at AND (r.ended_at IS NULL OR r.ended_at > :at)
         ORDER BY r.queued_at DESC, r.key DESC
         LIMIT 1`,
        { jobId, at, max: QUEUED_BEFORE_MAX },
      );
      return row === undefined ? null : runFromRow(row);
    },
    async find(query, page) {
      return findRuns(sql, jobWords, query, page);
    },
    async counts(span) {
      return readCounts(sql, span);
    },
    async history(jobId, page) {
      return historyOf(sql, jobId, page);
    },
    async recent(jobId, max) {
      return sql
        .all(
          `${SELECT_RUNS}
           WHERE r.job_key = (SELECT key FROM jobs WHERE id = unhex(?, '-'))
             AND r.trigger <> 'test' AND r.state = 'finished'
           ORDER BY r.queued_at DESC, r.key DESC
           LIMIT ?`,
          [jobId, max],
        )
        .map(runFromRow)
        .reverse();
    },
  };
}

export function createRunWriter(sql: Sql, jobWords: JobWordCache): RunWriter {
  return {
    ...createRunReader(sql, jobWords),
    async insert(run) {
      insertRun(sql, checkedIn(Run, run, 'a run'));
    },
    async begin(start, fence) {
      return beginRun(sql, checkedIn(Start, start, 'the start of a run'), fence);
    },
    async recordProcess(attemptId, identity, fence) {
      return recordProcess(sql, attemptId, identity, fence);
    },
    async takeOver(attemptId, fromEpoch, fence) {
      return takeOver(sql, attemptId, fromEpoch, fence);
    },
    async finish(end, fence) {
      return finishRun(sql, checkedIn(End, end, 'the end of a run'), fence);
    },
    async requeue(end, fence) {
      return requeueRun(sql, checkedIn(Requeue, end, 'the end of an attempt'), fence);
    },
    async closeQueued(runId, end) {
      return closeQueued(sql, runId, checkedIn(Closing, end, 'the end of a run'));
    },
    ...createWaitingRunWriter(sql),
  };
}

function insertRun(sql: Sql, run: Run): void {
  assert(run.state === 'queued', 'a new run is queued');
  const inserted = sql.run(
    `INSERT INTO runs (
       id, job_key, revision, trigger, state, schedule_key, planned_at, merged_count, miss_cause, queued_at,
       attempt_count, was_adopted, output_bytes, not_before_at, attempts_max
     )
     SELECT unhex(:id, '-'), key, :revision, :trigger, :state,
       (SELECT key FROM schedules WHERE id = unhex(:scheduleId, '-')),
       :plannedAt, :mergedCount, :missCause, :queuedAt, 0, 0, 0, :notBeforeAt, :attemptsMax
     FROM jobs
     WHERE id = unhex(:jobId, '-')`,
    {
      id: run.id,
      jobId: run.jobId,
      revision: run.revision,
      trigger: run.trigger,
      state: run.state,
      scheduleId: run.scheduleId,
      plannedAt: run.plannedAt,
      mergedCount: run.mergedCount,
      missCause: run.missCause,
      queuedAt: run.queuedAt,
      notBeforeAt: run.notBeforeAt,
      attemptsMax: run.attemptsMax,
    },
  );
  assert(inserted === 1, `there is no job ${run.jobId}`);
}

function beginRun(sql: Sql, start: z.output<typeof Start>, fence: Fence): boolean {
  const { runId, attemptId, number, startedAt } = start;
  // A run that is tried again keeps the moment at which it first started.
  const run = sql.get(
    `UPDATE runs
     SET state = 'running', started_at = ifnull(started_at, :startedAt), attempt_count = :number
     WHERE id = unhex(:runId, '-') AND ${mayBecome('running')} AND ${FENCE_HOLDS}
     RETURNING key`,
    { runId, number, startedAt, ...fenceParameters(fence) },
  );
  if (run === undefined) return false;
  insertAttempt(sql, { runKey: Number(run.key), attemptId, number, epoch: fence.epoch, startedAt });
  return true;
}

function finishRun(sql: Sql, end: z.output<typeof End>, fence: Fence): boolean {
  if (!closeAttempt(sql, end, fence)) return false;
  const run = sql.get(
    `UPDATE runs
     SET state = 'finished', outcome = :outcome, reason = :reason, detail = :detail, exit_code = :exitCode,
       signal = :signal, ended_at = :endedAt, duration_ms = :durationMs, output_bytes = :outputBytes,
       was_adopted = :wasAdopted
     WHERE id = unhex(:runId, '-') AND ${mayBecome('finished')}
     RETURNING key, job_key AS jobKey, trigger, started_at AS startedAt, detail`,
    {
      runId: end.runId,
      outcome: end.outcome,
      reason: end.reason,
      detail: end.detail === null ? null : cut(end.detail),
      exitCode: end.exitCode,
      signal: end.signal,
      endedAt: end.endedAt,
      durationMs: end.durationMs,
      outputBytes: end.outputBytes,
      wasAdopted: Number(end.wasAdopted),
    },
  );
  assert(run !== undefined, `run ${end.runId} has an open attempt but is not running`);
  recordEnd(sql, { ...end, ...(run as EndedRun) });
  return true;
}

function requeueRun(sql: Sql, end: z.output<typeof Requeue>, fence: Fence): boolean {
  if (!closeAttempt(sql, end, fence)) return false;
  const changed = sql.run(
    `UPDATE runs SET state = 'queued', not_before_at = ? WHERE id = unhex(?, '-') AND ${mayBecome('queued')}`,
    [end.notBeforeAt, end.runId],
  );
  assert(changed === 1, `run ${end.runId} has an open attempt but is not running`);
  return true;
}

/**
 * A run with an open attempt is not in the queue: only its attempt's holder may end it. One that waited for another attempt
 * keeps what the last one told.
 */
function closeQueued(sql: Sql, runId: RunId, end: z.output<typeof Closing>): boolean {
  const { outcome, reason, detail, endedAt } = end;
  const run = sql.get(
    `UPDATE runs
     SET state = 'finished', outcome = :outcome, reason = :reason, detail = :detail, ended_at = :endedAt,
       (exit_code, signal) = (
         SELECT exit_code, signal FROM attempts WHERE run_key = runs.key ORDER BY number DESC LIMIT 1
       )
     WHERE id = unhex(:runId, '-') AND ${mayBecome('finished')}
       AND NOT EXISTS (SELECT 1 FROM attempts WHERE run_key = runs.key AND attempts.ended_at IS NULL)
     RETURNING key, job_key AS jobKey, trigger, started_at AS startedAt, detail, output_bytes AS outputBytes`,
    { runId, outcome, reason, detail: detail === null ? null : cut(detail), endedAt },
  );
  if (run === undefined) return false;
  const { outputBytes } = run as Pick<Run, 'outputBytes'>;
  recordEnd(sql, { ...(run as EndedRun), endedAt, outcome, outputBytes, durationMs: null });
  return true;
}

/** At most DETAIL_LENGTH_MAX characters, and no half of a pair at the end. */
function cut(text: string): string {
  if (text.length <= DETAIL_LENGTH_MAX) return text;
  const isPairSplit = (text.codePointAt(DETAIL_LENGTH_MAX - 1) ?? 0) > 0xffff;
  return `${text.slice(0, DETAIL_LENGTH_MAX - (isPairSplit ? 1 : 0))}…`;
}
