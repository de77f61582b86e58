import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, toInstant } from '../../shared/time';
import { NOW } from '../testEngine';
import { emptyScenario, SPAN_MS, scenarioOf } from './scenario';

const END = NOW + SPAN_MS;

test('asleep each night covers every night of the week that begins now, over midnight', () => {
  const asleep = scenarioOf({ ...emptyScenario, kind: 'asleep' }, NOW)?.asleep ?? [];
  expect(asleep).toHaveLength(7);
  for (const { from, to } of asleep) {
    expect(new Date(from).toTimeString().slice(0, 5)).toBe('22:10');
    expect(new Date(to).toTimeString().slice(0, 5)).toBe('07:30');
    expect(to - from).toBeLessThanOrEqual(DAY_MS);
  }
});

test('a night that has begun counts from now on', () => {
  const late = toInstant(new Date(2027, 2, 11, 23, 30).getTime());
  const [first] = scenarioOf({ ...emptyScenario, kind: 'asleep' }, late)?.asleep ?? [];
  expect(first).toEqual({ from: late, to: toInstant(late + 8 * HOUR_MS) });
});

test('a weekend off lasts from Friday evening to Monday morning', () => {
  const off = scenarioOf({ ...emptyScenario, kind: 'off' }, NOW)?.off ?? [];
  expect(off).toHaveLength(1);
  const [weekend] = off;
  expect(new Date(weekend?.from ?? 0).toString()).toMatch(/^Fri Mar 12 2027 18:00/);
  expect(new Date(weekend?.to ?? 0).toString()).toMatch(/^Mon Mar 15 2027 08:00/);
});

test('battery, network and travel concern the whole week', () => {
  const all = [{ from: NOW, to: toInstant(END) }];
  expect(scenarioOf({ ...emptyScenario, kind: 'battery' }, NOW)?.onBattery).toEqual(all);
  expect(scenarioOf({ ...emptyScenario, kind: 'offline' }, NOW)?.withoutNetwork).toEqual(all);
  expect(scenarioOf({ ...emptyScenario, kind: 'elsewhere' }, NOW)?.travels).toEqual([
    { at: NOW, zone: 'Asia/Tokyo' },
  ]);
});

test.each([
  { kind: 'nothing' as const },
  { kind: 'asleep' as const, from: '' },
  { kind: 'asleep' as const, from: '07:30' },
])('nothing is asked while nothing, or nothing whole, is supposed: %j', (part) => {
  expect(scenarioOf({ ...emptyScenario, ...part }, NOW)).toBeNull();
});
