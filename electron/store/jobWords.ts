/** The words that a job is found by: those of its name and of what it runs. Kept in memory by revision, because jobs are few. */

import type { Sql } from './connection';

/** Longer commands are searched by their beginning. */
const COMMAND_LENGTH_MAX = 20_000;

/** By key of the job. Filled by whoever searches first; one entry per job, of the newest revision seen. */
export type JobWordCache = Map<number, { readonly revision: number; readonly words: string }>;

const MARKS = /\p{M}+/gu;
const BETWEEN_WORDS = /[^\p{L}\p{N}]+/u;

/** Small letters without accents, as the index of run_words has them (fts5, unicode61 with remove_diacritics). */
export const wordsIn = (text: string): string[] =>
  text
    .normalize('NFD')
    .replace(MARKS, '')
    .toLowerCase()
    .split(BETWEEN_WORDS)
    .filter((word) => word !== '');

/** Jobs, deleted or not, in which each of `words` is the beginning of a word. */
export function jobsWith(sql: Sql, cache: JobWordCache, words: readonly string[]): number[] {
  const jobs = sql.all('SELECT key, revision FROM jobs');
  return jobs.flatMap((row) => {
    const key = Number(row.key);
    const known = wordsOf(sql, cache, key, Number(row.revision));
    return words.every((word) => known.includes(` ${word}`)) ? [key] : [];
  });
}

function wordsOf(sql: Sql, cache: JobWordCache, key: number, revision: number): string {
  const known = cache.get(key);
  if (known?.revision === revision) return known.words;
  const row = sql.get('SELECT definition FROM job_revisions WHERE job_key = ? AND revision = ?', [
    key,
    revision,
  ]);
  const words = ` ${textsOf(row?.definition).flatMap(wordsIn).join(' ')}`;
  cache.set(key, { revision, words });
  return words;
}

/** Nothing of a definition that cannot be read: the job is set aside, and is shown as such. */
function textsOf(definition: unknown): string[] {
  try {
    const { name, settings } = JSON.parse(String(definition)) as {
      name?: unknown;
      settings?: Record<string, unknown>;
    };
    const { line, program, arguments: values } = settings ?? {};
    return [name, line, program, ...(Array.isArray(values) ? values : [])]
      .filter((text) => typeof text === 'string')
      .map((text) => text.slice(0, COMMAND_LENGTH_MAX));
  } catch {
    return [];
  }
}
