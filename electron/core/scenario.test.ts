/** A scenario becomes stretches without holes, whatever spans overlap in it. */
import { expect, test } from 'vitest';
import { Scenario } from '../../shared/model/whatIf';
import { HOUR_MS, type Instant, toInstant } from '../../shared/time';
import { type Stretch, stretchesOf } from './scenario';

const hour = (count: number): Instant => toInstant(count * HOUR_MS);
const span = (from: number, to: number) => ({ from: hour(from), to: hour(to) });
const short = ({ from, to, state }: Stretch): string => `${from / HOUR_MS}-${to / HOUR_MS} ${state}`;

test('without anything the span is one stretch', () => {
  const stretches = stretchesOf(Scenario.parse({}), hour(0), hour(24));
  const calm = { isOnMains: true, hasNetwork: true, zone: null, stepMs: 0 };
  expect(stretches).toEqual([{ from: hour(0), to: hour(24), state: 'awake', ...calm }]);
});

test('spans are cut to the question, and those that overlap are one', () => {
  const scenario = Scenario.parse({ asleep: [span(-3, 2), span(6, 9), span(8, 12)] });
  expect(stretchesOf(scenario, hour(0), hour(10)).map(short)).toEqual([
    '0-2 asleep',
    '2-6 awake',
    '6-8 asleep',
    '8-9 asleep',
    '9-10 asleep',
  ]);
});

test('off wins over asleep, and a sleep that ends with power-off was off all along', () => {
  const scenario = Scenario.parse({ asleep: [span(1, 4), span(8, 9)], off: [span(3, 6)] });
  expect(stretchesOf(scenario, hour(0), hour(10)).map(short)).toEqual([
    '0-1 awake',
    '1-3 off',
    '3-4 off',
    '4-6 off',
    '6-8 awake',
    '8-9 asleep',
    '9-10 awake',
  ]);
});

test('journeys last until the next one, and a clock is set at one moment only', () => {
  const scenario = Scenario.parse({
    travels: [
      { at: hour(4), zone: 'Asia/Tokyo' },
      { at: hour(-1), zone: 'Europe/Berlin' },
    ],
    clockSteps: [{ at: hour(2), byMs: HOUR_MS }],
    onBattery: [span(2, 4)],
    withoutNetwork: [span(3, 5)],
  });
  const told = stretchesOf(scenario, hour(0), hour(6));
  expect(
    told.map(({ zone, stepMs, isOnMains, hasNetwork }) => [zone, stepMs, isOnMains, hasNetwork]),
  ).toEqual([
    ['Europe/Berlin', 0, true, true],
    ['Europe/Berlin', HOUR_MS, false, true],
    ['Europe/Berlin', 0, false, false],
    ['Asia/Tokyo', 0, true, false],
    ['Asia/Tokyo', 0, true, true],
  ]);
});
