import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createClock } from './clock';

const START = Date.UTC(2027, 2, 11, 14, 14, 14, 250);

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

const seen = { isHidden: () => false, onChange: () => () => undefined };

test('minutes tick at full minutes, and nothing ticks by the second while nobody counts seconds', async () => {
  const clock = createClock(Date.now, seen);
  let ticks = 0;
  clock.subscribe('minute', () => {
    ticks += 1;
  });
  await vi.advanceTimersByTimeAsync(45_000);
  expect(ticks).toBe(0);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ticks).toBe(1);
  expect(new Date(clock.read('minute')).getUTCSeconds()).toBe(0);
  expect(vi.getTimerCount()).toBe(1);
});

test('seconds tick while somebody counts them, and stop when nobody does', async () => {
  const clock = createClock(Date.now, seen);
  let ticks = 0;
  const stop = clock.subscribe('second', () => {
    ticks += 1;
  });
  await vi.advanceTimersByTimeAsync(3_000);
  expect(ticks).toBe(3);
  stop();
  expect(vi.getTimerCount()).toBe(0);
});

test('a hidden window has no timer, and is told the time when it is seen again', async () => {
  let isHidden = false;
  let change: () => void = () => undefined;
  const clock = createClock(Date.now, {
    isHidden: () => isHidden,
    onChange: (listener) => {
      change = listener;
      return () => undefined;
    },
  });
  let ticks = 0;
  clock.subscribe('second', () => {
    ticks += 1;
  });
  isHidden = true;
  change();
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(ticks).toBe(0);
  isHidden = false;
  change();
  expect(ticks).toBe(1);
  expect(clock.read('second')).toBe(START + 600_000);
});
