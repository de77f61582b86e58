import { expect, test } from 'vitest';
import { createRecent } from './recent';

const createCounted = (max: number) => {
  const made: number[] = [];
  const ask = createRecent(max, (key: number) => {
    made.push(key);
    return key * 10;
  });
  return { made, ask };
};

test('makes an answer once while it is asked for', () => {
  const { made, ask } = createCounted(4);
  expect([ask(1), ask(1), ask(2), ask(1)]).toEqual([10, 10, 20, 10]);
  expect(made).toEqual([1, 2]);
});

test('keeps what is asked for again and again while others come and go', () => {
  const { made, ask } = createCounted(8);
  for (let other = 100; other < 200; other += 1) {
    ask(1);
    ask(other);
  }
  expect(made.filter((key) => key === 1)).toEqual([1]);
});

test('forgets what was not asked for while as many others came as it may hold', () => {
  const { made, ask } = createCounted(4);
  for (const key of [1, 2, 3, 4, 5, 1]) ask(key);
  expect(made).toEqual([1, 2, 3, 4, 5, 1]);
});
