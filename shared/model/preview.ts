/**
 * What the editor shows about a schedule before it is saved: its words, its next moments and what to watch out for.
 * It is computed by the code that will also plan the runs, so that the two cannot disagree.
 */
import { z } from 'zod';
import { Instant } from '../time';
import { Zone } from './schedule';

export const PREVIEW_ROWS_MAX = 50;

/**
 * Why a row stands near a clock change, or is no occurrence.
 * `gap_run_after`: its time does not exist that day and it runs at the end of the gap.
 * `gap_skipped`: its time does not exist that day; the row is shown but is no occurrence.
 * `gap_passed`: a frequent schedule; the times inside the gap are not made up.
 * `repeat_first`, `repeat_second`, `repeat_both`: its time comes twice that day and this is the pass that runs.
 * `repeat_more`: a frequent schedule; that day has more runs than others.
 * `excluded`: it lies on an excluded date and is skipped. The row stands for all that those days in a row swallow.
 */
export const PreviewNoteCode = z.enum([
  'gap_run_after',
  'gap_skipped',
  'gap_passed',
  'repeat_first',
  'repeat_second',
  'repeat_both',
  'repeat_more',
  'excluded',
]);
export type PreviewNoteCode = z.output<typeof PreviewNoteCode>;

export const PreviewRow = z.strictObject({
  /** The planned instant; for `gap_skipped` the end of the gap, and nothing is planned there. */
  at: Instant,
  /** Wall time in `zone`, `YYYY-MM-DDTHH:mm:ss`; for `gap_skipped` the time that does not exist. */
  local: z.string(),
  /** The IANA name in force: `local` is already resolved. */
  zone: Zone,
  /** Minutes east of UTC at `at`. */
  offsetMinutes: z.number(),
  note: z.strictObject({ code: PreviewNoteCode, text: z.string() }).optional(),
});
export type PreviewRow = z.output<typeof PreviewRow>;

/** In the order in which the editor shows them. Only `never_runs` keeps a schedule from being saved. */
export const ScheduleWarningCode = z.enum([
  'never_runs',
  'runs_rarely',
  'either_rule',
  'both_rule',
  'star_step_day',
  'more_than_once_a_minute',
  'missing_days',
  'uneven_step',
  'clock_change',
]);
export type ScheduleWarningCode = z.output<typeof ScheduleWarningCode>;

/** `text` is one or more sentences; the first says what is the matter, the others what follows from it. */
export const ScheduleWarning = z.strictObject({ code: ScheduleWarningCode, text: z.string() });
export type ScheduleWarning = z.output<typeof ScheduleWarning>;

export const SchedulePreview = z.strictObject({
  sentence: z.string(),
  /** For rows of a list: under about 30 characters where the schedule allows it. */
  shortSentence: z.string(),
  next: z.array(PreviewRow),
  countNext7Days: z.number().int().min(0),
  warnings: z.array(ScheduleWarning),
});
export type SchedulePreview = z.output<typeof SchedulePreview>;

/** What is wrong with a cron expression: where it stands in the text, why, and the rewrite that one button applies. */
export const CronMistake = z.strictObject({
  field: z.enum(['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek', 'expression']),
  /** The column of the first wrong character, counted from 0. */
  start: z.number().int().min(0),
  /** Number of wrong characters; at least 1 unless the text is empty. */
  length: z.number().int().min(0),
  code: z.string(),
  message: z.string(),
  /** `replacement` is the whole expression, not the part. */
  fix: z.strictObject({ label: z.string(), replacement: z.string() }).optional(),
});
export type CronMistake = z.output<typeof CronMistake>;
