/**
 * Runs in their order, newest first, from a place on. Every list walks an index that has exactly its order, so that any page
 * costs the same.
 */

import type { Outcome } from '../../shared/model/run';
import type { Row, Sql, Value } from './connection';

/** A run's place in the order: when it was queued, and its key for those of the same millisecond. */
export type Place = { readonly at: number; readonly key: number };

export type Filter = {
  readonly jobKey: number | null;
  readonly outcome: Outcome | null;
  readonly from: number;
  readonly until: number;
};

export const isAfter = (one: Place, other: Place): boolean =>
  one.at === other.at ? one.key > other.key : one.at > other.at;

/** The index is named, so that SQLite refuses the statement should it ever not fit. Outcomes differ by their first letter. */
export function walkText(
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
        : 'runs_of_job_by_outcome';
  return `
    SELECT ${columns}
    FROM runs INDEXED BY ${index}
    WHERE trigger <> 'test'
      ${jobKey === null ? '' : `AND job_key = ${job}`}
      ${outcome === null ? '' : 'AND outcome IS NOT NULL AND unicode(outcome) = unicode(:outcome)'}
      AND queued_at >= :from AND queued_at < :until AND (queued_at, key) < (:at, :key)
    ORDER BY queued_at DESC, key DESC
    LIMIT ${limit}`;
}

export const parametersOf = ({ jobKey, outcome, from, until }: Filter): Record<string, Value> => ({
  from,
  until,
  ...(jobKey === null ? {} : { jobKey }),
  ...(outcome === null ? {} : { outcome }),
});

export const placeFromRow = (row: Row): Place => ({ at: Number(row.at), key: Number(row.key) });

export function walk(sql: Sql, filter: Filter, { at, key }: Place, limit: number): Place[] {
  return sql.all(walkText(filter), { ...parametersOf(filter), at, key, limit }).map(placeFromRow);
}
