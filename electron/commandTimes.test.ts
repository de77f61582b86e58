/** Times as people type them, in the zone of the computer. */
import { expect, test } from 'vitest';
import { type Instant, toInstant } from '../shared/time';
import { parseSpan, parseTime } from './commandTimes';

const at = (text: string): Instant => toInstant(Date.parse(text));
const berlin = { now: at('2026-05-04T10:00Z'), zone: 'Europe/Berlin' };

test('a time of day is the one of today, and a date is read where the computer is', () => {
  expect(parseTime('9:05', berlin)).toEqual({ at: at('2026-05-04T07:05Z'), isInGap: false });
  expect(parseTime('23:59:30', berlin).at).toBe(at('2026-05-04T21:59:30Z'));
  expect(parseTime('2026-01-02T03:04', berlin).at).toBe(at('2026-01-02T02:04Z'));
  expect(parseTime('2026-01-02 03:04', berlin).at).toBe(at('2026-01-02T02:04Z'));
  expect(parseTime('2026-01-02T03:04Z', berlin).at).toBe(at('2026-01-02T03:04Z'));
  expect(parseTime('2026-01-02T03:04+05:00', berlin).at).toBe(at('2026-01-01T22:04Z'));
});

test('a time that the clocks jump over is said to be one, and one that comes twice is its first pass (D6)', () => {
  expect(parseTime('2026-03-29T02:30', berlin)).toEqual({ at: at('2026-03-29T01:00Z'), isInGap: true });
  expect(parseTime('2026-10-25T02:30', berlin)).toEqual({ at: at('2026-10-25T00:30Z'), isInGap: false });
});

test('a night is the next one', () => {
  expect(parseSpan('22:00..07:30', berlin)).toEqual({
    from: at('2026-05-04T20:00Z'),
    to: at('2026-05-05T05:30Z'),
  });
  expect(parseSpan('08:00..09:00', berlin)).toEqual({
    from: at('2026-05-05T06:00Z'),
    to: at('2026-05-05T07:00Z'),
  });
  expect(parseSpan('2026-06-01T08:00..2026-06-02T09:00', berlin).to).toBe(at('2026-06-02T07:00Z'));
});

test('nonsense is refused with a sentence', () => {
  for (const text of ['', 'noon', '25:00', '2026-02-30T10:00', '2026-05-04']) {
    expect(() => parseTime(text, berlin)).toThrow('is not a time');
  }
  expect(() => parseSpan('22:00', berlin)).toThrow('is not a span');
  expect(() => parseSpan('2026-06-02T08:00..2026-06-01T09:00', berlin)).toThrow('ends before it begins');
});
