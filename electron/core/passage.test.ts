import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, toInstant } from '../../shared/time';
import { passageBetween, type Reading } from './passage';

const start: Reading = { wall: toInstant(1_000_000), monotonic: 500, uptime: 90_000 };
const later = (wall: number, monotonic: number, uptime: number | null): Reading => ({
  wall: toInstant(start.wall + wall),
  monotonic: start.monotonic + monotonic,
  uptime: uptime === null || start.uptime === null ? null : start.uptime + uptime,
});
const passage = (after: Reading) =>
  passageBetween(after.uptime === null ? { ...start, uptime: null } : start, after, 30_000);

test('an ordinary sleep of the loop is neither suspend nor a set clock', () => {
  expect(passage(later(30_010, 30_009, 30_010))).toEqual({ asleepMs: 0, steppedMs: 0 });
  expect(passage(later(30_010, 30_009, null))).toEqual({ asleepMs: 0, steppedMs: 0 });
});

test('finds suspend where the monotonic clock stands still (C-034, X-02)', () => {
  expect(passage(later(HOUR_MS, 30_000, HOUR_MS))).toEqual({ asleepMs: HOUR_MS - 30_000, steppedMs: 0 });
});

test('finds suspend where the monotonic clock goes on: the timer is far too late', () => {
  expect(passage(later(HOUR_MS, HOUR_MS, HOUR_MS))).toEqual({ asleepMs: HOUR_MS - 30_000, steppedMs: 0 });
});

test('tells a clock that was set from suspend by the time since the machine started (C-051)', () => {
  expect(passage(later(HOUR_MS + 30_000, 30_000, 30_000))).toEqual({ asleepMs: 0, steppedMs: HOUR_MS });
  expect(passage(later(30_000 - HOUR_MS, 30_000, 30_000))).toEqual({ asleepMs: 0, steppedMs: -HOUR_MS });
});

test('finds both at once', () => {
  expect(passage(later(2 * HOUR_MS, 30_000, HOUR_MS))).toEqual({
    asleepMs: HOUR_MS - 30_000,
    steppedMs: HOUR_MS,
  });
});

test('without that time a clock ahead counts as suspend and a clock behind as set back', () => {
  expect(passage(later(HOUR_MS, 30_000, null))).toEqual({ asleepMs: HOUR_MS - 30_000, steppedMs: 0 });
  expect(passage(later(-HOUR_MS, 30_000, null))).toEqual({ asleepMs: 0, steppedMs: -HOUR_MS - 30_000 });
});

test('a machine that kept the loop waiting for some seconds did not sleep', () => {
  expect(passage(later(50_000, 50_000, 50_000))).toEqual({ asleepMs: 0, steppedMs: 0 });
  expect(passage(later(2 * MINUTE_MS, 2 * MINUTE_MS, 2 * MINUTE_MS)).asleepMs).toBe(90_000);
});
