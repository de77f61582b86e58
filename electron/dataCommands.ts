/**
 * Commands about the data as a whole: copies, room, checks, and the runs of all jobs. Copies are what one needs when nothing else
 * works, so those commands do without a running Belfry too.
 */

import { type Backup, BackupId, type DataFacts, type RescueReport } from '../shared/model/data';
import { Outcome } from '../shared/model/run';
import type { FoundRun } from '../shared/model/runSearch';
import type { Instant } from '../shared/time';
import { type Answer, EXIT, findJob, need, type Options, Refusal } from './commandAnswers';
import { parseTime } from './commandTimes';
import { StoreError } from './core/storeError';
import type { SocketClient } from './ipc/socketClient';
import type { OfflineData } from './ports/data';
import { realClock } from './system/realTime';

export const RUNS_OPTIONS = ['job', 'outcome', 'search', 'since', 'limit'];

const RUNS_LIMIT = 20;
const RUNS_LIMIT_MAX = 200;

export async function backupCommand(client: SocketClient, words: readonly string[]): Promise<Answer> {
  const [action = '', name] = words;
  if (action === 'list' && name === undefined) {
    return listed(need(await client.request('backups.list', undefined)));
  }
  if (action === 'create' && name === undefined) {
    return created(need(await client.request('backups.create', undefined)));
  }
  if (action !== 'restore' || name === undefined) throw new Refusal(BACKUP_USAGE, EXIT.usage);
  const backupId = chosen(need(await client.request('backups.list', undefined)), name);
  // A Belfry whose store was refused is mended by the same copy, in another way.
  const isRefused = need(await client.request('rescue.get', undefined)) !== null;
  const reply = isRefused
    ? await client.request('rescue.act', { choice: 'restore', backupId })
    : await client.request('backups.restore', { backupId });
  if (!reply.ok) throw new Refusal(reply.error.message);
  return restored(reply.value);
}

/** The same while no Belfry answers. Only one that is proven to be gone has its store taken from under it. */
export async function backupOffline(
  { files, keeper, holder }: OfflineData,
  words: readonly string[],
): Promise<Answer> {
  const [action = '', name] = words;
  if (action === 'list' && name === undefined) return listed(await files.backups());
  if (action === 'create' && name === undefined) return created(await orRefusal(keeper.backUp('manual')));
  if (action !== 'restore' || name === undefined) throw new Refusal(BACKUP_USAGE, EXIT.usage);
  const backupId = chosen(await files.backups(), name);
  const living = await holder();
  if (living !== null) throw new Refusal(living);
  // The present store may be damaged, which is why one does this; it is kept beside in any case.
  await keeper.backUp('restore').catch(() => undefined);
  const done = await files.restore(backupId, realClock.now());
  if (!done.ok) throw new Refusal(done.error.message);
  return restored(done.value);
}

const BACKUP_USAGE = 'Usage: belfry backup list | create | restore <copy>|latest';

/** The copy with exactly this name, or the newest that can be put back. */
function chosen(backups: readonly Backup[], name: string): BackupId {
  if (name !== 'latest') {
    const id = BackupId.safeParse(name);
    const named = id.success ? backups.find((backup) => backup.id === id.data) : undefined;
    if (named === undefined) {
      throw new Refusal(`There is no copy “${name}”. “belfry backup list” names them.`);
    }
    if (named.problem !== null) throw new Refusal(named.problem);
    return named.id;
  }
  const newest = backups.find(({ problem }) => problem === null);
  if (newest === undefined) {
    throw new Refusal(
      backups.length === 0
        ? 'There is no copy yet.'
        : 'No copy can be put back. “belfry backup list” says what is wrong with each.',
    );
  }
  return newest.id;
}

const listed = (backups: readonly Backup[]): Answer => ({
  value: backups,
  text: backups.length === 0 ? 'There is no copy yet.' : backups.map(backupText).join('\n'),
});

const created = (backup: Backup): Answer => ({ value: backup, text: `Copied: ${backupText(backup)}` });

const restored = (report: RescueReport): Answer => ({ value: report, text: report.sentences.join('\n') });

const backupText = ({ id, madeAt, reason, bytes, jobCount, runCount, problem }: Backup): string =>
  [
    id,
    when(madeAt),
    reason,
    size(bytes),
    `${jobCount} ${jobCount === 1 ? 'job' : 'jobs'}`,
    `${runCount} ${runCount === 1 ? 'run' : 'runs'}`,
    ...(problem === null ? [] : [problem]),
  ].join('  ');

export async function dataCommand(client: SocketClient): Promise<Answer> {
  const facts = need(await client.request('data.get', undefined));
  return { value: facts, text: dataText(facts) };
}

/** What the disk alone tells, while no Belfry runs. */
export async function dataOffline({ files, keeper }: OfflineData): Promise<Answer> {
  const sizes = await orRefusal(keeper.sizes());
  const lastBackupAt = (await files.backups()).find(({ problem }) => problem === null)?.madeAt ?? null;
  return {
    value: { ...sizes, lastBackupAt },
    text: [
      `store ${size(sizes.storeBytes)}, copies ${size(sizes.backupBytes)}${freeText(sizes.freeBytes)}`,
      `last copy ${lastBackupAt === null ? 'never' : when(lastBackupAt)}`,
      sizes.folder,
    ].join('\n'),
  };
}

export async function checkCommand(client: SocketClient): Promise<Answer> {
  const facts = need(await client.request('data.check', undefined));
  return checked(facts.lastCheck?.finding ?? null, facts);
}

export async function checkOffline({ keeper }: OfflineData): Promise<Answer> {
  const finding = await orRefusal(keeper.check());
  return checked(finding, { finding });
}

const DAMAGED = 'A part of the data is damaged. Put back a copy from before: “belfry backup restore latest”.';

/** The last line is for whoever helps. */
function checked(finding: string | null, value: unknown): Answer {
  if (finding !== null) throw new Refusal(`${DAMAGED}\nDetail: ${finding}`);
  return { value, text: 'All of the data was read, and it is whole.' };
}

const dataText = (facts: DataFacts): string =>
  [
    `${facts.jobCount} ${facts.jobCount === 1 ? 'job' : 'jobs'}, ${facts.runCount} ${facts.runCount === 1 ? 'run' : 'runs'}${
      facts.oldestRunAt === null ? '' : ` since ${when(facts.oldestRunAt)}`
    }`,
    `store ${size(facts.storeBytes)}, output ${size(facts.outputBytes)}, copies ${size(facts.backupBytes)}${freeText(facts.freeBytes)}`,
    `last copy ${facts.lastBackupAt === null ? 'never' : when(facts.lastBackupAt)}, last check ${
      facts.lastCheck === null
        ? 'never'
        : `${when(facts.lastCheck.at)}: ${facts.lastCheck.finding === null ? 'whole' : 'damaged'}`
    }`,
    facts.folder,
  ].join('\n');

const freeText = (bytes: number | null): string =>
  bytes === null ? '' : `, free on the disk ${size(bytes)}`;

/** The newest runs of all jobs, or those that the options name. */
export async function runsCommand(client: SocketClient, options: Options): Promise<Answer> {
  const last = (name: string): string | undefined => options[name]?.at(-1);
  const [job, outcome, text, since] = ['job', 'outcome', 'search', 'since'].map(last);
  const limit = last('limit') === undefined ? RUNS_LIMIT : Number(last('limit'));
  if (!Number.isInteger(limit) || limit < 1 || limit > RUNS_LIMIT_MAX) {
    throw new Refusal(`--limit is a number from 1 to ${RUNS_LIMIT_MAX}.`, EXIT.usage);
  }
  const known = Outcome.safeParse(outcome);
  if (outcome !== undefined && !known.success) {
    throw new Refusal(`--outcome is one of ${Outcome.options.join(', ')}.`, EXIT.usage);
  }
  const here = { now: realClock.now(), zone: new Intl.DateTimeFormat().resolvedOptions().timeZone };
  const page = need(
    await client.request('runs.find', {
      limit,
      ...(job === undefined ? {} : { jobId: (await findJob(client, job)).id }),
      ...(known.success ? { outcome: known.data } : {}),
      ...(text === undefined ? {} : { text }),
      ...(since === undefined ? {} : { from: parseTime(since, here).at }),
    }),
  );
  const lines = page.runs.map(runText);
  return { value: page, text: lines.length === 0 ? 'No run was found.' : lines.join('\n') };
}

const runText = ({ run, jobName }: FoundRun): string =>
  [
    when(run.startedAt ?? run.queuedAt),
    run.outcome ?? run.state,
    jobName,
    ...(run.exitCode === null ? [] : [`exit ${run.exitCode}`]),
    ...(run.detail === null ? [] : [run.detail]),
  ].join('  ');

async function orRefusal<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StoreError) throw new Refusal(error.message);
    throw error;
  }
}

const when = (at: Instant): string =>
  new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' }).format(at);

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

function size(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1_000 ** step;
  return `${value >= 10 || step === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[step]}`;
}
