import { expect, test } from 'vitest';
import { stripLayers, stripSentence } from './strip';

test('there is one path for each state, however many runs there are', () => {
  const layers = stripLayers('s1s2f0t0m0c5k0r9z0x0'.repeat(3));
  expect(layers.map(({ name }) => name)).toEqual([
    'ok',
    'fail',
    'timeout',
    'interrupted',
    'missed',
    'caught',
    'skipped',
    'stopped',
    'running',
  ]);
});

test('a failure hangs below the line and a success does not', () => {
  const bottom = (path: string): number => {
    const [, top = '0', down = '0'] = /^M[\d.]+ ([\d.]+)h.*?v([\d.]+)/.exec(path) ?? [];
    return Number(top) + Number(down) + 1.6;
  };
  const [ok] = stripLayers('s9');
  const [fail] = stripLayers('f9');
  expect(bottom(ok?.path ?? '')).toBeCloseTo(17);
  expect(bottom(fail?.path ?? '')).toBeCloseTo(23);
});

test('the newest run stands at the right end', () => {
  const [layer] = stripLayers('s5');
  expect(layer?.path.startsWith('M105.2 ')).toBe(true);
});

test('the strip is told in a sentence', () => {
  expect(stripSentence('')).toBe('No runs yet');
  expect(stripSentence('s5')).toBe('Last 1 run: 1 succeeded; last one succeeded');
  expect(stripSentence(`${'s5'.repeat(24)}${'f0'.repeat(5)}k0`)).toBe(
    'Last 30 runs: 24 succeeded, 5 failed and 1 skipped; last one skipped',
  );
});
