import { expect, test } from 'vitest';
import { jobIdOf } from '../testing/planViews';
import { circleOf } from './chains';

const chain = (n: number, after: number) => ({ jobId: jobIdOf(n), afterJobId: jobIdOf(after) });

test('a job that waits for itself is a circle of one', () => {
  expect(circleOf(jobIdOf(1), jobIdOf(1), [])).toEqual([jobIdOf(1)]);
});

test('a circle is found over several jobs, and told by the shortest way', () => {
  const chains = [chain(2, 3), chain(3, 4), chain(4, 1), chain(2, 4), chain(5, 2)];
  expect(circleOf(jobIdOf(1), jobIdOf(2), chains)).toEqual([jobIdOf(2), jobIdOf(4), jobIdOf(1)]);
});

test('two jobs that wait for one, or one that waits for two, are no circle', () => {
  const chains = [chain(2, 4), chain(3, 4)];
  expect(circleOf(jobIdOf(1), jobIdOf(2), chains)).toBeNull();
  expect(circleOf(jobIdOf(1), jobIdOf(3), [...chains, chain(1, 2)])).toBeNull();
});

test('a circle that others are in does not end the search in one', () => {
  expect(circleOf(jobIdOf(1), jobIdOf(2), [chain(2, 3), chain(3, 2)])).toBeNull();
});
