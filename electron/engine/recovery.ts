/**
 * The start-up pass, before the first plan: closes or takes over what an older epoch left open (D10, S-52 to S-54). It can
 * be run again when the store failed half-way, because what it took over bears the new epoch.
 */

import type { JobId } from '../../shared/model/job';
import type { Run, RunId } from '../../shared/model/run';
import { assert, assertNever } from '../../shared/result';
import type { Instant } from '../../shared/time';
import { isHeldBy } from '../core/lease';
import { ABSENCE_MS_MAX, leftQueued } from '../core/leftQueued';
import { type Finding, type RecoveryAction, recoveryOf } from '../core/recovery';
import type { Spill } from '../ports/data';
import type { Adoption, AttemptEnd, Runner } from '../ports/running';
import type { OpenAttempt, Store, Writer } from '../ports/store';
import type { Clock, Log } from '../ports/world';
import { type Finish, finishAttempt, isUnknownSince } from './attempts';
import type { Adopted } from './executions';
import { LeaseLost, type Life } from './life';
import { FROM_RESERVE } from './persistence';
import { replaySpilled } from './spilledEnds';

export type RecoveryPorts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  readonly runner: Runner;
  readonly life: Life;
  /** Ends that an earlier life could not store; absent in a sandbox. */
  readonly spill?: Spill;
  /** When an engine was last known to live before this life, or null. */
  readonly aliveAt: Instant | null;
  /** Milliseconds since the machine started; null where it is not known. */
  readonly uptimeMs: () => number | null;
};

export type RecoveryEvents = {
  /** An attempt that still runs is ours now. Told one by one: a later failure must not leave it unwatched. */
  readonly onAdopted: (adopted: Adopted) => void;
  readonly onRecovered: (run: { readonly runId: RunId; readonly jobId: JobId }) => void;
};

/** Answers the runs that never began or are to be tried again, oldest first. */
export async function recover(ports: RecoveryPorts, events: RecoveryEvents): Promise<Run[]> {
  const { life, store } = ports;
  // First, because what is known for certain needs no looking for a process, which may be gone.
  await replaySpilled(ports, events.onRecovered);
  const open = await life.hold(() => store.read((reader) => reader.runs.openAttempts()));
  for (const attempt of open.filter(({ epoch }) => epoch !== life.fence.epoch)) {
    await recoverAttempt(attempt, ports, events);
  }
  await life.hold(() => store.transact((writer) => withdrawMissed(writer, ports, events), FROM_RESERVE));
  const active = await life.hold(() => store.read((reader) => reader.runs.active()));
  return active.filter(({ state }) => state === 'queued');
}

/** Puts runs that an earlier life queued and never began under the catch-up policy of their job (D7). */
async function withdrawMissed(
  writer: Writer,
  { clock, life, aliveAt, uptimeMs }: RecoveryPorts,
  events: RecoveryEvents,
): Promise<void> {
  const now = clock.now();
  const absentMs = aliveAt === null ? 0 : now - aliveAt;
  if (absentMs <= ABSENCE_MS_MAX) return;
  if (!isHeldBy(await writer.leases.get(), life.fence)) throw new LeaseLost('during recovery');
  const uptime = uptimeMs();
  const missCause = uptime !== null && uptime < absentMs ? ('off' as const) : ('not_running' as const);
  const byJob = new Map<JobId, Run[]>();
  for (const run of await writer.runs.active()) {
    if (run.state !== 'queued') continue;
    const others = byJob.get(run.jobId);
    if (others === undefined) byJob.set(run.jobId, [run]);
    else others.push(run);
  }
  for (const [jobId, queued] of byJob) {
    const job = await writer.jobs.get(jobId);
    if (job === null) continue;
    for (const { runId, reason } of leftQueued(queued, job.policies.catchUp, { now, absentMs })) {
      const known = queued.find(({ id }) => id === runId)?.missCause ?? null;
      await writer.runs.withdraw(runId, { reason, missCause: known ?? missCause, at: now });
      events.onRecovered({ runId, jobId });
    }
  }
}

async function recoverAttempt(
  attempt: OpenAttempt,
  ports: RecoveryPorts,
  events: RecoveryEvents,
): Promise<void> {
  const { life, store, log } = ports;
  const adoption = await life.hold(async () => {
    const found = await look(attempt, ports);
    // Nobody will hear of it.
    if (life.isOver && found.kind === 'running') found.attempt.detach();
    return found;
  });
  try {
    const facts = await life.hold(() =>
      store.transact((writer) => act(writer, attempt, adoption, ports), FROM_RESERVE),
    );
    log.info('attempt_recovered', { runId: attempt.runId, found: adoption.kind });
    if (adoption.kind === 'running') events.onAdopted({ ...facts, live: adoption.attempt });
    events.onRecovered({ runId: attempt.runId, jobId: attempt.jobId });
  } catch (error) {
    // Nobody watches it then; it goes on and is found again.
    if (adoption.kind === 'running') adoption.attempt.detach();
    throw error;
  }
}

async function look(attempt: OpenAttempt, { runner, log }: RecoveryPorts): Promise<Adoption> {
  const { runId, attemptId, identity } = attempt;
  try {
    return await runner.adopt({ runId, attemptId, identity });
  } catch (error) {
    log.error('adoption_failed', { runId, error });
    return { kind: 'unknown', why: 'Belfry could not look for the process.' };
  }
}

/** One transaction: the take-over, and whatever follows from what was found (S-53). */
async function act(
  writer: Writer,
  attempt: OpenAttempt,
  adoption: Adoption,
  { clock, life }: RecoveryPorts,
): Promise<Omit<Adopted, 'live'>> {
  const { attemptId, runId, jobId, startedAt, epoch } = attempt;
  const run = await writer.runs.get(runId);
  assert(run !== null, 'an open attempt has a run');
  const job = (await writer.jobs.atRevision(jobId, run.revision)) ?? (await writer.jobs.get(jobId));
  const policies = job?.policies ?? { graceMs: 0, timeoutMs: null, afterInterruption: 'keep' as const };
  if (!(await writer.runs.takeOver(attemptId, epoch, life.fence))) throw new LeaseLost('during recovery');
  const now = clock.now();
  // It was going on when the copy was made that was put back since: whether it was begun again, nobody knows.
  const isUnknown = await isUnknownSince(writer, startedAt);
  const finding = findingOf(adoption);
  const action = recoveryOf(isUnknown && finding.kind === 'never_started' ? GONE : finding, {
    afterInterruption:
      isUnknown && policies.afterInterruption === 'repeat' ? 'keep' : policies.afterInterruption,
    lostCount: (await writer.runs.attempts(runId)).filter(({ outcome }) => outcome === 'abandoned').length,
  });
  await carryOut(writer, { attempt, adoption, action, now, life });
  const { timeoutMs, graceMs } = policies;
  return {
    run,
    attemptId,
    startedAt,
    policies: { graceMs },
    timeoutMs: timeoutMs === null ? null : Math.max(0, timeoutMs - Math.max(0, now - startedAt)),
  };
}

/** A command that ended, or never began, and left nothing to tell it by. */
const GONE: Finding = { kind: 'gone', restarted: false };

const findingOf = (adoption: Adoption): Finding =>
  adoption.kind === 'running' ? { kind: 'running' } : adoption;

type Doing = {
  readonly attempt: OpenAttempt;
  readonly adoption: Adoption;
  readonly action: RecoveryAction;
  readonly now: Instant;
  readonly life: Life;
};

async function carryOut(writer: Writer, { attempt, adoption, action, now, life }: Doing): Promise<void> {
  const { attemptId, runId, jobId, startedAt } = attempt;
  const close = async (end: AttemptEnd, durationMs: Finish['durationMs']): Promise<void> => {
    const finish = { runId, attemptId, startedAt, end, stop: null, durationMs, wasAdopted: true };
    const { kind } = await finishAttempt(writer, finish, life.fence);
    if (kind === 'lost') throw new LeaseLost('during recovery');
  };
  switch (action.kind) {
    case 'adopt':
      return;
    case 'close':
      assert(adoption.kind === 'ended', 'only an end that is known closes a run');
      return close(adoption.end, 'by_wall');
    case 'repeat': {
      const unknown = { exitCode: null, signal: null, notBeforeAt: null };
      const end = {
        attemptId,
        runId,
        outcome: 'abandoned' as const,
        reason: action.reason,
        endedAt: now,
        ...unknown,
      };
      if (!(await writer.runs.requeue(end, life.fence))) throw new LeaseLost('during recovery');
      return;
    }
    case 'abandon': {
      const detail = adoption.kind === 'unknown' ? adoption.why : null;
      const nothing = { exitCode: null, signal: null, outputBytes: 0 };
      await close({ reason: action.reason, detail, endedAt: now, ...nothing }, null);
      if (action.disablesJob) await disableJob(writer, jobId, now);
      return;
    }
    default:
      return assertNever(action);
  }
}

async function disableJob(writer: Writer, jobId: JobId, now: Instant): Promise<void> {
  const job = await writer.jobs.get(jobId);
  if (!job?.isEnabled) return;
  const revision = job.revision + 1;
  const isStored = await writer.jobs.update({
    ...job,
    isEnabled: false,
    disabledReason: 'interrupted',
    revision,
    updatedAt: now,
  });
  assert(isStored, 'a job read in this transaction is current');
}
