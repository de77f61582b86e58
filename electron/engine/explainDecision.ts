/** What a recorded decision and its run say of an occurrence. */

import type { Explanation } from '../../shared/model/explanation';
import type { JobId } from '../../shared/model/job';
import type { Decision, Run } from '../../shared/model/run';
import type { Schedule } from '../../shared/model/schedule';
import { assertNever } from '../../shared/result';
import { type Instant, SECOND_MS } from '../../shared/time';
import { pauseFactsOf, queuedMsOf, waitedFor } from '../core/explain';
import { pausesOf } from '../core/pauses';
import { factsOf, gapAt, type Question, type RunFacts, runFactsOf } from './explainFacts';

/** `moment`: the occurrence asked about, which may lie within a range of them. */
export async function explainDecision(
  question: Question,
  decision: Decision,
  { schedule, moment }: { readonly schedule: Schedule | null; readonly moment: Instant },
): Promise<Explanation> {
  const { reader } = question;
  const facts = factsOf(question, schedule, moment);
  const { missCause } = decision;
  switch (decision.kind) {
    case 'run':
      return explainRun(question, decision, facts);
    case 'merge': {
      const run = decision.runId === null ? null : await reader.runs.get(decision.runId);
      const gap = missCause === null ? null : await gapAt(reader, moment);
      return { code: 'merged', ...facts, run: run === null ? null : runFactsOf(run), missCause, gap };
    }
    case 'skip':
      return {
        code: 'skipped',
        ...facts,
        reason: decision.reason,
        missCause,
        count: decision.count,
        pause: await pauseOf(question, decision, moment),
        gap: missCause === null ? null : await gapAt(reader, moment),
        blockingRun: await blockingRunOf(question, decision, moment),
      };
    default:
      return assertNever(decision.kind);
  }
}

type Facts = ReturnType<typeof factsOf>;

async function explainRun(question: Question, decision: Decision, facts: Facts): Promise<Explanation> {
  const { reader, now, job } = question;
  const run = decision.runId === null ? null : await reader.runs.get(decision.runId);
  const gap = decision.missCause === null ? null : await gapAt(reader, decision.plannedAt);
  if (run === null) return { code: 'ran', ...facts, run: forgotten(decision), gap, blockingRun: null };
  if (run.state !== 'queued') {
    return {
      code: 'ran',
      ...facts,
      run: runFactsOf(run),
      gap,
      blockingRun: await waitedForRun(question, run),
    };
  }
  const others = (await reader.runs.activeOf(job.id)).filter(({ id }) => id !== run.id);
  const mode = (question.definition ?? job).policies.overlap.mode;
  const isAnotherActive = mode !== 'allow' && others.some(({ state }) => state === 'running');
  return {
    code: 'waiting',
    ...facts,
    run: runFactsOf(run),
    for: waitedFor(run, { now, isAnotherActive }),
    notBeforeAt: run.notBeforeAt,
  };
}

/** The run of the job that this one had to wait for, if it waited for nothing else. */
async function waitedForRun({ reader }: Question, run: Run): Promise<RunFacts | null> {
  if (queuedMsOf(run) < SECOND_MS || run.waits.length > 0) return null;
  const other = await reader.runs.runningAt(run.jobId, run.queuedAt);
  return other === null || other.id === run.id ? null : runFactsOf(other);
}

/** As much as is known of a run whose record is gone. */
const forgotten = (decision: Decision): RunFacts => ({
  id: decision.runId as RunFacts['id'],
  trigger: decision.reason === 'caught_up' ? 'catch_up' : 'schedule',
  plannedAt: decision.plannedAt,
  startedAt: null,
  endedAt: null,
  outcome: null,
  reason: null,
  mergedCount: 0,
  lateMs: 0,
  missCause: decision.missCause,
  waits: [],
});

/** The pause that held at the occurrence's own moment. */
async function pauseOf(
  { reader, definition, job }: Question,
  { reason }: Decision,
  moment: Instant,
): Promise<Extract<Explanation, { code: 'skipped' }>['pause']> {
  if (reason !== 'paused_all' && reason !== 'paused_tag' && reason !== 'paused_job') return null;
  const kind = { paused_all: 'all', paused_tag: 'tag', paused_job: 'job' }[reason];
  const pauses = pausesOf(definition ?? job, await reader.pauses.at(moment));
  return pauseFactsOf(pauses.filter(({ scope }) => scope.kind === kind))?.pause ?? null;
}

async function blockingRunOf(
  { reader, job }: Question,
  { reason, decidedAt }: Decision,
  moment: Instant,
): Promise<RunFacts | null> {
  if (reason !== 'overlap' && reason !== 'queue_full') return null;
  const find = (jobId: JobId, at: Instant): Promise<Run | null> => reader.runs.runningAt(jobId, at);
  const run = (await find(job.id, moment)) ?? (await find(job.id, decidedAt));
  return run === null ? null : runFactsOf(run);
}
