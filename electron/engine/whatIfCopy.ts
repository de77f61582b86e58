/**
 * What "what would happen" begins with: jobs, pauses, watermarks, last ends and runs that go on, read once from the real
 * store and written into the sandbox. Nothing is ever written the other way.
 */

import type { Job, JobDraft, JobId } from '../../shared/model/job';
import type { Pause } from '../../shared/model/pause';
import { AttemptId, type Decision, type Run, RunId } from '../../shared/model/run';
import type { ScheduleId } from '../../shared/model/schedule';
import type { Settings } from '../../shared/model/settings';
import { HOUR_MS, type Instant, SECOND_MS, toInstant } from '../../shared/time';
import { usualMsOf } from '../core/jobState';
import type { Fence } from '../core/lease';
import type { ScheduleState } from '../core/ledger';
import type { Reader, Store, Writer } from '../ports/store';
import type { Ids } from '../ports/world';
import { emptyRun } from './ledger';
import { COPIER, type WhatIfMachine } from './whatIfMachine';

/** How long a run lasts whose job never succeeded, in milliseconds. */
export const USUAL_MS_DEFAULT = SECOND_MS;
/** Jobs that are written in one transaction, so that each is short. */
const JOBS_AT_ONCE = 25;

/** `isPresent`: the span begins now, so what is owed and what goes on count too. */
export type CopyWish = {
  readonly jobId: JobId | undefined;
  readonly draft: JobDraft | undefined;
  readonly startAt: Instant;
  readonly until: Instant;
  readonly isPresent: boolean;
};

export type RealState = {
  readonly jobs: readonly Job[];
  readonly states: ReadonlyMap<ScheduleId, ScheduleState>;
  readonly pauses: readonly Pause[];
  readonly usualMs: ReadonlyMap<JobId, number>;
  /** Queued and running, oldest first. */
  readonly active: readonly Run[];
  /** What those are to answer that still wait. */
  readonly answered: readonly Decision[];
  /** Runs of the last hour, of jobs that have a limit per hour. */
  readonly recent: readonly Run[];
  readonly settings: Settings;
};

export async function readRealState(reader: Reader, wish: CopyWish): Promise<RealState> {
  const jobs = jobsWanted(await reader.jobs.list(), wish);
  const ids = new Set(jobs.map(({ id }) => id));
  const stats = await reader.jobs.allStats();
  const states = (await reader.schedules.active()).filter(({ jobId }) => ids.has(jobId));
  const pauses = await reader.pauses.between(toInstant(wish.startAt - 1), wish.until);
  const active = wish.isPresent ? (await reader.runs.active()).filter(({ jobId }) => ids.has(jobId)) : [];
  const answered: Decision[] = [];
  for (const run of active) {
    if (run.state === 'queued') answered.push(...(await reader.decisions.ofRun(run.id)));
  }
  const recent: Run[] = [];
  for (const { id, policies } of wish.isPresent ? jobs : []) {
    if (policies.runsPerHourMax === null) continue;
    const runs = await reader.runs.recent(id, policies.runsPerHourMax);
    recent.push(...runs.filter(({ queuedAt }) => queuedAt > wish.startAt - HOUR_MS));
  }
  return {
    jobs,
    states: new Map(states.map((state) => [state.scheduleId, state])),
    pauses: pauses.filter(({ scope }) => scope.kind !== 'job' || ids.has(scope.jobId)),
    usualMs: new Map(
      jobs.map(({ id }) => [id, usualMsOf(stats.get(id)?.slots ?? []) ?? USUAL_MS_DEFAULT] as const),
    ),
    active,
    answered,
    recent,
    settings: await reader.settings.preferences(),
  };
}

/** All jobs, or one with those that it waits for, and those that they wait for. */
function jobsWanted(all: readonly Job[], { jobId, draft }: CopyWish): Job[] {
  if (jobId === undefined && draft === undefined) return [...all];
  const wanted = new Set<string>(jobId === undefined ? [] : [jobId]);
  const reach = (schedules: JobDraft['schedules'] | Job['schedules']): void => {
    for (const { rule } of schedules) {
      if (rule.kind !== 'after_job' || wanted.has(rule.jobId)) continue;
      wanted.add(rule.jobId);
      reach(all.find(({ id }) => id === rule.jobId)?.schedules ?? []);
    }
  };
  reach(draft?.schedules ?? []);
  reach(all.find(({ id }) => id === jobId)?.schedules ?? []);
  return all.filter(({ id }) => wanted.has(id));
}

export type Sandbox = {
  readonly store: Store;
  readonly ids: Ids;
  readonly machine: WhatIfMachine;
  /** Lets the real world have its turn. */
  readonly rest: () => Promise<void>;
};

/** Writes it all, and answers the lease under which that was done. The engine of the sandbox takes it over. */
export async function fillSandbox(sandbox: Sandbox, real: RealState, wish: CopyWish): Promise<Fence> {
  const { store, ids, rest } = sandbox;
  const fence = { holderId: ids.next(), epoch: 1 };
  const { startAt } = wish;
  await store.transact(async (writer) => {
    await writer.leases.take({ ...fence, ...COPIER, takenAt: startAt, renewedAt: startAt }, null);
    await writer.settings.setPreferences(real.settings);
  });
  for (let from = 0; from < real.jobs.length; from += JOBS_AT_ONCE) {
    const some = real.jobs.slice(from, from + JOBS_AT_ONCE);
    await store.transact(async (writer) => {
      for (const job of some) await writeJob(writer, job, real, wish);
    });
    await rest();
  }
  await store.transact(async (writer) => {
    for (const pause of real.pauses) await writer.pauses.insert(pause);
    const copy = { writer, fence, sandbox, real, startAt };
    for (const job of real.jobs) await writeLastEnd(copy, job);
    for (const run of real.recent) await writeFinished(copy, run);
    for (const run of real.active) await writeActive(copy, run);
    const present = new Set(real.jobs.flatMap(({ schedules }) => schedules.map(({ id }) => id)));
    for (const decision of real.answered) {
      if (present.has(decision.scheduleId)) await writer.decisions.insert(decision);
    }
  });
  return fence;
}

async function writeJob(
  writer: Writer,
  job: Job,
  { states }: RealState,
  { startAt, isPresent }: CopyWish,
): Promise<void> {
  // A span in the past is lived through by the jobs of today.
  const createdAt = toInstant(Math.min(job.createdAt, startAt));
  const updatedAt = toInstant(Math.min(job.updatedAt, startAt));
  await writer.jobs.insert({ ...job, createdAt, updatedAt });
  for (const { id } of job.schedules) {
    const state = states.get(id);
    if (!isPresent) await writer.schedules.setWatermark(id, toInstant(startAt - 1));
    else if (state !== undefined) {
      await writer.schedules.setWatermark(id, state.watermarkAt);
      for (const pending of state.pending) await writer.schedules.addPending(id, pending);
    }
  }
}

type Copying = {
  readonly writer: Writer;
  readonly fence: Fence;
  readonly sandbox: Sandbox;
  readonly real: RealState;
  readonly startAt: Instant;
};

/** "N after the end" counts from it. It is kept as the end of a run, so such a run is written. */
async function writeLastEnd(copying: Copying, job: Job): Promise<void> {
  const ends = job.schedules.flatMap(({ id }) => copying.real.states.get(id)?.lastEndedAt ?? []);
  const endedAt = ends[0];
  if (endedAt === undefined || endedAt > copying.startAt) return;
  const id = RunId.parse(copying.sandbox.ids.next());
  await writeFinished(copying, {
    ...emptyRun(job, id, 'manual', endedAt),
    ...{ startedAt: endedAt, endedAt, durationMs: 0, outcome: 'succeeded' },
  });
}

async function writeFinished({ writer, fence, sandbox, real }: Copying, run: Run): Promise<void> {
  const job = real.jobs.find(({ id }) => id === run.jobId);
  if (job === undefined || run.endedAt === null) return;
  const attemptId = AttemptId.parse(sandbox.ids.next());
  await writer.runs.insert({ ...run, revision: job.revision, state: 'queued', waits: [] });
  await writer.runs.begin(
    { runId: run.id, attemptId, number: 1, startedAt: run.startedAt ?? run.endedAt },
    fence,
  );
  const { outcome, reason, detail, exitCode, signal, endedAt, durationMs, outputBytes, wasAdopted } = run;
  const end = { outcome: outcome ?? 'succeeded', reason, detail, exitCode, signal, endedAt, durationMs };
  await writer.runs.finish({ runId: run.id, attemptId, ...end, outputBytes, wasAdopted }, fence);
}

/** A running one goes on for what is left of its usual time; a queued one keeps its attempts and what it waits for. */
async function writeActive({ writer, fence, sandbox, real, startAt }: Copying, run: Run): Promise<void> {
  const job = real.jobs.find(({ id }) => id === run.jobId);
  if (job === undefined) return;
  const isRunning = run.state === 'running';
  await writer.runs.insert({ ...run, revision: job.revision, state: 'queued' });
  const startedAt = run.startedAt ?? run.queuedAt;
  const over = isRunning ? run.attemptCount - 1 : run.attemptCount;
  for (let number = 1; number <= over; number += 1) {
    const attemptId = AttemptId.parse(sandbox.ids.next());
    await writer.runs.begin({ runId: run.id, attemptId, number, startedAt }, fence);
    const end = { outcome: 'failed' as const, reason: null, exitCode: null, signal: null };
    const again = { endedAt: startedAt, notBeforeAt: run.notBeforeAt };
    await writer.runs.requeue({ attemptId, runId: run.id, ...end, ...again }, fence);
  }
  if (!isRunning) {
    if (run.waits.length > 0) await writer.runs.setWaits(run.id, run.waits);
    return;
  }
  const attemptId = AttemptId.parse(sandbox.ids.next());
  await writer.runs.begin(
    { runId: run.id, attemptId, number: Math.max(1, run.attemptCount), startedAt },
    fence,
  );
  const usualMs = real.usualMs.get(run.jobId) ?? USUAL_MS_DEFAULT;
  sandbox.machine.goesOn(attemptId, Math.max(SECOND_MS, startedAt + usualMs - startAt));
}
