import { expect, test } from 'vitest';
import { createPlaces } from './places';

const never = new AbortController().signal;

test('places are given out in order, as many as there are, and leaving twice frees one', async () => {
  const places = createPlaces(2);
  const order: string[] = [];
  const first = await places.enter(never);
  const second = await places.enter(never);
  const third = places.enter(never).then((leave) => {
    order.push('third');
    return leave;
  });
  const fourth = places.enter(never).then(() => order.push('fourth'));
  first?.();
  first?.();
  (await third)?.();
  await fourth;
  expect(order).toEqual(['third', 'fourth']);
  second?.();
});

test('who gives up gets no place and takes none from the others', async () => {
  const places = createPlaces(1);
  const leave = await places.enter(never);
  const impatient = new AbortController();
  const gaveUp = places.enter(impatient.signal);
  const next = places.enter(never);
  impatient.abort();
  expect(await gaveUp).toBe(null);
  expect(await places.enter(AbortSignal.abort())).toBe(null);
  leave?.();
  expect(await next).not.toBe(null);
});
