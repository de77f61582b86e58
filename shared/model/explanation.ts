/**
 * "Why didn't it run?" for one job and one moment, past or future. The code says which of the closed list it is, the facts
 * say the rest, and `shared/explain/words.ts` makes the sentence, so that window, command line and log say the same.
 */
import { z } from 'zod';
import { Instant } from '../time';
import { Wait } from './condition';
import { DisabledReason } from './job';
import { DecisionReason, EndReason, MissCause, Outcome, RunId, Trigger } from './run';
import { ScheduleId } from './schedule';

const pause = z.strictObject({
  scope: z.enum(['all', 'tag', 'job']),
  tag: z.string().nullable(),
  note: z.string(),
  since: Instant,
  until: Instant.nullable(),
});

/** A span that covers the moment, in which nobody could have kept it. */
const gap = z.strictObject({ cause: z.enum(['asleep', 'off', 'not_running']), from: Instant, to: Instant });

/** As much of a run as the sentence needs. */
const run = z.strictObject({
  id: RunId,
  trigger: Trigger,
  plannedAt: Instant.nullable(),
  startedAt: Instant.nullable(),
  endedAt: Instant.nullable(),
  outcome: Outcome.nullable(),
  /** Why it did not succeed, or never began. */
  reason: EndReason.nullable(),
  /** How many occurrences it stands for besides its own. */
  mergedCount: z.number().int(),
  /** Milliseconds from the planned (and jittered) moment to the start; 0 if it was on time. */
  lateMs: z.number().int(),
  missCause: MissCause.nullable(),
  waits: z.array(Wait),
});

const facts = {
  jobName: z.string(),
  /** The occurrence that was found at the moment asked about; null if no schedule of the job plans it. */
  plannedAt: Instant.nullable(),
  scheduleId: ScheduleId.nullable(),
  /** The rule in words, as it was at that time. */
  schedule: z.string().nullable(),
};

export const Explanation = z.discriminatedUnion('code', [
  /**
   * It ran, or runs now; `lateMs` of the run tells whether late. Without a start it ended in the queue, or its record is not
   * kept any more. A run that a person started has no planned moment.
   */
  z.strictObject({
    code: z.literal('ran'),
    ...facts,
    run,
    gap: gap.nullable(),
    /** The run of the same job that it had to wait for. */
    blockingRun: run.nullable(),
  }),
  /** Another run stands for it. */
  z.strictObject({
    code: z.literal('merged'),
    ...facts,
    run: run.nullable(),
    missCause: MissCause.nullable(),
    gap: gap.nullable(),
  }),
  /** Queued: for a place, an earlier run, its jitter, a retry, or a condition. */
  z.strictObject({
    code: z.literal('waiting'),
    ...facts,
    run,
    for: z.enum(['place', 'earlier_run', 'jitter', 'retry', 'condition']),
    notBeforeAt: Instant.nullable(),
  }),
  z.strictObject({
    code: z.literal('skipped'),
    ...facts,
    reason: DecisionReason,
    missCause: MissCause.nullable(),
    /** It is one of this many that were skipped together. */
    count: z.number().int(),
    pause: pause.nullable(),
    gap: gap.nullable(),
    /** The run that was in the way. */
    blockingRun: run.nullable(),
  }),
  /** The job was off then, or is off now. */
  z.strictObject({
    code: z.literal('disabled'),
    ...facts,
    reason: DisabledReason.nullable(),
    since: Instant,
  }),
  z.strictObject({ code: z.literal('deleted'), ...facts, at: Instant }),
  /** The job, or this schedule of it, did not exist yet. */
  z.strictObject({ code: z.literal('not_yet'), ...facts, since: Instant }),
  /** Nobody decided it yet although it is past: Belfry has just started, or its store cannot be written. */
  z.strictObject({ code: z.literal('undecided'), ...facts, gap: gap.nullable() }),
  /** It is still to come, and will run then as far as can be told. `jitterMs`: up to this much later. */
  z.strictObject({ code: z.literal('planned'), ...facts, jitterMs: z.number().int() }),
  /** It is still to come, and will be skipped as things are. */
  z.strictObject({
    code: z.literal('will_skip'),
    ...facts,
    reason: DecisionReason,
    pause: pause.nullable(),
  }),
  /** No schedule of the job plans anything at that moment. */
  z.strictObject({
    code: z.literal('not_planned'),
    ...facts,
    previousAt: Instant.nullable(),
    nextAt: Instant.nullable(),
    /**
     * `outside_dates`: before the first or after the last day. `clock_gap`, `clock_repeat`: the local time does not exist on
     * that day, or comes twice, and the schedule leaves this one out. `not_owed`: by today's knowledge it would have been
     * due, but the job was changed, was deleted for a while, or the laptop was elsewhere, before it was decided (D3).
     */
    why: z.enum([
      'no_occurrence',
      'outside_dates',
      'clock_gap',
      'clock_repeat',
      'not_owed',
      /** Longer ago than history is kept: what became of it has been removed. */
      'forgotten',
      'by_hand_only',
      'event_only',
    ]),
  }),
]);
export type Explanation = z.output<typeof Explanation>;
