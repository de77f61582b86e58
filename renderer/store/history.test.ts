import { expect, test } from 'vitest';
import type { JobId } from '../../shared/model/job';
import { MINUTE_MS, toInstant } from '../../shared/time';
import { createTestEngine, NOW, SEEN } from '../testEngine';
import { createHistoryStore } from './history';

const COUNT = 450;

function start() {
  const engine = createTestEngine();
  const jobId = engine.addJob();
  for (let run = 0; run < COUNT; run += 1) {
    engine.addRun(jobId, { startedAt: toInstant(NOW - run * MINUTE_MS) });
  }
  return { engine, jobId, store: createHistoryStore(engine.bridge, SEEN) };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

test('opens with the newest page and goes on page by page to the end', async () => {
  const { jobId, store } = start();
  store.getState().open(jobId);
  await settled();
  expect(store.getState().entries).toHaveLength(200);
  await store.getState().more();
  await store.getState().more();
  await store.getState().more();
  expect(store.getState().entries).toHaveLength(COUNT);
  expect(store.getState().next).toBeNull();
});

test('a new run comes on top, and the older pages that were read stay', async () => {
  const { engine, jobId, store } = start();
  store.getState().open(jobId);
  await settled();
  await store.getState().more();
  const before = store.getState().entries ?? [];
  const runId = engine.addRun(jobId, { startedAt: toInstant(NOW + MINUTE_MS) });
  await expect.poll(() => store.getState().entries?.length).toBe(401);
  const [first, second] = store.getState().entries ?? [];
  expect(first?.entry === 'run' && first.run.id).toBe(runId);
  expect(second).toBe(before[0]);
});

test('an answer about another job than the open one is dropped', async () => {
  const { engine, jobId, store } = start();
  const other = engine.addJob({ job: { name: 'Other' } });
  store.getState().open(jobId);
  store.getState().open(other as JobId);
  await expect.poll(() => store.getState().entries).toEqual([]);
});
