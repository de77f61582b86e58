/** What the engine in memory keeps, with everything filled in that a test does not care about. */
import type { JobDetail } from '../shared/ipc/contract';
import { emptyCommandSettings } from '../shared/kinds/command';
import { kindSummary } from '../shared/kinds/registry';
import { everyDay } from '../shared/model/dates';
import type { Job, JobId, JobRow } from '../shared/model/job';
import { defaultPolicies } from '../shared/model/policies';
import type { HistoryEntry, Run, RunId } from '../shared/model/run';
import type { Instant } from '../shared/time';

/** A job with everything that is known of it. History is newest first. */
export type FakeJob = {
  job: Job;
  row: JobRow;
  sentences: string[];
  upcoming: Instant[];
  medianMs: number | null;
  history: HistoryEntry[];
};

export type JobPart = Partial<Omit<FakeJob, 'job' | 'row' | 'history'>> & {
  job?: Partial<Job>;
  row?: Partial<JobRow>;
};

/** The moment a line of history belongs to. */
export const momentOf = (entry: HistoryEntry): number =>
  entry.entry === 'run' ? (entry.run.startedAt ?? entry.run.queuedAt) : entry.decision.plannedAt;

export function fakeJob(id: JobId, at: Instant, part: JobPart): FakeJob {
  const job: Job = {
    id,
    revision: 1,
    name: 'Back up notes',
    settings: { ...emptyCommandSettings, line: 'restic backup ~/Notes' },
    tags: [],
    notes: '',
    isEnabled: true,
    policies: defaultPolicies,
    schedules: [],
    conditions: [],
    dates: everyDay,
    disabledReason: null,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
    ...part.job,
  };
  const { sentences = [], upcoming = [], medianMs = null } = part;
  return { job, row: { ...rowOf(job), ...part.row }, sentences, upcoming, medianMs, history: [] };
}

/** A run that succeeded at once, as far as `part` says nothing else. */
export const fakeRun = (id: RunId, jobId: JobId, at: Instant, part: Partial<Run>): Run => ({
  id,
  jobId,
  revision: 1,
  trigger: 'schedule',
  state: 'finished',
  outcome: 'succeeded',
  reason: null,
  detail: null,
  scheduleId: null,
  plannedAt: null,
  mergedCount: 0,
  missCause: null,
  queuedAt: part.startedAt ?? at,
  startedAt: at,
  endedAt: at,
  durationMs: 1_000,
  exitCode: 0,
  signal: null,
  attemptCount: 1,
  wasAdopted: false,
  outputBytes: 0,
  outputRemovedAt: null,
  notBeforeAt: null,
  attemptsMax: 1,
  waits: [],
  ...part,
});

export const runsOf = ({ history }: FakeJob): Run[] =>
  history.flatMap((entry) => (entry.entry === 'run' ? [entry.run] : []));

export const rowOf = (job: Job): JobRow => ({
  id: job.id,
  name: job.name,
  kind: 'command',
  summary: kindSummary(job.settings),
  tags: job.tags,
  isEnabled: job.isEnabled,
  disabledReason: job.disabledReason,
  state: job.isEnabled ? 'never_run' : 'paused',
  scheduleShort: 'By hand',
  spark: '',
  next: job.isEnabled ? { code: 'by_hand' } : { code: 'paused', until: null },
  lastRunAt: null,
});

export function detailOf(one: FakeJob): JobDetail {
  const runs = runsOf(one);
  const { job, row, sentences, upcoming, medianMs } = one;
  return {
    job,
    row,
    sentences,
    upcoming,
    medianMs,
    runCount: runs.length,
    recentRuns: runs
      .filter((run) => run.state === 'finished')
      .slice(0, 30)
      .reverse(),
    activeRun: runs.find((run) => run.state !== 'finished') ?? null,
    latestRun: runs[0] ?? null,
    pauses: [],
  };
}
