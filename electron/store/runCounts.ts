/** Counts of finished runs, kept in the transaction of each end, so that no dashboard reads history. Test runs count nowhere. */

import { Outcome } from '../../shared/model/run';
import type { RunCounts } from '../../shared/model/runSearch';
import { DAY_MS, type Instant, toInstant } from '../../shared/time';
import type { Sql } from './connection';

/** Two years have thousands of rows, so each is looked at by hand. */
const OUTCOMES: ReadonlySet<unknown> = new Set(Outcome.options);

type End = { readonly outcome: Outcome; readonly endedAt: Instant; readonly durationMs: number | null };

export function countEnd(sql: Sql, { outcome, endedAt, durationMs }: End): void {
  sql.run(
    `INSERT INTO day_counts (day, outcome, count, duration_ms)
     VALUES (?, ?, 1, ?)
     ON CONFLICT (day, outcome)
     DO UPDATE SET count = count + 1, duration_ms = duration_ms + excluded.duration_ms`,
    [Math.floor(endedAt / DAY_MS), outcome, durationMs ?? 0],
  );
}

export function readCounts(sql: Sql, { from, until }: { from: Instant; until: Instant }): RunCounts {
  const total = Object.fromEntries(Outcome.options.map((outcome) => [outcome, 0])) as RunCounts['total'];
  for (const row of sql.all('SELECT outcome, sum(count) AS count FROM day_counts GROUP BY outcome')) {
    const outcome = Outcome.safeParse(row.outcome);
    if (outcome.success) total[outcome.data] = Number(row.count);
  }
  // One text and not thousands of rows: that takes a third of the time.
  const text = sql.get(
    `SELECT json_group_array(json_array(day, outcome, count, duration_ms) ORDER BY day, outcome) AS days
     FROM day_counts
     WHERE day >= :from AND day < :until`,
    { from: Math.ceil(from / DAY_MS), until: Math.ceil(until / DAY_MS) },
  )?.days;
  const rows = JSON.parse(String(text)) as [
    day: number,
    outcome: string,
    count: number,
    durationMs: number,
  ][];
  const days = rows
    .filter(([, outcome]) => OUTCOMES.has(outcome))
    .map(([day, outcome, count, durationMs]) => ({
      startsAt: toInstant(day * DAY_MS),
      outcome: outcome as Outcome,
      count,
      durationMs,
    }));
  return { total, days };
}

/** Finished runs that ever were, test runs left out. */
export const everCounted = (sql: Sql): number =>
  Number(sql.get('SELECT ifnull(sum(count), 0) AS count FROM day_counts')?.count);
