/**
 * Lists of runs over all jobs, newest first, page by page from the place of the last row on. A search by words goes through two
 * such lists at once: the runs of the jobs that have the words, and the runs whose error has them.
 */

import type { FoundRun, RunPage, RunQuery } from '../../shared/model/runSearch';
import { assert, BugError } from '../../shared/result';
import { StoreError } from '../core/storeError';
import type { Sql } from './connection';
import { type JobWordCache, jobsWith } from './jobWords';
import { runFromRow, SELECT_RUNS } from './runRows';
import { runsOfJobs } from './runsOfJobs';
import { type Filter, isAfter, type Place, walk } from './runWalk';
import { runsByWords, type WordPlace } from './runWords';
import { wordsIn } from './words';

/**
 * Where a page goes on: after a run in the order of time, and, of a search by words, after a row of the words, whose order is another
 * one where the clock was set back.
 */
type Cursor = Place & { readonly wordKey: number };

const BEFORE_ALL: Cursor = {
  at: Number.MAX_SAFE_INTEGER,
  key: Number.MAX_SAFE_INTEGER,
  wordKey: Number.MAX_SAFE_INTEGER,
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
      ? walk(sql, filter, cursor, limit).map((place) => inTime(place, cursor))
      : search(sql, { jobWords, words: wordsIn(query.text) }, filter, { cursor, limit });
  const last = found[page.limit - 1]?.cursor;
  return {
    runs: runsAt(
      sql,
      found.slice(0, page.limit).map(({ key }) => key),
    ),
    next: found.length > page.limit && last !== undefined ? `${last.at}.${last.key}.${last.wordKey}` : null,
  };
}

const keyOfJob = (sql: Sql, jobId: string): number | undefined =>
  sql.get(`SELECT key FROM jobs WHERE id = unhex(?, '-')`, [jobId])?.key as number | undefined;

/** A run that is shown, and where a page after it goes on. */
type Found = { readonly key: number; readonly cursor: Cursor };

const inTime = (place: Place, { wordKey }: Cursor): Found => ({
  key: place.key,
  cursor: { ...place, wordKey },
});

type SearchPage = { readonly cursor: Cursor; readonly limit: number };

function search(
  sql: Sql,
  { jobWords, words }: { readonly jobWords: JobWordCache; readonly words: readonly string[] },
  filter: Filter,
  { cursor, limit }: SearchPage,
): Found[] {
  if (words.length === 0) return [];
  const jobKeys = jobsWith(sql, jobWords, words).filter(
    (key) => filter.jobKey === null || key === filter.jobKey,
  );
  const { at, key } = cursor;
  const ofJobs = runsOfJobs(sql, jobKeys, filter, { after: { at, key }, limit });
  const isTold = new Set(jobKeys);
  // Within one job that has the words each of its runs is found already.
  if (filter.jobKey !== null && isTold.has(filter.jobKey)) {
    return ofJobs.map((place) => inTime(place, cursor));
  }
  const byWords = (afterKey: number): WordPlace[] => runsByWords(sql, words, filter, { afterKey, limit });
  return merged({ ofJobs, byWords, isTold }, { cursor, limit });
}

type Lists = {
  readonly ofJobs: readonly Place[];
  readonly byWords: (afterKey: number) => readonly WordPlace[];
  /** Jobs whose runs are all in the first list. */
  readonly isTold: ReadonlySet<number>;
};

/**
 * Each run once, at its first place. What the words found of a job that is told anyway is passed over: it stands among the runs of the
 * jobs, on this page or on a later one.
 */
function merged({ ofJobs, byWords, isTold }: Lists, { cursor, limit }: SearchPage): Found[] {
  const found: Found[] = [];
  let reached = cursor;
  let batch = byWords(reached.wordKey);
  let [jobIndex, wordIndex] = [0, 0];
  while (found.length < limit) {
    const [ofJob, byWord] = [ofJobs[jobIndex], batch[wordIndex]];
    const isPassedOver = byWord !== undefined && isTold.has(byWord.jobKey);
    if (byWord !== undefined && (isPassedOver || ofJob === undefined || isAfter(byWord, ofJob))) {
      wordIndex += 1;
      reached = { ...reached, wordKey: byWord.key };
      if (!isPassedOver) found.push({ key: byWord.key, cursor: reached });
    } else if (ofJob !== undefined) {
      jobIndex += 1;
      reached = { ...reached, ...ofJob };
      found.push({ key: ofJob.key, cursor: reached });
    } else if (batch.length === limit) {
      [batch, wordIndex] = [byWords(reached.wordKey), 0];
    } else break;
  }
  return found;
}

/** These runs, in this order. A row that cannot be read is left out: the others are worth more than a page that fails. */
function runsAt(sql: Sql, keys: readonly number[]): FoundRun[] {
  const rows = sql.all(`${SELECT_RUNS} WHERE r.key IN (SELECT value FROM json_each(?))`, [
    JSON.stringify(keys),
  ]);
  const byKey = new Map(rows.map((row) => [Number(row.key), row]));
  return keys.flatMap((key) => {
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
