import { expect, test } from 'vitest';
import { LEASE_TIMINGS_DEFAULT, resolveTimings } from './timings';

test.each(['abc', '', ' ', '0', '-5', 'Infinity', 'NaN'])(
  'ignores %j and keeps the default (H-03)',
  (text) => {
    expect(resolveTimings({ renewMs: text, staleMs: text, watchMs: text })).toEqual(LEASE_TIMINGS_DEFAULT);
  },
);

test('takes a finite number above zero (H-03)', () => {
  expect(resolveTimings({ renewMs: '250', staleMs: '1000', watchMs: '300' })).toEqual({
    renewMs: 250,
    staleMs: 1_000,
    watchMs: 300,
  });
});

test.each([
  ['60000', '60000', 300_000],
  ['10000', '5000', 50_000],
  ['60000', '61000', 61_000],
])('renewing every %s ms with a threshold of %s ms uses %i ms (H-04)', (renewMs, staleMs, expected) => {
  expect(resolveTimings({ renewMs, staleMs }).staleMs).toBe(expected);
});
