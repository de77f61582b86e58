import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS, toInstant } from '../shared/time';
import {
  ahead,
  cityOf,
  count,
  counted,
  dayOf,
  duration,
  elapsed,
  exitSentence,
  fullMoment,
  listed,
  moment,
  momentToSecond,
  offset,
  relative,
  shortName,
  since,
  size,
  span,
  spokenMoment,
  until,
} from './format';

const NEW_YORK = 'America/New_York';
/** Thursday 11 March 2027, 14:14:14 in New York. */
const NOW = toInstant(Date.parse('2027-03-11T14:14:14-05:00'));
const at = (text: string): Instant => toInstant(Date.parse(text));

test.each([
  ['2027-03-11T18:00:00-05:00', '18:00'],
  ['2027-03-12T16:45:00-05:00', 'Fri 16:45'],
  ['2027-03-10T09:12:00-05:00', 'Wed 09:12'],
  ['2027-04-01T04:00:00-04:00', '1 Apr 04:00'],
  ['2028-04-01T04:00:00-04:00', '1 Apr 2028'],
  ['2027-09-07T04:00:00-04:00', '7 Sep 04:00'],
])('a moment %s is written as far as it is needed: %s', (text, written) => {
  expect(moment(at(text), NOW, NEW_YORK)).toBe(written);
});

test('today ends at midnight of the zone, not after 24 hours', () => {
  const late = at('2027-03-11T23:59:00-05:00');
  expect(moment(late, NOW, NEW_YORK)).toBe('23:59');
  expect(moment(toInstant(late + MINUTE_MS), NOW, NEW_YORK)).toBe('Fri 00:00');
  expect(moment(late, NOW, 'UTC')).toBe('Fri 04:59');
});

test.each([
  [46 * SECOND_MS, 'in 46 s'],
  [26 * MINUTE_MS + 30 * SECOND_MS, 'in 26 min'],
  [-4 * MINUTE_MS, '4 min ago'],
  [-12 * SECOND_MS, '12 s ago'],
  [0, 'now'],
  [HOUR_MS, '15:14'],
])('within an hour a moment is relative, later it is absolute', (away, written) => {
  expect(relative(toInstant(NOW + away), NOW, NEW_YORK)).toBe(written);
});

test('what has happened is never said to be ahead, and what is due is never said to be past', () => {
  const [sooner, later] = [toInstant(NOW - 7 * SECOND_MS), toInstant(NOW + 7 * SECOND_MS)];
  expect([since(sooner, NOW), since(later, NOW), since(NOW, NOW)]).toEqual([
    '7 s ago',
    'just now',
    'just now',
  ]);
  expect([until(sooner, NOW), until(later, NOW), until(NOW, NOW)]).toEqual(['now', 'in 7 s', 'now']);
});

test('several moments of one minute are told apart by their seconds, on other days by the day', () => {
  expect(momentToSecond(NOW, NOW, NEW_YORK)).toBe('14:14:14');
  expect(momentToSecond(at('2027-03-12T16:45:07-05:00'), NOW, NEW_YORK)).toBe('Fri 16:45');
});

test('what goes on is counted in whole seconds', () => {
  expect([-5, 0, 7_900, 242_000].map(elapsed)).toEqual(['0 s', '0 s', '7 s', '4 min 2 s']);
});

test('a long name is cut for a notice, between letters', () => {
  expect(shortName('Back up notes')).toBe('Back up notes');
  expect(shortName('x'.repeat(120))).toBe(`${'x'.repeat(39)}…`);
  expect(shortName('🔔'.repeat(41))).toBe(`${'🔔'.repeat(39)}…`);
});

test('screen readers are told the absolute time as well', () => {
  expect(spokenMoment(toInstant(NOW + 26 * MINUTE_MS), NOW, NEW_YORK)).toBe('in 26 minutes, 14:40');
  expect(spokenMoment(toInstant(NOW + MINUTE_MS), NOW, NEW_YORK)).toBe('in 1 minute, 14:15');
  expect(spokenMoment(toInstant(NOW - 5 * SECOND_MS), NOW, NEW_YORK)).toBe('5 seconds ago, 14:14');
  expect(spokenMoment(toInstant(NOW + DAY_MS), NOW, NEW_YORK)).toBe('Fri 12 Mar 14:14');
});

test('days and full moments name the year only if it is not this one', () => {
  expect(fullMoment(at('2027-03-11T14:05:00-05:00'), NOW, NEW_YORK)).toBe('Thu 11 Mar 14:05');
  expect(fullMoment(at('2026-03-11T14:05:00-04:00'), NOW, NEW_YORK)).toBe('Wed 11 Mar 2026 14:05');
  expect(dayOf(at('2028-02-29T12:00:00Z'), NOW, 'UTC')).toBe('Tue 29 Feb 2028');
});

test.each([
  [26 * MINUTE_MS, 'in 26 min'],
  [12 * HOUR_MS + 16 * MINUTE_MS, 'in 12 h'],
  [35 * HOUR_MS, 'in 35 h'],
  [35.6 * HOUR_MS, 'in 1 day'],
  [3 * DAY_MS, 'in 3 days'],
  [120 * DAY_MS, 'in 4 months'],
  [3 * 365 * DAY_MS, 'in 3 years'],
  [20 * SECOND_MS, 'in 20 s'],
])('the preview says how far ahead a run is in one word', (away, written) => {
  expect(ahead(toInstant(NOW + away), NOW)).toBe(written);
});

test.each([
  [0, 'under 0.01 s'],
  [9, 'under 0.01 s'],
  [34, '0.03 s'],
  [99, '0.1 s'],
  [400, '0.4 s'],
  [46 * SECOND_MS, '46 s'],
  [4 * MINUTE_MS + 2 * SECOND_MS, '4 min 2 s'],
  [30 * MINUTE_MS, '30 min'],
  [2 * HOUR_MS + 5 * MINUTE_MS, '2 h 5 min'],
  [3 * DAY_MS, '3 days'],
  [59_999, '1 min'],
])('a duration of %i ms is %s', (ms, written) => {
  expect(duration(ms)).toBe(written);
});

test('a limit is written as it was set', () => {
  expect([5_000, 0, 30 * MINUTE_MS, HOUR_MS, DAY_MS, 2 * DAY_MS].map(span)).toEqual([
    '5 s',
    '0 s',
    '30 min',
    '1 h',
    '1 day',
    '2 days',
  ]);
});

test('sizes and counts keep to few digits', () => {
  expect([812, 812_000, 1_900_000, 2_000_000_000, 16_777_216].map(size)).toEqual([
    '812 B',
    '812 kB',
    '1.9 MB',
    '2 GB',
    '17 MB',
  ]);
  expect([0, 1_284, 1_004_218, 12_400_000].map(count)).toEqual(['0', '1,284', '1,004,218', '12.4 million']);
  expect([counted(1, 'run'), counted(2, 'run'), counted(0, 'job')]).toEqual(['1 run', '2 runs', '0 jobs']);
});

test('lists, offsets and cities read as people write them', () => {
  expect(listed(['Backups', 'Git', 'Work'])).toBe('Backups, Git and Work');
  expect([-300, 330, 0].map(offset)).toEqual(['UTC−5', 'UTC+5:30', 'UTC']);
  expect(cityOf('America/New_York')).toBe('New York');
});

test('exit codes with a common meaning are explained', () => {
  expect(exitSentence(127)).toBe('Exit 127: the command was not found');
  expect(exitSentence(126)).toBe('Exit 126: not allowed to run');
  expect(exitSentence(137)).toBe('Exit 137: killed, often by low memory');
  expect(exitSentence(23)).toBe('Exit 23');
});
