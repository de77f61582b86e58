/**
 * What can be done with the file of a store that nobody has open. A new one is made and verified beside it first; then it takes
 * its place (exchange.ts).
 */

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Backup, RescueChoice, RescueReport } from '../../shared/model/data';
import { fail, ok, type Result } from '../../shared/result';
import type { Instant } from '../../shared/time';
import { StoreError } from '../core/storeError';
import type { StoreFiles } from '../ports/data';
import { backupsFolderOf, type CopyFacts, listBackups } from './backups';
import type { CheckedCopies } from './checkedCopies';
import { openConnection } from './connection';
import { MARKER_TEXT, markerOf } from './database';
import { exchangeStore, finishExchange } from './exchange';
import { uriToLookAt } from './pragmas';
import { createPrivateFile, sizeOf } from './privateFiles';
import type { StoreWork } from './storeTasks';

export type StoreFilesDeps = {
  readonly file: string;
  readonly work: StoreWork;
  readonly copies: CheckedCopies;
  /** What stopped something, with all that is known: what a person is told says less. */
  readonly onFailure: (error: unknown) => void;
  /** A moment in the words and the zone of the user. */
  readonly formatMoment: (at: Instant) => string;
};

/** Names of lost edits that a report lists. */
const NAMED_MAX = 5;

export function createStoreFiles({
  file,
  work,
  copies,
  onFailure,
  formatMoment,
}: StoreFilesDeps): StoreFiles {
  const folder = backupsFolderOf(file);
  const fresh = join(dirname(file), `.${basename(file)}.${process.pid}.new`);
  const failed = (error: unknown): Result<never> => {
    if (!isCancelled(error)) onFailure(error);
    return failureOf(error);
  };
  const exchange = async (
    choice: RescueChoice,
    at: Instant,
    make: () => Promise<readonly string[]>,
  ): Promise<Result<RescueReport>> => {
    try {
      // What a death left undone first: it may be the store that the person wants to have aside.
      finishExchange(file);
      removeLeftovers(file);
      const sentences = await make();
      const keptFile = putInPlace(file, fresh, at);
      const kept = keptFile === null ? [] : [`What was there before lies in ${keptFile}.`];
      return ok({ choice, sentences: [...sentences, ...kept], keptFile });
    } catch (error) {
      rmSync(fresh, { force: true });
      return failed(error);
    }
  };
  return {
    backups: copies.list,
    restore: (backupId, at) =>
      exchange('restore', at, async () => {
        const backup = listBackups(folder).find(({ id }) => id === backupId);
        if (backup === undefined) throw new StoreError('io', 'This copy does not exist any more.');
        const made = formatMoment(backup.madeAt);
        const lost = editsAfter(file, backup);
        const note = `A copy of Belfry’s data from ${made} was put back.`;
        const held = await work.run('prepare', { copy: join(folder, backupId), target: fresh, at, note });
        return [
          `The copy from ${made} is in place: ${inWords(held)}.`,
          'What was due since then is marked as not known, and does not run again.',
          ...lostInWords(lost),
        ];
      }),
    repair: ({ at, onProgress, signal }) =>
      exchange('repair', at, async () => {
        const note = 'Belfry’s data was repaired, and what happened before that may be incomplete.';
        const read = await work.run('repair', { file, target: fresh, at, note }, { signal, onProgress });
        return [
          `Repaired: ${inWords(read)} could be read.`,
          read.gapCount === 0
            ? 'Everything could be read.'
            : `At ${read.gapCount} ${read.gapCount === 1 ? 'place' : 'places'} something could not be read, and is lost.`,
          ...switchedOffInWords(read.switchedOff),
          'What was due and not decided is marked as not known, and does not run again.',
        ];
      }),
    startEmpty: (at) =>
      exchange('start_empty', at, async () => {
        await work.run('create', { target: fresh });
        return ['Belfry starts without any job.'];
      }),
    canExport: async () => {
      if ((sizeOf(file) ?? 0) === 0) return false;
      try {
        const connection = openConnection(uriToLookAt(file), { isReadOnly: true, busyMs: 0 });
        try {
          return connection.get(`SELECT 1 FROM sqlite_schema WHERE name = 'jobs'`) !== undefined;
        } finally {
          connection.close();
        }
      } catch {
        return false;
      }
    },
    exportTo: async (target) => {
      try {
        return ok(await work.run('export', { file, target }));
      } catch (error) {
        return failed(error);
      }
    },
  };
}

const isCancelled = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

function failureOf(error: unknown): Result<never> {
  if (error instanceof StoreError) return fail('unavailable', error.message);
  if (isCancelled(error)) return fail('unavailable', 'The repair was cancelled.');
  if (error instanceof Error && 'syscall' in error) {
    return fail('unavailable', 'The disk refused it, so everything is as it was.');
  }
  throw error;
}

const inWords = ({ jobCount, runCount }: Pick<CopyFacts, 'jobCount' | 'runCount'>): string => {
  const number = (count: number): string => count.toLocaleString('en-US');
  return `${number(jobCount)} ${jobCount === 1 ? 'job' : 'jobs'}, ${number(runCount)} ${runCount === 1 ? 'run' : 'runs'}`;
};

/** What a process that died has left of a new store. It never had the name. */
function removeLeftovers(file: string): void {
  const prefix = `.${basename(file)}.`;
  for (const name of readdirSync(dirname(file))) {
    if (name.startsWith(prefix) && /\.new(-journal|-wal|-shm)?$/.test(name)) {
      rmSync(join(dirname(file), name), { force: true });
    }
  }
}

/** Returns where the present store lies now, from the data folder on, or null if there was none. */
function putInPlace(file: string, fresh: string, at: Instant): string | null {
  // First, because a store that is missing must be found as that, and not as a first start (X-46).
  createPrivateFile(markerOf(file), MARKER_TEXT);
  return exchangeStore(file, fresh, at);
}

function switchedOffInWords(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : '';
  const named = names.slice(0, NAMED_MAX).map((name) => `“${name}”`);
  return [
    `Switched off, because it cannot be told whether they had been deleted: ${named.join(', ')}${more}.`,
  ];
}

type Lost = { readonly names: readonly string[]; readonly count: number };

/** Jobs saved after the copy was made, as far as the present store can be read. */
function editsAfter(file: string, { madeAt }: Backup): Lost {
  const nothing = { names: [], count: 0 };
  if (!existsSync(file)) return nothing;
  try {
    const connection = openConnection(uriToLookAt(file), { isReadOnly: true, busyMs: 0 });
    try {
      const rows = connection.all(
        `SELECT DISTINCT j.key, j.name FROM jobs AS j
           JOIN job_revisions AS r ON r.job_key = j.key AND r.saved_at > ?
         ORDER BY j.name`,
        [madeAt],
      );
      const names = rows.map(({ name }) => String(name));
      return { names: names.slice(0, NAMED_MAX), count: names.length };
    } finally {
      connection.close();
    }
  } catch {
    return nothing;
  }
}

function lostInWords({ names, count }: Lost): string[] {
  if (count === 0) return [];
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return [`Edits of ${names.map((name) => `“${name}”`).join(', ')}${more} after it are lost.`];
}
