/** One mark of the strip of a job's last 30: what the store keeps of a run or a missed due time, so that lists never read history. */
import { z } from 'zod';

/** The letters are those of `Spark` in job.ts. */
export const SparkSlot = z.strictObject({
  mark: z.enum(['s', 'c', 'f', 't', 'z', 'x', 'm', 'k']),
  durationMs: z.number().int().nullable(),
});
export type SparkSlot = z.output<typeof SparkSlot>;
