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

test('data that was replaced under a running Belfry is not waited for (H-02)', async () => {
  const replaced = new StoreError('replaced', 'gone');
  expect(sentenceFor(replaced)).toBe(
    'Belfry’s data was moved, replaced or deleted while it was running. Nothing more is started; quit Belfry and start it again.',
  );
  expect(await asAnswer(() => Promise.reject(replaced))).toMatchObject({
    error: { message: expect.stringMatching(/Nothing was changed; quit Belfry and start it again\.$/) },
  });
});
