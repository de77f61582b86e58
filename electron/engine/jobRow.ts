/**
 * One row of the list, and what is kept of it: of thousands of rows few change between two looks, and making one takes far
 * longer than seeing that it is the same.
 */

import { kindSummary } from '../../shared/kinds/registry';
import { JOBS_MAX, type Job, JobId, type JobRow } from '../../shared/model/job';
import type { Pause } from '../../shared/model/pause';
import { isCalendarRule, type ScheduleRule } from '../../shared/model/schedule';
import { createRecent } from '../../shared/schedule/recent';
import { shortSentence } from '../../shared/schedule/words';
import type { Instant } from '../../shared/time';
import { jobStateOf, nextDueOf, reasonShown, usualMsOf } from '../core/jobState';
import { pausesOf } from '../core/pauses';
import { sparkText } from '../core/spark';
import type { ActiveRun, JobStats } from '../ports/store';

const SHORT_SENTENCES_MAX = 2 * JOBS_MAX;

/** The name of a job that a schedule waits for, or undefined. */
export type JobNameOf = (jobId: string) => string | undefined;

/** What all rows are made with. */
export type Surroundings = {
  readonly activeByJob: ReadonlyMap<JobId, ActiveRun>;
  readonly pauses: readonly Pause[];
  readonly goneJobIds: ReadonlySet<string>;
  readonly jobNameOf: JobNameOf;
  readonly now: Instant;
};

/** What a row is made of, besides its surroundings. */
type Facts = {
  readonly job: Job;
  readonly stats: JobStats;
  /** The soonest moment at which it may run. */
  readonly nextAt: Instant | null;
};

type Kept = Pick<Facts, 'stats' | 'nextAt'> & {
  readonly revision: number;
  readonly pausedUntil: Instant | null | undefined;
  readonly row: JobRow;
};

/** Rows as they were made last, and the words of their rules: reading a cron expression takes longer than all the rest. */
export class RowMemory {
  #kept = new Map<JobId, Kept>();
  #next = new Map<JobId, Kept>();
  readonly #shorten = createRecent(SHORT_SENTENCES_MAX, (text: string) => shortSentence(JSON.parse(text)));

  /** The rule in few words. */
  shorten(rule: ScheduleRule, jobNameOf: JobNameOf): string {
    // The other job may get another name.
    return rule.kind === 'after_job'
      ? shortSentence(rule, { jobNameOf })
      : this.#shorten(JSON.stringify(rule));
  }

  /** The row that was made last, if nothing that it is made of has changed. */
  find({ job, stats, nextAt }: Facts, pausedUntil: Kept['pausedUntil']): JobRow | null {
    const kept = this.#kept.get(job.id);
    if (kept === undefined) return null;
    const isSame =
      kept.revision === job.revision &&
      kept.nextAt === nextAt &&
      kept.pausedUntil === pausedUntil &&
      kept.stats.slots === stats.slots &&
      kept.stats.lastRunAt === stats.lastRunAt &&
      kept.stats.seenAt === stats.seenAt &&
      kept.stats.newestAt === stats.newestAt;
    if (!isSame) return null;
    this.#next.set(job.id, kept);
    return kept.row;
  }

  keep({ job, stats, nextAt }: Facts, pausedUntil: Kept['pausedUntil'], row: JobRow): void {
    this.#next.set(job.id, { revision: job.revision, stats, nextAt, pausedUntil, row });
  }

  /** Every row was asked for: what was not is forgotten. */
  turn(): void {
    this.#kept = this.#next;
    this.#next = new Map();
  }
}

export function rowOf(facts: Facts, surroundings: Surroundings, memory: RowMemory): JobRow {
  const { job, stats, nextAt } = facts;
  const { activeByJob, pauses, goneJobIds, now, jobNameOf } = surroundings;
  const activeRun = activeByJob.get(job.id) ?? null;
  const pause = pauses.length === 0 ? null : longestOf(pausesOf(job, pauses));
  const pausedUntil = pause === null ? undefined : pause.until;
  // A row with a run, or with a due time that has passed, changes by itself.
  const isQuiet = activeRun === null && (nextAt === null || nextAt > now);
  const known = isQuiet ? memory.find(facts, pausedUntil) : null;
  if (known !== null) return known;
  const isRunning = activeRun?.state === 'running';
  const next = { job, activeRun, pause, nextAt, usualMs: usualMsOf(stats.slots), goneJobIds };
  const row: JobRow = {
    id: job.id,
    name: job.name,
    kind: job.settings.kind,
    summary: kindSummary(job.settings),
    tags: job.tags,
    isEnabled: job.isEnabled,
    disabledReason: reasonShown(job),
    state: jobStateOf(stats, now, { isRunning, isEnabled: job.isEnabled }),
    scheduleShort: scheduleShort(job, jobNameOf, memory),
    spark: sparkText(stats.slots, isRunning),
    next: nextDueOf(next, now),
    lastRunAt: activeRun?.startedAt ?? stats.lastRunAt,
  };
  if (isQuiet && isTimeless(job, row)) memory.keep(facts, pausedUntil, row);
  return row;
}

/** Whether the row stays true until one of its facts changes: news grows old, and another job gets another name. */
const isTimeless = ({ schedules }: Job, { state }: JobRow): boolean =>
  state !== 'missed' && state !== 'caught_up' && schedules.every(({ rule }) => isCalendarRule(rule));

/** The pause that holds longest; one without an end holds longer than any other. */
export const longestOf = (pauses: readonly Pause[]): Pause | null =>
  pauses.reduce<Pause | null>(
    (best, pause) => (best === null || (pause.until ?? Infinity) > (best.until ?? Infinity) ? pause : best),
    null,
  );

function scheduleShort({ schedules }: Job, jobNameOf: JobNameOf, memory: RowMemory): string {
  const [first, ...others] = schedules;
  if (first === undefined) return '';
  const text = memory.shorten(first.rule, jobNameOf);
  return others.length === 0 ? text : `${text} and ${others.length} more`;
}

/** A job whose row cannot be read is shown where what fails is shown, switched off, and left as it is. */
export function unreadableRow({
  jobId,
  why,
}: {
  readonly jobId: string;
  readonly why: string;
}): JobRow | null {
  const id = JobId.safeParse(jobId);
  if (!id.success) return null;
  return {
    id: id.data,
    name: 'A job that cannot be read',
    kind: 'command',
    summary: why,
    tags: [],
    isEnabled: false,
    disabledReason: 'quarantined',
    state: 'failed',
    scheduleShort: '',
    spark: '',
    next: { code: 'paused', until: null },
    lastRunAt: null,
  };
}
