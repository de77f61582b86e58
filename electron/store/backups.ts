/**
 * Copies of the store and their names. A copy is a whole store in one file, with its facts in a file beside it; the name appears
 * when both are complete and on the disk (S-13, X-47). Of each reason the newest ones stay.
 */

import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Backup, BackupId, BackupReason } from '../../shared/model/data';
import { type Instant, toInstant } from '../../shared/time';
import { openConnection } from './connection';
import { damageOf, isCutOff } from './copyCheck';
import { inspectHeader } from './inspection';
import { migrations, newestVersion } from './migrations';
import { uriOf } from './pragmas';
import { isThere } from './privateFiles';

/** Of each reason. */
export const BACKUPS_KEPT = 7;

export const DAMAGED_COPY = 'This copy is damaged.';

/** What a copy was found to hold when it was made. */
export const CopyFacts = z.strictObject({
  jobCount: z.number().int(),
  runCount: z.number().int(),
});
export type CopyFacts = z.output<typeof CopyFacts>;

/** Written while the copy is made; gone when it has its name. */
const UNFINISHED = '.unfinished';
/** One that is older belongs to a process that died. */
const UNFINISHED_MS_MAX = 60 * 60_000;

const NAME = /^belfry-(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)-(\d{3})Z-([a-z]+)\.db$/;
/** How versions before 0.2 named the copy from before a migration. */
const OLDER_NAME = /^belfry-schema-\d+\.db$/;

export const backupsFolderOf = (storeFile: string): string => join(storeFile, '..', 'backups');

/** `belfry-2026-12-01T03-40-00-000Z-daily.db`: in the order of their time. */
export const backupName = (reason: BackupReason, at: Instant): BackupId =>
  BackupId.parse(`belfry-${new Date(at).toISOString().replace(/[:.]/g, '-')}-${reason}.db`);

export const unfinishedOf = (copy: string): string => `${copy}.${process.pid}${UNFINISHED}`;

export const factsOf = (copy: string): string => `${copy}.json`;

/** null for a file that is no copy. */
export function readBackupName(name: string): { reason: BackupReason; madeAt: Instant | null } | null {
  if (OLDER_NAME.test(name)) return { reason: 'migration', madeAt: null };
  const [, day, hour, minute, second, milli, word] = NAME.exec(name) ?? [];
  const reason = BackupReason.safeParse(word);
  const at = Date.parse(`${day}${hour}:${minute}:${second}.${milli}Z`);
  return reason.success && Number.isFinite(at) ? { reason: reason.data, madeAt: toInstant(at) } : null;
}

/** Newest first. Only looks, and finds what can be seen at once (checkedCopies.ts reads them): one without its facts, put there by hand, is opened for reading. */
export function listBackups(folder: string): Backup[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => {
      const known = readBackupName(name);
      return known === null ? [] : lookAt(folder, name, known);
    })
    .sort((a, b) => b.madeAt - a.madeAt);
}

function lookAt(
  folder: string,
  name: string,
  { reason, madeAt }: { reason: BackupReason; madeAt: Instant | null },
): Backup[] {
  const copy = join(folder, name);
  // Another process may have removed it meanwhile, because there are newer ones.
  const facts = statSync(copy, { throwIfNoEntry: false });
  if (facts === undefined) return [];
  const looked = factsBeside(copy) ?? lookInto(copy);
  return [
    {
      id: BackupId.parse(name),
      reason,
      madeAt: madeAt ?? toInstant(Math.round(facts.mtimeMs)),
      bytes: facts.size,
      jobCount: looked.jobCount,
      runCount: looked.runCount,
      problem: problemAtSight(copy) ?? looked.problem,
    },
  ];
}

/** What the first bytes and the size tell. */
function problemAtSight(copy: string): string | null {
  const refusal = inspectHeader(copy, newestVersion(migrations));
  if (refusal?.code === 'newer_schema')
    return 'A newer Belfry made this copy. Install that version or a later one.';
  return refusal !== null || isCutOff(copy) ? DAMAGED_COPY : null;
}

type Looked = CopyFacts & { readonly problem: string | null };

function factsBeside(copy: string): Looked | null {
  try {
    return { ...CopyFacts.parse(JSON.parse(readFileSync(factsOf(copy), 'utf8'))), problem: null };
  } catch {
    return null;
  }
}

function lookInto(copy: string): Looked {
  try {
    return { ...countIn(copy), problem: null };
  } catch {
    return { jobCount: 0, runCount: 0, problem: DAMAGED_COPY };
  }
}

/** Throws a StoreError for a copy that cannot be read. */
export function countIn(copy: string): CopyFacts {
  // Nobody writes to a copy, and nothing may be left beside it.
  const connection = openConnection(`${uriOf(copy, 'ro')}&immutable=1`, { isReadOnly: true, busyMs: 0 });
  try {
    const count = (sql: string): number => Number(connection.get(sql)?.count);
    return {
      jobCount: count('SELECT count(*) AS count FROM jobs WHERE deleted_at IS NULL'),
      runCount: count('SELECT count(*) AS count FROM runs'),
    };
  } finally {
    connection.close();
  }
}

/**
 * Removes what is older than the newest whole ones of its reason, and what dead processes have left. Older names always stay. Copies are
 * read only if one would go: none goes for one that could not be put back.
 */
export function pruneBackups(folder: string, now: Instant): void {
  const names = listNames(folder);
  for (const wanted of BackupReason.options) {
    const ids = names.filter(({ reason }) => reason === wanted).map(({ id }) => id);
    if (ids.length <= BACKUPS_KEPT) continue;
    let wholeCount = 0;
    for (const id of ids) {
      if (wholeCount < BACKUPS_KEPT) wholeCount += damageOf(join(folder, id)) === null ? 1 : 0;
      else for (const file of [id, factsOf(id)]) rmSync(join(folder, file), { force: true });
    }
  }
  for (const name of readdirSync(folder).filter((each) => isLeftover(folder, each))) {
    const file = join(folder, name);
    if (isThere(file) && now - statSync(file).mtimeMs > UNFINISHED_MS_MAX) rmSync(file, { force: true });
  }
}

/** A copy without its name, or the facts of one that never got it. */
const isLeftover = (folder: string, name: string): boolean =>
  name.includes(UNFINISHED) ||
  (name.endsWith('.db.json') && !isThere(join(folder, name.slice(0, -'.json'.length))));

/** Newest first. */
const listNames = (folder: string): { id: string; reason: BackupReason }[] =>
  readdirSync(folder)
    .flatMap((id) => {
      const known = readBackupName(id);
      return known === null || known.madeAt === null
        ? []
        : [{ id, reason: known.reason, madeAt: known.madeAt }];
    })
    .sort((a, b) => b.madeAt - a.madeAt);
