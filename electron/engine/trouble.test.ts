import { expect, test } from 'vitest';
import { StoreError } from '../core/storeError';
import { asAnswer, sentenceFor } from './trouble';

const busy = new StoreError('busy', 'locked');

test('a change that a person asked for is refused without a promise to repeat it', async () => {
  const answer = await asAnswer(() => Promise.reject(busy));
  expect(answer).toEqual({
    ok: false,
    error: {
      code: 'unavailable',
      message:
        'Belfry cannot save: another process keeps its data busy. Nothing was changed; try again when that is mended.',
    },
  });
});

test('what the engine does by itself is said to go on', () => {
  expect(sentenceFor(busy)).toBe(
    'Belfry cannot save: another process keeps its data busy. It tries again by itself.',
  );
  expect(sentenceFor(new Error('a path /somewhere'))).not.toContain('/somewhere');
});

test('what nobody foresaw is thrown on', async () => {
  await expect(asAnswer(() => Promise.reject(new Error('unforeseen')))).rejects.toThrow('unforeseen');
});
