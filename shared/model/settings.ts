/** Preferences and the state of the engine as the whole window shows it. */
import { z } from 'zod';
import { Instant } from '../time';

export const Theme = z.enum(['system', 'light', 'dark']);
export type Theme = z.output<typeof Theme>;

const days = z.number().int().min(1).max(36_500).nullable();

/**
 * How long history is kept; null: for ever. Runs go when they are older than `runDays`, or when their job has more newer ones
 * than `runsPerJobMax`; runs that failed stay for `failureDays` in both cases. Output goes earlier, oldest first, when it is
 * older than `outputDays` or all of it together is larger than `outputMegabytesMax`.
 */
export const Retention = z.strictObject({
  runDays: days,
  failureDays: days,
  runsPerJobMax: z.number().int().min(1).max(10_000_000).nullable(),
  outputDays: days,
  outputMegabytesMax: z.number().int().min(10).max(10_000_000).nullable(),
});
export type Retention = z.output<typeof Retention>;
export const defaultRetention: Retention = {
  runDays: 365,
  failureDays: 730,
  runsPerJobMax: 20_000,
  outputDays: 30,
  outputMegabytesMax: 2_048,
};

export const Settings = z.strictObject({
  theme: Theme,
  /** Absent in what older versions have saved. */
  retention: Retention.default(defaultRetention),
});
export type Settings = z.output<typeof Settings>;
export const defaultSettings: Settings = { theme: 'system', retention: defaultRetention };

/** Why what only the process that runs the jobs can do is not done now. */
export const HOLDER_UNREACHABLE = 'The process that runs your jobs cannot be reached.';

/** `standby`: another Belfry process holds the lease. Never show the words leader or lease to the user. */
export const EngineState = z.enum(['starting', 'running', 'paused', 'standby', 'store_failed', 'stopped']);
export type EngineState = z.output<typeof EngineState>;

/** What the heartbeat card and the tray show. */
export const SchedulerStatus = z.strictObject({
  state: EngineState,
  /** The process that runs the jobs while the state is `standby`. */
  holder: z.strictObject({ pid: z.number().int(), since: Instant }).nullable(),
  jobCount: z.number().int(),
  runningCount: z.number().int(),
  failingCount: z.number().int(),
  next: z
    .strictObject({
      at: Instant,
      jobName: z.string(),
      dueCount: z.number().int(),
    })
    .nullable(),
  /** The last time the machine was found to have slept or Belfry to have been closed. */
  lastGap: z
    .strictObject({
      cause: z.enum(['asleep', 'off', 'not_running']),
      from: Instant,
      to: Instant,
      caughtUpCount: z.number().int(),
      /** Due times that were missed in it, and the jobs they belong to. */
      missedCount: z.number().int(),
      missedJobCount: z.number().int(),
    })
    .nullable(),
  /**
   * What is wrong with the store, as a sentence. In the state `store_failed` it was refused; in all others it is open, and does
   * not take or give something now, for example because the disk is full.
   */
  problem: z.string().nullable(),
});
export type SchedulerStatus = z.output<typeof SchedulerStatus>;
