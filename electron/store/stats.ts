/** Facts per job, kept in the transaction of what they count, so that no list reads history. */

import { z } from 'zod';
import type { JobId } from '../../shared/model/job';
import type { Decision, Run } from '../../shared/model/run';
import { SparkSlot } from '../../shared/model/spark';
import { Instant } from '../../shared/time';
import { appendSlot, slotOfDecision, slotOfRun } from '../core/spark';
import type { JobStats } from '../ports';
import type { Row, Sql } from './connection';
import { checkedOut, idFromHex, jsonFrom } from './rows';

const Slots = z.array(SparkSlot);
const Times = z.strictObject({
  lastRunAt: Instant.nullable(),
  seenAt: Instant.nullable(),
  newestAt: Instant.nullable(),
});

const SELECT_STATS = `
  SELECT hex(jobs.id) AS id, run_count AS runCount, slots, last_run_at AS lastRunAt, seen_at AS seenAt,
    newest_at AS newestAt
  FROM job_stats JOIN jobs ON jobs.key = job_stats.job_key`;

function statsFromRow(row: Row): JobStats {
  const jobId = idFromHex(row.id) as JobId;
  const what = `the statistics of job ${jobId}`;
  const { lastRunAt, seenAt, newestAt } = row;
  return {
    jobId,
    runCount: Number(row.runCount),
    slots: checkedOut(Slots, jsonFrom(row.slots, what), what),
    ...checkedOut(Times, { lastRunAt, seenAt, newestAt }, what),
  };
}

/** All zero for a job that is unknown. */
export function statsOf(sql: Sql, jobId: JobId): JobStats {
  const row = sql.get(`${SELECT_STATS} WHERE jobs.id = unhex(?, '-')`, [jobId]);
  if (row !== undefined) return statsFromRow(row);
  return { jobId, runCount: 0, slots: [], lastRunAt: null, seenAt: null, newestAt: null };
}

export function allStats(sql: Sql): Map<JobId, JobStats> {
  return new Map(
    sql
      .all(SELECT_STATS)
      .map(statsFromRow)
      .map((stats) => [stats.jobId, stats]),
  );
}

/** A run that has ended. Test runs count nowhere. */
export function recordEnd(
  sql: Sql,
  jobKey: number,
  run: Pick<Run, 'trigger' | 'outcome' | 'durationMs' | 'startedAt'> & { readonly endedAt: Instant },
): void {
  if (run.trigger === 'test') return;
  addSlot(sql, jobKey, slotOfRun(run), run.endedAt);
  sql.run(
    `UPDATE job_stats
     SET run_count = run_count + 1, last_run_at = ifnull(?, last_run_at), last_ended_at = ?
     WHERE job_key = ?`,
    [run.startedAt, run.endedAt, jobKey],
  );
}

export function recordDecision(sql: Sql, jobKey: number, decision: Decision): void {
  const slot = slotOfDecision(decision);
  if (slot !== null) addSlot(sql, jobKey, slot, decision.decidedAt);
}

function addSlot(sql: Sql, jobKey: number, slot: SparkSlot, at: Instant): void {
  const row = sql.get('SELECT slots FROM job_stats WHERE job_key = ?', [jobKey]);
  const slots = Slots.safeParse(jsonFrom(row?.slots, 'the marks of a job')).data ?? [];
  sql.run('UPDATE job_stats SET slots = ?, newest_at = ? WHERE job_key = ?', [
    JSON.stringify(appendSlot(slots, slot)),
    at,
    jobKey,
  ]);
}
