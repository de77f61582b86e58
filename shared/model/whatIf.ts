/**
 * "What would happen": the engine itself lives through a span on virtual time, with a scenario, on a copy of the jobs. No
 * command is run; a run lasts as long as the job usually takes.
 */
import { z } from 'zod';
import { DAY_MS, Instant } from '../time';
import { JobId } from './job';
import { DecisionReason, MissCause, Trigger } from './run';
import { ScheduleId, Zone } from './schedule';

/** The longest span that is lived through, in milliseconds. */
export const WHAT_IF_MS_MAX = 35 * DAY_MS;
export const WHAT_IF_ROWS_MAX = 2_000;
const SPANS_MAX = 50;

export const Span = z
  .strictObject({ from: Instant, to: Instant })
  .refine(({ from, to }) => from < to, { path: ['to'], message: 'The end is before the beginning.' });
export type Span = z.output<typeof Span>;

const spans = z.array(Span).max(SPANS_MAX);

const ScenarioFields = z.strictObject({
  /** The laptop sleeps. */
  asleep: spans.default([]),
  /** It is off, and Belfry starts with it at the end of each. */
  off: spans.default([]),
  onBattery: spans.default([]),
  withoutNetwork: spans.default([]),
  travels: z
    .array(z.strictObject({ at: Instant, zone: Zone }))
    .max(SPANS_MAX)
    .default([]),
  /** Somebody sets the clock at this moment by so many milliseconds. */
  clockSteps: z
    .array(
      z.strictObject({
        at: Instant,
        byMs: z
          .number()
          .int()
          .min(-7 * DAY_MS)
          .max(7 * DAY_MS),
      }),
    )
    .max(SPANS_MAX)
    .default([]),
});

/** Every field may be left out, so that what is no plain object, such as a Map, would pass for an empty scenario. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

export const Scenario = z.custom<z.input<typeof ScenarioFields>>(isPlain).pipe(ScenarioFields);
export type Scenario = z.output<typeof Scenario>;

/** What became of an occurrence, or of a range of them. */
export const WhatIfRow = z.strictObject({
  jobId: JobId,
  scheduleId: ScheduleId.nullable(),
  plannedAt: Instant,
  untilAt: Instant,
  count: z.number().int(),
  kind: z.enum(['run', 'merge', 'skip']),
  reason: DecisionReason,
  missCause: MissCause.nullable(),
  trigger: Trigger.nullable(),
  /** When the run would begin and end; null for one that does not run, or not within the span. */
  startedAt: Instant.nullable(),
  endedAt: Instant.nullable(),
});
export type WhatIfRow = z.output<typeof WhatIfRow>;

export const WhatIf = z.strictObject({
  /** By the planned moment. */
  rows: z.array(WhatIfRow),
  /** The span held more than is told; the rows end here. */
  endsAt: Instant,
  isCut: z.boolean(),
});
export type WhatIf = z.output<typeof WhatIf>;
