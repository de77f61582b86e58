/** A run as it lies in the store. */

import { EndReason, MissCause, Outcome, Run, RunState, Trigger } from '../../shared/model/run';
import type { Row } from './connection';
import { checkedOut, idFromHex, idFromHexOrNull, jsonFrom } from './rows';

/** Every caller adds its own WHERE. `key` orders runs that were queued in the same millisecond. */
export const SELECT_RUNS = `
  SELECT r.key, hex(r.id) AS id, hex(j.id) AS jobId, j.name AS jobName, r.revision, r.trigger, r.state, r.outcome,
    r.reason, r.detail, hex(s.id) AS scheduleId, r.planned_at AS plannedAt, r.merged_count AS mergedCount,
    r.miss_cause AS missCause, r.queued_at AS queuedAt, r.started_at AS startedAt, r.ended_at AS endedAt,
    r.duration_ms AS durationMs, r.exit_code AS exitCode, r.signal, r.attempt_count AS attemptCount,
    r.was_adopted AS wasAdopted, r.output_bytes AS outputBytes, r.output_removed_at AS outputRemovedAt,
    r.not_before_at AS notBeforeAt, r.attempts_max AS attemptsMax, r.waits
  FROM runs AS r
    JOIN jobs AS j ON j.key = r.job_key
    LEFT JOIN schedules AS s ON s.key = r.schedule_key`;

export function runFromRow(row: Row): Run {
  const { waits } = row;
  const id = idFromHex(row.id);
  // Written out: spreading a row of so many columns takes longer than reading it from the disk.
  const run = {
    id,
    jobId: idFromHex(row.jobId),
    revision: row.revision,
    trigger: row.trigger,
    state: row.state,
    outcome: row.outcome,
    reason: row.reason,
    detail: row.detail,
    scheduleId: idFromHexOrNull(row.scheduleId),
    plannedAt: row.plannedAt,
    mergedCount: row.mergedCount,
    missCause: row.missCause,
    queuedAt: row.queuedAt,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    durationMs: row.durationMs,
    exitCode: row.exitCode,
    signal: row.signal,
    attemptCount: row.attemptCount,
    wasAdopted: row.wasAdopted === 1,
    outputBytes: row.outputBytes,
    outputRemovedAt: row.outputRemovedAt,
    notBeforeAt: row.notBeforeAt,
    attemptsMax: row.attemptsMax,
    waits: waits === null ? [] : jsonFrom(waits, `what run ${id} waited for`),
  };
  return waits === null && isSound(row) ? (run as unknown as Run) : checkedOut(Run, run, `run ${id}`);
}

const COUNTS = ['revision', 'mergedCount', 'queuedAt', 'attemptCount', 'outputBytes'];
const NULLABLE_COUNTS = ['plannedAt', 'startedAt', 'endedAt', 'durationMs', 'outputRemovedAt', 'notBeforeAt'];
const WORDS: readonly (readonly [column: string, words: ReadonlySet<unknown>])[] = [
  ['trigger', new Set(Trigger.options)],
  ['state', new Set(RunState.options)],
  ['outcome', new Set([null, ...Outcome.options])],
  ['reason', new Set([null, ...EndReason.options])],
  ['missCause', new Set([null, ...MissCause.options])],
];

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';

/**
 * What the schema of a run asks of these columns, by hand: a list shows hundreds of runs, and the schema takes twenty times
 * as long. Whatever is not sound here is left to the schema, which says what is wrong.
 */
const isSound = (row: Row): boolean =>
  COUNTS.every((column) => isCount(row[column])) &&
  NULLABLE_COUNTS.every((column) => row[column] === null || isCount(row[column])) &&
  WORDS.every(([column, words]) => words.has(row[column])) &&
  Number.isSafeInteger(row.attemptsMax) &&
  Number(row.attemptsMax) >= 1 &&
  (row.exitCode === null || Number.isSafeInteger(row.exitCode)) &&
  isTextOrNull(row.detail) &&
  isTextOrNull(row.signal);
