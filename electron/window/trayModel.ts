/**
 * What the tray says, as data: one state with its icon, a tooltip and a menu of at most MENU_ROWS_MAX rows. It is
 * computed from what the engine answers now, never kept.
 */

import type { JobId, JobRow } from '../../shared/model/job';
import type { SchedulerStatus } from '../../shared/model/settings';
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from '../../shared/time';

export type TrayState = 'idle' | 'running' | 'failing' | 'paused' | 'follower';

export const MENU_ROWS_MAX = 14;
/** Failing and running jobs that are listed by name. */
export const NAMED_JOBS_MAX = 5;
/** Jobs offered for running, those that ran last first. */
export const RUNNABLE_JOBS_MAX = 10;
/** Windows cuts a tooltip at 127 characters. */
export const TOOLTIP_LENGTH_MAX = 127;
const NAME_LENGTH_MAX = 40;
const LOCALE = 'en-GB';

export type TrayView = {
  readonly status: SchedulerStatus;
  readonly rows: readonly JobRow[];
  readonly now: Instant;
};

export type TrayEntry =
  | { readonly kind: 'line'; readonly label: string }
  | { readonly kind: 'separator' }
  | { readonly kind: 'job'; readonly label: string; readonly jobId: JobId }
  | {
      readonly kind: 'runnable';
      readonly label: string;
      readonly jobs: readonly { readonly label: string; readonly jobId: JobId }[];
    }
  | { readonly kind: 'action'; readonly label: string; readonly action: TrayAction };

export type TrayAction = 'pause' | 'resume' | 'open' | 'quit';

/** A problem with the data comes before everything; failing before running. */
export function trayState({ state, problem, failingCount, runningCount }: SchedulerStatus): TrayState {
  if (state === 'store_failed' || problem !== null) return 'failing';
  if (state === 'standby') return 'follower';
  if (state === 'paused') return 'paused';
  if (failingCount > 0) return 'failing';
  return runningCount > 0 ? 'running' : 'idle';
}

export function trayTooltip(view: TrayView): string {
  const { status } = view;
  if (status.state === 'store_failed') return 'Belfry cannot read its data. Open Belfry.';
  if (status.problem !== null) return status.problem.slice(0, TOOLTIP_LENGTH_MAX);
  return `Belfry: ${summary(view)}`.slice(0, TOOLTIP_LENGTH_MAX);
}

function summary(view: TrayView): string {
  const { status } = view;
  const next = nextWords(view);
  if (status.state === 'standby') return 'another process is running the jobs';
  if (status.state === 'paused') return 'all jobs paused';
  if (status.failingCount > 0) {
    const failing = `${jobs(status.failingCount)} failing`;
    const running = status.runningCount > 0 ? `, ${status.runningCount} running` : '';
    return `${failing}${running}${next === null ? '' : `. Next ${next}`}`;
  }
  if (status.runningCount > 0) {
    const [only, ...others] = runningRows(view);
    if (only === undefined || others.length > 0) return `running ${jobs(status.runningCount)}`;
    const since = elapsed(only, view.now);
    return `running ${cut(only.name)}${since === null ? '' : ` (${since})`}`;
  }
  return next === null ? 'nothing is due' : `next ${next}`;
}

/** The menu, top to bottom. */
export function trayMenu(view: TrayView): TrayEntry[] {
  const { status } = view;
  const separator: TrayEntry = { kind: 'separator' };
  const named = namedJobs(view);
  const runnable = view.rows.toSorted(byLastRun).slice(0, RUNNABLE_JOBS_MAX);
  const canRun = ['running', 'paused', 'standby'].includes(status.state);
  return [
    ...statusLines(view).map((label): TrayEntry => ({ kind: 'line', label })),
    separator,
    ...(named.length > 0 ? [...named, separator] : []),
    ...(canRun && runnable.length > 0
      ? [
          {
            kind: 'runnable',
            label: 'Run a job…',
            jobs: runnable.map(({ id, name }) => ({ label: cut(name), jobId: id })),
          } satisfies TrayEntry,
        ]
      : []),
    ...(canRun ? [pauseEntry(status), separator] : []),
    { kind: 'action', label: 'Open Belfry', action: 'open' },
    { kind: 'action', label: 'Quit Belfry', action: 'quit' },
  ];
}

const pauseEntry = (status: SchedulerStatus): TrayEntry =>
  status.state === 'paused'
    ? { kind: 'action', label: 'Resume all jobs', action: 'resume' }
    : { kind: 'action', label: 'Pause all jobs', action: 'pause' };

function statusLines(view: TrayView): string[] {
  const { status } = view;
  if (status.state === 'store_failed') return ['Belfry cannot read its data'];
  const problem = status.problem === null ? [] : [firstSentence(status.problem)];
  if (status.state === 'standby') {
    const { holder } = status;
    const who = holder === null ? [] : [`Process ${holder.pid}, since ${timeOfDay(holder.since)}`];
    return [...problem, 'Another Belfry is running the jobs', ...who];
  }
  const counts = [
    ...(status.failingCount > 0 ? [`${status.failingCount} failing`] : []),
    ...(status.runningCount > 0 ? [`${status.runningCount} running`] : []),
  ];
  const next = nextWords(view);
  return [
    ...problem,
    ...(status.state === 'paused' ? ['All jobs are paused'] : []),
    ...(counts.length > 0 ? [counts.join(', ')] : []),
    ...(status.state === 'paused' ? [] : [next === null ? 'Nothing is due' : `Next ${next}`]),
  ];
}

/** A menu has no room for more; the window tells the rest. */
const firstSentence = (text: string): string => /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text;

/** The newest failures that are still news, then what runs. */
function namedJobs(view: TrayView): TrayEntry[] {
  const failing = view.rows
    .filter(({ state }) => state === 'failed' || state === 'timed_out' || state === 'abandoned')
    .toSorted(byLastRun)
    .slice(0, view.status.failingCount);
  const entries = [
    ...failing.map(({ id, name, lastRunAt }) => ({
      kind: 'job' as const,
      label: `✕ ${cut(name)}${lastRunAt === null ? '' : `, failed ${moment(lastRunAt, view.now)}`}`,
      jobId: id,
    })),
    ...runningRows(view).map((row) => {
      const since = elapsed(row, view.now);
      return {
        kind: 'job' as const,
        label: `▶ ${cut(row.name)}${since === null ? '' : `, ${since}`}`,
        jobId: row.id,
      };
    }),
  ];
  return entries.slice(0, NAMED_JOBS_MAX);
}

const runningRows = (view: TrayView): JobRow[] => view.rows.filter(({ next }) => next.code === 'running');

const byLastRun = (a: JobRow, b: JobRow): number =>
  (b.lastRunAt ?? Number.NEGATIVE_INFINITY) - (a.lastRunAt ?? Number.NEGATIVE_INFINITY) ||
  a.name.localeCompare(b.name);

function nextWords({ status: { next }, now }: TrayView): string | null {
  if (next === null) return null;
  const more = next.dueCount > 1 ? ` and ${next.dueCount - 1} more` : '';
  return `${moment(next.at, now)}, ${cut(next.jobName)}${more}`;
}

const jobs = (count: number): string => (count === 1 ? '1 job' : `${count} jobs`);

const cut = (name: string): string =>
  name.length <= NAME_LENGTH_MAX ? name : `${name.slice(0, NAME_LENGTH_MAX - 1)}…`;

/** How long a run has been going on, in whole minutes, as long as the tray may go without an update; null below one. */
function elapsed({ next }: JobRow, now: Instant): string | null {
  const ms = next.code === 'running' ? Math.max(now - next.since, 0) : 0;
  if (ms < MINUTE_MS) return null;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  return `${Math.floor(ms / HOUR_MS)} h ${Math.floor((ms % HOUR_MS) / MINUTE_MS)} min`;
}

const timeOfDay = (at: Instant): string =>
  new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at);

/** 14:15 today, Fri 16:45 within a week, 1 Apr 04:00 beyond: as the window writes it. */
function moment(at: Instant, now: Instant): string {
  if (new Date(at).toDateString() === new Date(now).toDateString()) return timeOfDay(at);
  const isNear = Math.abs(at - now) < 6 * DAY_MS;
  const day = new Intl.DateTimeFormat(
    LOCALE,
    isNear ? { weekday: 'short' } : { day: 'numeric', month: 'short' },
  );
  return `${day.format(at)} ${timeOfDay(at)}`;
}
