/**
 * The newest runs of some jobs together, as a search by the words of jobs needs them. If they are most of the jobs, their runs are
 * among the newest of all; if they are few, each is asked for its own.
 */

import type { Sql } from './connection';
import { type Filter, isAfter, type Place, parametersOf, placeFromRow, walk, walkText } from './runWalk';

/** So many jobs are asked at once, whatever all runs look like. */
const FEW_JOBS = 16;
/** Runs of all jobs that are looked at for each one wanted. */
const LOOKED_AT_PER_RUN = 8;

type Page = { readonly after: Place; readonly limit: number };

export function runsOfJobs(sql: Sql, jobKeys: readonly number[], filter: Filter, page: Page): Place[] {
  if (jobKeys.length === 0) return [];
  const amongAll = jobKeys.length > FEW_JOBS ? runsAmongAll(sql, new Set(jobKeys), filter, page) : null;
  return amongAll ?? runsOfEach(sql, jobKeys, filter, page);
}

/** Null if the newest of all have too few of these jobs. */
function runsAmongAll(
  sql: Sql,
  jobKeys: ReadonlySet<number>,
  filter: Filter,
  { after, limit }: Page,
): Place[] | null {
  const max = limit * LOOKED_AT_PER_RUN;
  const text = walkText(filter, {
    columns: 'queued_at AS at, key, job_key AS jobKey',
    job: '',
    limit: ':max',
  });
  const newest = sql.all(text, { ...parametersOf(filter), ...after, max });
  const found = newest.filter((row) => jobKeys.has(Number(row.jobKey))).map(placeFromRow);
  return found.length >= limit || newest.length < max ? found.slice(0, limit) : null;
}

/** A page holds runs of at most `limit` jobs, so only the jobs with the newest runs are looked at further. */
function runsOfEach(sql: Sql, jobKeys: readonly number[], filter: Filter, { after, limit }: Page): Place[] {
  const heads = newestOfEach(sql, jobKeys, filter, { after, limit });
  const found: Place[] = [];
  for (let head = heads.shift(); head !== undefined && found.length < limit; head = heads.shift()) {
    const { jobKey, place } = head;
    found.push(place);
    const [following] = walk(sql, { ...filter, jobKey }, place, 1);
    if (following === undefined) continue;
    const index = heads.findIndex((other) => isAfter(following, other.place));
    heads.splice(index === -1 ? heads.length : index, 0, { jobKey, place: following });
  }
  return found;
}

type Head = { readonly jobKey: number; readonly place: Place };

function newestOfEach(sql: Sql, jobKeys: readonly number[], filter: Filter, { after, limit }: Page): Head[] {
  const ofOne = walkText({ ...filter, jobKey: 0 }, { columns: 'key', job: 'wanted.value', limit: '1' });
  return sql
    .all(
      `SELECT r.job_key AS jobKey, r.queued_at AS at, r.key
       FROM (SELECT (${ofOne}) AS newest FROM json_each(:jobKeys) AS wanted) AS w JOIN runs AS r ON r.key = w.newest
       ORDER BY r.queued_at DESC, r.key DESC
       LIMIT :limit`,
      { ...parametersOf({ ...filter, jobKey: null }), ...after, jobKeys: JSON.stringify(jobKeys), limit },
    )
    .map((row) => ({ jobKey: Number(row.jobKey), place: placeFromRow(row) }));
}
