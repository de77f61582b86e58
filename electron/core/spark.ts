/**
 * The strip of a job's last 30 marks: what the list shows without reading history. Slots keep durations, and the text for
 * the window is scaled to the job's own longest run (ui.md, section 5).
 */
import { z } from 'zod';
import { SPARK_SLOTS } from '../../shared/model/job';

/** The letters are those of `Spark` in shared/model/job.ts. */
export const SparkSlot = z.strictObject({
  mark: z.enum(['s', 'c', 'f', 't', 'z', 'x', 'm', 'k']),
  durationMs: z.number().int().nullable(),
});
export type SparkSlot = z.output<typeof SparkSlot>;

const HEIGHT_MAX = 9;

/** The newest slot goes last; the oldest leave when there are more than SPARK_SLOTS. */
export const appendSlot = (slots: readonly SparkSlot[], slot: SparkSlot): SparkSlot[] =>
  [...slots, slot].slice(-SPARK_SLOTS);

/** Two characters per slot: mark and height. `isRunning` adds a slot that is not stored. */
export function sparkText(slots: readonly SparkSlot[], isRunning: boolean): string {
  const shown = isRunning ? slots.slice(-(SPARK_SLOTS - 1)) : slots;
  const longest = Math.max(1, ...shown.map((slot) => slot.durationMs ?? 0));
  const text = shown
    .map((slot) => `${slot.mark}${Math.round((HEIGHT_MAX * (slot.durationMs ?? 0)) / longest)}`)
    .join('');
  return isRunning ? `${text}r9` : text;
}
