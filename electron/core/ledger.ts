/**
 * What the ledger knows of a schedule (D3), and of the spans in which nobody could keep it. Stored by the store, decided
 * upon by plan.ts.
 */

import type { Dates } from '../../shared/model/dates';
import type { JobId } from '../../shared/model/job';
import type { RunId, Trigger } from '../../shared/model/run';
import type { ScheduleId, ScheduleRule } from '../../shared/model/schedule';
import type { Instant } from '../../shared/time';

/**
 * An occurrence that no calendar knows and that is owed all the same: the creation minute (S-31), the end of another job's
 * run, an event. Stored in the transaction of its cause, so that it is decided even after a crash.
 */
export type PendingOccurrence = {
  readonly at: Instant;
  readonly trigger: Extract<Trigger, 'creation' | 'chain' | 'event'>;
  /** The run whose end is the cause, for a chain. */
  readonly sourceRunId: RunId | null;
};

/** A schedule of a job that is on, with what the ledger knows of it. */
export type ScheduleState = {
  readonly scheduleId: ScheduleId;
  readonly jobId: JobId;
  readonly rule: ScheduleRule;
  readonly createdAt: Instant;
  /** The job's creation, last edit or last switching on: nothing older is owed (D3). */
  readonly activeSince: Instant;
  /** The newest decided occurrence. Everything up to it is decided, unless the clock was wrong (ADR 16). */
  readonly watermarkAt: Instant;
  /**
   * Set while the watermark is ahead because a clock went back (ADR 16): up to this instant everything is decided, later
   * than it only what a decision covers.
   */
  readonly owedSince?: Instant | null;
  /** From old to new. */
  readonly pending: readonly PendingOccurrence[];
  /** The days of its job. */
  readonly dates: Dates;
  /** End of the job's last run, for `after_end` intervals. */
  readonly lastEndedAt: Instant | null;
};

/** A span in which the machine slept, was off, or was on without a running engine. */
export type Gap = {
  readonly cause: 'asleep' | 'off' | 'not_running';
  readonly from: Instant;
  readonly to: Instant;
};
