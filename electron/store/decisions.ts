/**
 * What became of each occurrence, once (D3). Single occurrences and ranges never overlap, so the row that covers an instant
 * is always the newest one that begins at or before it.
 */

import { Decision } from '../../shared/model/run';
import { BugError } from '../../shared/result';
import type { DecisionReader, DecisionWriter } from '../ports';
import type { Row, Sql } from './connection';
import { checkedIn, checkedOut, idFromHex, idFromHexOrNull } from './rows';
import { recordDecision } from './stats';

export const DECISION_COLUMNS = `
  hex(s.id) AS scheduleId, d.planned_at AS plannedAt, d.until_at AS untilAt, d.count, d.kind, d.reason,
  d.miss_cause AS missCause, hex(d.run_id) AS runId, d.decided_at AS decidedAt`;

/** Takes the columns above; others are left out. */
export function decisionFromRow(row: Row): Decision {
  const { plannedAt, untilAt, count, kind, reason, missCause, decidedAt } = row;
  const scheduleId = idFromHex(row.scheduleId);
  const runId = idFromHexOrNull(row.runId);
  return checkedOut(
    Decision,
    { scheduleId, plannedAt, untilAt, count, kind, reason, missCause, runId, decidedAt },
    `a decision about schedule ${scheduleId}`,
  );
}

const INSERT = `
  INSERT INTO decisions (
    schedule_key, planned_at, until_at, count, kind, reason, miss_cause, job_key, run_id, decided_at
  )
  VALUES (
    :scheduleKey, :plannedAt, :untilAt, :count, :kind, :reason, :missCause, :jobKey, unhex(:runId, '-'), :decidedAt
  )`;

export function createDecisionReader(sql: Sql): DecisionReader {
  return {
    async at(scheduleId, plannedAt) {
      const row = sql.get(
        `SELECT ${DECISION_COLUMNS}
         FROM decisions AS d JOIN schedules AS s ON s.key = d.schedule_key
         WHERE s.id = unhex(?, '-') AND d.planned_at <= ?
         ORDER BY d.planned_at DESC
         LIMIT 1`,
        [scheduleId, plannedAt],
      );
      if (row === undefined) return null;
      const decision = decisionFromRow(row);
      return decision.untilAt >= plannedAt ? decision : null;
    },
  };
}

export function createDecisionWriter(sql: Sql): DecisionWriter {
  return {
    ...createDecisionReader(sql),
    async insert(decision) {
      return insertDecision(sql, checkedIn(Decision, decision, 'a decision'));
    },
  };
}

function insertDecision(sql: Sql, decision: Decision): boolean {
  const schedule = sql.get(
    `SELECT s.key, s.job_key AS jobKey,
       (SELECT d.until_at FROM decisions AS d
        WHERE d.schedule_key = s.key AND d.planned_at <= :untilAt
        ORDER BY d.planned_at DESC
        LIMIT 1) AS decidedUntilAt
     FROM schedules AS s
     WHERE s.id = unhex(:scheduleId, '-')`,
    { scheduleId: decision.scheduleId, untilAt: decision.untilAt },
  );
  if (schedule === undefined) throw new BugError(`there is no schedule ${decision.scheduleId}`);
  const { decidedUntilAt } = schedule;
  if (typeof decidedUntilAt === 'number' && decidedUntilAt >= decision.plannedAt) return false;
  const jobKey = Number(schedule.jobKey);
  const { plannedAt, untilAt, count, kind, reason, missCause, runId, decidedAt } = decision;
  sql.run(INSERT, {
    ...{ scheduleKey: Number(schedule.key), jobKey, plannedAt, untilAt, count },
    ...{ kind, reason, missCause, runId, decidedAt },
  });
  recordDecision(sql, jobKey, decision);
  return true;
}
