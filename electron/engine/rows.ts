/**
 * What lists and the detail pane show, from kept facts and from the same functions the scheduler plans with (S-38): list
 * and engine cannot disagree. Reading changes nothing (C-057).
 */

import type { JobDetail } from '../../shared/ipc/contract';
import { jobKinds } from '../../shared/kinds/registry';
import type { Wait } from '../../shared/model/condition';
import { JOBS_MAX, type Job, JobId, type JobRow, SPARK_SLOTS } from '../../shared/model/job';
import type { Pause } from '../../shared/model/pause';
import type { Run } from '../../shared/model/run';
import type { Schedule, ScheduleRule } from '../../shared/model/schedule';
import { fail, ok, type Result } from '../../shared/result';
import { nextOccurrence } from '../../shared/schedule/occurrences';
import { createRecent } from '../../shared/schedule/recent';
import { sentence, shortSentence } from '../../shared/schedule/words';
import type { Instant } from '../../shared/time';
import { contextOf } from '../core/catchUp';
import { jobStateOf, medianOf, nextDueOf, reasonShown, usualMsOf } from '../core/jobState';
import { pausesOf } from '../core/pauses';
import { sparkText } from '../core/spark';
import { seenAt } from '../core/wrongClock';
import type { ActiveRun, JobStats, Reader, Store } from '../ports/store';
import type { Clock, Host } from '../ports/world';
import { Agenda } from './agenda';
import { readDecidedAhead } from './clockRepair';

/** How many due times the detail pane lists. */
export const UPCOMING_MAX = 10;
const SHORT_SENTENCES_MAX = 2 * JOBS_MAX;

export type RowPorts = {
  readonly clock: Clock;
  readonly host: Host;
  readonly store: Store;
  /** The agenda of the scheduler, or null while another process runs the jobs. */
  readonly agenda: () => Agenda | null;
  readonly shorten: Shorten;
};

/** A rule in few words. */
export type Shorten = (rule: ScheduleRule) => string;

/** Remembers the words of as many rules as a full list shows: reading a cron expression takes longer than all the rest. */
export function rememberShortSentences(): Shorten {
  const recent = createRecent(SHORT_SENTENCES_MAX, (text: string) => shortSentence(JSON.parse(text)));
  return (rule) => recent(JSON.stringify(rule));
}

type Surroundings = {
  readonly agenda: Agenda;
  readonly activeByJob: ReadonlyMap<JobId, ActiveRun>;
  readonly pauses: readonly Pause[];
  readonly goneJobIds: ReadonlySet<string>;
  readonly now: Instant;
  readonly shorten: Shorten;
};

export async function jobRows(ports: RowPorts): Promise<JobRow[]> {
  const { store } = ports;
  return store.read(async (reader) => {
    const jobs = await reader.jobs.list();
    const stats = await reader.jobs.allStats();
    const surroundings = await lookAround(reader, ports, await reader.runs.activeByJob());
    const rows = jobs.map((job) => rowOf(job, stats.get(job.id) ?? noStats(job.id), surroundings));
    return jobs.length === (await reader.jobs.count()) ? rows : [...rows, ...(await unreadableRows(reader))];
  });
}

export async function jobDetail(jobId: JobId, ports: RowPorts): Promise<Result<JobDetail>> {
  const { store, host } = ports;
  return store.read(async (reader) => {
    const job = await reader.jobs.get(jobId);
    if (job === null || job.deletedAt !== null) return fail('not_found', 'This job does not exist any more.');
    // The newest of several, as in the list.
    const activeRun = (await reader.runs.activeOf(jobId)).at(-1) ?? null;
    const active = new Map(
      activeRun === null ? [] : [[jobId, { ...activeRun, wait: openWaitOf(activeRun) }]],
    );
    const surroundings = await lookAround(reader, ports, active);
    const stats = await reader.jobs.stats(jobId);
    const recentRuns = await reader.runs.recent(jobId, SPARK_SLOTS);
    const durations = recentRuns.flatMap(({ outcome, durationMs }) =>
      outcome === 'succeeded' && durationMs !== null ? [durationMs] : [],
    );
    return ok({
      job,
      row: rowOf(job, stats, surroundings),
      sentences: job.schedules.map(({ rule }) =>
        sentence(rule, { hostZone: host.zone(), createdAt: job.createdAt }),
      ),
      upcoming:
        pausesOf(job, surroundings.pauses).length > 0
          ? []
          : await upcomingOf(reader, jobId, surroundings, host.zone()),
      runCount: stats.runCount,
      recentRuns,
      medianMs: medianOf(durations),
      activeRun,
      latestRun: activeRun ?? recentRuns.at(-1) ?? null,
      pauses: pausesOf(job, surroundings.pauses),
    });
  });
}

async function lookAround(
  reader: Reader,
  { clock, host, agenda, shorten }: RowPorts,
  activeByJob: ReadonlyMap<JobId, ActiveRun>,
): Promise<Surroundings> {
  const now = clock.now();
  return {
    agenda: agenda() ?? (await freshAgenda(reader, host.zone(), now)),
    activeByJob,
    pauses: await reader.pauses.at(now),
    goneJobIds: await goneJobs(reader),
    now,
    shorten,
  };
}

async function goneJobs(reader: Reader): Promise<Set<JobId>> {
  const gone = new Set<JobId>();
  for (const jobId of new Set((await reader.schedules.chains()).map(({ afterJobId }) => afterJobId))) {
    const job = await reader.jobs.get(jobId);
    if (job === null || job.deletedAt !== null) gone.add(jobId);
  }
  return gone;
}

/** For a process that does not schedule itself: what the holder plans, read from the same facts. */
async function freshAgenda(reader: Reader, hostZone: string, now: Instant): Promise<Agenda> {
  const agenda = new Agenda(hostZone);
  const states = await reader.schedules.active();
  agenda.load(states, now, await readDecidedAhead(reader, states));
  return agenda;
}

function rowOf(
  job: Job,
  stats: JobStats,
  { agenda, activeByJob, pauses, goneJobIds, now, shorten }: Surroundings,
): JobRow {
  const activeRun = activeByJob.get(job.id) ?? null;
  const isRunning = activeRun?.state === 'running';
  const facts = {
    job,
    activeRun,
    pause: longestOf(pausesOf(job, pauses)),
    nextAt: agenda.nextOfJob(job.id),
    usualMs: usualMsOf(stats.slots),
    goneJobIds,
  };
  return {
    id: job.id,
    name: job.name,
    kind: job.settings.kind,
    summary: jobKinds[job.settings.kind].summary(job.settings),
    tags: job.tags,
    isEnabled: job.isEnabled,
    disabledReason: reasonShown(job),
    state: jobStateOf(stats, now, { isRunning, isEnabled: job.isEnabled }),
    scheduleShort: scheduleShort(job.schedules, shorten),
    spark: sparkText(stats.slots, isRunning),
    next: nextDueOf(facts, now),
    lastRunAt: activeRun?.startedAt ?? stats.lastRunAt,
  };
}

const openWaitOf = ({ waits }: Run): Wait | null => waits.find(({ endedAt }) => endedAt === null) ?? null;

/** The pause that holds longest; one without an end holds longer than any other. */
const longestOf = (pauses: readonly Pause[]): Pause | null =>
  pauses.reduce<Pause | null>(
    (best, pause) => (best === null || (pause.until ?? Infinity) > (best.until ?? Infinity) ? pause : best),
    null,
  );

function scheduleShort(schedules: readonly Schedule[], shorten: Shorten): string {
  const [first, ...others] = schedules;
  if (first === undefined) return '';
  const text = shorten(first.rule);
  return others.length === 0 ? text : `${text} and ${others.length} more`;
}

const noStats = (jobId: JobId): JobStats => ({
  jobId,
  runCount: 0,
  slots: [],
  lastRunAt: null,
  seenAt: null,
  newestAt: null,
});

/** Jobs whose row cannot be read are shown, switched off, and left as they are. */
async function unreadableRows(reader: Reader): Promise<JobRow[]> {
  return (await reader.jobs.quarantined()).flatMap(({ jobId, why }) => {
    const id = JobId.safeParse(jobId);
    if (!id.success) return [];
    const row: JobRow = {
      id: id.data,
      name: 'A job that cannot be read',
      kind: 'command',
      summary: why,
      tags: [],
      isEnabled: false,
      disabledReason: 'quarantined',
      state: 'paused',
      scheduleShort: '',
      spark: '',
      next: { code: 'paused', until: null },
      lastRunAt: null,
    };
    return [row];
  });
}

/** The next due times over all schedules of a job, soonest first, each moment once. */
async function upcomingOf(
  reader: Reader,
  jobId: JobId,
  { now }: Surroundings,
  hostZone: string,
): Promise<Instant[]> {
  const moments = new Set<Instant>();
  for (const read of await reader.schedules.ofJob(jobId)) {
    const state = seenAt(read, now);
    if (state.pending.length > 0) moments.add(now);
    let after = state.createdAt > now ? state.watermarkAt : now;
    for (let count = 0; count < UPCOMING_MAX; ) {
      const at = nextOccurrence(state.rule, after, contextOf(state, hostZone));
      if (at === undefined) break;
      // A clock that was ahead may have run it already.
      const decided = at <= state.watermarkAt ? await reader.decisions.at(state.scheduleId, at) : null;
      if (decided !== null) {
        after = decided.untilAt;
        continue;
      }
      count += 1;
      moments.add(at);
      // Where the run after this one begins depends on how long this one takes.
      if (state.rule.kind === 'interval' && state.rule.basis === 'after_end') break;
      after = at;
    }
  }
  return [...moments].sort((a, b) => a - b).slice(0, UPCOMING_MAX);
}
