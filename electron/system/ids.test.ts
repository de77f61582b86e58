import { expect, test } from 'vitest';
import { z } from 'zod';
import { realIds } from './ids';

test('ids are full UUIDs that sort in the order they were made (S-30, X-44)', () => {
  const made = Array.from({ length: 5_000 }, () => realIds.next());
  expect(new Set(made).size).toBe(made.length);
  expect([...made].sort()).toEqual(made);
  expect(z.array(z.uuid({ version: 'v7' })).safeParse(made).success).toBe(true);
});
