/**
 * What became of each occurrence, once (D3). Single occurrences and ranges never overlap, so the row that covers an instant
 * is always the newest one that begins at or before it.
 */

import type { JobId } from '../../shared/model/job';
import { Decision } from '../../shared/model/run';
import { assert, BugError } from '../../shared/result';
import type { Instant } from '../../shared/time';
import type { DecisionReader, DecisionWriter } from '../ports/store';
import type { Row, Sql } from './connection';
import { checkedIn, checkedOut, idFromHex, idFromHexOrNull } from './rows';
import { forgetDecision, recordDecision } from './stats';

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

/** The newest decision that begins at or before an instant, where the search for what reaches beyond it begins. */
const FIRST_REACHING = `
  ifnull((SELECT max(e.planned_at) FROM decisions AS e WHERE e.schedule_key = s.key AND e.planned_at <= :after), :after)`;

/** The decision that made the run: the run names its occurrence, so no index over all decisions is needed. */
const OWN_DECISION = `
  SELECT ${DECISION_COLUMNS}
  FROM runs AS r
    JOIN decisions AS d ON d.schedule_key = r.schedule_key AND d.planned_at = r.planned_at AND d.run_id = r.id
    JOIN schedules AS s ON s.key = d.schedule_key
  WHERE r.id = unhex(?, '-') AND d.kind = 'run'`;

const MERGED_DECISIONS = `
  SELECT ${DECISION_COLUMNS}
  FROM decisions AS d JOIN schedules AS s ON s.key = d.schedule_key
  WHERE d.run_id = unhex(?, '-') AND d.kind = 'merge'
  ORDER BY d.planned_at, d.schedule_key`;

/** What the run answers, from old to new. */
export const decisionsOfRun = (sql: Sql, runId: string): Decision[] =>
  [OWN_DECISION, MERGED_DECISIONS]
    .flatMap((text) => sql.all(text, [runId]))
    .map(decisionFromRow)
    .sort((a, b) => a.plannedAt - b.plannedAt);

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
    async between(scheduleId, { after, until, max }) {
      const rows = sql.all(
        `SELECT ${DECISION_COLUMNS}
         FROM schedules AS s JOIN decisions AS d ON d.schedule_key = s.key
         WHERE s.id = unhex(:scheduleId, '-') AND d.until_at > :after AND d.planned_at <= :until
           AND d.planned_at >= ${FIRST_REACHING}
         ORDER BY d.planned_at DESC
         LIMIT :max`,
        { scheduleId, after, until, max },
      );
      return rows.map(decisionFromRow);
    },
    async ofRun(runId) {
      return decisionsOfRun(sql, runId);
    },
    async unrunAfter(after) {
      const rows = sql.all(
        `SELECT hex(j.id) AS jobId, ${DECISION_COLUMNS}
         FROM schedules AS s JOIN decisions AS d ON d.schedule_key = s.key JOIN jobs AS j ON j.key = s.job_key
         WHERE s.watermark_at > :after AND d.until_at > :after AND d.kind <> 'run'
           AND d.planned_at >= ${FIRST_REACHING}
         ORDER BY d.schedule_key, d.planned_at`,
        { after },
      );
      return rows.map((row) => ({ jobId: idFromHex(row.jobId) as JobId, decision: decisionFromRow(row) }));
    },
  };
}

export function createDecisionWriter(sql: Sql): DecisionWriter {
  return {
    ...createDecisionReader(sql),
    async insert(decision) {
      return insertDecision(sql, checkedIn(Decision, decision, 'a decision'));
    },
    async reopen(decision, kept) {
      reopenDecision(sql, decision, kept);
    },
  };
}

/** False if something of it is decided already. */
export function insertDecision(sql: Sql, decision: Decision): boolean {
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

function reopenDecision(
  sql: Sql,
  decision: Decision,
  kept: { readonly untilAt: Instant; readonly count: number } | null,
): void {
  const { scheduleId, plannedAt, untilAt, count, runId } = decision;
  const key = { scheduleId, plannedAt, untilAt, count };
  const where = `
    schedule_key = (SELECT key FROM schedules WHERE id = unhex(:scheduleId, '-'))
    AND planned_at = :plannedAt AND until_at = :untilAt AND count = :count AND kind <> 'run'`;
  assert(kept === null || (kept.untilAt < untilAt && kept.count < count), 'what is reopened becomes smaller');
  const changed =
    kept === null
      ? sql.run(`DELETE FROM decisions WHERE ${where}`, key)
      : sql.run(`UPDATE decisions SET until_at = :keptUntilAt, count = :keptCount WHERE ${where}`, {
          ...key,
          keptUntilAt: kept.untilAt,
          keptCount: kept.count,
        });
  assert(changed === 1, 'only a stored merge or skip can be reopened');
  if (kept === null) forgetDecision(sql, decision);
  if (runId === null) return;
  sql.run(`UPDATE runs SET merged_count = max(0, merged_count - ?) WHERE id = unhex(?, '-')`, [
    count - (kept?.count ?? 0),
    runId,
  ]);
}
