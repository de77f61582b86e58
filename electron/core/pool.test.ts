import { expect, test } from 'vitest';
import type { Trigger } from '../../shared/model/run';
import { nextToStart, POOL_MAX } from './pool';

const runs = (...triggers: Trigger[]) => triggers.map((trigger, index) => ({ trigger, index }));
const scheduled = (count: number) => runs(...Array.from({ length: count }, (): Trigger => 'schedule'));

test('starts the one that waits longest while there is a place', () => {
  expect(nextToStart(runs('catch_up', 'schedule'), scheduled(POOL_MAX - 1))?.index).toBe(0);
  expect(nextToStart([], [])).toBeNull();
});

test('a full pool makes scheduled runs wait, and not one by hand (D8)', () => {
  const full = scheduled(POOL_MAX);
  expect(nextToStart(runs('schedule', 'catch_up'), full)).toBeNull();
  expect(nextToStart(runs('schedule', 'manual'), full)?.trigger).toBe('manual');
});

test('one run by hand does not take a place of the pool, further ones do', () => {
  expect(nextToStart(runs('schedule'), [...scheduled(3), ...runs('manual')])?.trigger).toBe('schedule');
  expect(nextToStart(runs('schedule'), [...scheduled(3), ...runs('manual', 'cli')])).toBeNull();
  expect(nextToStart(runs('manual'), [...scheduled(4), ...runs('manual')])).toBeNull();
});
