/**
 * "Why didn't it run?" for any moment of a job. What was recorded counts first: the decision and its run. Only where nothing
 * was decided is the definition read that was in force then. Reading changes nothing, and every read is bounded.
 */

import type { Explanation } from '../../shared/model/explanation';
import type { Job, JobId } from '../../shared/model/job';
import type { Decision } from '../../shared/model/run';
import type { Schedule, ScheduleId } from '../../shared/model/schedule';
import { fail, ok, type Result } from '../../shared/result';
import { DAY_MS, type Instant, toInstant } from '../../shared/time';
import {
  dueAround,
  isDueAt,
  isLeftOut,
  minuteOf,
  nearestOf,
  pauseFactsOf,
  plannedAt,
  plannedNear,
  whyNothingAt,
} from '../core/explain';
import { pauseReasonAt, pausesOf } from '../core/pauses';
import type { Reader, Store } from '../ports/store';
import type { Clock, Host } from '../ports/world';
import { explainDecision } from './explainDecision';
import { factsOf, gapAt, type Question, runFactsOf } from './explainFacts';

export type ExplainPorts = {
  readonly clock: Clock;
  readonly host: Host;
  readonly store: Store;
};

/** Revisions that are walked back to find since when something holds. */
const REVISIONS_MAX = 200;
/** Decisions of one schedule in one minute: it can be due every second. */
const IN_MINUTE_MAX = 64;

export const createExplain =
  ({ clock, host, store }: ExplainPorts) =>
  (jobId: JobId, at: Instant): Promise<Result<Explanation>> =>
    store.read(async (reader) => {
      const job = await reader.jobs.get(jobId);
      if (job === null) return refuse(reader, jobId);
      const now = clock.now();
      const definition = at > now ? job : await definitionAt(reader, job, at);
      return ok(await explain({ reader, at, now, hostZone: host.zone(), job, definition }));
    });

async function refuse(reader: Reader, jobId: JobId): Promise<Result<never>> {
  const isUnreadable = (await reader.jobs.quarantined()).some((each) => each.jobId === jobId);
  return isUnreadable
    ? fail('unavailable', 'What is stored of this job cannot be read, so nothing of it is planned.')
    : fail('not_found', 'This job does not exist any more.');
}

/** A revision that cannot be read is answered with what the job is now. */
async function definitionAt(reader: Reader, job: Job, at: Instant): Promise<Job | null> {
  return (await reader.jobs.definedAt(job.id, at)) ?? (at < job.createdAt ? null : job);
}

async function explain(question: Question): Promise<Explanation> {
  const { at } = question;
  const exact = await explainAt(question, at);
  if (exact !== null) return exact;
  const near = nearestOf(await momentsNear(question), at);
  return (near === null ? null : await explainAt(question, near)) ?? explainNothing(question);
}

/** The answer for an occurrence at exactly this moment, or null if there is none. */
async function explainAt(question: Question, moment: Instant): Promise<Explanation | null> {
  const schedules = await schedulesOf(question);
  const decided = await decidedAt(question, schedules, moment);
  if (decided !== null) {
    const schedule = schedules.get(decided.scheduleId) ?? null;
    return explainDecision(question, decided, { schedule, moment });
  }
  const { definition, hostZone } = question;
  const schedule = definition === null ? null : plannedAt(definition, moment, hostZone);
  return definition === null || schedule === null
    ? owedAt(question, moment)
    : explainPlanned(question, definition, schedule, moment);
}

/** Schedules that may have had something to do at the moment: those of then and, for the creation minute, the first ones. */
async function schedulesOf({ reader, at, job, definition }: Question): Promise<Map<ScheduleId, Schedule>> {
  const first = at < job.createdAt ? await reader.jobs.atRevision(job.id, 1) : null;
  const definitions = [job, first, definition].filter((each) => each !== null);
  // What holds for the moment comes last and wins.
  return new Map(definitions.flatMap(({ schedules }) => schedules.map((each) => [each.id, each])));
}

/** One that ran says more than one that was answered by it, and that more than one that was skipped. */
const RANK: Readonly<Record<Decision['kind'], number>> = { run: 0, merge: 1, skip: 2 };

async function decidedAt(
  { reader, definition, job, hostZone }: Question,
  schedules: ReadonlyMap<ScheduleId, Schedule>,
  moment: Instant,
): Promise<Decision | null> {
  const found: Decision[] = [];
  for (const [id, { rule }] of schedules) {
    const decision = await reader.decisions.at(id, moment);
    if (decision === null) continue;
    const isEnd = decision.plannedAt === moment || decision.untilAt === moment;
    if (isEnd || isDueAt(rule, moment, definition ?? job, hostZone)) found.push(decision);
  }
  found.sort((a, b) => RANK[a.kind] - RANK[b.kind]);
  return found[0] ?? null;
}

/** Due times in the minute of the moment: a person names minutes. */
async function momentsNear(question: Question): Promise<Instant[]> {
  const { reader, at, definition, hostZone } = question;
  const { from, until } = minuteOf(at);
  const moments = definition === null ? [] : plannedNear(definition, at, hostZone);
  for (const id of (await schedulesOf(question)).keys()) {
    const span = { after: toInstant(from - 1), until, max: IN_MINUTE_MAX };
    for (const { plannedAt: first, untilAt } of await reader.decisions.between(id, span)) {
      moments.push(...[first, untilAt].filter((moment) => from <= moment && moment <= until));
    }
  }
  for (const { pending } of await reader.schedules.ofJob(question.job.id)) {
    moments.push(...pending.map((owed) => owed.at).filter((moment) => from <= moment && moment <= until));
  }
  return moments;
}

/** Something that no calendar knows, or the next time of "N after the end". */
async function owedAt(question: Question, moment: Instant): Promise<Explanation | null> {
  const { reader, job, now } = question;
  const states = await reader.schedules.ofJob(job.id);
  const owed = states.find(({ pending }) => pending.some(({ at }) => at === moment));
  const schedule = job.schedules.find(({ id }) => id === owed?.scheduleId);
  if (schedule !== undefined) {
    return { code: 'undecided', ...factsOf(question, schedule, moment), gap: await gapAt(reader, moment) };
  }
  if (moment <= now || (await reader.runs.isActive(job.id))) return null;
  const next = job.schedules.find(({ id, rule }) => {
    const state = states.find(({ scheduleId }) => scheduleId === id);
    return state !== undefined && rule.kind === 'interval' && nextAfterEnd(state, rule.everyMs) === moment;
  });
  return next === undefined ? null : explainPlanned(question, job, next, moment);
}

/** The first due time of "N after the end"; those after it depend on runs to come. */
function nextAfterEnd(
  { rule, lastEndedAt }: { readonly rule: Schedule['rule']; readonly lastEndedAt: Instant | null },
  everyMs: number,
): Instant | null {
  if (rule.kind !== 'interval' || rule.basis !== 'after_end' || lastEndedAt === null) return null;
  return toInstant(lastEndedAt + everyMs);
}

/** A due time that nobody decided: because the job was off, because it is still to come, or for a reason worth telling. */
async function explainPlanned(
  question: Question,
  definition: Job,
  schedule: Schedule,
  moment: Instant,
): Promise<Explanation> {
  const { reader, job, now, hostZone } = question;
  const facts = factsOf(question, schedule, moment);
  if (job.deletedAt !== null && moment >= job.deletedAt)
    return { code: 'deleted', ...facts, at: job.deletedAt };
  if (moment < job.createdAt) return { code: 'not_yet', ...facts, since: job.createdAt };
  if (!definition.isEnabled) {
    const since = (await sinceWhen(question, definition, ({ isEnabled }) => !isEnabled)).updatedAt;
    return { code: 'disabled', ...facts, reason: definition.disabledReason, since };
  }
  if (moment <= now) {
    const state = (await reader.schedules.ofJob(job.id)).find(({ scheduleId }) => scheduleId === schedule.id);
    const isPending = state?.pending.some(({ at }) => at === moment) ?? false;
    if (isPending || (state !== undefined && moment > state.watermarkAt))
      return { code: 'undecided', ...facts, gap: await gapAt(reader, moment) };
    const { retention } = await reader.settings.preferences();
    const isForgotten = retention.runDays !== null && moment < now - retention.runDays * DAY_MS;
    return {
      code: 'not_planned',
      ...facts,
      plannedAt: null,
      ...dueAround(definition, moment, hostZone),
      why: isForgotten ? 'forgotten' : 'not_owed',
    };
  }
  if (isLeftOut(definition, schedule.rule, moment, hostZone)) {
    return { code: 'will_skip', ...facts, reason: 'date_excluded', pause: null };
  }
  const pauses = pausesOf(definition, await reader.pauses.at(moment));
  if (pauseReasonAt(pauses, moment) === 'data_restored') {
    return { code: 'will_skip', ...facts, reason: 'data_restored', pause: null };
  }
  const paused = pauseFactsOf(pauses);
  if (paused !== null) return { code: 'will_skip', ...facts, ...paused };
  return { code: 'planned', ...facts, jitterMs: definition.policies.jitterMs };
}

/** The oldest revision from `job` back, without a break, for which something holds; `job` itself if it does not. */
async function sinceWhen({ reader }: Question, job: Job, holds: (revision: Job) => boolean): Promise<Job> {
  let oldest = job;
  for (let number = job.revision - 1; number > Math.max(0, job.revision - REVISIONS_MAX); number -= 1) {
    const revision = await reader.jobs.atRevision(job.id, number);
    if (revision === null || !holds(revision)) break;
    oldest = revision;
  }
  return oldest;
}

/** No due time was found in that minute, as the job was then. */
async function explainNothing(question: Question): Promise<Explanation> {
  const { at, job, hostZone, now } = question;
  const facts = factsOf(question, null, null);
  if (at < job.createdAt) return { code: 'not_yet', ...facts, since: job.createdAt };
  const byHand = await startedByHand(question);
  if (byHand !== null) return byHand;
  if (job.deletedAt !== null && at >= job.deletedAt) return { code: 'deleted', ...facts, at: job.deletedAt };
  if (at <= now) {
    const later = plannedAt(job, at, hostZone);
    if (later !== null) {
      const rule = JSON.stringify(later.rule);
      const isThere = ({ schedules }: Job): boolean =>
        schedules.some((each) => each.id === later.id && JSON.stringify(each.rule) === rule);
      const since = (await sinceWhen(question, job, isThere)).updatedAt;
      return { code: 'not_yet', ...factsOf({ ...question, definition: job }, later, at), since };
    }
  }
  const definition = question.definition ?? job;
  const why = whyNothingAt(definition, at, hostZone);
  if (why === 'event_only' && !definition.isEnabled) {
    const since = (await sinceWhen(question, definition, ({ isEnabled }) => !isEnabled)).updatedAt;
    return { code: 'disabled', ...facts, reason: definition.disabledReason, since };
  }
  const around = dueAround(definition, at, hostZone);
  return { code: 'not_planned', ...facts, ...around, why };
}

/** A run that a person started in that minute and that went on at the moment. */
async function startedByHand(question: Question): Promise<Explanation | null> {
  const { reader, at, job } = question;
  const run = await reader.runs.runningAt(job.id, at);
  if (run === null || run.plannedAt !== null || (run.startedAt ?? run.queuedAt) < minuteOf(at).from)
    return null;
  const facts = factsOf(question, null, null);
  return { code: 'ran', ...facts, run: runFactsOf(run), gap: null, blockingRun: null };
}
