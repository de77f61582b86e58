/** What a decision rests on, read in the transaction that acts on it (S-43), and what follows from it for each schedule. */

import type { Job, JobId } from '../../shared/model/job';
import type { Pause } from '../../shared/model/pause';
import type { ScheduleId } from '../../shared/model/schedule';
import { HOUR_MS, type Instant, toInstant } from '../../shared/time';
import type { ScheduleState } from '../core/ledger';
import type { JobView, PlannedDecision } from '../core/plan';
import type { Reader } from '../ports/store';

/** Intervals after the end whose job has a run: they have no moment until it ends. */
export function waitingAmong(
  due: readonly ScheduleState[],
  views: ReadonlyMap<JobId, JobView>,
  decided: ReadonlyMap<ScheduleId, Instant>,
): Set<ScheduleId> {
  const waiting = due.filter(
    ({ scheduleId, jobId, rule }) =>
      rule.kind === 'interval' &&
      rule.basis === 'after_end' &&
      !decided.has(scheduleId) &&
      (views.get(jobId)?.active.length ?? 0) > 0,
  );
  return new Set(waiting.map(({ scheduleId }) => scheduleId));
}

/** Nothing older than this is undecided. */
export const oldestOf = (due: readonly ScheduleState[], now: Instant): Instant =>
  toInstant(
    due.reduce((at, { watermarkAt, owedSince }) => Math.min(at, owedSince ?? watermarkAt), now as number),
  );

/** The jobs that are still there and on, read in the transaction that acts on them (S-43). */
export async function readJobs(reader: Reader, due: readonly ScheduleState[]): Promise<Map<JobId, Job>> {
  const jobs = new Map<JobId, Job>();
  for (const jobId of new Set(due.map((state) => state.jobId))) {
    const job = await reader.jobs.get(jobId);
    if (job?.isEnabled && job.deletedAt === null) jobs.set(jobId, job);
  }
  return jobs;
}

export async function viewJobs(
  reader: Reader,
  jobs: ReadonlyMap<JobId, Job>,
  now: Instant,
): Promise<Map<JobId, JobView>> {
  const views = new Map<JobId, JobView>();
  const hourAgo = toInstant(now - HOUR_MS);
  for (const { id, policies, dates, tags } of jobs.values()) {
    views.set(id, {
      policies,
      dates,
      tags,
      active: (await reader.runs.isActive(id)) ? await reader.runs.activeOf(id) : [],
      startedInHour: policies.runsPerHourMax === null ? 0 : await reader.runs.plannedCountSince(id, hourAgo),
    });
  }
  return views;
}

/** Pauses that held at some moment since the oldest occurrence that may be undecided. */
export function pausesFor(reader: Reader, due: readonly ScheduleState[], now: Instant): Promise<Pause[]> {
  return reader.pauses.between(oldestOf(due, now), now);
}

export function newestDecided(decisions: readonly PlannedDecision[]): Map<ScheduleId, Instant> {
  const newest = new Map<ScheduleId, Instant>();
  for (const { scheduleId, until } of decisions) {
    const known = newest.get(scheduleId);
    if (known === undefined || until > known) newest.set(scheduleId, until);
  }
  return newest;
}
