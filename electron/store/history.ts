/**
 * A job's history: its runs and the due times that were skipped, newest first. Paged by the place of the last row and never
 * by a count, so that page 5,000 costs what the first one costs.
 *
 * A run stands at the moment it was queued, a skipped range at its newest due time. At the same moment the run comes first.
 */

import type { JobId } from '../../shared/model/job';
import type { HistoryEntry } from '../../shared/model/run';
import { assert, BugError } from '../../shared/result';
import { StoreError } from '../core/storeError';
import type { Row, Sql } from './connection';
import { DECISION_COLUMNS, decisionFromRow } from './decisions';
import { runFromRow, SELECT_RUNS } from './runRows';

export type HistoryPage = { readonly entries: HistoryEntry[]; readonly next: string | null };

/** The entry that a page goes on after. `skip` has two keys, because that is what a decision is known by. */
type Place =
  | { readonly entry: 'run'; readonly at: number; readonly key: number }
  | { readonly entry: 'skip'; readonly at: number; readonly scheduleKey: number; readonly plannedAt: number };

const BEFORE_ALL: Place = { entry: 'run', at: Number.MAX_SAFE_INTEGER, key: Number.MAX_SAFE_INTEGER };

const RUNS_AFTER = `${SELECT_RUNS}
  WHERE r.job_key = :jobKey AND r.trigger <> 'test' AND (r.queued_at, r.key) < (:at, :key)
  ORDER BY r.queued_at DESC, r.key DESC
  LIMIT :limit`;

const SKIPS_AFTER = `
  SELECT ${DECISION_COLUMNS}, d.schedule_key AS scheduleKey
  FROM decisions AS d JOIN schedules AS s ON s.key = d.schedule_key
  WHERE d.job_key = :jobKey AND d.kind = 'skip'
    AND (d.until_at, d.schedule_key, d.planned_at) < (:at, :scheduleKey, :plannedAt)
  ORDER BY d.until_at DESC, d.schedule_key DESC, d.planned_at DESC
  LIMIT :limit`;

export function historyOf(
  sql: Sql,
  jobId: JobId,
  page: { readonly after: string | null; readonly limit: number },
): HistoryPage {
  assert(page.limit >= 1, 'a page has at least one row');
  const jobKey = sql.get(`SELECT key FROM jobs WHERE id = unhex(?, '-')`, [jobId])?.key;
  if (typeof jobKey !== 'number') return { entries: [], next: null };
  const after = page.after === null ? BEFORE_ALL : placeFromCursor(page.after);
  // One more than asked for tells whether there is another page.
  const limit = page.limit + 1;
  const runs = sql.all(RUNS_AFTER, {
    jobKey,
    limit,
    at: after.at,
    key: after.entry === 'run' ? after.key : 0,
  });
  const skips = sql.all(SKIPS_AFTER, { jobKey, limit, ...skipsAfter(after) });
  const places = merge(runs, skips);
  const shown = places.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    entries: shown.flatMap(({ row, place }) => entryFromRow(row, place)),
    next: places.length > page.limit && last !== undefined ? cursorOf(last.place) : null,
  };
}

/** Skips at the moment of a run come after it, so all of them are still to come. */
const skipsAfter = (place: Place): { at: number; scheduleKey: number; plannedAt: number } =>
  place.entry === 'skip'
    ? { at: place.at, scheduleKey: place.scheduleKey, plannedAt: place.plannedAt }
    : { at: place.at, scheduleKey: Number.MAX_SAFE_INTEGER, plannedAt: 0 };

type Placed = { readonly row: Row; readonly place: Place };

/** Both lists are in order already; the sort is stable, so runs stay before skips of the same moment. */
function merge(runs: readonly Row[], skips: readonly Row[]): Placed[] {
  const placedRuns = runs.map((row): Placed => {
    return { row, place: { entry: 'run', at: Number(row.queuedAt), key: Number(row.key) } };
  });
  const placedSkips = skips.map((row): Placed => {
    const scheduleKey = Number(row.scheduleKey);
    return {
      row,
      place: { entry: 'skip', at: Number(row.untilAt), scheduleKey, plannedAt: Number(row.plannedAt) },
    };
  });
  return [...placedRuns, ...placedSkips].sort((a, b) => b.place.at - a.place.at);
}

/** Nothing for a row that cannot be read: the other rows of the page are worth more than a page that fails. */
function entryFromRow(row: Row, place: Place): HistoryEntry[] {
  try {
    return place.entry === 'run'
      ? [{ entry: 'run', run: runFromRow(row) }]
      : [{ entry: 'skip', decision: decisionFromRow(row) }];
  } catch (error) {
    if (error instanceof StoreError) return [];
    throw error;
  }
}

const cursorOf = (place: Place): string =>
  place.entry === 'run'
    ? `run.${place.at}.${place.key}`
    : `skip.${place.at}.${place.scheduleKey}.${place.plannedAt}`;

function placeFromCursor(cursor: string): Place {
  const [entry, ...texts] = cursor.split('.');
  const numbers = texts.map(Number);
  if (numbers.every(Number.isSafeInteger)) {
    const [at, first, second] = numbers;
    if (entry === 'run' && at !== undefined && first !== undefined) return { entry, at, key: first };
    if (entry === 'skip' && at !== undefined && first !== undefined && second !== undefined) {
      return { entry, at, scheduleKey: first, plannedAt: second };
    }
  }
  throw new BugError(`“${cursor}” is no place in a history`);
}
