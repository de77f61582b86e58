import { expect, test } from 'vitest';
import { realClock, realTimer } from './realTime';

test('the clock gives whole milliseconds of wall time and a monotonic count', () => {
  const before = Date.now();
  const now = realClock.now();
  const after = Date.now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(after);
  expect(Number.isInteger(now)).toBe(true);
  expect(realClock.monotonic()).toBeLessThanOrEqual(realClock.monotonic());
});

test('the timer fires once, and not at all after it was called off', async () => {
  const fired: string[] = [];
  const callOff = realTimer.after(1, () => fired.push('called off'));
  callOff();
  await new Promise<void>((resolve) => {
    realTimer.after(1, () => fired.push('first'));
    realTimer.after(-5, () => fired.push('negative'));
    realTimer.after(20, resolve);
  });
  expect(fired.sort()).toEqual(['first', 'negative']);
});

test('a delay longer than the platform can count does not fire at once', async () => {
  let hasFired = false;
  const callOff = realTimer.after(2 ** 40, () => {
    hasFired = true;
  });
  await new Promise<void>((resolve) => {
    realTimer.after(10, resolve);
  });
  callOff();
  expect(hasFired).toBe(false);
});
