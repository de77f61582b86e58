import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, toInstant } from '../../shared/time';
import { at, jobIdOf } from '../testing/planViews';
import { jitteredAt, jitterOf } from './jitter';

const BEGIN = at('2026-05-02T00:00Z');

/** How many of `count` values fall into each tenth of the limit. */
function tenths(count: number, jitterAt: (n: number) => number, limitMs: number): number[] {
  const found = Array.from({ length: 10 }, () => 0);
  for (let n = 0; n < count; n += 1) {
    const tenth = Math.floor((jitterAt(n) / limitMs) * 10);
    found[tenth] = (found[tenth] ?? 0) + 1;
  }
  return found;
}

test('the same job and occurrence always have the same jitter', () => {
  const [first, second] = [0, 1].map(() => jitterOf(jobIdOf(1), BEGIN, HOUR_MS));
  expect(first).toBe(second);
  expect(jitterOf(jobIdOf(2), BEGIN, HOUR_MS)).not.toBe(first);
  expect(jitterOf(jobIdOf(1), toInstant(BEGIN + DAY_MS), HOUR_MS)).not.toBe(first);
});

test('jitter is spread evenly over the days of a job, and over jobs that are due together', () => {
  for (const limitMs of [MINUTE_MS, HOUR_MS, DAY_MS]) {
    const overDays = tenths(
      10_000,
      (n) => jitterOf(jobIdOf(1), toInstant(BEGIN + n * DAY_MS), limitMs),
      limitMs,
    );
    const overJobs = tenths(10_000, (n) => jitterOf(jobIdOf(n), BEGIN, limitMs), limitMs);
    for (const found of [...overDays, ...overJobs]) {
      // A thousand are expected; the values are fixed, so this never fails by chance.
      expect(found).toBeGreaterThan(880);
      expect(found).toBeLessThan(1_120);
    }
  }
});

test('a jittered run starts after its occurrence, within the jitter and before the next', () => {
  const offset = fc.integer({ min: 1, max: 2 * DAY_MS });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: DAY_MS }), offset, fc.nat(500), (jitterMs, distance, n) => {
      const nextAt = toInstant(BEGIN + distance);
      const bounded = jitteredAt(jobIdOf(n), BEGIN, { jitterMs, nextAt });
      expect(bounded).toBeGreaterThanOrEqual(BEGIN);
      expect(bounded).toBeLessThan(Math.max(BEGIN + 1, Math.min(BEGIN + jitterMs, nextAt)));
      const free = jitteredAt(jobIdOf(n), BEGIN, { jitterMs, nextAt: null });
      expect(free).toBeLessThan(BEGIN + Math.max(1, jitterMs));
    }),
  );
});
