/** Facts per job, kept in the transaction of what they count, so that no list reads history. */

import type { JobId } from '../../shared/model/job';
import type { Decision, Outcome, Run } from '../../shared/model/run';
import { SparkSlot } from '../../shared/model/spark';
import type { Instant } from '../../shared/time';
import { appendSlot, slotOfDecision, slotOfRun } from '../core/spark';
import type { JobStats } from '../ports/store';
import type { Row, Sql } from './connection';
import { idFromHex } from './rows';
import { countEnd } from './runCounts';
import { insertWords } from './runWords';

const SELECT_STATS = `
  SELECT hex(jobs.id) AS id, run_count AS runCount, slots, last_run_at AS lastRunAt, seen_at AS seenAt,
    newest_at AS newestAt
  FROM job_stats JOIN jobs ON jobs.key = job_stats.job_key`;

function statsFromRow(row: Row, jobId: JobId, slots: readonly SparkSlot[]): JobStats {
  // The types are those of the STRICT columns.
  const facts = row as Pick<JobStats, 'runCount' | 'lastRunAt' | 'seenAt' | 'newestAt'>;
  return {
    jobId,
    runCount: facts.runCount,
    slots,
    lastRunAt: facts.lastRunAt,
    seenAt: facts.seenAt,
    newestAt: facts.newestAt,
  };
}

/** All zero for a job that is unknown. */
export function statsOf(sql: Sql, jobId: JobId): JobStats {
  const row = sql.get(`${SELECT_STATS} WHERE jobs.id = unhex(?, '-')`, [jobId]);
  if (row !== undefined) return statsFromRow(row, jobId, slotsFrom(row.slots));
  return { jobId, runCount: 0, slots: [], lastRunAt: null, seenAt: null, newestAt: null };
}

/**
 * The strip of each job with the text that it was read from: a list asks for thousands, of which a few have changed since
 * it was drawn last. The same text gives the same strip, so one that was rolled back does no harm.
 */
export type StripCache = Map<string, { readonly text: unknown; readonly slots: readonly SparkSlot[] }>;

export function allStats(sql: Sql, strips: StripCache): Map<JobId, JobStats> {
  const stats = new Map<JobId, JobStats>();
  for (const row of sql.all(SELECT_STATS)) {
    const jobId = idFromHex(row.id) as JobId;
    const known = strips.get(jobId);
    const strip =
      known !== undefined && known.text === row.slots
        ? known
        : { text: row.slots, slots: Object.freeze(slotsFrom(row.slots)) };
    if (strip !== known) strips.set(jobId, strip);
    stats.set(jobId, statsFromRow(row, jobId, strip.slots));
  }
  return stats;
}

/** What is kept of the output of one run, at most: 16 MiB of each stream, in bytes. */
export const OUTPUT_KEPT_BYTES_MAX = 32 * 1024 * 1024;

type Ended = Pick<Run, 'trigger' | 'durationMs' | 'startedAt' | 'outputBytes'> & {
  readonly key: number;
  readonly jobKey: number;
  readonly outcome: Outcome;
  readonly endedAt: Instant;
  readonly detail: string | null;
};

/** A run that has ended: counts, words to find it by, and the room that its output takes. Test runs are told by nobody. */
export function recordEnd(sql: Sql, run: Ended): void {
  const { jobKey, outputBytes } = run;
  if (outputBytes > 0) {
    sql.run('UPDATE job_stats SET output_bytes = output_bytes + ? WHERE job_key = ?', [
      Math.min(outputBytes, OUTPUT_KEPT_BYTES_MAX),
      jobKey,
    ]);
  }
  if (run.trigger === 'test') return;
  if (run.detail !== null) {
    insertWords(sql, run.key);
  }
  countEnd(sql, run);
  sql.run(
    `UPDATE job_stats
     SET run_count = run_count + 1, slots = ?, last_run_at = ifnull(?, last_run_at), last_ended_at = ?,
       newest_at = ?
     WHERE job_key = ?`,
    [slotsWith(sql, jobKey, slotOfRun(run)), run.startedAt, run.endedAt, run.endedAt, jobKey],
  );
}

export function recordDecision(sql: Sql, jobKey: number, decision: Decision): void {
  const slot = slotOfDecision(decision);
  if (slot === null) return;
  sql.run('UPDATE job_stats SET slots = ?, newest_at = ? WHERE job_key = ?', [
    slotsWith(sql, jobKey, slot),
    decision.decidedAt,
    jobKey,
  ]);
}

/** A skip that was taken back leaves no mark: the newest one of its sort goes, since what is taken back is of late. */
export function forgetDecision(sql: Sql, decision: Pick<Decision, 'scheduleId' | 'kind' | 'reason'>): void {
  const slot = slotOfDecision(decision);
  if (slot === null) return;
  const row = sql.get(
    `SELECT t.job_key AS jobKey, t.slots
     FROM schedules AS s JOIN job_stats AS t ON t.job_key = s.job_key
     WHERE s.id = unhex(?, '-')`,
    [decision.scheduleId],
  );
  const slots = slotsFrom(row?.slots);
  const place = slots.findLastIndex(({ mark }) => mark === slot.mark);
  if (row === undefined || place === -1) return;
  sql.run('UPDATE job_stats SET slots = ? WHERE job_key = ?', [
    textOf(slots.toSpliced(place, 1)),
    Number(row.jobKey),
  ]);
}

function slotsWith(sql: Sql, jobKey: number, slot: SparkSlot): string {
  const row = sql.get('SELECT slots FROM job_stats WHERE job_key = ?', [jobKey]);
  return textOf(appendSlot(slotsFrom(row?.slots), slot));
}

const textOf = (slots: readonly SparkSlot[]): string =>
  JSON.stringify(slots.flatMap(({ mark, durationMs }) => [mark, durationMs]));

const MARKS: ReadonlySet<unknown> = new Set(SparkSlot.shape.mark.options);

/**
 * Mark and duration in turn. Checked by hand, because a list of 4,096 jobs has 120,000 of them. A strip that cannot be read
 * starts anew: it is only a picture of what history still tells.
 */
function slotsFrom(text: unknown): SparkSlot[] {
  const values: unknown = parsed(text);
  if (!Array.isArray(values)) return [];
  const slots: SparkSlot[] = [];
  for (let index = 0; index + 1 < values.length; index += 2) {
    const mark: unknown = values[index];
    const durationMs: unknown = values[index + 1];
    if (!MARKS.has(mark) || (durationMs !== null && typeof durationMs !== 'number')) return [];
    slots.push({ mark: mark as SparkSlot['mark'], durationMs });
  }
  return slots;
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}
