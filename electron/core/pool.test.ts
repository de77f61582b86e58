import { expect, test } from 'vitest';
import type { Trigger } from '../../shared/model/run';
import { freePlace, isByHand, POOL_MAX } from './pool';

const runs = (...triggers: Trigger[]) => triggers.map((trigger) => ({ trigger }));
const scheduled = (count: number) => runs(...Array.from({ length: count }, (): Trigger => 'schedule'));

test('there is a place for anybody until the pool is full', () => {
  expect(freePlace([])).toBe('any');
  expect(freePlace(scheduled(POOL_MAX - 1))).toBe('any');
});

test('a full pool makes planned runs wait, and not one by hand (D8)', () => {
  expect(freePlace(scheduled(POOL_MAX))).toBe('by_hand');
});

test('one run by hand does not take a place of the pool, further ones do', () => {
  expect(freePlace([...scheduled(3), ...runs('manual')])).toBe('any');
  expect(freePlace([...scheduled(3), ...runs('manual', 'cli')])).toBe('none');
  expect(freePlace([...scheduled(4), ...runs('manual')])).toBe('none');
});

test.each([
  ['manual', true],
  ['cli', true],
  ['test', true],
  ['schedule', false],
  ['catch_up', false],
  ['creation', false],
  ['chain', false],
  ['event', false],
] as const)('whether a person asked for a run of trigger %s: %s', (trigger, expected) => {
  expect(isByHand(trigger)).toBe(expected);
});
