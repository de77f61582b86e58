import { expect, test } from 'vitest';
import { BugError } from '../../shared/result';
import { DAY_MS, HOUR_MS, type Instant, toInstant } from '../../shared/time';
import { createVirtualTime } from './virtualTime';
import { createWakeLoop, RETRY_MS_MIN, SLEEP_MS_MAX, type Wake } from './wakeLoop';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const START = toInstant(Date.parse('2026-05-04T08:00Z'));

function make(step: (wake: Wake) => Promise<Instant | null>, monotonicCountsSleep = false) {
  const time = createVirtualTime({ startAt: START, settle, monotonicCountsSleep });
  const troubles: unknown[] = [];
  const wakes: Wake[] = [];
  const loop = createWakeLoop({
    clock: time.clock,
    timer: time.timer,
    uptimeMs: time.uptimeMs,
    step: (wake) => {
      wakes.push(wake);
      return step(wake);
    },
    onEnd: (trouble) => trouble !== null && troubles.push(trouble.error),
  });
  return { time, loop, wakes, troubles, momentsMs: () => wakes.map(({ now }) => now - START) };
}

test('runs at once, then at the moment it was asked for', async () => {
  const { time, loop, momentsMs } = make(async ({ now }) => toInstant(now + 10_000));
  await loop.start();
  await time.advance(25_000);
  expect(momentsMs()).toEqual([0, 10_000, 20_000]);
});

test('never sleeps longer than 30 s, and does not wake more often either (H-49, C-054)', async () => {
  const { time, loop, wakes } = make(async () => toInstant(START + 40 * DAY_MS));
  await loop.start();
  await time.advance(HOUR_MS);
  expect(wakes).toHaveLength(1 + HOUR_MS / SLEEP_MS_MAX);
});

test('a wake-up during a step is served after it, one step at a time', async () => {
  let release = (): void => {};
  let running = 0;
  const { loop, wakes } = make(async () => {
    running += 1;
    expect(running).toBe(1);
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    running -= 1;
    return null;
  });
  const started = loop.start();
  const asked = [loop.nudge(), loop.nudge()];
  release();
  await started;
  await settle();
  expect(wakes).toHaveLength(2);
  release();
  await Promise.all(asked);
  expect(wakes).toHaveLength(2);
});

test('a nudge does not wait for the timer, and the timer it replaces is gone', async () => {
  const { time, loop, wakes } = make(async () => null);
  await loop.start();
  await time.advance(1_000);
  await loop.nudge();
  expect(wakes).toHaveLength(2);
  expect(time.pendingCount()).toBe(1);
});

test('a step that throws is reported and tried again, ever more slowly, up to 30 s', async () => {
  let isBroken = true;
  const { time, loop, troubles, momentsMs } = make(async () => {
    if (isBroken) throw new Error('disk full');
    return null;
  });
  await loop.start();
  await time.advance(70_000);
  const pauses = momentsMs().map((at, index, all) => at - (all[index - 1] ?? 0));
  expect(pauses).toEqual([0, RETRY_MS_MIN, 2_000, 4_000, 8_000, 16_000, 30_000]);
  expect(troubles).toHaveLength(7);
  isBroken = false;
  await time.advance(60_000);
  expect(troubles).toHaveLength(7);
});

test('a moment that is not a number is a fault and not a hot loop (H-48)', async () => {
  const { time, loop, wakes, troubles } = make(async () => toInstant(Number.NaN));
  await loop.start();
  await time.advance(900);
  expect(wakes).toHaveLength(1);
  expect(troubles[0]).toBeInstanceOf(BugError);
});

test('a timer that fires a millisecond early leads to a second wake, not to rounding (C-055)', async () => {
  const dueAt = toInstant(START + 5_000);
  const seen: number[] = [];
  const { time, loop } = make(async ({ now }) => {
    seen.push(now - START);
    return now < dueAt ? dueAt : null;
  });
  await loop.start();
  time.jump(-1);
  await time.advance(5_000);
  await time.advance(1);
  expect(seen).toEqual([0, 4_999, 5_000]);
});

test.each([false, true])(
  'tells a step of suspend, whether the monotonic clock counts it: %s (X-02)',
  async (counts) => {
    const { time, loop, wakes } = make(async () => null, counts);
    await loop.start();
    await time.advance(1_000);
    await time.sleepFor(2 * HOUR_MS);
    await time.advance(SLEEP_MS_MAX);
    const asleep = wakes.map(({ passage }) => passage.asleepMs).filter((ms) => ms > 0);
    expect(asleep).toHaveLength(1);
    expect(Math.abs((asleep[0] ?? 0) - 2 * HOUR_MS)).toBeLessThan(SLEEP_MS_MAX);
    expect(wakes.every(({ passage }) => passage.steppedMs === 0)).toBe(true);
  },
);

test('tells a step of a clock that was set, both ways', async () => {
  const { time, loop, wakes } = make(async () => null);
  await loop.start();
  time.jump(HOUR_MS);
  await time.advance(SLEEP_MS_MAX);
  time.jump(-2 * HOUR_MS);
  await time.advance(SLEEP_MS_MAX);
  expect(wakes.map(({ passage }) => passage.steppedMs)).toEqual([0, HOUR_MS, -2 * HOUR_MS]);
  expect(wakes.every(({ passage }) => passage.asleepMs === 0)).toBe(true);
});

test('after a stop no step begins and no timer is left (H-40)', async () => {
  const { time, loop, wakes } = make(async () => null);
  await loop.start();
  const asked = loop.nudge();
  await loop.stop();
  await asked;
  await loop.nudge();
  await time.advance(HOUR_MS);
  expect(wakes).toHaveLength(2);
  expect(time.pendingCount()).toBe(0);
});
