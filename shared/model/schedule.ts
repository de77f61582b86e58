/** A schedule is a rule that yields occurrences in a zone. A job holds up to five of them; none means "by hand only". */
import { z } from 'zod';
import { DAY_MS, Instant, SECOND_MS } from '../time';

export const ScheduleId = z.uuid().brand<'ScheduleId'>();
export type ScheduleId = z.output<typeof ScheduleId>;

export const SCHEDULES_MAX = 5;
export const EXPRESSION_LENGTH_MAX = 200;
export const INTERVAL_MS_MIN = SECOND_MS;
export const INTERVAL_MS_MAX = 365 * DAY_MS;
const INTERVAL_TEXT = 'Use 1 second to 365 days.';

const ZONE_TEXT = 'Choose a time zone of the list.';
/** `local` follows the computer when it travels; otherwise an IANA name, checked by `shared/schedule/zone`. */
export const Zone = z.string().min(1, ZONE_TEXT).max(64, ZONE_TEXT);
export const LOCAL_ZONE = 'local';

/** What a fixed-time schedule does with a local time that does not exist, or exists twice (D6). */
export const GapRule = z.enum(['run_after', 'skip']);
export const RepeatRule = z.enum(['first', 'second', 'both']);

export const CronRule = z.strictObject({
  kind: z.literal('cron'),
  /** Exactly what the user typed: never rewritten. */
  expression: z
    .string()
    .min(1, 'Type a schedule, or pick one from Presets.')
    .max(EXPRESSION_LENGTH_MAX, `Use at most ${EXPRESSION_LENGTH_MAX} characters.`),
  zone: Zone,
  /** Day of month and day of week both restricted: `either` is what cron does (OR), `both` is the explicit AND. */
  dayMatch: z.enum(['either', 'both']),
  gap: GapRule,
  repeat: RepeatRule,
});
export type CronRule = z.output<typeof CronRule>;

export const IntervalRule = z.strictObject({
  kind: z.literal('interval'),
  everyMs: z
    .number(INTERVAL_TEXT)
    .int(INTERVAL_TEXT)
    .min(INTERVAL_MS_MIN, INTERVAL_TEXT)
    .max(INTERVAL_MS_MAX, INTERVAL_TEXT),
  /** `grid`: anchor + n × every, so a restart changes nothing. `after_end`: counted from the end of the last run. */
  basis: z.enum(['grid', 'after_end']),
  /** The origin of the grid. Absent in a draft: the moment of creation is filled in when the job is saved. */
  anchorAt: Instant.optional(),
});
export type IntervalRule = z.output<typeof IntervalRule>;

export const OnceRule = z.strictObject({
  kind: z.literal('once'),
  /** Local date and time as chosen, `YYYY-MM-DDTHH:mm` with optional seconds; read in `zone`. */
  local: z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/, 'Choose a date and a time.'),
  zone: Zone,
});
export type OnceRule = z.output<typeof OnceRule>;

/** After another job's run. Test runs of that job start nothing. */
export const AfterJobRule = z.strictObject({
  kind: z.literal('after_job'),
  /** A job's id; not the branded schema, which lives in a file that imports this one. */
  jobId: z.uuid('Choose a job.'),
  /** `ended`: however it ended. */
  on: z.enum(['succeeded', 'failed', 'ended']),
});
export type AfterJobRule = z.output<typeof AfterJobRule>;

/** When Belfry starts, when the laptop wakes up, or when it has a network again after it had none. */
export const EventRule = z.strictObject({
  kind: z.literal('event'),
  on: z.enum(['start', 'wake', 'network']),
});
export type EventRule = z.output<typeof EventRule>;

export const ScheduleRule = z.discriminatedUnion('kind', [
  CronRule,
  IntervalRule,
  OnceRule,
  AfterJobRule,
  EventRule,
]);
export type ScheduleRule = z.output<typeof ScheduleRule>;

/** Rules that a calendar knows; the others fire when something happens and have no occurrences that can be told ahead. */
export type CalendarRule = CronRule | IntervalRule | OnceRule;

export const isCalendarRule = (rule: ScheduleRule): rule is CalendarRule =>
  rule.kind === 'cron' || rule.kind === 'interval' || rule.kind === 'once';

/** As the editor sends it: an existing schedule keeps its id, a new one has none yet. */
export const ScheduleDraft = z.strictObject({
  id: ScheduleId.optional(),
  rule: ScheduleRule,
});
export type ScheduleDraft = z.output<typeof ScheduleDraft>;

export const Schedule = z.strictObject({ id: ScheduleId, rule: ScheduleRule });
export type Schedule = z.output<typeof Schedule>;
