/**
 * The commands of `belfry`: each asks the running Belfry of this user through its local socket, with the same requests as the
 * window. It prints sentences, or with `--json` exactly what was answered.
 */

import type { Reply, RequestName } from '../shared/ipc/contract';
import type { JobRow } from '../shared/model/job';
import type { HistoryEntry } from '../shared/model/run';
import type { SchedulerStatus } from '../shared/model/settings';
import type { Instant } from '../shared/time';
import { connectToBelfry, type SocketClient } from './ipc/socketClient';
import type { Timer } from './ports/world';

const EXIT = { done: 0, refused: 1, usage: 2, notRunning: 3 } as const;

const USAGE = `Usage: belfry <command> [--json] [--user-data-dir=<folder>]

  status              what Belfry is doing
  jobs                all jobs
  run <job>           start a job now
  stop <job>          stop the run of a job that is going on
  history <job>       the last runs and skipped due times
  agent               run the jobs without a window, until Ctrl-C

A job is named by its name or the beginning of its id.`;

const HISTORY_ROWS = 20;

/** A sentence for the person and the exit code that goes with it. */
class Refusal extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number = EXIT.refused) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** What a command answers: the value for `--json`, and its words. */
type Answer = { readonly value: unknown; readonly text: string };
type Command = (client: SocketClient, job: string) => Promise<Answer>;

const commands: Readonly<Record<string, { readonly needsJob: boolean; readonly ask: Command }>> = {
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
    ask: async (client, name) => {
      const job = await findJob(client, name);
      const value = need(await client.request('runs.start', { jobId: job.id }));
      return { value, text: `Started “${job.name}”.` };
    },
  },
  stop: {
    needsJob: true,
    ask: async (client, name) => {
      const job = await findJob(client, name);
      const { activeRun } = need(await client.request('jobs.get', { jobId: job.id }));
      if (activeRun === null) throw new Refusal(`“${job.name}” is not running.`);
      need(await client.request('runs.stop', { runId: activeRun.id }));
      return { value: activeRun, text: `Stopping “${job.name}”.` };
    },
  },
  history: {
    needsJob: true,
    ask: async (client, name) => {
      const job = await findJob(client, name);
      const value = need(await client.request('runs.history', { jobId: job.id, limit: HISTORY_ROWS }));
      const lines = value.entries.map(historyText);
      return { value, text: lines.length === 0 ? `“${job.name}” has not run yet.` : lines.join('\n') };
    },
  },
};

function need<N extends RequestName>(reply: Reply<N>): Extract<Reply<N>, { ok: true }>['value'] {
  if (!reply.ok) throw new Refusal(reply.error.message);
  return (reply as Extract<Reply<N>, { ok: true }>).value;
}

/** The job with exactly this name, or the only one whose id begins so. */
async function findJob(client: SocketClient, wanted: string): Promise<JobRow> {
  const rows = need(await client.request('jobs.list', undefined));
  const named = rows.filter(({ name }) => name === wanted);
  const found = named.length > 0 ? named : rows.filter(({ id }) => id.startsWith(wanted));
  const [only, ...others] = found;
  if (only === undefined) throw new Refusal(`There is no job “${wanted}”.`);
  if (others.length > 0)
    throw new Refusal(`“${wanted}” means several jobs:\n${found.map(jobText).join('\n')}`);
  return only;
}

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

const jobText = ({ id, name, isEnabled, state, scheduleShort }: JobRow): string =>
  [id, isEnabled ? state : 'off', name, scheduleShort].join('  ');

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
  const [name = '', job = '', ...more] = argv.filter((argument) => !argument.startsWith('-'));
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined || command.needsJob !== (job !== '') || more.length > 0) {
    throw new Refusal(USAGE, EXIT.usage);
  }
  const client = await connectToBelfry({ dataFolder, timer, from: 'cli' });
  if (client === null) throw new Refusal('Belfry is not running.', EXIT.notRunning);
  try {
    return await command.ask(client, job);
  } finally {
    client.close();
  }
}
