/**
 * The true ends of attempts that were closed without them: looked for after a start, recorded beside what was recorded
 * before, and changing nothing of it.
 */

import type { JobId } from '../../shared/model/job';
import type { RunId } from '../../shared/model/run';
import { DAY_MS, toInstant } from '../../shared/time';
import { isHeldBy } from '../core/lease';
import type { AttemptEnd, Runner } from '../ports/running';
import type { LostAttempt, Store, Writer } from '../ports/store';
import type { Clock, Log } from '../ports/world';
import { type Life, LifeOver } from './life';
import { FROM_RESERVE } from './persistence';

/** Older interruptions are history that nobody waits for. */
const LOOKED_BACK_MS = 7 * DAY_MS;
const LOOKED_FOR_MAX = 100;

export type LateResultPorts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  readonly runner: Runner;
  readonly life: Life;
};

/** Never fails: what is not found now is looked for after the next start. */
export async function findLateResults(
  ports: LateResultPorts,
  onRecorded: (run: { readonly runId: RunId; readonly jobId: JobId }) => void,
): Promise<void> {
  const { clock, log, store, runner, life } = ports;
  const after = toInstant(clock.now() - LOOKED_BACK_MS);
  try {
    const query = { jobId: null, after, max: LOOKED_FOR_MAX };
    const lost = await life.hold(() => store.read((reader) => reader.runs.lostAttempts(query)));
    for (const attempt of lost.filter(({ hasLateResult }) => !hasLateResult)) {
      const end = await life.hold(() => runner.lateResult(attempt));
      if (end === null) continue;
      const isRecorded = await life.hold(() =>
        store.transact(
          async (writer) =>
            isHeldBy(await writer.leases.get(), life.fence) &&
            (await recordLate(writer, attempt, end, clock.now())),
          FROM_RESERVE,
        ),
      );
      if (isRecorded) onRecorded({ runId: attempt.runId, jobId: attempt.jobId });
    }
  } catch (error) {
    if (!(error instanceof LifeOver)) log.warn('late_results_unread', { error });
  }
}

export const recordLate = (
  writer: Writer,
  { runId, attemptId }: Pick<LostAttempt, 'runId' | 'attemptId'>,
  { exitCode, signal, endedAt }: Pick<AttemptEnd, 'exitCode' | 'signal' | 'endedAt'>,
  now: ReturnType<Clock['now']>,
): Promise<boolean> =>
  writer.runs.recordLateResult({ runId, attemptId }, { exitCode, signal, endedAt, recordedAt: now });
