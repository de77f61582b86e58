/**
 * The one scheduling decision (D3, D7, D8; ADR 13): from what is known at one moment to what becomes of each due occurrence.
 * Pure: the same view and the same moment always give the same decisions, in the engine and in a preview.
 */

import type { Dates } from '../../shared/model/dates';
import type { JobId } from '../../shared/model/job';
import type { Pause } from '../../shared/model/pause';
import type { Policies } from '../../shared/model/policies';
import type { DecisionReason, MissCause, RunId, Trigger } from '../../shared/model/run';
import type { ScheduleId } from '../../shared/model/schedule';
import { type Instant, toInstant } from '../../shared/time';
import type { DueRange, MissedSpan } from './catchUp';
import { decideJob } from './decide';
import { piecesOf } from './due';
import type { ScheduleState } from './ledger';
import type { ActiveRunView } from './overlap';
import { pausesOf } from './pauses';

/** What `plan` has to know of a job whose schedules it is given. */
export type JobView = {
  readonly policies: Pick<Policies, 'catchUp' | 'overlap' | 'jitterMs' | 'runsPerHourMax'>;
  readonly dates: Dates;
  readonly tags: readonly string[];
  /** Queued and running, oldest first. A queued run counts: it answers an earlier occurrence and has not begun. */
  readonly active: readonly ActiveRunView[];
  /** Runs nobody started by hand, queued in the last hour; 0 if the job has no limit. */
  readonly startedInHour: number;
};

export type EngineView = {
  /** Only what may be due; schedules of jobs that are missing in `jobs` are left alone. */
  readonly schedules: readonly ScheduleState[];
  readonly jobs: ReadonlyMap<JobId, JobView>;
  /**
   * Filled in for schedules below whose watermark something may be undecided because the clock was wrong: what is due of
   * them and was decided by nobody, from old to new. Their watermark says nothing about the time now.
   */
  readonly undecided: ReadonlyMap<ScheduleId, readonly DueRange[]>;
  /** Every pause that held at some moment since the oldest watermark of `schedules`, oldest first. */
  readonly pauses: readonly Pause[];
  readonly spans: readonly MissedSpan[];
  readonly hostZone: string;
};

type Occurrences = {
  readonly scheduleId: ScheduleId;
  readonly jobId: JobId;
  readonly from: Instant;
  readonly until: Instant;
  readonly count: number;
  readonly reason: DecisionReason;
  readonly missCause: MissCause | null;
};

/** The run that answers a merged occurrence: one that the same plan makes, or one that is queued already. */
export type MergeTarget =
  | { readonly kind: 'start'; readonly scheduleId: ScheduleId; readonly plannedAt: Instant }
  | { readonly kind: 'run'; readonly runId: RunId };

/** A `start` is always a single occurrence. `notBeforeAt`: its jitter; null for none. */
export type PlannedDecision =
  | (Occurrences & {
      readonly kind: 'start';
      readonly trigger: Trigger;
      readonly mergedCount: number;
      readonly notBeforeAt: Instant | null;
    })
  | (Occurrences & { readonly kind: 'merge'; readonly into: MergeTarget })
  | (Occurrences & { readonly kind: 'skip' });

/**
 * Decides everything that is due at `now`: what is on time first, then what is caught up, each from old to new. Decisions
 * about one schedule are from old to new, except that a run of its own for a missed occurrence comes where it may start.
 */
export function plan(view: EngineView, now: Instant): PlannedDecision[] {
  const byJob = new Map<JobId, ScheduleState[]>();
  for (const schedule of view.schedules) {
    if (!view.jobs.has(schedule.jobId)) continue;
    const known = byJob.get(schedule.jobId);
    if (known === undefined) byJob.set(schedule.jobId, [schedule]);
    else known.push(schedule);
  }
  const blocks: PlannedDecision[][] = [];
  for (const [jobId, schedules] of byJob) {
    const job = view.jobs.get(jobId);
    if (job === undefined) continue;
    const { ageMsMax } = job.policies.catchUp;
    const common = {
      pauses: view.pauses.length === 0 ? [] : pausesOf({ id: jobId, tags: [...job.tags] }, view.pauses),
      spans: view.spans,
      ageLimitAt: ageMsMax === null ? null : toInstant(now - ageMsMax),
      hostZone: view.hostZone,
    };
    const pieces = schedules.flatMap((schedule) =>
      piecesOf({ ...common, schedule }, now, {
        undecided: view.undecided.get(schedule.scheduleId) ?? null,
        hasActive: job.active.length > 0,
      }),
    );
    if (pieces.length > 0) blocks.push(...decideJob(pieces, job, { now, hostZone: view.hostZone }));
  }
  return blocks.sort(byUrgency).flat();
}

const urgencyOf = (decisions: readonly PlannedDecision[]): [number, number] => {
  const start = decisions.find(({ kind }) => kind === 'start');
  if (start === undefined) return [2, 0];
  return [start.reason === 'caught_up' ? 1 : 0, start.until];
};

const byUrgency = (a: readonly PlannedDecision[], b: readonly PlannedDecision[]): number => {
  const [rankA, atA] = urgencyOf(a);
  const [rankB, atB] = urgencyOf(b);
  return rankA - rankB || atA - atB;
};
