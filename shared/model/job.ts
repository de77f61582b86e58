/** A job is what the user wants done. Every edit makes a new revision; runs keep the revision they ran with. */
import { z } from 'zod';
import { KindSettings } from '../kinds/registry';
import { DAY_MS, Instant, MINUTE_MS, SECOND_MS } from '../time';
import { SCHEDULES_MAX, Schedule, ScheduleDraft } from './schedule';

export const JobId = z.uuid().brand<'JobId'>();
export type JobId = z.output<typeof JobId>;

/** More are refused on saving (S-02). */
export const JOBS_MAX = 4_096;
export const NAME_LENGTH_MAX = 120;
const TAG_LENGTH_MAX = 40;
const TAGS_MAX = 20;
export const TIMEOUT_MS_MAX = DAY_MS;
export const GRACE_MS_DEFAULT = 5 * SECOND_MS;

const LATE_TEXT = 'Use 1 minute to 366 days.';
const TIMEOUT_TEXT = 'Use 1 second to 24 hours.';
const GRACE_TEXT = 'Use 0 seconds to 10 minutes.';

/** What happens to due times that passed while the laptop slept, was off, or Belfry was closed (D7). */
export const CatchUp = z.strictObject({
  mode: z.enum(['none', 'once']),
  /** A missed due time older than this is recorded as too old instead. null: no limit. */
  ageMsMax: z
    .number(LATE_TEXT)
    .int(LATE_TEXT)
    .min(MINUTE_MS, LATE_TEXT)
    .max(366 * DAY_MS, LATE_TEXT)
    .nullable(),
});
export type CatchUp = z.output<typeof CatchUp>;

export const Policies = z.strictObject({
  catchUp: CatchUp,
  /** What happens when a due time comes while the previous run still goes on (D8). */
  overlap: z.strictObject({ mode: z.enum(['skip']) }),
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
  /** D4: only then is an interrupted run done again. */
  repeatIfInterrupted: z.boolean(),
});
export type Policies = z.output<typeof Policies>;

export const defaultPolicies: Policies = {
  catchUp: { mode: 'once', ageMsMax: null },
  overlap: { mode: 'skip' },
  timeoutMs: 60 * MINUTE_MS,
  graceMs: GRACE_MS_DEFAULT,
  repeatIfInterrupted: false,
};

const definition = {
  name: z
    .string()
    .trim()
    .min(1, 'Give the job a name.')
    .max(NAME_LENGTH_MAX, `A name has at most ${NAME_LENGTH_MAX} characters.`),
  settings: KindSettings,
  tags: z
    .array(
      z
        .string()
        .trim()
        .min(1, 'A tag has at least 1 character.')
        .max(TAG_LENGTH_MAX, `A tag has at most ${TAG_LENGTH_MAX} characters.`),
    )
    .max(TAGS_MAX, `A job has at most ${TAGS_MAX} tags.`),
  notes: z.string().max(10_000, 'Use at most 10,000 characters.'),
  isEnabled: z.boolean(),
  policies: Policies,
};

/** What the editor sends. */
export const JobDraft = z.strictObject({
  ...definition,
  schedules: z.array(ScheduleDraft).max(SCHEDULES_MAX, `A job has at most ${SCHEDULES_MAX} schedules.`),
});
export type JobDraft = z.output<typeof JobDraft>;
export type JobDraftInput = z.input<typeof JobDraft>;

/** Why a job is off although nobody asked for it now: shown instead of the switch's plain "off" (S-35). */
export const DisabledReason = z.enum(['user', 'interrupted', 'finished', 'quarantined', 'schedule_error']);
export type DisabledReason = z.output<typeof DisabledReason>;

export const Job = z.strictObject({
  ...definition,
  id: JobId,
  revision: z.number().int().min(1),
  schedules: z.array(Schedule).max(SCHEDULES_MAX),
  disabledReason: DisabledReason.nullable(),
  createdAt: Instant,
  updatedAt: Instant,
  deletedAt: Instant.nullable(),
});
export type Job = z.output<typeof Job>;

/** Worst-of state of a job as the list shows it (ui.md 2.1). */
export const JobState = z.enum([
  'failed',
  'timed_out',
  'abandoned',
  'running',
  'missed',
  'caught_up',
  'succeeded',
  'cancelled',
  'skipped',
  'paused',
  'never_run',
]);
export type JobState = z.output<typeof JobState>;

/** What stands in the Next column: a code and, where it has one, a moment. Words are made in the window. */
export const NextDue = z.discriminatedUnion('code', [
  z.strictObject({
    code: z.literal('running'),
    since: Instant,
    usualMs: z.number().nullable(),
  }),
  z.strictObject({ code: z.literal('due'), at: Instant }),
  z.strictObject({ code: z.literal('queued'), since: Instant }),
  z.strictObject({ code: z.literal('after_run') }),
  z.strictObject({ code: z.literal('paused') }),
  z.strictObject({ code: z.literal('by_hand') }),
  z.strictObject({ code: z.literal('ended') }),
  z.strictObject({ code: z.literal('never') }),
]);
export type NextDue = z.output<typeof NextDue>;

/** Slots in a row's strip: the newest last. */
export const SPARK_SLOTS = 30;
/**
 * One slot is two characters: what happened, and the height 0 to 9 (duration over the job's own maximum).
 * s succeeded, c caught up, f failed, t timed out, z interrupted, x stopped, m missed, k skipped, r running.
 */
export const Spark = z.string().regex(/^([scftzxmkr][0-9]){0,30}$/);

export const JobRow = z.strictObject({
  id: JobId,
  name: z.string(),
  kind: z.literal('command'),
  summary: z.string(),
  tags: z.array(z.string()),
  isEnabled: z.boolean(),
  disabledReason: DisabledReason.nullable(),
  state: JobState,
  scheduleShort: z.string(),
  spark: Spark,
  next: NextDue,
  lastRunAt: Instant.nullable(),
});
export type JobRow = z.output<typeof JobRow>;
