/**
 * Runs by the words of what went wrong. Beside its words each error has tags that say of which job it is, how the run ended and on
 * which day it was queued, so that the index of words answers a search within one job or one day without reading the others.
 */

import { DAY_MS } from '../../shared/time';
import type { Row, Sql, Value } from './connection';
import { type Filter, type Place, placeFromRow } from './runWalk';
import { saysWords } from './words';

/** Begins a tag. No word that is searched for has it, and SQLite takes it for a letter. */
const TAG = '\ue000';
/** Days whose tag is a single one: whatever is asked for, a few dozen tags name it. */
const BLOCK_DAYS = 32;
/** With more of them the day is looked up in each run instead. */
const DAY_TAGS_MAX = 1_000;
/** Errors that are looked at for each one wanted, before the index is asked. */
const LOOKED_AT_PER_RUN = 8;

/** Of a row of runs. The text of schema0004 says the same. */
const TAGS = `
  ' ${TAG}j' || job_key || ' ${TAG}o' || unicode(outcome) || ' ${TAG}d' || (queued_at / ${DAY_MS})
  || ' ${TAG}b' || (queued_at / ${BLOCK_DAYS * DAY_MS})`;

/** Of a run that has ended with a detail. */
export function insertWords(sql: Sql, runKey: number): void {
  sql.run(`INSERT INTO run_words (rowid, detail) SELECT key, detail || ${TAGS} FROM runs WHERE key = ?`, [
    runKey,
  ]);
}

/** All words anew, where they may be missing. The store is not in use by anybody else. */
export const REBUILD_WORDS = `
  INSERT INTO run_words (run_words) VALUES ('delete-all');
  INSERT INTO run_words (rowid, detail)
  SELECT key, detail || ${TAGS} FROM runs WHERE detail IS NOT NULL AND state = 'finished' AND trigger <> 'test';`;

/** A page of errors: in the order of their keys, which is that of their time unless the clock was set back. */
type WordPage = { readonly afterKey: number; readonly limit: number };
export type WordPlace = Place & { readonly jobKey: number };

export function runsByWords(
  sql: Sql,
  words: readonly string[],
  filter: Filter,
  { afterKey, limit }: WordPage,
): WordPlace[] {
  const tags = tagsOf(sql, filter);
  const ask = (matches: readonly string[], max: number): Row[] => {
    const { jobKey, outcome, from, until } = filter;
    const match: Record<string, Value> = matches.length === 0 ? {} : { match: matches.join(' AND ') };
    return sql.all(textOf(matches.length > 0), { jobKey, outcome, from, until, afterKey, max, ...match });
  };
  // Merging all that begins with a letter takes long if there is much of it; but then the newest errors have it.
  const max = limit * LOOKED_AT_PER_RUN;
  const newest = ask(tags, max);
  const found = firstWith(newest, words, limit);
  const rows =
    found.length >= limit || newest.length < max
      ? found
      : ask([...words.map((word) => `"${word}"*`), ...tags], limit);
  return rows.map((row) => ({ ...placeFromRow(row), jobKey: Number(row.jobKey) }));
}

function firstWith(errors: readonly Row[], words: readonly string[], limit: number): Row[] {
  const found: Row[] = [];
  for (const error of errors) {
    if (found.length === limit) break;
    if (saysWords(String(error.detail), words)) found.push(error);
  }
  return found;
}

const textOf = (hasMatch: boolean): string => `
  SELECT r.queued_at AS at, r.key, r.job_key AS jobKey, r.detail
  FROM run_words AS w CROSS JOIN runs AS r ON r.key = w.rowid
  WHERE ${hasMatch ? 'w.run_words MATCH :match AND ' : ''}w.rowid < :afterKey
    AND (:jobKey IS NULL OR r.job_key = :jobKey) AND (:outcome IS NULL OR r.outcome = :outcome)
    AND r.queued_at >= :from AND r.queued_at < :until
  ORDER BY w.rowid DESC
  LIMIT :max`;

/** What every run of the filter has. Days may be left out, since each run is looked at as well. */
function tagsOf(sql: Sql, { jobKey, outcome, from, until }: Filter): string[] {
  const tag = (text: string): string => `"${TAG}${text}"`;
  const days = daysOf(sql, from, until);
  return [
    ...(jobKey === null ? [] : [tag(`j${jobKey}`)]),
    ...(outcome === null ? [] : [tag(`o${outcome.codePointAt(0)}`)]),
    ...(days.length === 0 || days.length > DAY_TAGS_MAX ? [] : [`(${days.map(tag).join(' OR ')})`]),
  ];
}

/** The days of a span as far as there are runs, whole blocks of them as one. None: it has no bounds. */
function daysOf(sql: Sql, from: number, until: number): string[] {
  if (from <= 0 && until === Number.MAX_SAFE_INTEGER) return [];
  const bound = (order: 'ASC' | 'DESC'): number =>
    Number(
      sql.get(
        `SELECT queued_at AS at FROM runs INDEXED BY runs_newest WHERE trigger <> 'test' ORDER BY queued_at ${order} LIMIT 1`,
      )?.at ?? 0,
    );
  // As SQLite divides: towards zero.
  const dayOf = (at: number): number => Math.trunc(at / DAY_MS);
  const last = dayOf(Math.min(until - 1, bound('DESC')));
  const days: string[] = [];
  for (let day = dayOf(Math.max(from, bound('ASC'))); day <= last && days.length <= DAY_TAGS_MAX; ) {
    const isBlock = day >= 0 && day % BLOCK_DAYS === 0 && day + BLOCK_DAYS - 1 <= last;
    days.push(isBlock ? `b${day / BLOCK_DAYS}` : `d${day}`);
    day += isBlock ? BLOCK_DAYS : 1;
  }
  // A day that no run has.
  return days.length === 0 ? ['none'] : days;
}
