/** What every answer to "why didn't it run?" is made of: the question with what was read for it, and facts that it names. */

import type { Explanation } from '../../shared/model/explanation';
import type { Job } from '../../shared/model/job';
import type { Run } from '../../shared/model/run';
import type { Schedule } from '../../shared/model/schedule';
import { sentence } from '../../shared/schedule/words';
import { type Instant, toInstant } from '../../shared/time';
import { latenessOf } from '../core/explain';
import type { Reader } from '../ports/store';

/** What is read for one answer. */
export type Question = {
  readonly reader: Reader;
  readonly at: Instant;
  readonly now: Instant;
  readonly hostZone: string;
  /** As it is now. */
  readonly job: Job;
  /** As it was at the moment asked about; null before it was there. */
  readonly definition: Job | null;
};

export function factsOf(
  { definition, job, hostZone }: Question,
  schedule: Schedule | null,
  moment: Instant | null,
): Pick<Explanation, 'jobName' | 'plannedAt' | 'scheduleId' | 'schedule'> {
  return {
    jobName: (definition ?? job).name,
    plannedAt: moment,
    scheduleId: schedule?.id ?? null,
    schedule:
      schedule === null
        ? null
        : sentence(schedule.rule, { hostZone, createdAt: (definition ?? job).createdAt }),
  };
}

/** The span that covers a moment in which nobody could keep it. */
export async function gapAt(
  reader: Reader,
  moment: Instant,
): Promise<Extract<Explanation, { code: 'undecided' }>['gap']> {
  const span = { after: toInstant(moment - 1), until: moment, max: 1 };
  const [gap] = await reader.settings.gapsBetween(span);
  return gap === undefined ? null : { cause: gap.cause, from: gap.from, to: gap.to };
}

export type RunFacts = Extract<Explanation, { code: 'ran' }>['run'];

export const runFactsOf = (run: Run): RunFacts => ({
  id: run.id,
  trigger: run.trigger,
  plannedAt: run.plannedAt,
  startedAt: run.startedAt,
  endedAt: run.endedAt,
  outcome: run.outcome,
  reason: run.reason,
  mergedCount: run.mergedCount,
  lateMs: latenessOf(run),
  missCause: run.missCause,
  waits: run.waits,
});
