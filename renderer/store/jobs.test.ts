import { expect, test, vi } from 'vitest';
import type { JobId } from '../../shared/model/job';
import { fail } from '../../shared/result';
import { createTestEngine, SEEN } from '../testEngine';
import { createJobStore } from './job';
import { createJobsStore, LONG_LIST_REST_MS } from './jobs';
import { createSettingsStore } from './settings';
import { createStatusStore } from './status';

test('the list is asked for at the start and again when something changed', async () => {
  const engine = createTestEngine();
  const store = createJobsStore(engine.bridge, SEEN);
  await expect.poll(() => store.getState().rows).toEqual([]);
  const jobId = engine.addJob({ job: { name: 'Back up notes' } });
  await expect.poll(() => store.getState().rows?.map((row) => row.name)).toEqual(['Back up notes']);
  await store.getState().setEnabled(jobId, false);
  await expect.poll(() => store.getState().rows?.[0]?.isEnabled).toBe(false);
});

test('a failure keeps the rows that are there, and goes away with the next answer', async () => {
  const engine = createTestEngine();
  engine.addJob();
  const store = createJobsStore(engine.bridge, SEEN);
  await expect.poll(() => store.getState().rows).toHaveLength(1);
  engine.bridge.script('jobs.list', () => fail('internal', 'Something went wrong.'));
  store.getState().refresh();
  await expect.poll(() => store.getState().failure?.message).toBe('Something went wrong.');
  expect(store.getState().rows).toHaveLength(1);
  engine.bridge.script('jobs.list', null);
  store.getState().refresh();
  await expect.poll(() => store.getState().failure).toBeNull();
});

test('an answer about a job that is no longer open is dropped', async () => {
  const engine = createTestEngine();
  const first = engine.addJob({ job: { name: 'First' } });
  const second = engine.addJob({ job: { name: 'Second' } });
  const store = createJobStore(engine.bridge, SEEN);
  store.getState().open(first);
  store.getState().open(second);
  await expect.poll(() => store.getState().detail?.job.name).toBe('Second');
});

test('a run of the open job is seen at once, and one of another job asks nothing', async () => {
  const engine = createTestEngine();
  const mine = engine.addJob();
  const other = engine.addJob();
  const store = createJobStore(engine.bridge, SEEN);
  store.getState().open(mine);
  await expect.poll(() => store.getState().detail?.runCount).toBe(0);
  engine.addRun(mine);
  await expect.poll(() => store.getState().detail?.runCount).toBe(1);
  const askedCount = engine.bridge.inputsOf('jobs.get').length;
  engine.addRun(other);
  expect(engine.bridge.inputsOf('jobs.get')).toHaveLength(askedCount);
});

test('pausing everything is asked of the engine, and its answer is shown', async () => {
  const engine = createTestEngine();
  const store = createStatusStore(engine.bridge, SEEN);
  await store.getState().setPaused(true);
  expect(store.getState().status?.state).toBe('paused');
});

test('a theme counts when the engine has kept it', async () => {
  const engine = createTestEngine();
  const store = createSettingsStore(engine.bridge, SEEN);
  await store.getState().change({ theme: 'dark' });
  expect(store.getState().settings.theme).toBe('dark');
  engine.bridge.script('settings.save', () => fail('unavailable', 'The disk is full.'));
  await store.getState().change({ theme: 'light' });
  expect(store.getState().settings.theme).toBe('dark');
});

test('a long list is asked for once a second while runs come and go, and at once after what the user did', async () => {
  vi.useFakeTimers();
  try {
    const engine = createTestEngine();
    const ids = Array.from({ length: 600 }, (_, number) => engine.addJob({ job: { name: `Job ${number}` } }));
    const [first] = ids as [JobId];
    const store = createJobsStore(engine.bridge, SEEN);
    await vi.advanceTimersByTimeAsync(LONG_LIST_REST_MS);
    const before = store.getState().rows;
    const askedCount = (): number => engine.bridge.inputsOf('jobs.list').length;
    const start = askedCount();
    for (let run = 0; run < 50; run += 1) {
      engine.addRun(first);
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(askedCount() - start).toBeLessThanOrEqual(6);
    expect(store.getState().rows).toBe(before);
    await store.getState().setEnabled(first, false);
    await vi.advanceTimersByTimeAsync(0);
    expect(store.getState().rows?.[0]?.isEnabled).toBe(false);
    expect(store.getState().rows?.[1]).toBe(before?.[1]);
  } finally {
    vi.useRealTimers();
  }
});
