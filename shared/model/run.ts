/**
 * A run answers one occurrence, several merged ones, or a person. A decision says what became of an occurrence, whether or
 * not it ran. Codes come from closed lists; the window turns them into words.
 */
import { z } from 'zod';
import { Instant } from '../time';
import { Wait } from './condition';
import { JobId } from './job';
import { ScheduleId } from './schedule';

export const RunId = z.uuid().brand<'RunId'>();
export type RunId = z.output<typeof RunId>;
export const AttemptId = z.uuid().brand<'AttemptId'>();
export type AttemptId = z.output<typeof AttemptId>;

export const Trigger = z.enum([
  'schedule',
  'catch_up',
  'creation',
  'manual',
  'cli',
  'chain',
  'event',
  'test',
]);
export type Trigger = z.output<typeof Trigger>;

/** `queued` waits for a place in the pool; `running` was committed before anything was spawned (D4). */
export const RunState = z.enum(['queued', 'running', 'finished']);
export type RunState = z.output<typeof RunState>;

export const Outcome = z.enum(['succeeded', 'failed', 'timed_out', 'cancelled', 'abandoned']);
export type Outcome = z.output<typeof Outcome>;

/** Why a run did not succeed, or what is odd about it. */
export const EndReason = z.enum([
  'exit_code',
  'signal',
  'timeout',
  'stopped_by_user',
  'program_not_found',
  'not_executable',
  'folder_missing',
  /** The file of variables that the job names is missing or no such file. */
  'env_file_unreadable',
  'shell_not_found',
  'spawn_failed',
  /** Belfry or the machine went away and the true end is unknown. */
  'interrupted',
  /** The machine restarted, so the process is provably gone. */
  'interrupted_restart',
  /** The overlap policy stopped it for a newer run. */
  'replaced',
  /** A condition was not met in time, and the job says that this is a failure. */
  'condition_not_met',
  /** It waited, and its job was deleted or switched off meanwhile. */
  'job_off',
  /** It waited or went on in a copy of the data that was put back; what became of it is not known. */
  'data_restored',
]);
export type EndReason = z.output<typeof EndReason>;

/** What `plan` says of an occurrence (D3). */
export const DecisionKind = z.enum(['run', 'merge', 'skip']);
export const DecisionReason = z.enum([
  'on_time',
  'caught_up',
  'creation',
  /** Folded into the catch-up run of a newer occurrence. */
  'merged',
  /** Another job's run ended as the schedule says. */
  'chain',
  /** Belfry started, the laptop woke up, or the network came back. */
  'event',
  /** An earlier run still went on, or as many as the overlap policy allows. */
  'overlap',
  /** As many runs waited already as the overlap policy allows. */
  'queue_full',
  'paused_all',
  'paused_tag',
  'paused_job',
  'date_excluded',
  'too_old',
  'catch_up_off',
  /** Older than the newest missed ones that the catch-up policy runs. */
  'catch_up_cap',
  /** The job started as often in the last hour as it may. */
  'rate_limit',
  /** A condition was not met in time, and the job says to skip then. */
  'condition',
  /** A copy of the data was put back, and whether this due time ran is not known. */
  'data_restored',
]);
export type DecisionReason = z.output<typeof DecisionReason>;

/**
 * Why the occurrence could not be met on time. `asleep`: the clocks say the machine was suspended. `off`: it was shut down or
 * without power. `not_running`: it was on, and Belfry was closed. `zone_changed`: the time passed by travelling.
 */
export const MissCause = z.enum([
  'asleep',
  'off',
  'not_running',
  'clock_forward',
  'zone_changed',
  'busy',
  'unknown',
]);
export type MissCause = z.output<typeof MissCause>;

/** Waits kept of one run; more retries than this wait unrecorded. */
export const WAITS_MAX = 50;

export const Run = z.strictObject({
  id: RunId,
  jobId: JobId,
  revision: z.number().int(),
  trigger: Trigger,
  state: RunState,
  outcome: Outcome.nullable(),
  reason: EndReason.nullable(),
  /** A sentence with the detail of `reason`, for example the program that was not found. */
  detail: z.string().nullable(),
  scheduleId: ScheduleId.nullable(),
  plannedAt: Instant.nullable(),
  /** How many older occurrences this run also stands for. */
  mergedCount: z.number().int(),
  missCause: MissCause.nullable(),
  queuedAt: Instant,
  startedAt: Instant.nullable(),
  endedAt: Instant.nullable(),
  durationMs: z.number().int().nullable(),
  exitCode: z.number().int().nullable(),
  signal: z.string().nullable(),
  attemptCount: z.number().int(),
  wasAdopted: z.boolean(),
  /** Bytes that the command wrote, before any cut. */
  outputBytes: z.number().int(),
  /** When its output was removed, by age or for room; null while it is kept. */
  outputRemovedAt: Instant.nullable(),
  /** It does not start earlier: jitter, or the delay before a retry. null: at once. */
  notBeforeAt: Instant.nullable(),
  /** Attempts it may have in all, as its job said when it was queued. */
  attemptsMax: z.number().int().min(1),
  /** What it waited for, oldest first; the last one may go on. */
  waits: z.array(Wait).max(WAITS_MAX),
});
export type Run = z.output<typeof Run>;

/** One attempt of a run, as the window lists them. */
export const Attempt = z.strictObject({
  id: AttemptId,
  number: z.number().int().min(1),
  startedAt: Instant,
  endedAt: Instant.nullable(),
  outcome: Outcome.nullable(),
  reason: EndReason.nullable(),
  exitCode: z.number().int().nullable(),
  signal: z.string().nullable(),
  /**
   * The true end, told after the run had been closed without it. It changes nothing else.
   */
  lateResult: z
    .strictObject({
      exitCode: z.number().int().nullable(),
      signal: z.string().nullable(),
      endedAt: Instant,
      recordedAt: Instant,
    })
    .nullable(),
});
export type Attempt = z.output<typeof Attempt>;

/** A line of history that is not a run: a due time, or a range of them, that did not run. */
export const Decision = z.strictObject({
  scheduleId: ScheduleId,
  plannedAt: Instant,
  /** The newest occurrence of the range; equal to `plannedAt` for a single one. */
  untilAt: Instant,
  count: z.number().int(),
  kind: DecisionKind,
  reason: DecisionReason,
  missCause: MissCause.nullable(),
  runId: RunId.nullable(),
  decidedAt: Instant,
});
export type Decision = z.output<typeof Decision>;

/** A row of a job's history: newest first, by the moment it belongs to. */
export const HistoryEntry = z.discriminatedUnion('entry', [
  z.strictObject({ entry: z.literal('run'), run: Run }),
  z.strictObject({ entry: z.literal('skip'), decision: Decision }),
]);
export type HistoryEntry = z.output<typeof HistoryEntry>;
