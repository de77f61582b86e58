import { expect, test } from 'vitest';
import { type Instant, toInstant } from '../../shared/time';
import { createEventWatch, NETWORK_STEADY_MS } from './eventWatch';

const at = (ms: number): Instant => toInstant(1_777_881_600_000 + ms);

function watched({ isStart = false } = {}) {
  const machine: { network: 'up' | 'down' | 'unknown' } = { network: 'up' };
  return { machine, watch: createEventWatch(() => machine.network, { isStart }) };
}

test('a start is kept until it is committed, and comes once', () => {
  const { watch } = watched({ isStart: true });
  watch.look(at(0), 0);
  expect(watch.open()).toEqual(['start']);
  watch.look(at(1_000), 0);
  expect(watch.open()).toEqual(['start']);
  watch.settle(['start']);
  watch.look(at(2_000), 0);
  expect(watch.open()).toEqual([]);
});

test('waking up is told once for a sleep, and not for one of a few seconds', () => {
  const { watch } = watched();
  watch.look(at(0), 4_999);
  expect(watch.open()).toEqual([]);
  watch.look(at(0), 5_000);
  watch.look(at(1), 0);
  expect(watch.open()).toEqual(['wake']);
});

test('the network is back once it was gone and has stayed for a while', () => {
  const { machine, watch } = watched();
  watch.look(at(0), 0);
  expect(watch.lookAt()).toBeNull();
  machine.network = 'down';
  watch.look(at(1_000), 0);
  machine.network = 'up';
  watch.look(at(2_000), 0);
  expect(watch.open()).toEqual([]);
  expect(watch.lookAt()).toBe(at(2_000 + NETWORK_STEADY_MS));
  machine.network = 'down';
  watch.look(at(3_000), 0);
  machine.network = 'up';
  watch.look(at(6_000), 0);
  watch.look(at(6_000 + NETWORK_STEADY_MS), 0);
  expect(watch.open()).toEqual(['network']);
  watch.settle(['network']);
  watch.look(at(60_000), 0);
  expect(watch.open()).toEqual([]);
});

test('a network that cannot be told is neither gone nor back', () => {
  const { machine, watch } = watched();
  machine.network = 'unknown';
  watch.look(at(0), 0);
  machine.network = 'up';
  watch.look(at(1_000), 0);
  watch.look(at(9_000), 0);
  expect(watch.open()).toEqual([]);
});

test('a clock that goes back does not make the network wait for it', () => {
  const { machine, watch } = watched();
  machine.network = 'down';
  watch.look(at(0), 0);
  machine.network = 'up';
  watch.look(at(3_600_000), 0);
  watch.look(at(10), 0);
  watch.look(at(10 + NETWORK_STEADY_MS), 0);
  expect(watch.open()).toEqual(['network']);
});
