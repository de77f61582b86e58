/**
 * Lists of runs over all jobs, newest first. Every list walks an index that has exactly its order, from the place of the last row
 * on, so that any page costs the same. A search by words goes through two such walks at once: the runs of the jobs that
 * have the words, and the runs whose error has them.
 */

import type { Outcome } from '../../shared/model/run';
import type { FoundRun, RunPage, RunQuery } from '../../shared/model/runSearch';
import { assert, BugError } from '../../shared/result';
import { StoreError } from '../core/storeError';
import type { Row, Sql, Value } from './connection';
import { type JobWordCache, jobsWith, wordsIn } from './jobWords';
import { runFromRow, SELECT_RUNS } from './runRows';

/** A run's place in the order: when it was queued, and its key for those of the same millisecond. */
type Place = { readonly at: number; readonly key: number };
/** Where a page goes on: after a run, and, of a search by words, after a row of the words. */
type Cursor = Place & { readonly wordKey: number };

const BEFORE_ALL: Cursor = {
  at: Number.MAX_SAFE_INTEGER,
  key: Number.MAX_SAFE_INTEGER,
  wordKey: Number.MAX_SAFE_INTEGER,
};

type Filter = {
  readonly jobKey: number | null;
  readonly outcome: Outcome | null;
  readonly from: number;
  readonly until: number;
};

/** A cursor that no page has given is a BugError. */
export function findRuns(
  sql: Sql,
  jobWords: JobWordCache,
  query: RunQuery,
  page: { readonly after: string | null; readonly limit: number },
): RunPage {
  assert(page.limit >= 1, 'a page has at least one row');
  const cursor = page.after === null ? BEFORE_ALL : cursorFrom(page.after);
  const jobKey = query.jobId === undefined ? null : keyOfJob(sql, query.jobId);
  if (jobKey === undefined) return { runs: [], next: null };
  const filter: Filter = {
    jobKey,
    outcome: query.outcome ?? null,
    from: query.from ?? 0,
    until: query.until ?? Number.MAX_SAFE_INTEGER,
  };
  // One more than asked for tells whether there is another page.
  const limit = page.limit + 1;
  const found =
    query.text === undefined
      ? walk(sql, filter, cursor, limit).map((place): Found => ({ ...place, isByWords: false }))
      : search(sql, { jobWords, text: query.text }, filter, { cursor, limit });
  const shown = found.slice(0, page.limit);
  return {
    runs: runsAt(sql, shown),
    next: found.length > page.limit ? cursorAfter(shown, cursor) : null,
  };
}

const keyOfJob = (sql: Sql, jobId: string): number | undefined =>
  sql.get(`SELECT key FROM jobs WHERE id = unhex(?, '-')`, [jobId])?.key as number | undefined;

/** The index is named, so that SQLite refuses the statement should it ever not fit. */
function walkText(
  { jobKey, outcome }: Pick<Filter, 'jobKey' | 'outcome'>,
  { columns, job, limit } = { columns: 'queued_at AS at, key', job: ':jobKey', limit: ':limit' },
): string {
  const index =
    outcome === null
      ? jobKey === null
        ? 'runs_newest'
        : 'runs_history'
      : jobKey === null
        ? 'runs_by_outcome'
        : outcome === 'succeeded'
          ? 'runs_history'
          : 'runs_of_job_without_success';
  return `
    SELECT ${columns}
    FROM runs INDEXED BY ${index}
    WHERE trigger <> 'test'
      ${jobKey === null ? '' : `AND job_key = ${job}`}
      ${outcome === null ? '' : 'AND outcome IS NOT NULL AND outcome = :outcome'}
      ${outcome === null || outcome === 'succeeded' ? '' : `AND outcome <> 'succeeded'`}
      AND queued_at >= :from AND queued_at < :until AND (queued_at, key) < (:at, :key)
    ORDER BY queued_at DESC, key DESC
    LIMIT ${limit}`;
}

const parametersOf = ({ jobKey, outcome, from, until }: Filter): Record<string, Value> => ({
  from,
  until,
  ...(jobKey === null ? {} : { jobKey }),
  ...(outcome === null ? {} : { outcome }),
});

const placeFromRow = (row: Row): Place => ({ at: Number(row.at), key: Number(row.key) });

function walk(sql: Sql, filter: Filter, { at, key }: Place, limit: number): Place[] {
  return sql.all(walkText(filter), { ...parametersOf(filter), at, key, limit }).map(placeFromRow);
}

type Found = Place & { readonly isByWords: boolean };

/** Merges the two walks. Each run comes once, at its first place. */
function search(
  sql: Sql,
  { jobWords, text }: { readonly jobWords: JobWordCache; readonly text: string },
  filter: Filter,
  { cursor, limit }: { readonly cursor: Cursor; readonly limit: number },
): Found[] {
  const words = wordsIn(text);
  if (words.length === 0) return [];
  const jobKeys = jobsWith(sql, jobWords, words).filter(
    (key) => filter.jobKey === null || key === filter.jobKey,
  );
  const ofJobs = runsOfJobs(sql, jobKeys, filter, { cursor, limit });
  // A run that its job's words have found already is not told again.
  const told = new Set(jobKeys);
  const byWords = runsByWords(sql, words, filter, { cursor, limit, told });
  const found: Found[] = [];
  let nextOfJobs = ofJobs();
  while (found.length < limit) {
    const [nextByWords] = byWords;
    if (nextByWords !== undefined && (nextOfJobs === null || isAfter(nextByWords, nextOfJobs))) {
      byWords.shift();
      found.push({ ...nextByWords, isByWords: true });
    } else if (nextOfJobs !== null) {
      found.push({ ...nextOfJobs, isByWords: false });
      nextOfJobs = ofJobs();
    } else break;
  }
  return found;
}

const isAfter = (one: Place, other: Place): boolean =>
  one.at === other.at ? one.key > other.key : one.at > other.at;

/**
 * Answers the newest run of all these jobs at each call. A page holds runs of at most `limit` jobs, so only the jobs with the
 * newest runs are looked at; later runs of each are looked up as they come.
 */
function runsOfJobs(
  sql: Sql,
  jobKeys: readonly number[],
  filter: Filter,
  { cursor, limit }: { readonly cursor: Place; readonly limit: number },
): () => Place | null {
  const newest = (jobKey: number, after: Place): Place | null =>
    walk(sql, { ...filter, jobKey }, after, 1)[0] ?? null;
  const heads = newestOfEach(sql, jobKeys, filter, { cursor, limit });
  return () => {
    const head = heads.shift();
    if (head === undefined) return null;
    const following = newest(head.jobKey, head.place);
    if (following !== null) {
      const at = heads.findIndex(({ place }) => isAfter(following, place));
      heads.splice(at === -1 ? heads.length : at, 0, { jobKey: head.jobKey, place: following });
    }
    return head.place;
  };
}

type Head = { readonly jobKey: number; readonly place: Place };

function newestOfEach(
  sql: Sql,
  jobKeys: readonly number[],
  filter: Filter,
  { cursor, limit }: { readonly cursor: Place; readonly limit: number },
): Head[] {
  const ofOne = walkText({ ...filter, jobKey: 0 }, { columns: 'key', job: 'wanted.value', limit: '1' });
  return sql
    .all(
      `SELECT r.job_key AS jobKey, r.queued_at AS at, r.key
       FROM (SELECT (${ofOne}) AS newest FROM json_each(:jobKeys) AS wanted) AS w JOIN runs AS r ON r.key = w.newest
       ORDER BY r.queued_at DESC, r.key DESC
       LIMIT :limit`,
      {
        ...parametersOf({ ...filter, jobKey: null }),
        jobKeys: JSON.stringify(jobKeys),
        at: cursor.at,
        key: cursor.key,
        limit,
      },
    )
    .map((row) => ({ jobKey: Number(row.jobKey), place: placeFromRow(row) }));
}

type WordPage = { readonly cursor: Cursor; readonly limit: number; readonly told: ReadonlySet<number> };

/** A job with at most so many runs is searched by its own index, because words are those of all jobs. */
const OWN_RUNS_MAX = 5_000;

/** In the order of their keys, which is that of their time unless the clock was set back. */
function runsByWords(sql: Sql, words: readonly string[], filter: Filter, page: WordPage): Place[] {
  const { jobKey } = filter;
  if (jobKey !== null && page.told.has(jobKey)) return [];
  return jobKey !== null && countOf(sql, jobKey) <= OWN_RUNS_MAX
    ? runsByOwnWords(sql, words, { ...filter, jobKey }, page)
    : runsByIndexedWords(sql, words, filter, page);
}

const countOf = (sql: Sql, jobKey: number): number =>
  Number(sql.get('SELECT run_count AS count FROM job_stats WHERE job_key = ?', [jobKey])?.count ?? 0);

function runsByOwnWords(
  sql: Sql,
  words: readonly string[],
  { jobKey, outcome, from, until }: Filter,
  { cursor, limit }: WordPage,
): Place[] {
  const rows = sql.all(
    `SELECT queued_at AS at, key, detail
     FROM runs INDEXED BY runs_history
     WHERE job_key = :jobKey AND trigger <> 'test' AND detail IS NOT NULL AND key < :after
       AND (:outcome IS NULL OR outcome = :outcome) AND queued_at >= :from AND queued_at < :until`,
    { jobKey, outcome, from, until, after: cursor.wordKey },
  );
  return rows
    .filter(({ detail }) => {
      const known = ` ${wordsIn(String(detail)).join(' ')}`;
      return words.every((word) => known.includes(` ${word}`));
    })
    .map(placeFromRow)
    .sort((a, b) => b.key - a.key)
    .slice(0, limit);
}

function runsByIndexedWords(
  sql: Sql,
  words: readonly string[],
  { jobKey, outcome, from, until }: Filter,
  { cursor, limit, told }: WordPage,
): Place[] {
  const match = words.map((word) => `"${word}"*`).join(' ');
  const places: Place[] = [];
  let after = cursor.wordKey;
  while (places.length < limit) {
    const rows = sql.all(
      `SELECT r.queued_at AS at, r.key, r.job_key AS jobKey
       FROM run_words AS w CROSS JOIN runs AS r ON r.key = w.rowid
       WHERE w.run_words MATCH :match AND w.rowid < :after
         AND (:jobKey IS NULL OR r.job_key = :jobKey) AND (:outcome IS NULL OR r.outcome = :outcome)
         AND r.queued_at >= :from AND r.queued_at < :until
       ORDER BY w.rowid DESC
       LIMIT :limit`,
      { match, after, jobKey, outcome, from, until, limit },
    );
    places.push(...rows.filter((row) => !told.has(Number(row.jobKey))).map(placeFromRow));
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) break;
    after = Number(last.key);
  }
  return places.slice(0, limit);
}

/** The runs at these places, in their order. A row that cannot be read is left out: the others are worth more than a page that fails. */
function runsAt(sql: Sql, places: readonly Place[]): FoundRun[] {
  const rows = sql.all(`${SELECT_RUNS} WHERE r.key IN (SELECT value FROM json_each(?))`, [
    JSON.stringify(places.map(({ key }) => key)),
  ]);
  const byKey = new Map(rows.map((row) => [Number(row.key), row]));
  return places.flatMap(({ key }) => {
    const row = byKey.get(key);
    if (row === undefined) return [];
    try {
      return [{ run: runFromRow(row), jobName: String(row.jobName) }];
    } catch (error) {
      if (error instanceof StoreError) return [];
      throw error;
    }
  });
}

/** What was not shown of the words comes again; what was shown of them is a beginning of their order. */
function cursorAfter(shown: readonly Found[], before: Cursor): string {
  const last = shown.at(-1);
  assert(last !== undefined, 'a page that goes on shows something');
  const wordKey = shown.findLast(({ isByWords }) => isByWords)?.key ?? before.wordKey;
  return `${last.at}.${last.key}.${wordKey}`;
}

function cursorFrom(text: string): Cursor {
  const [at, key, wordKey, ...others] = text
    .split('.')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : -1));
  if (
    others.length > 0 ||
    ![at, key, wordKey].every((each) => each !== undefined && each >= 0 && Number.isSafeInteger(each))
  ) {
    throw new BugError(`“${text}” is no place in a list of runs`);
  }
  return { at: Number(at), key: Number(key), wordKey: Number(wordKey) };
}
