// The calendar against two walks that share nothing with it: no croner, no parser, no stretches. Expressions are made
// together with a predicate of their meaning. Around clock changes a walk goes minute by minute through UTC, reads the wall
// clock from the platform, and applies the rules of cases.md section 1 to what it sees. For any moment of a century another
// goes from date to date and asks the platform which instants show each due time.
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
  readonly isDueOn: (date: Pick<Wall, 'year' | 'month' | 'day'>, dayMatch: CronRule['dayMatch']) => boolean;
  readonly isDueAt: (hour: number, minute: number) => boolean;
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
  const isDueAt: MadeCron['isDueAt'] = (h, m) => minute.has(m) && hour.has(h);
  const isDueOn: MadeCron['isDueOn'] = (date, dayMatch) => {
    if (!month.has(date.month)) return false;
    const isDay = dayOfMonth.has(date.year, date.month, date.day);
    const isWeekday = dayOfWeek.has(date.year, date.month, date.day);
    return isBoth && dayMatch === 'either' ? isDay || isWeekday : isDay && isWeekday;
  };
  return {
    text: second === undefined ? five : `${second.text} ${five}`,
    isFixed: !/[*/]/.test(clockText),
    seconds: second === undefined ? [0] : [...Array(60).keys()].filter(second.has),
    isDueOn,
    isDueAt,
    isDue: (wall, dayMatch) => isDueAt(wall.hour, wall.minute) && isDueOn(wall, dayMatch),
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

/** The offset of a zone in a minute, as the platform's clock shows it; since 1995 none of these zones changes within one. */
const createOffset = (zone: string): ((at: number) => number) => {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    timeZoneName: 'longOffset',
    year: 'numeric',
  });
  const known = new Map<number, number>();
  const ask = (at: number): number => {
    const [, sign, hours = '0', minutes = '0'] = /GMT(?:([+-])(\d+):(\d+))?$/.exec(format.format(at)) ?? [];
    const size = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
    return sign === '-' ? -size : size;
  };
  return (at) => {
    const minute = Math.floor(at / MINUTE_MS);
    const offset = known.get(minute) ?? ask(minute * MINUTE_MS);
    known.set(minute, offset);
    return offset;
  };
};

/** Zones with a change of an hour, half an hour, three hours, over midnight, over a whole date, and without any. */
const POINT_ZONES = [
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Europe/London',
  'Australia/Lord_Howe',
  'America/Nuuk',
  'Africa/Cairo',
  'America/St_Johns',
  'Pacific/Apia',
  'Antarctica/Troll',
  'America/Sao_Paulo',
  'Asia/Kathmandu',
] as const;
const offsets = new Map<string, (at: number) => number>(
  POINT_ZONES.map((zone) => [zone, createOffset(zone)]),
);

/** Further than one leap day is from the next; what is rarer is only known to lie beyond. */
const HORIZON_DAYS = 9 * 366;
const dates = new Map<number, Wall>();
const dateAt = (day: number): Wall => {
  const date = dates.get(day) ?? wallOf(day * DAY_MS);
  dates.set(day, date);
  return date;
};

/** The first second in which the offset is no longer that at `low`. */
const changeBetween = (low: number, high: number, offsetAt: (at: number) => number): number => {
  const before = offsetAt(low);
  let [same, other] = [low, high];
  while (other - same > 1_000) {
    const middle = Math.floor((same + other) / 2_000) * 1_000;
    if (offsetAt(middle) === before) same = middle;
    else other = middle;
  }
  return other;
};

/** The instants at which the rule runs for one due minute, and whether a gap swallowed it, so that its seconds say nothing. */
interface Runs {
  readonly minutes: readonly number[];
  readonly isMadeUp: boolean;
}

const runsOf = (wallMs: number, cron: MadeCron, rule: CronRule, offsetAt: (at: number) => number): Runs => {
  const [low, high] = [wallMs - 26 * HOUR_MS, wallMs + 26 * HOUR_MS];
  const minutes = [...new Set([offsetAt(low), offsetAt(high)])]
    .map((offset) => wallMs - offset)
    .filter((at) => at + offsetAt(at) === wallMs)
    .sort((a, b) => a - b);
  if (!cron.isFixed || minutes.length === 1) return { minutes, isMadeUp: false };
  if (minutes.length === 2) {
    const isRun = (i: number): boolean => rule.repeat === 'both' || (rule.repeat === 'first') === (i === 0);
    return { minutes: minutes.filter((_, i) => isRun(i)), isMadeUp: false };
  }
  const at = changeBetween(low, high, offsetAt);
  const [gapFrom, gapUntil] = [at + offsetAt(low), at + offsetAt(at)];
  const midnight = Math.floor(wallMs / DAY_MS) * DAY_MS;
  const isWholeDate = midnight >= gapFrom && midnight + DAY_MS <= gapUntil;
  return { minutes: rule.gap === 'skip' || isWholeDate ? [] : [at], isMadeUp: true };
};

const minutesOfDay = [...Array(1_440).keys()];

/** The occurrence nearest to `at` on one side. Dates are looked at until no later one could have a nearer occurrence. */
const nearest = (at: number, direction: 1 | -1, cron: MadeCron, rule: CronRule): number | undefined => {
  const offsetAt = offsets.get(rule.zone) ?? (() => Number.NaN);
  const dueMinutes = minutesOfDay.filter((minute) => cron.isDueAt(Math.floor(minute / 60), minute % 60));
  let best: number | undefined;
  const take = (candidate: number): void => {
    if ((candidate - at) * direction <= 0) return;
    if (best === undefined || (candidate - best) * direction < 0) best = candidate;
  };
  const today = Math.floor(at / DAY_MS);
  let more = 3;
  for (let days = -2; days < HORIZON_DAYS && more > 0; days += 1) {
    if (best !== undefined) more -= 1;
    const day = today + direction * days;
    if (!cron.isDueOn(dateAt(day), rule.dayMatch)) continue;
    const midnight = day * DAY_MS;
    // Where no clock changes nearby, the offset of noon is that of the whole date.
    const offset = offsetAt(midnight + DAY_MS / 2);
    const isQuiet = [-2, -1, 1, 2, 3].every((n) => offsetAt(midnight + n * DAY_MS) === offset);
    for (const minute of dueMinutes) {
      const wallMs = midnight + minute * MINUTE_MS;
      const runs = isQuiet
        ? { minutes: [wallMs - offset], isMadeUp: false }
        : runsOf(wallMs, cron, rule, offsetAt);
      for (const run of runs.minutes) {
        // A minute that is wholly on the other side, or farther than what was found, has nothing to offer.
        if ((run + (direction === 1 ? MINUTE_MS : 0) - at) * direction < 0) continue;
        if (best !== undefined && (run + (direction === 1 ? 0 : MINUTE_MS) - best) * direction > 0) continue;
        if (runs.isMadeUp) take(run);
        else for (const second of cron.seconds) take(run + second * 1_000);
      }
    }
  }
  return best;
};

const POINTS = 10_000;

const madePoint = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(...WINDOWS.filter(({ zone }) => offsets.has(zone))),
      fc.integer({ min: -30 * HOUR_MS, max: 30 * HOUR_MS }),
    )
    .map(([{ zone, minutes }, ms]) => ({
      zone,
      at: (minutes[Math.floor(minutes.length / 2)]?.at ?? 0) + ms,
    })),
  fc.record({
    zone: fc.constantFrom(...POINT_ZONES),
    at: fc.integer({ min: Date.UTC(1995, 0, 1), max: Date.UTC(2100, 11, 31) }),
  }),
);

test('next and previous are those of a walk over dates, at 10,000 points in 12 zones, and agree (D5, D6)', {
  timeout: 120_000,
}, () => {
  const context = { hostZone: 'Europe/Berlin' };
  fc.assert(
    fc.property(
      madeCron,
      madePoint,
      fc.constantFrom('either' as const, 'both' as const),
      fc.constantFrom('run_after' as const, 'skip' as const),
      fc.constantFrom('first' as const, 'second' as const, 'both' as const),
      (cron, point, dayMatch, gap, repeat) => {
        const rule: CronRule = {
          kind: 'cron',
          expression: cron.text,
          zone: point.zone,
          dayMatch,
          gap,
          repeat,
        };
        const at = toInstant(point.at);
        const next = nextOccurrence(rule, at, context);
        const previous = previousOccurrence(rule, at, context);
        const known = (found: number | undefined): number | undefined =>
          found !== undefined && Math.abs(found - at) < (HORIZON_DAYS - 4) * DAY_MS ? found : undefined;
        const expected = [nearest(at, 1, cron, rule), nearest(at, -1, cron, rule)].map(known);
        expect([next, previous].map(known)).toEqual(expected);
        if (next === undefined || previous === undefined) return;
        expect(nextOccurrence(rule, toInstant(next - 1), context)).toBe(next);
        expect(previousOccurrence(rule, next, context)).toBe(
          nextOccurrence(rule, previous, context) === at ? at : previous,
        );
      },
    ),
    { numRuns: POINTS },
  );
});

test('leap days are met to 2100 and beyond, which is no leap year', () => {
  const rule: CronRule = {
    kind: 'cron',
    expression: '30 12 29 2 *',
    zone: 'Europe/Berlin',
    dayMatch: 'either',
    gap: 'run_after',
    repeat: 'first',
  };
  const context = { hostZone: 'UTC' };
  const leap = (year: number): number => Date.UTC(year, 1, 29, 11, 30);
  const years = Array.from({ length: 20 }, (_, i) => 2024 + 4 * i).filter((year) => year < 2100);
  const from = toInstant(Date.UTC(2023, 0, 1));
  const until = toInstant(Date.UTC(2104, 11, 31));
  expect(occurrencesBetween(rule, from, until, context)).toEqual([...years, 2104].map(leap));
  expect(countBetween(rule, from, until, context).count).toBe(years.length + 1);
  expect(nextOccurrence(rule, toInstant(leap(2096)), context)).toBe(leap(2104));
  expect(previousOccurrence(rule, toInstant(leap(2104)), context)).toBe(leap(2096));
  // 29 February 2100 does not exist, and its weekday is nobody's either.
  const monday: CronRule = { ...rule, expression: '30 12 29 2 1', dayMatch: 'both' };
  expect(nextOccurrence(monday, toInstant(Date.UTC(2072, 5, 1)), context)).toBe(leap(2112));
});
