/** What `plan` is given, in short, and what it answers, in one line each: for the tests of the decision. */

import { everyDay } from '../../shared/model/dates';
import { JobId } from '../../shared/model/job';
import { type Pause, PauseId, type PauseScope } from '../../shared/model/pause';
import { defaultPolicies, type Policies } from '../../shared/model/policies';
import { RunId } from '../../shared/model/run';
import { type CronRule, ScheduleId, type ScheduleRule } from '../../shared/model/schedule';
import { type Instant, toInstant } from '../../shared/time';
import type { MissedSpan } from '../core/catchUp';
import type { ScheduleState } from '../core/ledger';
import type { ActiveRunView } from '../core/overlap';
import type { EngineView, JobView, PlannedDecision } from '../core/plan';

export const at = (text: string): Instant => toInstant(Date.parse(text));

const uuid = (prefix: string, n: number): string => `${prefix}-0000-7000-8000-${String(n).padStart(12, '0')}`;
export const jobIdOf = (n: number): JobId => JobId.parse(uuid('0000000a', n));
export const scheduleIdOf = (n: number): ScheduleId => ScheduleId.parse(uuid('0000000b', n));
export const runIdOf = (n: number): RunId => RunId.parse(uuid('0000000c', n));

export const cronRule = (expression: string, zone = 'UTC'): CronRule => ({
  kind: 'cron',
  expression,
  zone,
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
});

/** Schedule 1 of job 1, decided up to `watermark`. */
export const scheduleState = (
  rule: ScheduleRule,
  watermark: string,
  more: Partial<ScheduleState> = {},
): ScheduleState => ({
  scheduleId: scheduleIdOf(1),
  jobId: jobIdOf(1),
  rule,
  createdAt: at('2026-01-01T00:00Z'),
  activeSince: at('2026-01-01T00:00Z'),
  watermarkAt: at(watermark),
  pending: [],
  dates: everyDay,
  lastEndedAt: null,
  ...more,
});

export type PolicyChanges = {
  readonly catchUp?: Partial<Policies['catchUp']>;
  readonly overlap?: Partial<Policies['overlap']>;
  readonly jitterMs?: number;
  readonly runsPerHourMax?: number;
};

export const jobView = (changes: PolicyChanges = {}, more: Partial<JobView> = {}): JobView => ({
  policies: {
    ...defaultPolicies,
    ...changes,
    catchUp: { ...defaultPolicies.catchUp, ...changes.catchUp },
    overlap: { ...defaultPolicies.overlap, ...changes.overlap },
  },
  dates: everyDay,
  tags: [],
  active: [],
  startedInHour: 0,
  ...more,
});

/** Run 1 of a schedule, going on. */
export const runningRun = (more: Partial<ActiveRunView> = {}): ActiveRunView => ({
  id: runIdOf(1),
  state: 'running',
  trigger: 'schedule',
  queuedAt: at('2026-01-01T00:00Z'),
  startedAt: at('2026-01-01T00:00Z'),
  attemptCount: 1,
  ...more,
});

/** Run 2 of a schedule, which has not begun. */
export const waitingRun = (more: Partial<ActiveRunView> = {}): ActiveRunView =>
  runningRun({ id: runIdOf(2), state: 'queued', startedAt: null, attemptCount: 0, ...more });

export const pauseOf = (scope: PauseScope, since: string, until: string | null = null, n = 1): Pause => ({
  id: PauseId.parse(uuid('0000000e', n)),
  scope,
  cause: 'user',
  note: '',
  since: at(since),
  until: until === null ? null : at(until),
  endedAt: null,
});

export const spanOf = (cause: MissedSpan['cause'], from: string, to: string): MissedSpan => ({
  cause,
  from: at(from),
  to: at(to),
});

/** One job, unless `more` names others. */
export const viewOf = (
  schedules: readonly ScheduleState[],
  job: JobView,
  more: Partial<EngineView> = {},
): EngineView => ({
  schedules,
  jobs: new Map([[jobIdOf(1), job]]),
  undecided: new Map(),
  pauses: [],
  spans: [],
  hostZone: 'UTC',
  ...more,
});

/** Kind, reason, first and last occurrence, count; and what was the cause of a miss, or into which run it is merged. */
export const told = (decisions: readonly PlannedDecision[]): string[] =>
  decisions.map((decision) => {
    const { kind, reason, from, until, count, missCause } = decision;
    const short = (instant: Instant) => new Date(instant).toISOString().slice(5, 16);
    const range = `${short(from)}${from === until ? '' : `..${short(until)}`} ${count}`;
    const into =
      decision.kind === 'merge' && decision.into.kind === 'run'
        ? ` into ${decision.into.runId.slice(-1)}`
        : '';
    return `${kind} ${reason} ${range}${missCause === null ? '' : ` ${missCause}`}${into}`;
  });
