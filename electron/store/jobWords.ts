/** The words that a job is found by: those of its name and of what it runs. Kept in memory by revision, because jobs are few. */

import type { Sql } from './connection';
import { hasWords, searchable } from './words';

/** Longer commands are searched by their beginning. */
const COMMAND_LENGTH_MAX = 20_000;

type JobWords = { readonly key: number; readonly revision: number; readonly text: string };

/** Filled by whoever searches first. `changes` tells for which state of the jobs it is whole. */
export type JobWordCache = { changes: unknown; words: readonly JobWords[] };

export const createJobWordCache = (): JobWordCache => ({ changes: null, words: [] });

/** Jobs, deleted or not, in which each of `words` is the beginning of a word. */
export const jobsWith = (sql: Sql, cache: JobWordCache, words: readonly string[]): number[] =>
  wordsOfJobs(sql, cache)
    .filter(({ text }) => hasWords(text, words))
    .map(({ key }) => key);

function wordsOfJobs(sql: Sql, cache: JobWordCache): readonly JobWords[] {
  const changes = sql.get(`SELECT value FROM settings WHERE key = 'job_changes'`)?.value;
  if (changes === undefined || changes !== cache.changes) {
    const known = new Map(cache.words.map((each) => [each.key, each]));
    cache.words = sql.all('SELECT key, revision FROM jobs').map((row) => {
      const [key, revision] = [Number(row.key), Number(row.revision)];
      const before = known.get(key);
      return before?.revision === revision ? before : { key, revision, text: textOf(sql, key, revision) };
    });
    cache.changes = changes;
  }
  return cache.words;
}

function textOf(sql: Sql, key: number, revision: number): string {
  const row = sql.get('SELECT definition FROM job_revisions WHERE job_key = ? AND revision = ?', [
    key,
    revision,
  ]);
  return searchable(textsOf(row?.definition));
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
