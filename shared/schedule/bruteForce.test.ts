// The calendar against a walk that shares nothing with it: no croner, no parser, no stretches. Expressions are made
// together with a predicate of their meaning; the walk goes minute by minute through UTC, reads the wall clock from the
// platform, and applies the rules of cases.md section 1 to what it sees.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CronRule } from '../model/schedule';
import { DAY_MS, HOUR_MS, MINUTE_MS, toInstant } from '../time';
import { countBetween, nextOccurrence, occurrencesBetween, previousOccurrence } from './occurrences';

type Made = { readonly text: string; readonly has: (value: number) => boolean };
type MadeDay = { readonly text: string; readonly has: (year: number, month: number, day: number) => boolean };

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();
const weekdayOf = (year: number, month: number, day: number): number =>
  new Date(Date.UTC(year, month - 1, day)).getUTCDay();
const isWeekend = (weekday: number): boolean => weekday === 0 || weekday === 6;

const union = (items: readonly Made[]): Made => ({
  text: items.map((item) => item.text).join(','),
  has: (value) => items.some((item) => item.has(value)),
});

/** Items of a field from `low` to `high`, without names. */
const madeItem = (low: number, high: number, stepMax: number): fc.Arbitrary<Made> => {
  const value = fc.integer({ min: low, max: high });
  const step = fc.integer({ min: 1, max: stepMax });
  const ordered = fc.tuple(value, value).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  return fc.oneof(
    value.map((a) => ({ text: `${a}`, has: (v: number) => v === a })),
    value.map((a) => ({ text: `0${a}`, has: (v: number) => v === a })),
    ordered.map(([a, b]) => ({ text: `${a}-${b}`, has: (v: number) => v >= a && v <= b })),
    fc.tuple(ordered, step).map(([[a, b], n]) => ({
      text: `${a}-${b}/${n}`,
      has: (v: number) => v >= a && v <= b && (v - a) % n === 0,
    })),
    fc
      .tuple(value, step)
      .map(([a, n]) => ({ text: `${a}/${n}`, has: (v: number) => v >= a && (v - a) % n === 0 })),
    step.map((n) => ({ text: `*/${n}`, has: (v: number) => (v - low) % n === 0 })),
  );
};

const every: Made = { text: '*', has: () => true };

const madeField = (low: number, high: number, stepMax: number): fc.Arbitrary<Made> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant(every) },
    { weight: 3, arbitrary: madeItem(low, high, stepMax) },
    {
      weight: 2,
      arbitrary: fc.array(madeItem(low, high, stepMax), { minLength: 2, maxLength: 3 }).map(union),
    },
  );

const MONTH_NAMES = ['JAN', 'feb', 'Mar', 'APR', 'may', 'Jun', 'JUL', 'aug', 'Sep', 'OCT', 'nov', 'Dec'];
const WEEKDAY_NAMES = ['SUN', 'mon', 'Tue', 'WED', 'thu', 'Fri', 'SAT'];

const madeMonth: fc.Arbitrary<Made> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(every) },
  { weight: 1, arbitrary: madeField(1, 12, 12) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 12 }).map((m) => ({
      text: MONTH_NAMES[m - 1] ?? '',
      has: (v: number) => v === m,
    })),
  },
);

const nearestWeekday = (year: number, month: number, day: number): number | undefined => {
  const last = daysIn(year, month);
  if (day > last) return undefined;
  for (const candidate of [day, day - 1, day + 1, day - 2, day + 2]) {
    if (candidate >= 1 && candidate <= last && !isWeekend(weekdayOf(year, month, candidate)))
      return candidate;
  }
  return undefined;
};

const lastWeekday = (year: number, month: number): number => {
  let day = daysIn(year, month);
  while (isWeekend(weekdayOf(year, month, day))) day -= 1;
  return day;
};

const plainDay = (made: Made): MadeDay => ({ text: made.text, has: (_y, _m, day) => made.has(day) });

const madeDayOfMonth: fc.Arbitrary<MadeDay> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('*', '?').map((text) => ({ text, has: () => true })) },
  { weight: 3, arbitrary: madeField(1, 31, 31).map(plainDay) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<MadeDay>(
      { text: 'L', has: (y, m, d) => d === daysIn(y, m) },
      { text: '15,L', has: (y, m, d) => d === 15 || d === daysIn(y, m) },
      { text: 'LW', has: (y, m, d) => d === lastWeekday(y, m) },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 31 }).map((n) => ({
      text: `${n}W`,
      has: (y: number, m: number, d: number) => d === nearestWeekday(y, m, n),
    })),
  },
);

const weekdayValue = (has: (weekday: number) => boolean) => (y: number, m: number, d: number) =>
  has(weekdayOf(y, m, d));

const madeDayOfWeek: fc.Arbitrary<MadeDay> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('*', '?').map((text) => ({ text, has: () => true })) },
  {
    weight: 3,
    arbitrary: madeField(0, 6, 7).map((made) => ({ text: made.text, has: weekdayValue(made.has) })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      { text: '7', has: weekdayValue((w) => w === 0) },
      { text: '5-7', has: weekdayValue((w) => w === 0 || w >= 5) },
      { text: '1-7/2', has: weekdayValue((w) => w % 2 === 1 || w === 0) },
      { text: 'SAT-SUN', has: weekdayValue(isWeekend) },
      { text: 'sun-tue', has: weekdayValue((w) => w <= 2) },
      { text: 'MON-FRI', has: weekdayValue((w) => !isWeekend(w)) },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 1, max: 5 })).map(([w, n]) => ({
      text: `${WEEKDAY_NAMES[w]}#${n}`,
      has: (y: number, m: number, d: number) => weekdayOf(y, m, d) === w && Math.ceil(d / 7) === n,
    })),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 0, max: 7 }).map((w) => ({
      text: `${w}L`,
      has: (y: number, m: number, d: number) => weekdayOf(y, m, d) === w % 7 && d + 7 > daysIn(y, m),
    })),
  },
);

interface Wall {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

interface MadeCron {
  readonly text: string;
  readonly isFixed: boolean;
  readonly seconds: readonly number[];
  readonly isDue: (wall: Wall, dayMatch: CronRule['dayMatch']) => boolean;
}

interface MadeFields {
  readonly second: Made | undefined;
  readonly minute: Made;
  readonly hour: Made;
  readonly dayOfMonth: MadeDay;
  readonly month: Made;
  readonly dayOfWeek: MadeDay;
}

const join = ({ second, minute, hour, dayOfMonth, month, dayOfWeek }: MadeFields): MadeCron => {
  const five = [minute.text, hour.text, dayOfMonth.text, month.text, dayOfWeek.text].join(' ');
  const clockText = [second?.text ?? '0', minute.text, hour.text].join(' ');
  const isBoth = [dayOfMonth, dayOfWeek].every(({ text }) => text !== '*' && text !== '?');
  return {
    text: second === undefined ? five : `${second.text} ${five}`,
    isFixed: !/[*/]/.test(clockText),
    seconds: second === undefined ? [0] : [...Array(60).keys()].filter(second.has),
    isDue: (wall, dayMatch) => {
      if (!minute.has(wall.minute) || !hour.has(wall.hour) || !month.has(wall.month)) return false;
      const isDay = dayOfMonth.has(wall.year, wall.month, wall.day);
      const isWeekday = dayOfWeek.has(wall.year, wall.month, wall.day);
      return isBoth && dayMatch === 'either' ? isDay || isWeekday : isDay && isWeekday;
    },
  };
};

const madeAny: fc.Arbitrary<MadeCron> = fc
  .record({
    second: fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: madeField(0, 59, 59) },
    ),
    minute: madeField(0, 59, 59),
    hour: madeField(0, 23, 23),
    dayOfMonth: madeDayOfMonth,
    month: madeMonth,
    dayOfWeek: madeDayOfWeek,
  })
  .map(join);

const oneOf = (values: readonly number[]): Made => ({
  text: values.join(','),
  has: (value) => values.includes(value),
});

const everyDay: MadeDay = { text: '*', has: () => true };

/** Fixed times at the hours at which clocks change, on most days: the rules of D6 are about these. */
const madeNightly: fc.Arbitrary<MadeCron> = fc
  .record({
    second: fc.constantFrom(undefined, oneOf([0]), oneOf([10, 50])),
    minute: fc
      .uniqueArray(fc.constantFrom(0, 1, 2, 29, 30, 31, 45, 59), { minLength: 1, maxLength: 3 })
      .map(oneOf),
    hour: fc.uniqueArray(fc.constantFrom(0, 1, 2, 3, 4, 22, 23), { minLength: 1, maxLength: 4 }).map(oneOf),
    dayOfMonth: fc.oneof(
      { weight: 4, arbitrary: fc.constant(everyDay) },
      { weight: 1, arbitrary: madeDayOfMonth },
    ),
    month: fc.constant(every),
    dayOfWeek: fc.oneof(
      { weight: 4, arbitrary: fc.constant(everyDay) },
      { weight: 1, arbitrary: madeDayOfWeek },
    ),
  })
  .map(join);

const madeCron = fc.oneof(madeAny, madeNightly);

/** What the wall clock of a zone shows at each minute around a moment. */
interface Window {
  readonly zone: string;
  readonly minutes: readonly { readonly at: number; readonly wall: Wall; readonly wallMs: number }[];
  /** First and last instant at which a wall time is shown. */
  readonly passes: ReadonlyMap<number, { readonly first: number; readonly last: number }>;
}

const HALF_WINDOW_MS = 54 * HOUR_MS;

const createWindow = (zone: string, around: string): Window => {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const middle = Date.parse(around);
  const minutes: { at: number; wall: Wall; wallMs: number }[] = [];
  for (let at = middle - HALF_WINDOW_MS; at <= middle + HALF_WINDOW_MS; at += MINUTE_MS) {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? Number.NaN;
    const wall = {
      year: of('year'),
      month: of('month'),
      day: of('day'),
      hour: of('hour') % 24,
      minute: of('minute'),
    };
    minutes.push({ at, wall, wallMs: Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute) });
  }
  const passes = new Map<number, { first: number; last: number }>();
  for (const { at, wallMs } of minutes)
    passes.set(wallMs, { first: passes.get(wallMs)?.first ?? at, last: at });
  return { zone, minutes, passes };
};

const WINDOWS = [
  createWindow('America/New_York', '2026-03-08T07:00Z'),
  createWindow('America/New_York', '2026-11-01T06:00Z'),
  createWindow('Europe/Berlin', '2026-03-29T01:00Z'),
  createWindow('Europe/Berlin', '2025-10-26T01:00Z'),
  createWindow('Europe/London', '2024-10-27T01:00Z'),
  createWindow('Australia/Lord_Howe', '2026-04-04T15:00Z'),
  createWindow('Australia/Lord_Howe', '2026-10-03T15:30Z'),
  createWindow('America/Nuuk', '2024-03-31T01:00Z'),
  createWindow('America/Nuuk', '2024-10-27T01:00Z'),
  createWindow('Africa/Cairo', '2026-04-23T22:00Z'),
  createWindow('Africa/Cairo', '2024-10-31T21:00Z'),
  createWindow('America/St_Johns', '2010-11-07T02:31Z'),
  createWindow('America/St_Johns', '2011-03-13T03:31Z'),
  createWindow('Pacific/Apia', '2011-12-30T10:00Z'),
  createWindow('Pacific/Chatham', '2026-09-26T14:00Z'),
  createWindow('Antarctica/Troll', '2026-03-29T01:00Z'),
  createWindow('Antarctica/Casey', '2020-10-03T16:01Z'),
  createWindow('Asia/Almaty', '2024-02-29T18:00Z'),
  createWindow('Africa/Juba', '2021-01-31T21:00Z'),
  // Changes at an edge of the blocks in which zone.ts keeps offsets, and one that has an edge inside its first pass.
  createWindow('Asia/Jerusalem', '2019-03-29T00:00Z'),
  createWindow('Africa/Tunis', '2005-09-30T00:00Z'),
  createWindow('Antarctica/Troll', '2020-10-25T01:00Z'),
  createWindow('Asia/Kathmandu', '2028-02-29T00:00Z'),
  createWindow('UTC', '2024-12-31T12:00Z'),
];

const wallOf = (wallMs: number): Wall => {
  const date = new Date(wallMs);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
  };
};

/** Every instant of the window at which the rule says to run, by looking at each minute. */
const walk = (cron: MadeCron, rule: CronRule, window: Window): number[] => {
  const due = new Set<number>();
  window.minutes.forEach(({ at, wall, wallMs }, i) => {
    const pass = window.passes.get(wallMs);
    const isOtherPass =
      (rule.repeat === 'first' && at !== pass?.first) || (rule.repeat === 'second' && at !== pass?.last);
    if (cron.isDue(wall, rule.dayMatch) && !(cron.isFixed && isOtherPass)) {
      for (const second of cron.seconds) due.add(at + second * 1_000);
    }
    const before = window.minutes[i - 1];
    if (before === undefined || !cron.isFixed || rule.gap === 'skip') return;
    for (let skipped = before.wallMs + MINUTE_MS; skipped < wallMs; skipped += MINUTE_MS) {
      const midnight = skipped - (skipped % DAY_MS);
      const isDateMissing = midnight > before.wallMs && midnight + DAY_MS <= wallMs;
      if (!isDateMissing && cron.isDue(wallOf(skipped), rule.dayMatch)) due.add(at);
    }
  });
  return [...due].sort((a, b) => a - b);
};

const RUNS = 400;
/** Enough to see several days of an hourly rule; rules that run every few seconds are compared at both ends. */
const COMPARED_MAX = 300;

test('agrees with a minute by minute walk over random expressions around clock changes (D5, D6, G1 to F2)', {
  timeout: 60_000,
}, () => {
  const context = { hostZone: 'Europe/Berlin' };
  fc.assert(
    fc.property(
      madeCron,
      fc.constantFrom(...WINDOWS),
      fc.constantFrom('either' as const, 'both' as const),
      fc.constantFrom('run_after' as const, 'skip' as const),
      fc.constantFrom('first' as const, 'second' as const, 'both' as const),
      (cron, window, dayMatch, gap, repeat) => {
        const { zone } = window;
        const rule: CronRule = { kind: 'cron', expression: cron.text, zone, dayMatch, gap, repeat };
        const middle = window.minutes[Math.floor(window.minutes.length / 2)]?.at ?? 0;
        // The ends stay out, because the walk cannot see whether their times come again outside the window.
        const after = toInstant(middle - HALF_WINDOW_MS + 26 * HOUR_MS);
        const until = toInstant(middle + HALF_WINDOW_MS - 26 * HOUR_MS);
        const expected = walk(cron, rule, window).filter((at) => at > after && at <= until);

        const listed = occurrencesBetween(rule, after, until, context, { max: COMPARED_MAX });
        expect(listed).toEqual(expected.slice(0, COMPARED_MAX));
        expect(countBetween(rule, after, until, context)).toEqual({ count: expected.length, isMore: false });

        const backwards: number[] = [];
        let at = previousOccurrence(rule, toInstant(until + 1), context);
        while (at !== undefined && at > after && backwards.length < COMPARED_MAX) {
          backwards.unshift(at);
          at = previousOccurrence(rule, at, context);
        }
        expect(backwards).toEqual(expected.slice(-COMPARED_MAX));

        // From within, not only from one occurrence to the next.
        const wrong: number[] = [];
        let i = 0;
        for (let from = after; from < until; from = toInstant(from + 37 * MINUTE_MS + 7)) {
          while ((expected[i] ?? Number.POSITIVE_INFINITY) <= from) i += 1;
          const next = nextOccurrence(rule, from, context) ?? Number.POSITIVE_INFINITY;
          if (next !== expected[i] && !(expected[i] === undefined && next > until)) wrong.push(from);
        }
        expect(wrong).toEqual([]);
      },
    ),
    { numRuns: RUNS },
  );
});
