/** Questions about the runs of all jobs together, and what is counted of them. */
import { z } from 'zod';
import { Instant } from '../time';
import { JobId } from './job';
import { Outcome, Run } from './run';

export const RUN_PAGE_MAX = 200;
export const SEARCH_TEXT_MAX = 200;

/** Everything given has to hold. Test runs are never found. */
export const RunQuery = z.strictObject({
  jobId: JobId.optional(),
  outcome: Outcome.optional(),
  /** Runs queued at or after it. */
  from: Instant.optional(),
  /** Runs queued before it. */
  until: Instant.optional(),
  /**
   * Words, all of which have to be found: in the name or the command of the job, or in what went wrong with the run. Each matches
   * the beginning of a word. Without letters or digits nothing is found.
   */
  text: z.string().trim().min(1).max(SEARCH_TEXT_MAX).optional(),
});
export type RunQuery = z.output<typeof RunQuery>;

export const FoundRun = z.strictObject({
  run: Run,
  /** As it is called now, deleted or not. */
  jobName: z.string(),
});
export type FoundRun = z.output<typeof FoundRun>;

/** Newest first. */
export const RunPage = z.strictObject({
  runs: z.array(FoundRun),
  next: z.string().max(200).nullable(),
});
export type RunPage = z.output<typeof RunPage>;

/** Finished runs since the store was made, those that retention has removed included. */
export const RunCounts = z.strictObject({
  total: z.record(Outcome, z.number().int()),
  /** By day (UTC), oldest first, days without runs left out. `durationMs`: of all of them together. */
  days: z.array(
    z.strictObject({
      startsAt: Instant,
      outcome: Outcome,
      count: z.number().int(),
      durationMs: z.number().int(),
    }),
  ),
});
export type RunCounts = z.output<typeof RunCounts>;
