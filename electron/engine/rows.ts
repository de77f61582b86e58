/**
 * What lists and the detail pane show, from kept facts and from the same functions the scheduler plans with (S-38): list
 * and engine cannot disagree. Reading changes nothing (C-057).
 */

import type { JobDetail } from '../../shared/ipc/contract';
import type { Wait } from '../../shared/model/condition';
import { type Job, type JobId, type JobRow, SPARK_SLOTS } from '../../shared/model/job';
import type { Run } from '../../shared/model/run';
import { ok, type Result } from '../../shared/result';
import { nextRunnable } from '../../shared/schedule/dates';
import { sentence } from '../../shared/schedule/words';
import { type Instant, toInstant } from '../../shared/time';
import { contextOf } from '../core/catchUp';
import { medianOf } from '../core/jobState';
import { begunByHand, pausesOf } from '../core/pauses';
import { seenAt } from '../core/wrongClock';
import type { ActiveRun, JobStats, Reader, Store } from '../ports/store';
import type { Clock, Host } from '../ports/world';
import { refuseAbsent } from './absentJob';
import { Agenda } from './agenda';
import { type Breath, createBreath } from './breath';
import { readDecidedAhead } from './clockRepair';
import { longestOf, type RowMemory, rowOf, type Surroundings, unreadableRow } from './jobRow';

/** How many due times the detail pane lists. */
export const UPCOMING_MAX = 10;

export type RowPorts = {
  readonly clock: Clock;
  readonly host: Host;
  readonly store: Store;
  /** Lets everything else have its turn. */
  readonly rest: () => Promise<void>;
  /** The agenda of the scheduler, or null while another process runs the jobs. */
  readonly agenda: () => Agenda | null;
  readonly memory: RowMemory;
};

export async function jobRows(ports: RowPorts): Promise<JobRow[]> {
  const { store, clock, memory, rest } = ports;
  const { jobs, stats, surroundings, nextAts, unreadable } = await store.read(async (reader) => {
    const list = await reader.jobs.list();
    const { agenda, ...around } = await lookAround(reader, ports, await reader.runs.activeByJob());
    const isWhole = list.length === (await reader.jobs.count());
    return {
      jobs: list,
      stats: await reader.jobs.allStats(),
      surroundings: around,
      nextAts: list.map(({ id }) => agenda.nextRunOfJob(id)),
      unreadable: isWhole ? [] : await reader.jobs.quarantined(),
    };
  });
  const rows: JobRow[] = [];
  const breath = createBreath(clock, rest);
  for (const [index, job] of jobs.entries()) {
    const facts = { job, stats: stats.get(job.id) ?? noStats(job.id), nextAt: nextAts[index] ?? null };
    rows.push(rowOf(facts, surroundings, memory));
    if (breath.isDue()) await breath.rest();
  }
  memory.turn();
  return [...rows, ...unreadable.flatMap((each) => unreadableRow(each) ?? [])];
}

export async function jobDetail(jobId: JobId, ports: RowPorts): Promise<Result<JobDetail>> {
  const { store, host, memory } = ports;
  return store.read(async (reader) => {
    const job = await reader.jobs.get(jobId);
    if (job === null || job.deletedAt !== null) return refuseAbsent(reader, jobId);
    // The newest of several, as in the list.
    const activeRun = (await reader.runs.activeOf(jobId)).at(-1) ?? null;
    const active = new Map(
      activeRun === null ? [] : [[jobId, { ...activeRun, wait: openWaitOf(activeRun) }]],
    );
    const { agenda, ...surroundings } = await lookAround(reader, ports, active);
    const stats = await reader.jobs.stats(jobId);
    const recentRuns = await reader.runs.recent(jobId, SPARK_SLOTS);
    const durations = recentRuns.flatMap(({ outcome, durationMs }) =>
      outcome === 'succeeded' && durationMs !== null ? [durationMs] : [],
    );
    const context = { hostZone: host.zone(), createdAt: job.createdAt, jobNameOf: surroundings.jobNameOf };
    return ok({
      job,
      row: rowOf({ job, stats, nextAt: agenda.nextRunOfJob(jobId) }, surroundings, memory),
      sentences: job.schedules.map(({ rule }) => sentence(rule, context)),
      upcoming: await upcomingOf(reader, job, surroundings, host.zone()),
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
  { clock, host, agenda, rest }: RowPorts,
  activeByJob: ReadonlyMap<JobId, ActiveRun>,
): Promise<Surroundings & { readonly agenda: Agenda }> {
  const now = clock.now();
  const others = await jobsWaitedFor(reader);
  return {
    agenda: agenda() ?? (await freshAgenda(reader, host.zone(), now, createBreath(clock, rest))),
    activeByJob,
    pauses: begunByHand(await reader.pauses.at(now)),
    goneJobIds: new Set([...others].flatMap(([id, job]) => (isGone(job) ? [id] : []))),
    jobNameOf: (id) => others.get(id)?.name,
    now,
  };
}

/** Jobs after which others start, by id; null for one that is not there. */
async function jobsWaitedFor(reader: Reader): Promise<Map<string, Job | null>> {
  const jobs = new Map<string, Job | null>();
  for (const { afterJobId } of await reader.schedules.chains()) {
    if (!jobs.has(afterJobId)) jobs.set(afterJobId, await reader.jobs.get(afterJobId));
  }
  return jobs;
}

const isGone = (job: Job | null): boolean => job === null || job.deletedAt !== null;

/** For a process that does not schedule itself: what the holder plans, read from the same facts. */
async function freshAgenda(reader: Reader, hostZone: string, now: Instant, breath: Breath): Promise<Agenda> {
  const agenda = new Agenda(hostZone);
  const states = await reader.schedules.active();
  await agenda.fill(states, now, breath, await readDecidedAhead(reader, states));
  return agenda;
}

const openWaitOf = ({ waits }: Run): Wait | null => waits.find(({ endedAt }) => endedAt === null) ?? null;

const noStats = (jobId: JobId): JobStats => ({
  jobId,
  runCount: 0,
  slots: [],
  lastRunAt: null,
  seenAt: null,
  newestAt: null,
});

/**
 * The next due times over all schedules of a job at which it will run, soonest first, each moment once. Nothing of the time
 * that it is paused, and nothing at all while nobody knows when that ends.
 */
async function upcomingOf(
  reader: Reader,
  job: Job,
  { now, pauses }: Surroundings,
  hostZone: string,
): Promise<Instant[]> {
  const pause = longestOf(pausesOf(job, pauses));
  if (pause !== null && pause.until === null) return [];
  // A due time exactly at the end of a pause is not paused any more.
  const from = pause?.until == null ? now : toInstant(pause.until - 1);
  const moments = new Set<Instant>();
  for (const read of await reader.schedules.ofJob(job.id)) {
    const state = seenAt(read, now);
    if (state.pending.length > 0 && pause === null) moments.add(now);
    let after = state.createdAt > now ? toInstant(Math.max(from, state.watermarkAt)) : from;
    for (let count = 0; count < UPCOMING_MAX; ) {
      const at = nextRunnable(state.rule, after, contextOf(state, hostZone), state.dates);
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
