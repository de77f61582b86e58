import { expect, test } from 'vitest';
import type { Reply } from '../../shared/ipc/contract';
import { HOUR_MS, toInstant } from '../../shared/time';
import { createTestEngine, NOW } from '../testEngine';
import { createAttemptsStore } from './attempts';
import { createWhyStore } from './why';

test('an answer to a moment that is not asked about any more is dropped', async () => {
  const engine = createTestEngine();
  const jobId = engine.addJob();
  const answers: ((reply: Reply<'jobs.explain'>) => void)[] = [];
  engine.bridge.script('jobs.explain', () => new Promise((resolve) => void answers.push(resolve)));
  const why = createWhyStore(engine.bridge);
  const first = why.getState().ask(jobId, 'Back up notes', NOW);
  const second = why.getState().askAt(toInstant(NOW + HOUR_MS));
  const facts = { jobName: 'Back up notes', plannedAt: null, scheduleId: null, schedule: null };
  const answer = (jitterMs: number): Reply<'jobs.explain'> => ({
    ok: true,
    value: { code: 'planned', ...facts, jitterMs },
  });
  answers[1]?.(answer(2));
  answers[0]?.(answer(1));
  await Promise.all([first, second]);
  expect(why.getState()).toMatchObject({ at: NOW + HOUR_MS, explanation: { jitterMs: 2 } });
  why.getState().close();
  expect(why.getState()).toMatchObject({ jobId: null, explanation: null });
});

test('the tries of an unfolded run are asked for again when it changes, and not after it was folded', async () => {
  const engine = createTestEngine();
  const jobId = engine.addJob();
  const runId = engine.addRun(jobId, { attemptCount: 2 });
  const attempts = createAttemptsStore(engine.bridge);
  attempts.getState().toggle(runId);
  engine.changeRun(runId, { attemptCount: 3 });
  expect(engine.bridge.inputsOf('runs.attempts')).toHaveLength(2);
  attempts.getState().toggle(runId);
  engine.changeRun(runId, { attemptCount: 4 });
  expect(engine.bridge.inputsOf('runs.attempts')).toHaveLength(2);
  await expect.poll(() => attempts.getState().byRun.size).toBe(0);
});
