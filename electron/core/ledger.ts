/**
 * What the ledger knows of a schedule (D3), and of the spans in which nobody could keep it. Stored by the store, decided
 * upon by plan.ts.
 */

import type { JobId } from '../../shared/model/job';
import type { ScheduleId, ScheduleRule } from '../../shared/model/schedule';
import type { Instant } from '../../shared/time';

/** A schedule of a job that is on, with what the ledger knows of it. */
export type ScheduleState = {
  readonly scheduleId: ScheduleId;
  readonly jobId: JobId;
  readonly rule: ScheduleRule;
  readonly createdAt: Instant;
  /** The job's creation, last edit or last switching on: nothing older is owed (D3). */
  readonly activeSince: Instant;
  /** The newest decided occurrence. Everything up to it is decided, unless the clock was wrong (ADR 4). */
  readonly watermarkAt: Instant;
  /** The creation minute that still has to run (S-31), or null. */
  readonly pendingCreationAt: Instant | null;
  /** End of the job's last run, for `after_end` intervals. */
  readonly lastEndedAt: Instant | null;
};

/** A span in which the machine slept or no engine ran. */
export type Gap = {
  readonly cause: 'asleep' | 'not_running';
  readonly from: Instant;
  readonly to: Instant;
};
