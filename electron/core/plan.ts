/**
 * The one scheduling decision (D3, D7, D8): from what is known at one moment to what becomes of each due occurrence. Pure:
 * the same view and the same moment always give the same decisions, in the engine and in a preview.
 */

import type { Dates } from '../../shared/model/dates';
import type { JobId } from '../../shared/model/job';
import type { Pause } from '../../shared/model/pause';
import type { Policies } from '../../shared/model/policies';
import type { DecisionReason, MissCause, Run, RunId, Trigger } from '../../shared/model/run';
import type { ScheduleId } from '../../shared/model/schedule';
import type { Instant } from '../../shared/time';
import {
  type Answer,
  answerNewest,
  answerOlder,
  type Due,
  type DueRange,
  dueAmong,
  dueSince,
  type MissedSpan,
} from './catchUp';
import type { ScheduleState } from './ledger';
import { isPausedAt } from './pauses';

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

export type ActiveRunView = Pick<Run, 'id' | 'state' | 'trigger' | 'queuedAt' | 'startedAt' | 'attemptCount'>;

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

type Start = Extract<PlannedDecision, { kind: 'start' }>;

/** Decides everything that is due at `now`: what is on time first, then what is caught up, each from old to new. */
export function plan(view: EngineView, now: Instant): PlannedDecision[] {
  const byJob = new Map<JobId, PlannedDecision[]>();
  for (const schedule of view.schedules) {
    const job = view.jobs.get(schedule.jobId);
    if (job === undefined) continue;
    const decided = decideSchedule(schedule, job, view, now);
    if (decided.length > 0) byJob.set(schedule.jobId, [...(byJob.get(schedule.jobId) ?? []), ...decided]);
  }
  return [...byJob.values()].map(foldIntoOneRun).sort(byUrgency).flat();
}

function decideSchedule(
  schedule: ScheduleState,
  job: JobView,
  view: EngineView,
  now: Instant,
): PlannedDecision[] {
  const { scheduleId, jobId, pending } = schedule;
  const decisions: PlannedDecision[] = [];
  const add = (range: { from: Instant; until: Instant; count: number }, answer: Answer): void => {
    const occurrences = { scheduleId, jobId, ...range, reason: answer.reason, missCause: answer.missCause };
    decisions.push(
      answer.kind === 'start'
        ? {
            ...occurrences,
            kind: 'start',
            trigger: triggerOf(answer.reason),
            mergedCount: 0,
            notBeforeAt: null,
          }
        : answer.kind === 'merge'
          ? { ...occurrences, kind: 'merge', into: { kind: 'start', scheduleId, plannedAt: range.until } }
          : { ...occurrences, kind: 'skip' },
    );
  };
  const obstacle = obstacleOf(job, view, now);

  for (const { at, trigger } of pending.filter((each) => each.at <= now)) {
    add({ from: at, until: at, count: 1 }, obstacle ?? { kind: 'start', reason: trigger, missCause: null });
  }
  // "After the last end" has no moment while a run goes on.
  if (job.active.length > 0 && isAfterEnd(schedule)) return decisions;

  const due = dueOf(schedule, job, view, now);
  if (due === null) return decisions;
  const newest = { from: due.newestAt, until: due.newestAt, count: 1 };
  if (obstacle !== null) {
    for (const range of joined([...due.older, newest], schedule, view)) add(range, obstacle);
    return decisions;
  }
  const answer = answerNewest(due.newestAt, now, job.policies.catchUp, view.spans);
  const older = due.older.map((range) => ({
    range,
    answer: answerOlder(range, now, job.policies.catchUp, view.spans),
  }));
  if (
    older.every(
      ({ answer: { reason, missCause } }) => reason === answer.reason && missCause === answer.missCause,
    )
  ) {
    for (const range of joined([...due.older, newest], schedule, view)) add(range, answer);
    return decisions;
  }
  for (const { range, answer } of older) add(range, answer);
  add(newest, answer);
  return decisions;
}

const isAfterEnd = ({ rule }: ScheduleState): boolean =>
  rule.kind === 'interval' && rule.basis === 'after_end';

function triggerOf(reason: DecisionReason): Trigger {
  if (reason === 'caught_up') return 'catch_up';
  return reason === 'creation' || reason === 'chain' || reason === 'event' ? reason : 'schedule';
}

/** What keeps any occurrence of the job from running now, whenever it was due. */
function obstacleOf(job: JobView, view: EngineView, now: Instant): Answer | null {
  if (view.pauses.some((pause) => pause.scope.kind === 'all' && isPausedAt(pause, now)))
    return { kind: 'skip', reason: 'paused_all', missCause: null };
  return job.active.length > 0 ? { kind: 'skip', reason: 'overlap', missCause: null } : null;
}

function dueOf(schedule: ScheduleState, job: JobView, view: EngineView, now: Instant): Due | null {
  const undecided = view.undecided.get(schedule.scheduleId);
  if (undecided === undefined) {
    return dueSince(schedule, now, job.policies.catchUp.ageMsMax, view.hostZone);
  }
  const { ageMsMax } = job.policies.catchUp;
  return dueAmong(undecided, schedule, now, { ageMsMax, hostZone: view.hostZone });
}

/** One range for all that share an answer; single ones where decided occurrences may lie in between. */
function joined(
  ranges: { from: Instant; until: Instant; count: number }[],
  schedule: ScheduleState,
  view: EngineView,
): { from: Instant; until: Instant; count: number }[] {
  const [first, last] = [ranges[0], ranges.at(-1)];
  const holeCount = view.undecided.get(schedule.scheduleId)?.length ?? 1;
  if (first === undefined || last === undefined || holeCount > 1) return ranges;
  return [{ from: first.from, until: last.until, count: ranges.reduce((sum, { count }) => sum + count, 0) }];
}

/** A job starts once, for the newest occurrence that may start; the others of its schedules are answered by that run. */
function foldIntoOneRun(decisions: PlannedDecision[]): PlannedDecision[] {
  const starts = decisions.filter((decision): decision is Start => decision.kind === 'start');
  const newest = starts.reduce<Start | null>(
    (best, start) => (best === null || start.until > best.until ? start : best),
    null,
  );
  if (newest === null) return decisions;
  const into = { kind: 'start' as const, scheduleId: newest.scheduleId, plannedAt: newest.until };
  const folded = decisions.map((decision): PlannedDecision => {
    if (decision.kind === 'merge') return { ...decision, into };
    if (decision.kind !== 'start' || decision === newest) return decision;
    const { trigger: _trigger, mergedCount: _count, notBeforeAt: _notBefore, ...occurrences } = decision;
    return { ...occurrences, kind: 'merge', reason: 'merged', into };
  });
  const mergedCount = folded.reduce((sum, { kind, count }) => (kind === 'merge' ? sum + count : sum), 0);
  return folded.map((decision) => (decision === newest ? { ...newest, mergedCount } : decision));
}

const urgencyOf = (decisions: PlannedDecision[]): [number, number] => {
  const start = decisions.find(({ kind }) => kind === 'start');
  if (start === undefined) return [2, 0];
  return [start.reason === 'caught_up' ? 1 : 0, start.until];
};

const byUrgency = (a: PlannedDecision[], b: PlannedDecision[]): number => {
  const [rankA, atA] = urgencyOf(a);
  const [rankB, atB] = urgencyOf(b);
  return rankA - rankB || atA - atB;
};
