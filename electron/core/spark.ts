/**
 * The strip of a job's last 30 marks: what the list shows without reading history. Slots keep durations, and the text for
 * the window is scaled to the job's own longest run (ui.md, section 5).
 */
import { SPARK_SLOTS } from '../../shared/model/job';
import type { Decision, Run } from '../../shared/model/run';
import type { SparkSlot } from '../../shared/model/spark';
import { assert, assertNever } from '../../shared/result';

export type { SparkSlot };

const HEIGHT_MAX = 9;

/** The mark of a run that has ended. */
export function slotOfRun(run: Pick<Run, 'outcome' | 'trigger' | 'durationMs'>): SparkSlot {
  assert(run.outcome !== null, 'a run without an outcome has no mark');
  return { mark: markOf(run.outcome, run.trigger), durationMs: run.durationMs };
}

function markOf(outcome: NonNullable<Run['outcome']>, trigger: Run['trigger']): SparkSlot['mark'] {
  switch (outcome) {
    case 'succeeded':
      return trigger === 'catch_up' ? 'c' : 's';
    case 'failed':
      return 'f';
    case 'timed_out':
      return 't';
    case 'abandoned':
      return 'z';
    case 'cancelled':
      return 'x';
    default:
      return assertNever(outcome);
  }
}

/**
 * The mark of a due time that did not run, or null where the run it belongs to has one. A range of them is one mark, so
 * that a night's sleep does not push everything else out of the strip.
 */
export function slotOfDecision(decision: Pick<Decision, 'kind' | 'reason'>): SparkSlot | null {
  if (decision.kind !== 'skip') return null;
  const isMissed = decision.reason === 'too_old' || decision.reason === 'catch_up_off';
  return { mark: isMissed ? 'm' : 'k', durationMs: null };
}

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
