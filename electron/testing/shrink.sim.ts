import { expect, test } from 'vitest';
import { neededEvents } from './shrink';

const lifeThatNeeds =
  (...needed: readonly number[]) =>
  async (skips: ReadonlySet<number>) => ({
    events: 40,
    broken: needed.some((event) => skips.has(event)) ? null : 'a rule {"at":1} at 2026-05-04T08:00:00.000Z',
  });

test('finds the few events that a fault needs', async () => {
  const relive = lifeThatNeeds(3, 17, 39);
  expect(await neededEvents(await relive(new Set()), relive, () => false)).toEqual([3, 17, 39]);
});

test('keeps them all if another rule breaks without them, or the time is over', async () => {
  const first = { events: 4, broken: 'a rule' };
  const all = [0, 1, 2, 3];
  expect(
    await neededEvents(
      first,
      async () => ({ ...first, broken: 'another' }),
      () => false,
    ),
  ).toEqual(all);
  expect(
    await neededEvents(
      first,
      async () => first,
      () => true,
    ),
  ).toEqual(all);
});
