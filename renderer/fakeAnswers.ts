/** What the engine in memory answers about pauses, attempts and explanations: it keeps what it is told and explains nothing. */
import type { Handlers } from '../shared/ipc/contract';
import type { JobId } from '../shared/model/job';
import type { Pause, PauseId } from '../shared/model/pause';
import { fail, ok } from '../shared/result';
import { toInstant } from '../shared/time';
import type { FakeEngine } from './fakeEngine';

/** Whether a pause holds a job with these tags. */
export const holds = ({ scope }: Pause, jobId: JobId, tags: readonly string[]): boolean =>
  scope.kind === 'all' || (scope.kind === 'tag' ? tags.includes(scope.tag) : scope.jobId === jobId);

export function pauseAnswers(engine: FakeEngine) {
  let lastId = 0;
  const announce = (): void => {
    const isPaused = engine.pauses.some(({ scope }) => scope.kind === 'all');
    engine.setStatus({ state: isPaused ? 'paused' : 'running' });
    engine.bridge.announce('jobs.changed', { jobId: null });
  };
  return {
    'pauses.list': async () => ok([...engine.pauses]),
    'pauses.start': async ({ scope, note, until }) => {
      lastId += 1;
      const id = `00000000-0000-4000-a000-${String(lastId).padStart(12, '0')}` as PauseId;
      const pause: Pause = {
        id,
        scope,
        note,
        cause: 'user',
        since: toInstant(engine.now()),
        until,
        endedAt: null,
      };
      engine.pauses.unshift(pause);
      announce();
      return ok(pause);
    },
    'pauses.end': async ({ pauseId }) => {
      const index = engine.pauses.findIndex(({ id }) => id === pauseId);
      if (index < 0) return fail('not_found', 'This pause has ended already.');
      engine.pauses.splice(index, 1);
      announce();
      return ok(undefined);
    },
    'engine.setPaused': async ({ isPaused }) => {
      if (!isPaused) {
        const kept = engine.pauses.filter(({ scope }) => scope.kind !== 'all');
        engine.pauses.splice(0, engine.pauses.length, ...kept);
      }
      return ok(engine.setStatus({ state: isPaused ? 'paused' : 'running' }));
    },
  } satisfies Partial<Handlers>;
}

export function explanationAnswers(engine: FakeEngine) {
  return {
    'jobs.explain': async ({ jobId }) => {
      const job = engine.jobs.get(jobId)?.job;
      if (job === undefined) return fail('not_found', 'This job does not exist any more.');
      const facts = { jobName: job.name, plannedAt: null, scheduleId: null, schedule: null };
      const nothing = { previousAt: null, nextAt: null, why: 'by_hand_only' } as const;
      return ok({ code: 'not_planned' as const, ...facts, ...nothing });
    },
    'jobs.checkAndResume': async ({ jobId }) => {
      const reply = await engine.bridge.request('jobs.setEnabled', { jobId, isEnabled: true });
      return reply.ok ? ok({ found: 'over' as const, isResumed: true, job: reply.value }) : reply;
    },
    'preview.whatIf': async ({ until }) => ok({ rows: [], endsAt: toInstant(until), isCut: false }),
    'runs.attempts': async ({ runId }) => ok(engine.attempts.get(runId) ?? []),
    'runs.startNow': async ({ runId }) => {
      engine.changeRun(runId, { state: 'running', startedAt: toInstant(engine.now()), notBeforeAt: null });
      return ok(undefined);
    },
  } satisfies Partial<Handlers>;
}
