import { expect, test, vi } from 'vitest';
import { fail, ok } from '../../shared/result';
import { fakeBackup, fakeRescue } from '../fakeData';
import { createTestEngine, NOW, SEEN } from '../testEngine';
import { createRescueStore } from './rescue';

const refusedEngine = () => {
  const engine = createTestEngine();
  engine.disk.rescue = fakeRescue({ backups: [fakeBackup(NOW)] });
  return engine;
};

test('S-03 what was done is kept as a report until it is read, although the store is open by then', async () => {
  const engine = refusedEngine();
  const store = createRescueStore(engine.bridge, SEEN);
  await vi.waitFor(() => expect(store.getState().refused?.code).toBe('damaged'));
  await store.getState().act({ choice: 'repair' });
  expect(store.getState()).toMatchObject({ refused: null, task: null, report: { choice: 'repair' } });
  store.getState().closeReport();
  expect(store.getState().report).toBeNull();
});

test('a refused choice leaves everything as it was, with the sentence', async () => {
  const engine = refusedEngine();
  const store = createRescueStore(engine.bridge, SEEN);
  await vi.waitFor(() => expect(store.getState().refused).not.toBeNull());
  engine.bridge.script('rescue.act', () => fail('unavailable', 'The disk is full.'));
  await store.getState().act({ choice: 'start_empty' });
  expect(store.getState()).toMatchObject({ report: null, failure: { message: 'The disk is full.' } });
  expect(store.getState().refused).not.toBeNull();
});

test('one thing at a time: a second choice while the first goes on is not asked for', async () => {
  const engine = refusedEngine();
  const store = createRescueStore(engine.bridge, SEEN);
  let end: () => void = () => undefined;
  engine.bridge.script(
    'rescue.act',
    () =>
      new Promise((resolve) => {
        end = () => resolve(ok({ choice: 'repair', sentences: [], keptFile: null }));
      }),
  );
  const first = store.getState().act({ choice: 'repair' });
  await store.getState().act({ choice: 'start_empty' });
  expect(await store.getState().retry()).toBe(false);
  end();
  await first;
  expect(engine.bridge.inputsOf('rescue.act')).toEqual([{ choice: 'repair' }]);
  expect(engine.bridge.inputsOf('rescue.retry')).toEqual([]);
});

test('how far a repair has come is asked for again whenever the data changes', async () => {
  const engine = refusedEngine();
  const store = createRescueStore(engine.bridge, SEEN);
  await vi.waitFor(() => expect(store.getState().refused).not.toBeNull());
  engine.disk.rescue = fakeRescue({ repair: { jobCount: 3, runCount: 40, share: 0.5 } });
  engine.bridge.announce('data.changed', {});
  await vi.waitFor(() => expect(store.getState().refused?.repair?.jobCount).toBe(3));
});
