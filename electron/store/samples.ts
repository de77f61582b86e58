/** Jobs, runs and decisions for tests of the store. Every id is made from a number, so that a failing test reads the same. */

import { emptyCommandSettings } from '../../shared/kinds/command';
import { everyDay } from '../../shared/model/dates';
import { type Job, JobId } from '../../shared/model/job';
import { defaultPolicies } from '../../shared/model/policies';
import { AttemptId, type Decision, type Run, RunId } from '../../shared/model/run';
import { type Schedule, ScheduleId, type ScheduleRule } from '../../shared/model/schedule';
import { HOUR_MS, type Instant, toInstant } from '../../shared/time';
import type { Fence, Lease } from '../core/lease';
import type { GapCounts, RunWriter, Store } from '../ports/store';

type RunEnd = Parameters<RunWriter['finish']>[0];

const idOf = (kind: string, number: number): string =>
  `${kind}-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

export const jobIdOf = (number: number): JobId => JobId.parse(idOf('0000000a', number));
export const scheduleIdOf = (number: number): ScheduleId => ScheduleId.parse(idOf('0000000b', number));
export const runIdOf = (number: number): RunId => RunId.parse(idOf('0000000c', number));
export const attemptIdOf = (number: number): AttemptId => AttemptId.parse(idOf('0000000d', number));

const START_AT = 1_767_225_600_000;

/** Minutes after the first moment of 2026, UTC. */
export const minute = (number: number): Instant => toInstant(START_AT + number * 60_000);

export const hourly: ScheduleRule = {
  kind: 'interval',
  everyMs: HOUR_MS,
  basis: 'grid',
  anchorAt: minute(0),
};
export const nightly: ScheduleRule = {
  kind: 'cron',
  expression: '0 3 * * *',
  zone: 'local',
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
};

export const scheduleOf = (number: number, rule: ScheduleRule = hourly): Schedule => ({
  id: scheduleIdOf(number),
  rule,
});

/** Switched on, one hourly schedule with the number of the job, saved at minute 0. */
export function jobOf(number: number, changes: Partial<Job> = {}): Job {
  return {
    id: jobIdOf(number),
    name: `Job ${number}`,
    settings: { ...emptyCommandSettings, line: 'true' },
    tags: [],
    notes: '',
    isEnabled: true,
    policies: defaultPolicies,
    conditions: [],
    dates: everyDay,
    revision: 1,
    schedules: [scheduleOf(number)],
    disabledReason: null,
    createdAt: minute(0),
    updatedAt: minute(0),
    deletedAt: null,
    ...changes,
  };
}

/** Queued by hand at the minute of its number, for job 1. */
export function runOf(number: number, changes: Partial<Run> = {}): Run {
  return {
    id: runIdOf(number),
    jobId: jobIdOf(1),
    revision: 1,
    trigger: 'manual',
    state: 'queued',
    outcome: null,
    reason: null,
    detail: null,
    scheduleId: null,
    plannedAt: null,
    mergedCount: 0,
    notBeforeAt: null,
    attemptsMax: 1,
    waits: [],
    missCause: null,
    queuedAt: minute(number),
    startedAt: null,
    endedAt: null,
    durationMs: null,
    exitCode: null,
    signal: null,
    attemptCount: 0,
    wasAdopted: false,
    outputBytes: 0,
    outputRemovedAt: null,
    ...changes,
  };
}

/** A single skip of schedule 1, for overlap. */
export function skipOf(plannedAt: Instant, changes: Partial<Decision> = {}): Decision {
  return {
    scheduleId: scheduleIdOf(1),
    plannedAt,
    untilAt: plannedAt,
    count: 1,
    kind: 'skip',
    reason: 'overlap',
    missCause: null,
    runId: null,
    decidedAt: plannedAt,
    ...changes,
  };
}

export const fence: Fence = { holderId: 'holder-1', epoch: 1 };

export const leaseOf = (held: Fence): Lease => ({
  ...held,
  nodeId: 'node',
  bootId: 'boot',
  pid: 100,
  processStart: '5',
  takenAt: minute(0),
  renewedAt: minute(0),
});

/** The store of the test that runs now. */
export type CurrentStore = () => Store;

export const insertJobs = (store: Store, ...numbers: number[]): Promise<void> =>
  store.transact(async (writer) => {
    for (const number of numbers) await writer.jobs.insert(jobOf(number));
  });

/** Takes the lease for `fence`. */
export async function takeLease(store: Store): Promise<void> {
  await store.transact((writer) => writer.leases.take(leaseOf(fence), null));
}

/** Starts and ends a run that is queued, with the attempt of the same number. */
export async function runThrough(
  store: Store,
  number: number,
  outcome: 'succeeded' | 'failed',
): Promise<void> {
  const runId = runIdOf(number);
  const attemptId = attemptIdOf(number);
  await store.transact((writer) =>
    writer.runs.begin({ runId, attemptId, number: 1, startedAt: minute(number) }, fence),
  );
  await store.transact((writer) => writer.runs.finish(endOf(number, { outcome }), fence));
}

/** Succeeded after one second. */
export function endOf(number: number, changes: Partial<RunEnd> = {}): RunEnd {
  return {
    runId: runIdOf(number),
    attemptId: attemptIdOf(number),
    outcome: 'succeeded',
    reason: null,
    detail: null,
    exitCode: 0,
    signal: null,
    endedAt: toInstant(minute(number) + 1_000),
    durationMs: 1_000,
    outputBytes: 10,
    wasAdopted: false,
    ...changes,
  };
}

/** A gap that `count` runs make up for: each stands for two due times of a job of its own. */
export const gapCounts = (count: number): GapCounts => ({
  caughtUpCount: count,
  missedCount: 2 * count,
  missedJobCount: count,
});
