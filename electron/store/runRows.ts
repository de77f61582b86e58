/** A run as it lies in the store. */

import { Run } from '../../shared/model/run';
import type { Row } from './connection';
import { checkedOut, idFromHex, idFromHexOrNull, jsonFrom } from './rows';

/** Every caller adds its own WHERE. `key` orders runs that were queued in the same millisecond. */
export const SELECT_RUNS = `
  SELECT r.key, hex(r.id) AS id, hex(j.id) AS jobId, j.name AS jobName, r.revision, r.trigger, r.state, r.outcome, r.reason, r.detail,
    hex(s.id) AS scheduleId, r.planned_at AS plannedAt, r.merged_count AS mergedCount, r.miss_cause AS missCause,
    r.queued_at AS queuedAt, r.started_at AS startedAt, r.ended_at AS endedAt, r.duration_ms AS durationMs,
    r.exit_code AS exitCode, r.signal, r.attempt_count AS attemptCount, r.was_adopted AS wasAdopted,
    r.output_bytes AS outputBytes, r.output_removed_at AS outputRemovedAt, r.not_before_at AS notBeforeAt, r.attempts_max AS attemptsMax, r.waits
  FROM runs AS r
    JOIN jobs AS j ON j.key = r.job_key
    LEFT JOIN schedules AS s ON s.key = r.schedule_key`;

export function runFromRow(row: Row): Run {
  const { key: _, jobName: __, waits, ...columns } = row;
  const id = idFromHex(row.id);
  return checkedOut(
    Run,
    {
      ...columns,
      id,
      jobId: idFromHex(row.jobId),
      scheduleId: idFromHexOrNull(row.scheduleId),
      wasAdopted: row.wasAdopted === 1,
      waits: waits === null ? [] : jsonFrom(waits, `what run ${id} waited for`),
    },
    `run ${id}`,
  );
}
