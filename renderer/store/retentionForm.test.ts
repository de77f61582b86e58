import { expect, test } from 'vitest';
import { defaultRetention } from '../../shared/model/settings';
import { readRetention, retentionForm } from './retentionForm';

test('what is kept comes back as it was, limits that are off included', () => {
  for (const kept of [defaultRetention, { ...defaultRetention, runDays: null, failureDays: null }]) {
    expect(readRetention(retentionForm(kept))).toEqual({ ok: true, retention: kept });
  }
});

test('a number that is none, or out of its bounds, gets its sentence; one that is off gets none', () => {
  const form = retentionForm(defaultRetention);
  const typed = {
    ...form,
    runDays: { isOn: true, amount: 'a year' },
    outputMegabytesMax: { isOn: true, amount: '5' },
    outputDays: { isOn: false, amount: 'x' },
  };
  expect(readRetention(typed)).toEqual({
    ok: false,
    mistakes: {
      runDays: 'Type a whole number.',
      outputMegabytesMax: 'Type a number from 10 to 10,000,000.',
    },
  });
});

test('failed runs cannot go before the others', () => {
  const form = retentionForm(defaultRetention);
  const shorter = { ...form, failureDays: { isOn: true, amount: '7' } };
  expect(readRetention(shorter)).toMatchObject({ ok: false, mistakes: { failureDays: expect.any(String) } });
  const forEver = { ...form, runDays: { isOn: false, amount: '365' } };
  expect(readRetention(forEver)).toMatchObject({ ok: false, mistakes: { failureDays: expect.any(String) } });
});
