import { expect, test } from 'vitest';
import { HOUR_MS, toInstant } from '../../shared/time';
import { createVirtualTime } from './virtualTime';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const make = (monotonicCountsSleep = false) =>
  createVirtualTime({ startAt: toInstant(1_000_000), settle, monotonicCountsSleep });

test('fires in order of due time, then of creation, and no sooner', async () => {
  const time = make();
  const fired: string[] = [];
  const note = (name: string) => () => fired.push(`${name} at ${time.clock.monotonic()}`);
  time.timer.after(20, note('later'));
  time.timer.after(10, note('first'));
  time.timer.after(10, note('second'));
  await time.advance(9);
  expect(fired).toEqual([]);
  await time.advance(20);
  expect(fired).toEqual(['first at 10', 'second at 10', 'later at 20']);
  expect(time.clock.monotonic()).toBe(29);
  expect(time.clock.now()).toBe(1_000_029);
});

test('lets promises settle between two timers, so that one may call the other off', async () => {
  const time = make();
  const fired: string[] = [];
  const cancel = time.timer.after(10, () => fired.push('called off'));
  time.timer.after(5, async () => {
    await Promise.resolve();
    await Promise.resolve();
    cancel();
  });
  await time.advance(20);
  expect(fired).toEqual([]);
  expect(time.pendingCount()).toBe(0);
});

test('a timer armed by a timer fires within the same advance', async () => {
  const time = make();
  const fired: number[] = [];
  const again = (): void => {
    fired.push(time.clock.monotonic());
    time.timer.after(10, again);
  };
  time.timer.after(10, again);
  await time.advance(35);
  expect(fired).toEqual([10, 20, 30]);
});

test('a jump moves only the wall', async () => {
  const time = make();
  const fired: number[] = [];
  time.timer.after(10, () => fired.push(time.clock.now()));
  time.jump(-HOUR_MS);
  await time.advance(10);
  expect(fired).toEqual([1_000_010 - HOUR_MS]);
  expect(time.clock.monotonic()).toBe(10);
  expect(time.uptimeMs()).toBe(10);
});

test('a sleep fires nothing until its end, and timers stand still where the monotonic clock does', async () => {
  const time = make(false);
  const fired: number[] = [];
  time.timer.after(10_000, () => fired.push(time.clock.monotonic()));
  await time.advance(4_000);
  await time.sleepFor(HOUR_MS);
  expect(time.uptimeMs() - time.clock.monotonic()).toBe(HOUR_MS);
  await time.advance(5_999);
  expect(fired).toEqual([]);
  await time.advance(1);
  expect(fired).toEqual([10_000]);
});

test('where the monotonic clock goes on, the overdue timer fires at the end and no clock runs backwards', async () => {
  const time = make(true);
  const seen: number[] = [];
  time.timer.after(10_000, () => seen.push(time.clock.monotonic()));
  await time.sleepFor(HOUR_MS);
  expect(seen).toEqual([HOUR_MS]);
  expect(time.clock.now()).toBe(1_000_000 + HOUR_MS);
  await time.advance(1);
  expect(time.clock.monotonic()).toBe(HOUR_MS + 1);
});
