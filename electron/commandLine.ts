/**
 * The commands of `belfry`: each asks the running Belfry of this user through its local socket, with the same requests as the
 * window. It prints sentences, or with `--json` exactly what was answered.
 */

import type { HistoryEntry } from '../shared/model/run';
import type { SchedulerStatus } from '../shared/model/settings';
import type { Instant } from '../shared/time';
import { type Answer, EXIT, findJob, jobText, need, type Options, Refusal } from './commandAnswers';
import { connectToBelfry, type SocketClient } from './ipc/socketClient';
import { explainCommand, PREVIEW_OPTIONS, previewCommand } from './lookAroundCommands';
import type { Timer } from './ports/world';

const USAGE = `Usage: belfry <command> [--json] [--user-data-dir=<folder>]

  status              what Belfry is doing
  jobs                all jobs
  run <job>           start a job now
  stop <job>          stop the run of a job that is going on
  history <job>       the last runs and skipped due times
  explain <job> [<time>]
                      why it ran, did not run, or will run then; now, if no time is given
  preview <job>|all   what would happen; add --days=7, --asleep=22:00..07:30, --off=<from>..<to>,
                      --on-battery=<from>..<to>, --without-network=<from>..<to>, --zone=<time>@Asia/Tokyo
  agent               run the jobs without a window, until Ctrl-C

A job is named by its name or the beginning of its id. A time is 09:00, 2026-05-04T09:00 or 2026-05-04T09:00Z.`;

const HISTORY_ROWS = 20;

type CommandRule = {
  readonly needsJob: boolean;
  /** Words after the name of the command; 1 if it needs a job. */
  readonly wordsMax?: number;
  readonly options?: readonly string[];
  readonly ask: (client: SocketClient, words: readonly string[], options: Options) => Promise<Answer>;
};

const commands: Readonly<Record<string, CommandRule>> = {
  explain: {
    needsJob: true,
    wordsMax: 2,
    ask: (client, [name = '', time]) => explainCommand(client, name, time),
  },
  preview: {
    needsJob: true,
    wordsMax: 1,
    options: PREVIEW_OPTIONS,
    ask: (client, [name = ''], options) => previewCommand(client, name, options),
  },
  status: {
    needsJob: false,
    ask: async (client) => {
      const value = need(await client.request('health.get', undefined));
      return { value, text: statusText(value.status, value.pid) };
    },
  },
  jobs: {
    needsJob: false,
    ask: async (client) => {
      const value = need(await client.request('jobs.list', undefined));
      return { value, text: value.length === 0 ? 'There is no job yet.' : value.map(jobText).join('\n') };
    },
  },
  run: {
    needsJob: true,
    ask: async (client, [name = '']) => {
      const job = await findJob(client, name);
      const value = need(await client.request('runs.start', { jobId: job.id }));
      return { value, text: `Started “${job.name}”.` };
    },
  },
  stop: {
    needsJob: true,
    ask: async (client, [name = '']) => {
      const job = await findJob(client, name);
      const { activeRun } = need(await client.request('jobs.get', { jobId: job.id }));
      if (activeRun === null) throw new Refusal(`“${job.name}” is not running.`);
      need(await client.request('runs.stop', { runId: activeRun.id }));
      return { value: activeRun, text: `Stopping “${job.name}”.` };
    },
  },
  history: {
    needsJob: true,
    ask: async (client, [name = '']) => {
      const job = await findJob(client, name);
      const value = need(await client.request('runs.history', { jobId: job.id, limit: HISTORY_ROWS }));
      const lines = value.entries.map(historyText);
      return { value, text: lines.length === 0 ? `“${job.name}” has not run yet.` : lines.join('\n') };
    },
  },
};

function statusText(status: SchedulerStatus, pid: number): string {
  const states: Readonly<Record<SchedulerStatus['state'], string>> = {
    starting: 'Belfry is starting.',
    running: 'Belfry is running your jobs.',
    paused: 'All jobs are paused.',
    standby: 'Another Belfry process is running your jobs.',
    store_failed: status.problem ?? 'Belfry cannot read its data.',
    stopped: 'Belfry has stopped.',
  };
  const counts = `${status.jobCount} ${status.jobCount === 1 ? 'job' : 'jobs'}, ${status.runningCount} running, ${status.failingCount} failing.`;
  const next =
    status.next === null ? 'Nothing is due.' : `Next ${when(status.next.at)}, ${status.next.jobName}.`;
  return `${states[status.state]} Process ${pid}.\n${counts} ${next}`;
}

function historyText(entry: HistoryEntry): string {
  if (entry.entry === 'skip') {
    const { decision } = entry;
    return `${when(decision.plannedAt)}  skipped  ${decision.reason}${decision.count > 1 ? ` (${decision.count})` : ''}`;
  }
  const { run } = entry;
  const end = run.exitCode === null ? (run.signal ?? run.reason ?? '') : `exit ${run.exitCode}`;
  return [when(run.startedAt ?? run.queuedAt), run.outcome ?? run.state, end, run.trigger]
    .join('  ')
    .trimEnd();
}

const when = (at: Instant): string =>
  new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' }).format(at);

/** Where a command is typed, and where its words go. */
export type Terminal = {
  readonly dataFolder: string;
  readonly timer: Timer;
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
};

/** Does what `argv` says and resolves with the exit code: 0 done, 1 refused, 2 not understood, 3 no Belfry is running. */
export async function runCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const { value, text } = await answer(argv, terminal);
    terminal.print(argv.includes('--json') ? JSON.stringify(value) : text);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    terminal.complain(error.message);
    return error.exitCode;
  }
}

async function answer(argv: readonly string[], { dataFolder, timer }: Terminal): Promise<Answer> {
  const [name = '', ...words] = argv.filter((argument) => !argument.startsWith('-'));
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const options = command === undefined ? null : optionsOf(argv, command.options ?? []);
  const wordsMax = command?.wordsMax ?? (command?.needsJob === true ? 1 : 0);
  if (
    command === undefined ||
    options === null ||
    command.needsJob !== words.length > 0 ||
    words.length > wordsMax
  ) {
    throw new Refusal(USAGE, EXIT.usage);
  }
  const client = await connectToBelfry({ dataFolder, timer, from: 'cli' });
  if (client === null) throw new Refusal('Belfry is not running.', EXIT.notRunning);
  try {
    return await command.ask(client, words, options);
  } finally {
    client.close();
  }
}

/** Options that every command takes; they are read elsewhere. */
const COMMON_OPTIONS = ['json', 'user-data-dir'];

/** `--name=value`, each as often as one likes; null if there is one that the command does not know. */
function optionsOf(argv: readonly string[], known: readonly string[]): Options | null {
  const options: Record<string, string[]> = {};
  for (const argument of argv.filter((each) => each.startsWith('-'))) {
    const [, name = '', value = ''] = /^--([a-z-]+)(?:=(.*))?$/s.exec(argument) ?? [];
    if (COMMON_OPTIONS.includes(name)) continue;
    if (!known.includes(name)) return null;
    options[name] = [...(options[name] ?? []), value];
  }
  return options;
}
