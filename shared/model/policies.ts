/** How a job is run besides when: what happens to missed and overlapping occurrences, to failures, and to endless runs. */
import { z } from 'zod';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../time';

export const TIMEOUT_MS_MAX = DAY_MS;
export const GRACE_MS_DEFAULT = 5 * SECOND_MS;
export const CATCH_UP_COUNT_DEFAULT = 10;
export const OVERLAP_COUNT_DEFAULT = 3;
export const RETRIES_MAX = 100;
/** More retries than this need at least RETRY_DELAY_MS_MIN between them. */
export const QUICK_RETRIES_MAX = 3;
export const RETRY_DELAY_MS_MIN = SECOND_MS;

const LATE_TEXT = 'Use 1 minute to 366 days.';
const CATCH_UP_TEXT = 'Use 1 to 100 runs.';
const OVERLAP_TEXT = 'Use 1 to 100 runs.';
const TIMEOUT_TEXT = 'Use 1 second to 24 hours.';
const GRACE_TEXT = 'Use 0 seconds to 10 minutes.';
const RETRIES_TEXT = `Use 0 to ${RETRIES_MAX} retries.`;
const RETRY_DELAY_TEXT = 'Use 0 seconds to 24 hours.';
const RETRY_CEILING_TEXT = 'Use 1 second to 7 days.';
const EXIT_CODE_TEXT = 'Use exit codes from 0 to 255.';
const JITTER_TEXT = 'Use 0 seconds to 24 hours.';
const PER_HOUR_TEXT = 'Use 1 to 3,600 runs.';

/** What happens to due times that passed while the laptop slept, was off, or Belfry was closed (D7). */
export const CatchUp = z.strictObject({
  mode: z.enum(['none', 'once', 'all']),
  /** A missed due time older than this is recorded as too old instead. null: no limit. */
  ageMsMax: z
    .number(LATE_TEXT)
    .int(LATE_TEXT)
    .min(MINUTE_MS, LATE_TEXT)
    .max(366 * DAY_MS, LATE_TEXT)
    .nullable(),
  /** With `all`, how many of the newest missed due times run at most. */
  countMax: z
    .number(CATCH_UP_TEXT)
    .int(CATCH_UP_TEXT)
    .min(1, CATCH_UP_TEXT)
    .max(100, CATCH_UP_TEXT)
    .default(CATCH_UP_COUNT_DEFAULT),
});
export type CatchUp = z.output<typeof CatchUp>;

/**
 * What happens when a due time comes while an earlier run still goes on (D8). `queue_one`: one run waits and stands for all
 * that come meanwhile. `queue_all`: each waits, at most `countMax`. `replace`: the earlier run is stopped first. `allow`: at
 * most `countMax` go on at once.
 */
export const Overlap = z.strictObject({
  mode: z.enum(['skip', 'queue_one', 'queue_all', 'replace', 'allow']),
  countMax: z
    .number(OVERLAP_TEXT)
    .int(OVERLAP_TEXT)
    .min(1, OVERLAP_TEXT)
    .max(100, OVERLAP_TEXT)
    .default(OVERLAP_COUNT_DEFAULT),
});
export type Overlap = z.output<typeof Overlap>;

/** A failed or timed-out attempt is followed by another of the same run. A run that a person stopped is not tried again. */
export const Retry = z
  .strictObject({
    /** Attempts after the first. */
    countMax: z.number(RETRIES_TEXT).int(RETRIES_TEXT).min(0, RETRIES_TEXT).max(RETRIES_MAX, RETRIES_TEXT),
    /** Milliseconds from the end of an attempt to the start of the next. */
    delayMs: z
      .number(RETRY_DELAY_TEXT)
      .int(RETRY_DELAY_TEXT)
      .min(0, RETRY_DELAY_TEXT)
      .max(DAY_MS, RETRY_DELAY_TEXT),
    /** `doubling`: each delay is twice the one before, up to `delayMsMax`. */
    growth: z.enum(['fixed', 'doubling']),
    delayMsMax: z
      .number(RETRY_CEILING_TEXT)
      .int(RETRY_CEILING_TEXT)
      .min(SECOND_MS, RETRY_CEILING_TEXT)
      .max(7 * DAY_MS, RETRY_CEILING_TEXT),
    /** Only these exit codes are tried again; null: every failure. */
    exitCodes: z
      .array(z.number(EXIT_CODE_TEXT).int(EXIT_CODE_TEXT).min(0, EXIT_CODE_TEXT).max(255, EXIT_CODE_TEXT))
      .min(1, 'Name at least one exit code, or retry after every failure.')
      .max(50, 'Use at most 50 exit codes.')
      .nullable(),
  })
  .superRefine(({ countMax, delayMs, delayMsMax, growth }, context) => {
    if (countMax > QUICK_RETRIES_MAX && delayMs < RETRY_DELAY_MS_MIN) {
      const message = `Wait at least 1 second between more than ${QUICK_RETRIES_MAX} retries.`;
      context.addIssue({ code: 'custom', path: ['delayMs'], message });
    }
    if (countMax > 0 && growth === 'doubling' && delayMsMax < delayMs) {
      const message = 'The longest delay is shorter than the first one.';
      context.addIssue({ code: 'custom', path: ['delayMsMax'], message });
    }
  });
export type Retry = z.output<typeof Retry>;

export const defaultRetry: Retry = {
  countMax: 0,
  delayMs: MINUTE_MS,
  growth: 'doubling',
  delayMsMax: HOUR_MS,
  exitCodes: null,
};

/** What becomes of the job when a run of it was provably cut off (S-53). One that may still go on always pauses the job. */
export const AfterInterruption = z.enum(['keep', 'pause', 'repeat']);
export type AfterInterruption = z.output<typeof AfterInterruption>;

export const Policies = z.strictObject({
  catchUp: CatchUp,
  overlap: Overlap,
  /** How long one attempt may take; null means for ever. */
  timeoutMs: z
    .number(TIMEOUT_TEXT)
    .int(TIMEOUT_TEXT)
    .min(SECOND_MS, TIMEOUT_TEXT)
    .max(TIMEOUT_MS_MAX, TIMEOUT_TEXT)
    .nullable(),
  /** Between the soft signal and the hard one. */
  graceMs: z
    .number(GRACE_TEXT)
    .int(GRACE_TEXT)
    .min(0, GRACE_TEXT)
    .max(10 * MINUTE_MS, GRACE_TEXT),
  retry: Retry.default(defaultRetry),
  /** D4: only `repeat` does an interrupted run again, once it is proven to be over. */
  afterInterruption: AfterInterruption.default('keep'),
  /** A run starts up to this much later than planned, always by the same amount for the same due time. 0: on time. */
  jitterMs: z.number(JITTER_TEXT).int(JITTER_TEXT).min(0, JITTER_TEXT).max(DAY_MS, JITTER_TEXT).default(0),
  /** A net for a schedule that is denser than meant; due times beyond it are skipped. null: no limit. */
  runsPerHourMax: z
    .number(PER_HOUR_TEXT)
    .int(PER_HOUR_TEXT)
    .min(1, PER_HOUR_TEXT)
    .max(3_600, PER_HOUR_TEXT)
    .nullable()
    .default(null),
});
export type Policies = z.output<typeof Policies>;

export const defaultPolicies: Policies = {
  catchUp: { mode: 'once', ageMsMax: null, countMax: CATCH_UP_COUNT_DEFAULT },
  overlap: { mode: 'skip', countMax: OVERLAP_COUNT_DEFAULT },
  timeoutMs: 60 * MINUTE_MS,
  graceMs: GRACE_MS_DEFAULT,
  retry: defaultRetry,
  afterInterruption: 'keep',
  jitterMs: 0,
  runsPerHourMax: null,
};
