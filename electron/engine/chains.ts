/**
 * Whether a job may start after the jobs that its schedules name. Asked in the transaction that saves it, so that two edits
 * at once cannot make a circle together.
 */

import type { Job, JobId } from '../../shared/model/job';
import type { ScheduleRule } from '../../shared/model/schedule';
import { fail, type Result } from '../../shared/result';
import { circleOf } from '../core/chains';
import type { Reader } from '../ports/store';

/** A sentence for each schedule that may not be as it is, by its field. */
export type ChainMistakes = Readonly<Record<string, string>>;

/**
 * `before`: the job as it is stored, or null for a new one. A rule that was saved once stays savable: the job it names may
 * have been deleted since, and then it just never starts.
 */
export async function chainMistakes(
  reader: Reader,
  rules: readonly ScheduleRule[],
  before: Job | null,
): Promise<ChainMistakes> {
  const mistakes: Record<string, string> = {};
  for (const [index, rule] of rules.entries()) {
    if (rule.kind !== 'after_job') continue;
    const message = await mistakeOf(reader, rule.jobId as JobId, before);
    if (message !== null) mistakes[`schedules.${index}.jobId`] = message;
  }
  return mistakes;
}

async function mistakeOf(reader: Reader, afterJobId: JobId, before: Job | null): Promise<string | null> {
  if (afterJobId === before?.id) return 'A job cannot start after itself. Choose another.';
  const known = before?.schedules.some(({ rule }) => rule.kind === 'after_job' && rule.jobId === afterJobId);
  if (known && before?.deletedAt === null) return null;
  const after = await reader.jobs.get(afterJobId);
  if (after === null || after.deletedAt !== null) {
    return known ? null : 'This job does not exist any more. Choose another.';
  }
  return before === null ? null : circleMistake(reader, before, after);
}

async function circleMistake(reader: Reader, job: Job, after: Job): Promise<string | null> {
  const way = circleOf(job.id, after.id, await reader.schedules.chains());
  if (way === null) return null;
  const [, between, ...others] = way;
  const middle = between === undefined || others.length === 0 ? null : await reader.jobs.get(between);
  const through = middle === null ? '' : `, by way of “${middle.name}”`;
  return `“${after.name}” starts after this job already${through}. In a circle they would start each other without end.`;
}

/** A deleted job must not come back into a circle that was closed in the meantime. */
export async function refuseRestoring(reader: Reader, job: Job): Promise<Result<never> | null> {
  const rules = job.schedules.map(({ rule }) => rule);
  const [message] = Object.values(await chainMistakes(reader, rules, job));
  return message === undefined ? null : fail('conflict', message);
}
