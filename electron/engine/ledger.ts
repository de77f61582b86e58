/**
 * Writes what was decided: a run for each start, and a row for every occurrence or range (D3). Called inside the
 * scheduler's transaction; the watermark is the caller's, and comes last.
 */

import type { Job, JobId } from '../../shared/model/job';
import { type Run, RunId } from '../../shared/model/run';
import type { ScheduleId } from '../../shared/model/schedule';
import { assert } from '../../shared/result';
import type { Instant } from '../../shared/time';
import type { MergeTarget, PlannedDecision } from '../core/plan';
import type { GapCounts, Writer } from '../ports/store';
import type { Ids, Log } from '../ports/world';

export type Records = {
  readonly decisions: readonly PlannedDecision[];
  readonly jobs: ReadonlyMap<JobId, Job>;
  readonly now: Instant;
  readonly ids: Ids;
  readonly log: Log;
};

/** Answers the new runs, in the order of the decisions. */
export async function recordDecisions(
  writer: Writer,
  { decisions, jobs, now, ids, log }: Records,
): Promise<Run[]> {
  const runs: Run[] = [];
  const runOfStart = new Map<string, RunId>();
  for (const decision of decisions) {
    if (decision.kind !== 'start') continue;
    const job = jobs.get(decision.jobId);
    assert(job !== undefined, 'only jobs that were read can start');
    const run = runFor(decision, job, RunId.parse(ids.next()), now);
    if (!(await writer.decisions.insert(recordOf(decision, run.id, now)))) {
      // Cannot happen while watermarks are right; if it does, the occurrence still does not run twice.
      log.error('already_decided', { scheduleId: decision.scheduleId, plannedAt: decision.until });
      continue;
    }
    await writer.runs.insert(run);
    runs.push(run);
    runOfStart.set(keyOf(decision.scheduleId, decision.until), run.id);
  }
  for (const decision of decisions) {
    if (decision.kind === 'start') continue;
    const runId = decision.kind === 'merge' ? runIdOf(decision.into, runOfStart) : null;
    if (!(await writer.decisions.insert(recordOf(decision, runId, now)))) {
      log.error('already_decided', { scheduleId: decision.scheduleId, plannedAt: decision.from });
      continue;
    }
    // One that the same plan starts counts them already.
    if (decision.kind === 'merge' && decision.into.kind === 'run') {
      const isQueued = await writer.runs.addMerged(decision.into.runId, decision.count);
      assert(isQueued, 'only a queued run can stand for more');
    }
  }
  return runs;
}

const keyOf = (scheduleId: ScheduleId, plannedAt: Instant): string => `${scheduleId} ${plannedAt}`;

const runIdOf = (into: MergeTarget, runOfStart: ReadonlyMap<string, RunId>): RunId | null =>
  into.kind === 'run' ? into.runId : (runOfStart.get(keyOf(into.scheduleId, into.plannedAt)) ?? null);

const recordOf = (decision: PlannedDecision, runId: RunId | null, now: Instant) => ({
  scheduleId: decision.scheduleId,
  plannedAt: decision.from,
  untilAt: decision.until,
  count: decision.count,
  kind: decision.kind === 'start' ? ('run' as const) : decision.kind,
  reason: decision.reason,
  missCause: decision.missCause,
  runId,
  decidedAt: now,
});

function runFor(
  decision: Extract<PlannedDecision, { kind: 'start' }>,
  job: Job,
  id: RunId,
  queuedAt: Instant,
): Run {
  return {
    ...emptyRun(job, id, decision.trigger, queuedAt),
    notBeforeAt: decision.notBeforeAt,
    scheduleId: decision.scheduleId,
    plannedAt: decision.until,
    mergedCount: decision.mergedCount,
    missCause: decision.missCause,
  };
}

/** A queued run that nobody planned. */
export const emptyRun = (job: Job, id: RunId, trigger: Run['trigger'], queuedAt: Instant): Run => ({
  id,
  jobId: job.id,
  revision: job.revision,
  trigger,
  state: 'queued',
  outcome: null,
  reason: null,
  detail: null,
  scheduleId: null,
  plannedAt: null,
  mergedCount: 0,
  missCause: null,
  queuedAt,
  startedAt: null,
  endedAt: null,
  durationMs: null,
  exitCode: null,
  signal: null,
  attemptCount: 0,
  wasAdopted: false,
  outputBytes: 0,
  outputRemovedAt: null,
  notBeforeAt: null,
  attemptsMax: 1 + job.policies.retry.countMax,
  waits: [],
});

export const NO_MISSES: GapCounts = { caughtUpCount: 0, missedCount: 0, missedJobCount: 0 };

/** What one portion of decisions tells of the gap that it follows; each job is in one portion only. */
export function missesOf(decisions: readonly PlannedDecision[], runs: readonly Run[]): GapCounts {
  const missed = decisions.filter(({ missCause }) => missCause !== null && missCause !== 'busy');
  return {
    caughtUpCount: runs.filter(({ trigger }) => trigger === 'catch_up').length,
    missedCount: missed.reduce((sum, { count }) => sum + count, 0),
    missedJobCount: new Set(missed.map(({ jobId }) => jobId)).size,
  };
}
