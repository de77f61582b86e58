/**
 * "Check and resume" for a job that an interruption switched off while its process might still be at work (S-53). The
 * person asked for it, so only a process that is seen alive keeps the job off.
 */

import type { Job, JobId } from '../../shared/model/job';
import { assertNever, fail, ok, type Result } from '../../shared/result';
import { toInstant } from '../../shared/time';
import type { Adoption, Runner } from '../ports/running';
import type { LostAttempt, Store } from '../ports/store';
import type { Clock, Log } from '../ports/world';
import { refuseAbsent } from './absentJob';
import type { CheckedAndResumed } from './engine';
import { recordLate } from './lateResults';

export type ResumePorts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  readonly runner: Runner;
};

export type ResumeSurroundings = {
  readonly save: (input: { readonly jobId: JobId; readonly isEnabled: boolean }) => Promise<Result<Job>>;
};

export interface Resume {
  checkAndResume(jobId: JobId): Promise<Result<CheckedAndResumed>>;
}

export function createResume(ports: ResumePorts, { save }: ResumeSurroundings): Resume {
  const { store, clock } = ports;
  return {
    async checkAndResume(jobId) {
      const { job, refusal, lost } = await store.read(async (reader) => ({
        job: await reader.jobs.get(jobId),
        refusal: await refuseAbsent(reader, jobId),
        lost: await reader.runs.lostAttempts({ jobId, after: toInstant(0), max: 1 }),
      }));
      if (job === null || job.deletedAt !== null) return refusal;
      if (job.isEnabled || job.disabledReason !== 'interrupted')
        return fail('conflict', 'This job was not switched off by an interruption.');
      const [attempt] = lost;
      const adoption = attempt === undefined ? null : await look(attempt, ports);
      const found = foundOf(adoption);
      if (attempt !== undefined && adoption?.kind === 'ended') {
        await store.transact((writer) => recordLate(writer, attempt, adoption.end, clock.now()));
      }
      if (found === 'running') return ok({ found, isResumed: false, job });
      const saved = await save({ jobId, isEnabled: true });
      return saved.ok ? ok({ found, isResumed: true, job: saved.value }) : saved;
    },
  };
}

/** Only a look: a process that goes on is let go again at once. */
async function look(attempt: LostAttempt, { runner, log }: ResumePorts): Promise<Adoption> {
  const { runId, attemptId, identity } = attempt;
  if (attempt.hasLateResult) return { kind: 'gone', restarted: false };
  try {
    const adoption = await runner.adopt({ runId, attemptId, identity });
    if (adoption.kind === 'running') adoption.attempt.detach();
    return adoption;
  } catch (error) {
    log.error('adoption_failed', { runId, error });
    return { kind: 'unknown', why: 'Belfry could not look for the process.' };
  }
}

function foundOf(adoption: Adoption | null): CheckedAndResumed['found'] {
  if (adoption === null) return 'unknown';
  switch (adoption.kind) {
    case 'running':
    case 'unknown':
      return adoption.kind;
    case 'ended':
    case 'gone':
    case 'never_started':
      return 'over';
    default:
      return assertNever(adoption);
  }
}
