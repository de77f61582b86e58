/** A job is what the user wants done. Every edit makes a new revision; runs keep the revision they ran with. */
import { z } from 'zod';
import { JobKind, KindSettings } from '../kinds/registry';
import { Instant } from '../time';
import { CONDITIONS_MAX, Condition, Wait } from './condition';
import { Dates, everyDay } from './dates';
import { Policies } from './policies';
import { SCHEDULES_MAX, Schedule, ScheduleDraft } from './schedule';

export const JobId = z.uuid().brand<'JobId'>();
export type JobId = z.output<typeof JobId>;

/** More are refused on saving (S-02). */
export const JOBS_MAX = 4_096;
export const NAME_LENGTH_MAX = 120;
const TAG_LENGTH_MAX = 40;
const TAGS_MAX = 20;

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
  conditions: z
    .array(Condition)
    .max(CONDITIONS_MAX, `A job has at most ${CONDITIONS_MAX} conditions.`)
    .default([]),
  dates: Dates.default(everyDay),
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
  /** A run waits for its next attempt, which is number `attempt` of `attemptsMax`. */
  z.strictObject({
    code: z.literal('retry'),
    at: Instant,
    attempt: z.number().int(),
    attemptsMax: z.number().int(),
  }),
  /** A run waits for a condition. */
  z.strictObject({ code: z.literal('waiting'), wait: Wait }),
  /** "N after the end" while a run goes on. */
  z.strictObject({ code: z.literal('after_run') }),
  /** Only events start it: another job, the start of Belfry, waking, the network. */
  z.strictObject({ code: z.literal('on_event') }),
  /** Off, or paused; `until` is when that ends by itself. */
  z.strictObject({ code: z.literal('paused'), until: Instant.nullable() }),
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
  kind: JobKind,
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
