// The days of a month against croner, which is asked in plain UTC day by day.
import { Cron } from 'croner';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_MS } from '../time';
import { parseCron } from './cron';
import { daysOf } from './matchingDays';

const dayNumber = (text: string): number => Date.parse(`${text}T00:00:00Z`) / DAY_MS;

const days = (text: string, dayMatch: 'either' | 'both' = 'either') => {
  const parsed = parseCron(`0 0 ${text}`);
  if (!parsed.ok) throw new Error(text);
  return daysOf(parsed.value, dayMatch);
};

const list = (text: string, from: string, until: string): string[] => {
  const found: string[] = [];
  const matching = days(text);
  for (let day = matching.atOrAfter(dayNumber(from)); day <= dayNumber(until); ) {
    found.push(new Date(day * DAY_MS).toISOString().slice(0, 10));
    day = matching.atOrAfter(day + 1);
  }
  return found;
};

test('a nearest weekday never leaves its month, and does not exist without its day (C-003, C-004)', () => {
  // 1 August 2026 is a Saturday, 31 May 2026 a Sunday.
  expect(list('1W * *', '2026-08-01', '2026-08-31')).toEqual(['2026-08-03']);
  expect(list('31W * *', '2026-05-01', '2026-06-30')).toEqual(['2026-05-29']);
  expect(list('LW 2,5 *', '2026-01-01', '2026-12-31')).toEqual(['2026-02-27', '2026-05-29']);
  expect(list('L 2 *', '2096-01-01', '2101-12-31')).toEqual([
    '2096-02-29',
    '2097-02-28',
    '2098-02-28',
    '2099-02-28',
    '2100-02-28',
    '2101-02-28',
  ]);
  expect(list('* * 6#5', '2026-01-01', '2026-06-30')).toEqual(['2026-01-31', '2026-05-30']);
  expect(list('* * 5L', '2024-07-01', '2024-08-31')).toEqual(['2024-07-26', '2024-08-30']);
});

test('has the days that croner has, any mixture of L, W and # included', () => {
  const some = (items: readonly string[]) =>
    fc.uniqueArray(fc.constantFrom(...items), { minLength: 1, maxLength: 3 }).map((all) => all.join(','));
  const dayOfMonth = fc.oneof(
    fc.constantFrom('*', '*', 'LW', '1W', '15W', '30W', '31W', '1-31/3'),
    some(['1', '13', '29', '31', 'L', '8-12']),
  );
  const month = fc.constantFrom('*', '*', '2', '1,2,4', '*/5');
  const dayOfWeek = fc.oneof(
    fc.constantFrom('*', '*', '1-5', '*/2'),
    some(['0', '3', '1#1', '2#3', '6#4', '5#5', '0L', '4L']),
  );
  fc.assert(
    fc.property(
      dayOfMonth,
      month,
      dayOfWeek,
      fc.constantFrom('either' as const, 'both' as const),
      fc.integer({ min: 1900 * 12, max: 2200 * 12 }),
      (dom, mon, dow, dayMatch, at) => {
        const text = `${dom} ${mon} ${dow}`;
        const cron = new Cron(`0 0 ${text}`, { utcOffset: 0, domAndDow: dayMatch === 'both', paused: true });
        const matching = days(text, dayMatch);
        const [first, end] = [0, 1].map((n) => Date.UTC(Math.floor(at / 12), (at % 12) + n, 1) / DAY_MS);
        const expected: number[] = [];
        for (let day = first ?? 0; day < (end ?? 0); day += 1)
          if (cron.match(new Date(day * DAY_MS))) expected.push(day);
        const found: number[] = [];
        for (let day = first ?? 0; day < (end ?? 0); day += 1) if (matching.has(day)) found.push(day);
        expect(found, text).toEqual(expected);
        expect(matching.count(first ?? 0, end ?? 0)).toBe(expected.length);
        const [earliest, latest] = [matching.atOrAfter(first ?? 0), matching.atOrBefore((end ?? 0) - 1)];
        if (expected.length > 0) expect([earliest, latest]).toEqual([expected[0], expected.at(-1)]);
        else expect(earliest >= (end ?? 0) && latest < (first ?? 0)).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});

test('what never comes is known not to come, both ways and at once', () => {
  for (const text of ['30 2 *', '31 2,4,6 *', '31W 4 *']) {
    expect([days(text).atOrAfter(20_000), days(text).atOrBefore(20_000)]).toEqual([Infinity, -Infinity]);
  }
  expect(days('8-31 * 1#1', 'both').atOrAfter(20_000)).toBe(Infinity);
  // The year 1 to the year 2999.
  expect(days('* * *').atOrAfter(Date.UTC(3000, 0, 1) / DAY_MS)).toBe(Infinity);
  expect(days('* * *').atOrBefore(-719_163)).toBe(-Infinity);
});
