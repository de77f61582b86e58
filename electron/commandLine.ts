/**
 * The commands of `belfry`: each asks the running Belfry of this user through its local socket, with the same requests as the
 * window. It prints sentences, or with `--json` exactly what was answered.
 */

import type { HistoryEntry } from '../shared/model/run';
import type { SchedulerStatus } from '../shared/model/settings';
import type { Instant } from '../shared/time';
import { type Answer, EXIT, findJob, jobText, need, type Options, Refusal } from './commandAnswers';
import {
  backupCommand,
  backupOffline,
  checkCommand,
  checkOffline,
  dataCommand,
  dataOffline,
  RUNS_OPTIONS,
  runsCommand,
} from './dataCommands';
import { connectToBelfry, type SocketClient } from './ipc/socketClient';
import { explainCommand, PREVIEW_OPTIONS, previewCommand } from './lookAroundCommands';
import type { OfflineData } from './ports/data';
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
  runs                the last runs of all jobs; add --job=<job>, --outcome=failed, --search=<words>,
                      --since=<time>, --limit=<number> (20, at most 200)
  data                how much room Belfry takes, and when it was copied and checked last
  check               read all of the data and look for damage
  backup list         the copies of the data
  backup create       make a copy now
  backup restore <copy>|latest
                      put a copy in place of the present data, which becomes a copy first
  agent               run the jobs without a window, until Ctrl-C

A job is named by its name or the beginning of its id. A time is 09:00, 2026-05-04T09:00 or 2026-05-04T09:00Z.`;

const HISTORY_ROWS = 20;

type CommandRule = {
  /** How many words come after the name of the command. */
  readonly words: readonly [min: number, max: number];
  readonly options?: readonly string[];
  readonly ask: (client: SocketClient, words: readonly string[], options: Options) => Promise<Answer>;
  /** For what works without a running Belfry too. */
  readonly askOffline?: (data: OfflineData, words: readonly string[]) => Promise<Answer>;
};

const NO_WORDS = [0, 0] as const;
const ONE_JOB = [1, 1] as const;

const commands: Readonly<Record<string, CommandRule>> = {
  backup: { words: [1, 2], ask: backupCommand, askOffline: backupOffline },
  data: { words: NO_WORDS, ask: dataCommand, askOffline: dataOffline },
  check: { words: NO_WORDS, ask: checkCommand, askOffline: checkOffline },
  runs: { words: NO_WORDS, options: RUNS_OPTIONS, ask: (client, _, options) => runsCommand(client, options) },
  explain: {
    words: [1, 2],
    ask: (client, [name = '', time]) => explainCommand(client, name, time),
  },
  preview: {
    words: ONE_JOB,
    options: PREVIEW_OPTIONS,
    ask: (client, [name = ''], options) => previewCommand(client, name, options),
  },
  status: {
    words: NO_WORDS,
    ask: async (client) => {
      const value = need(await client.request('health.get', undefined));
      return { value, text: statusText(value.status, value.pid) };
    },
  },
  jobs: {
    words: NO_WORDS,
    ask: async (client) => {
      const value = need(await client.request('jobs.list', undefined));
      return { value, text: value.length === 0 ? 'There is no job yet.' : value.map(jobText).join('\n') };
    },
  },
  run: {
    words: ONE_JOB,
    ask: async (client, [name = '']) => {
      const job = await findJob(client, name);
      const value = need(await client.request('runs.start', { jobId: job.id }));
      return { value, text: `Started “${job.name}”.` };
    },
  },
  stop: {
    words: ONE_JOB,
    ask: async (client, [name = '']) => {
      const job = await findJob(client, name);
      const { activeRun } = need(await client.request('jobs.get', { jobId: job.id }));
      if (activeRun === null) throw new Refusal(`“${job.name}” is not running.`);
      need(await client.request('runs.stop', { runId: activeRun.id }));
      return { value: activeRun, text: `Stopping “${job.name}”.` };
    },
  },
  history: {
    words: ONE_JOB,
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
  /** The files of the store, for what can be done while no Belfry runs. */
  readonly openOffline: () => OfflineData;
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

async function answer(
  argv: readonly string[],
  { dataFolder, timer, openOffline }: Terminal,
): Promise<Answer> {
  const [name = '', ...words] = argv.filter((argument) => !argument.startsWith('-'));
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const options = command === undefined ? null : optionsOf(argv, command.options ?? []);
  const [wordsMin, wordsMax] = command?.words ?? NO_WORDS;
  if (command === undefined || options === null || words.length < wordsMin || words.length > wordsMax) {
    throw new Refusal(USAGE, EXIT.usage);
  }
  const client = await connectToBelfry({ dataFolder, timer, from: 'cli' });
  if (client === null) {
    if (command.askOffline === undefined) throw new Refusal('Belfry is not running.', EXIT.notRunning);
    return command.askOffline(openOffline(), words);
  }
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
