import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCron } from './cron';
import type { CronMistake } from './cronMistake';
import vectors from './vectors.json';

const mistakesOf = (text: string): readonly CronMistake[] => {
  const parsed = parseCron(text);
  return parsed.ok ? [] : parsed.error;
};

const parse = (text: string) => {
  const parsed = parseCron(text);
  if (!parsed.ok) throw new Error(parsed.error.map(({ message }) => message).join(' '));
  return parsed.value;
};

describe('mistakes', () => {
  test.each([
    ['70 * * * *', 'minute', '70', 'The minute must be 0 to 59. You typed 70.', 'Use 0', '0 * * * *'],
    ['0 0 8-3 * *', 'dayOfMonth', '8-3', 'The range ends before it starts.', 'Use 3-8', '0 0 3-8 * *'],
    ['*/0 * * * *', 'minute', '0', 'A step must be a whole number, 1 or more.', 'Use */1', '*/1 * * * *'],
    [
      '0 0 * * mon#6',
      'dayOfWeek',
      'mon#6',
      'A month has at most five of any weekday. Use #1 to #5.',
      'Use mon#5',
      '0 0 * * mon#5',
    ],
    [
      '0 0 32W * *',
      'dayOfMonth',
      '32W',
      'Days run from 1 to 31, so 32W cannot happen.',
      'Use LW',
      '0 0 LW * *',
    ],
    ['0 0 1 jul, *', 'month', ',', 'There is a comma with nothing after it.', 'Remove it', '0 0 1 jul *'],
    ['1,,3 * * * *', 'minute', ',', 'There is a comma with nothing after it.', 'Remove it', '1,3 * * * *'],
    [',3 * * * *', 'minute', ',', 'There is a comma with nothing before it.', 'Remove it', '3 * * * *'],
    [
      '0 9 * *',
      'expression',
      '0 9 * *',
      'A cron expression has five fields. This one has 4.',
      'Add *',
      '0 9 * * *',
    ],
    ['0 L * * *', 'hour', 'L', 'L works in the day fields only.', 'Use 23', '0 23 * * *'],
    ['? 0 * * *', 'minute', '?', '? works in the day fields only.', 'Use *', '* 0 * * *'],
    ['0 0 1 JANUARY *', 'month', 'JANUARY', '“JANUARY” is not a month.', 'Use JAN', '0 0 1 JAN *'],
    ['*/60 * * * *', 'minute', '*/60', 'A step of 60 reaches only minute 0.', 'Use 0', '0 * * * *'],
    [
      'H/15 * * * *',
      'minute',
      'H/15',
      "H is Jenkins' word for a minute it picks. Type one.",
      'Use */15',
      '*/15 * * * *',
    ],
    ['/5 * * * *', 'minute', '', 'There is nothing before the slash.', 'Add *', '*/5 * * * *'],
    ['1- * * * *', 'minute', '1-', 'The range has no end.', 'Use 1', '1 * * * *'],
    [
      '0 0 * * SUN-SUN',
      'dayOfWeek',
      'SUN-SUN',
      'The range begins and ends on the same day.',
      'Use SUN',
      '0 0 * * SUN',
    ],
    [
      '0 0 12 ? * MON-FRI *',
      'expression',
      '0 0 12 ? * MON-FRI *',
      'This looks like Quartz (7 fields). Belfry reads it as 0 12 * * 1-5.',
      'Use that',
      '0 12 * * 1-5',
    ],
    [
      '0 9 * * 1-5 backup.sh --all',
      'expression',
      '0 9 * * 1-5 backup.sh --all',
      'This looks like a whole crontab line. Only the schedule belongs here, the command elsewhere.',
      'Only the schedule',
      '0 9 * * 1-5',
    ],
  ])('%s is marked, explained and mended (C-012)', (text, field, marked, message, label, replacement) => {
    const [mistake] = mistakesOf(text);
    expect(mistake).toMatchObject({ field, message, fix: { label, replacement } });
    expect(text.slice(mistake?.start, (mistake?.start ?? 0) + marked.length)).toBe(marked);
    expect(parseCron(replacement).ok).toBe(true);
  });

  test.each([
    ['0 0 * * FRI-MON', '0 0 * * FRI-SUN,MON'],
    ['0 22-2 * * *', '0 22-23,0-2 * * *'],
    ['0 23-0 * * *', '0 23,0 * * *'],
    ['0 22-6/2 * * *', '0 0,2,4,6,22 * * *'],
    ['0 0 * NOV-FEB *', '0 0 * NOV-DEC,JAN-FEB *'],
    ['0 0 * 11-1 *', '0 0 * 11-12,1 *'],
    ['0 0 * * 5-1', '0 0 * * 5-7,1'],
    ['0 0 * * 6-0', '0 0 * * 6-7'],
    ['30-10 * * * *', '10-30 * * * *'],
  ])('%s is refused with the rewrite %s (C-009)', (text, rewrite) => {
    const [mistake] = mistakesOf(text);
    expect(mistake).toMatchObject({ code: 'backward_range', fix: { replacement: rewrite } });
    expect(parseCron(rewrite).ok).toBe(true);
  });

  test.each([
    ['0 0 * * foo', 'dayOfWeek', '“foo” is not a weekday.'],
    ['0 0 foo * *', 'dayOfMonth', '“foo” is not a day of the month.'],
    ['1.5 * * * *', 'minute', '“1.5” is not a minute.'],
    ['*/-2 * * * *', 'minute', 'A step must be a whole number, 1 or more.'],
    ['* *1 * * *', 'hour', 'A star stands alone or before a step, as in */5.'],
    ['1//2 * * * *', 'minute', 'A step must be a whole number, 1 or more.'],
    ['*/90 * * * *', 'minute', 'A step in the minute must be 1 to 59. For longer steps use an interval.'],
    ['0 0 1-5W * *', 'dayOfMonth', 'W works with a single day of the month, such as 15W.'],
    ['0 0 1,LW * *', 'dayOfMonth', 'LW cannot stand in a list.'],
    ['0 0 1,? * *', 'dayOfMonth', '? cannot stand in a list.'],
    ['0 0 * * L', 'dayOfWeek', 'L needs a weekday before it, as in 5L or FRIL.'],
    ['0 0 * * 8', 'dayOfWeek', 'The weekday must be 0 to 7. You typed 8.'],
    ['０ 0 * * *', 'minute', '“０” is not a minute.'],
    ['0\u00a00 * * * *', 'minute', '“0\u00a00” is not a minute.'],
    ['\u202e0 0 * * *', 'minute', '“\u202e0” is not a minute.'],
    ['', 'expression', 'Type five fields, such as 0 9 * * 1-5.'],
    [' \t ', 'expression', 'Type five fields, such as 0 9 * * 1-5.'],
    ['@reboot', 'expression', '@reboot is the start of the computer, not a time.'],
    ['@every 5m', 'expression', '@every is not cron. Use an interval instead.'],
    ['0 0 * * 1\n* * * * *', 'expression', 'A cron expression stands on one line.'],
  ])('%j is refused: %s, %s (S-40)', (text, field, message) => {
    expect(mistakesOf(text)[0]).toMatchObject({ field, message });
  });

  test('every field is looked at, so that all mistakes are marked at once', () => {
    expect(mistakesOf('60 24 0 13 8').map(({ field, start, length }) => [field, start, length])).toEqual([
      ['minute', 0, 2],
      ['hour', 3, 2],
      ['dayOfMonth', 6, 1],
      ['month', 8, 2],
      ['dayOfWeek', 11, 1],
    ]);
  });

  test('a one-word command after five fields is a crontab line, a mistyped weekday in six is not', () => {
    expect(mistakesOf('0 9 * * 1-5 backup.sh')[0]?.code).toBe('crontab_line');
    expect(mistakesOf('@daily backup.sh')[0]).toMatchObject({
      code: 'crontab_line',
      fix: { replacement: '@daily' },
    });
    expect(mistakesOf('0 0 9 * * MONDAY')[0]).toMatchObject({
      field: 'dayOfWeek',
      fix: { replacement: '0 0 9 * * MON' },
    });
  });

  test('a word that is nearly known is offered', () => {
    expect(mistakesOf('@dayly')[0]?.code).toBe('unknown_word');
    expect(mistakesOf('@hour')[0]?.fix?.replacement).toBe('@hourly');
    expect(mistakesOf('@month')[0]?.fix?.replacement).toBe('@monthly');
    expect(mistakesOf('@constructor')[0]?.code).toBe('unknown_word');
  });
});

describe('meaning', () => {
  test.each([
    ['* * * * *', 'frequent'],
    ['0 * * * *', 'frequent'],
    ['@hourly', 'frequent'],
    ['*/15 1 * * *', 'frequent'],
    ['30 2-22/4 * * *', 'frequent'],
    ['5/15 3 * * *', 'frequent'],
    ['*/30 59 1 * * *', 'frequent'],
    ['30 2 * * *', 'fixed'],
    ['0,30 1-3 */2 * *', 'fixed'],
    ['10 30 2 * * *', 'fixed'],
    ['@daily', 'fixed'],
  ])('%s is %s (D6)', (text, kind) => {
    expect(parse(text).kind).toBe(kind);
  });

  test('only * and ? leave a day field unrestricted (H-78)', () => {
    expect(parse('0 0 * * 1').areBothDaysRestricted).toBe(false);
    expect(parse('0 0 ? * 1').areBothDaysRestricted).toBe(false);
    expect(parse('0 0 1 * ?').areBothDaysRestricted).toBe(false);
    expect(parse('0 0 1-31 * 1').areBothDaysRestricted).toBe(true);
    expect(parse('0 0 */2 * 1').areBothDaysRestricted).toBe(true);
  });

  test('7 and SUN at the end of a range are Sunday, and a step counts from its start (C-006, C-009)', () => {
    expect(parse('0 0 * * FRI-SUN').fields.dayOfWeek.values).toEqual([0, 5, 6]);
    expect(parse('0 0 * * SUN-THU').fields.dayOfWeek.values).toEqual([0, 1, 2, 3, 4]);
    expect(parse('0 0 * * 1-7/2').fields.dayOfWeek.values).toEqual([0, 1, 3, 5]);
    expect(parse('0 0 * * 2-7/2').fields.dayOfWeek.values).toEqual([2, 4, 6]);
    expect(parse('0 0 * * 0-7').fields.dayOfWeek.values).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(parse('0 0 * * 1/2').fields.dayOfWeek.values).toEqual([1, 3, 5]);
  });

  test('the last weekday can be written in three ways (C-003)', () => {
    for (const text of ['0 0 * * 5L', '0 0 * * 5#L', '0 0 * * FRIL', '0 0 * * fril']) {
      expect(parse(text).fields.dayOfWeek.lastOf).toEqual([5]);
    }
    expect(parse('0 0 * * 7L').fields.dayOfWeek.lastOf).toEqual([0]);
  });

  test('the text stays as it was typed, whatever it means', () => {
    expect(parse('  0   9  *  *  1-5  ').text).toBe('  0   9  *  *  1-5  ');
    expect(parse('@Daily').text).toBe('@Daily');
    expect(parse('00 09 01 01 mon').fields.dayOfWeek).toMatchObject({ text: 'mon', start: 12 });
  });
});

describe('hostile text', () => {
  const cronLike = fc.string({
    unit: fc.constantFrom(...'0123456789*/-,#?LWH@ \tMONJAN+.\n', 'é', '😀', '\u202e', '\u0000'),
    maxLength: 60,
  });

  test('never throws, and marks a part of the text (C-012)', () => {
    fc.assert(
      fc.property(fc.oneof(cronLike, fc.string({ maxLength: 300 })), (text) => {
        for (const mistake of mistakesOf(text)) {
          expect(mistake.start).toBeGreaterThanOrEqual(0);
          expect(mistake.start + mistake.length).toBeLessThanOrEqual(
            Math.max(text.length, mistake.start + 1),
          );
          expect(mistake.message).toMatch(/\.$/);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('applying the offered rewrites ends in a schedule or in a mistake without one', () => {
    fc.assert(
      fc.property(cronLike, (typed) => {
        let text = typed;
        for (let i = 0; i < 80; i += 1) {
          const fix = mistakesOf(text).find((mistake) => mistake.fix !== undefined)?.fix;
          if (fix === undefined) return;
          expect(fix.replacement).not.toBe(text);
          text = fix.replacement;
        }
        throw new Error(`still mending: ${text}`);
      }),
      { numRuns: 2_000 },
    );
  });

  test('every prefix of every vector is answered (C-123)', () => {
    for (const { expr } of vectors) {
      for (let length = 0; length <= expr.length; length += 1) parseCron(expr.slice(0, length));
    }
  });

  test.each([
    ['10,000 digits', '1'.repeat(10_000)],
    ['10,000 spaces', ' '.repeat(10_000)],
    ['2,000 ranges', '1-59/1,'.repeat(2_000)],
    ['5,000 stars', '* '.repeat(5_000)],
    ['200 commas', `${','.repeat(192)} * * * *`],
    ['10,000 line breaks', '\n'.repeat(10_000)],
    ['a long command', `0 9 * * 1-5 ${'x'.repeat(180)}`],
  ])('%s take less than 5 ms (C-012, C-123)', (_name, text) => {
    // The best of three, because other tests share the processor; each text is new, because answers are remembered.
    const times = [text, `${text} `, ` ${text}`].map((typed) => {
      const started = performance.now();
      expect(parseCron(typed).ok).toBe(false);
      return performance.now() - started;
    });
    expect(Math.min(...times)).toBeLessThan(5);
  });
});
