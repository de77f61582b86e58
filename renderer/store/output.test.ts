import { expect, test } from 'vitest';
import { createTestEngine, SEEN } from '../testEngine';
import { createOutputStore, lineAt, PIECE_LINES } from './output';

const lines = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ text: `line ${first + index}` }));

function start(lineCount: number) {
  const engine = createTestEngine();
  const jobId = engine.addJob();
  const runId = engine.addRun(jobId, { state: 'running', outcome: null });
  engine.write(runId, lines(0, lineCount));
  const store = createOutputStore(engine.bridge, SEEN);
  store.getState().open(runId);
  return { engine, runId, store };
}

test('opening a log asks for its size and not for its lines', async () => {
  const { engine, store } = start(18_449);
  await expect.poll(() => store.getState().totals?.lineCount).toBe(18_449);
  expect(engine.bridge.inputsOf('output.read').map(({ count }) => count)).toEqual([0]);
});

test('only the windows in view are fetched, and each of them once', async () => {
  const { engine, store } = start(18_449);
  await expect.poll(() => store.getState().totals).not.toBeNull();
  store.getState().need(9_990, 10_010);
  store.getState().need(9_990, 10_010);
  await expect.poll(() => lineAt(store.getState(), 10_010)?.text).toBe('line 10010');
  expect(lineAt(store.getState(), 9_990)?.text).toBe('line 9990');
  const froms = engine.bridge.inputsOf('output.read').map(({ from }) => from);
  expect(froms).toEqual([0, 19 * PIECE_LINES, 20 * PIECE_LINES]);
});

test('a live log grows without being read again from the start', async () => {
  const { engine, runId, store } = start(1_200);
  await expect.poll(() => store.getState().totals).not.toBeNull();
  store.getState().need(1_190, 1_199);
  await expect.poll(() => lineAt(store.getState(), 1_199)?.text).toBe('line 1199');
  engine.write(runId, lines(1_200, 50));
  await expect.poll(() => store.getState().totals?.lineCount).toBe(1_250);
  expect(lineAt(store.getState(), 1_249)?.text).toBe('line 1249');
  expect(engine.bridge.inputsOf('output.read').at(-1)?.from).toBe(2 * PIECE_LINES);
});

test('the end of a run is noticed', async () => {
  const { engine, runId, store } = start(3);
  await expect.poll(() => store.getState().totals?.isLive).toBe(true);
  engine.changeRun(runId, { state: 'finished', outcome: 'succeeded' });
  await expect.poll(() => store.getState().totals?.isLive).toBe(false);
});

test('a search finds lines outside the loaded part', async () => {
  const { store } = start(5_000);
  await store.getState().find('line 4321', (text) => text.includes('line 4321'));
  expect(store.getState().search).toEqual({ text: 'line 4321', found: [4_321], isDone: true });
  await store.getState().find('', () => true);
  expect(store.getState().search).toBeNull();
});

test('a newer search takes the place of one that goes on', async () => {
  const { store } = start(5_000);
  const older = store.getState().find('line 1', (text) => text === 'line 1');
  await store.getState().find('line 2', (text) => text === 'line 2');
  await older;
  expect(store.getState().search).toEqual({ text: 'line 2', found: [2], isDone: true });
});
