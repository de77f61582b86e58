/**
 * How fast the calendar is beside croner, whether the two agree on a million random cases, what a year map costs, and how much
 * memory schedules take. croner's own conventions at clock changes are left out where they differ from Belfry's (ADR 5).
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { Cron } from 'croner';
import { quantile } from './figures.mjs';
import { loadSources } from './sources.mjs';

const ZONES = [
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Europe/London',
  'Asia/Tokyo',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
];
const PLAIN = [
  '* * * * *',
  '*/15 * * * *',
  '0 9 * * 1-5',
  '30 2 * * *',
  '0 */6 * * *',
  '0 0 1 * *',
  '15 3 13 * 5',
  '0 0 29 2 *',
];
const SPECIAL = [
  '0 9 L * *',
  '0 9 LW * *',
  '0 9 15W * *',
  '0 9 * * 5#2',
  '0 9 * * 1L',
  '0 9 13,L * 5#2',
  '*/5 9-17 L 2 *',
];
const OWN_CALLS = 400_000;
const CRONER_CALLS = 4_000;
const ROUNDS = 5;
const CASES = 1_000_000;
const POINTS_PER_EXPRESSION = 100;
const FROM = Date.UTC(2020, 0, 1);
const SPAN_MS = 15 * 365 * 86_400_000;

/** A sequence that is the same in every run. */
const createDice = (seed = 1) => {
  let state = seed;
  return (/** @type {number} */ below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

/** @param {string} expression @param {string} zone */
const ruleOf = (expression, zone) => ({
  kind: 'cron',
  expression,
  zone,
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
});

/** @param {string} expression @param {string} zone */
const cronerOf = (expression, zone) =>
  new Cron(expression, { timezone: zone, mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard', paused: true });

const context = { hostZone: 'UTC' };

/**
 * The best of some rounds, because other processes only ever take time away.
 * @param {number} calls
 * @param {(call: number) => unknown} work
 * @returns {number} microseconds a call
 */
const timed = (calls, work) => {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const beganAt = performance.now();
    for (let call = 0; call < calls; call += 1) work(call);
    best = Math.min(best, ((performance.now() - beganAt) * 1_000) / calls);
  }
  return best;
};

/** @param {number} microseconds */
const rate = (microseconds) => Math.round(1e6 / microseconds).toLocaleString('en-US');

/** @param {any} own the calendar @param {string} name @param {readonly string[]} expressions @param {number} goal */
function compareRates(own, name, expressions, goal) {
  const dice = createDice();
  const points = Array.from({ length: 1_000 }, () => FROM + dice(SPAN_MS));
  const pairs = ZONES.flatMap((zone) => expressions.map((expression) => ({ expression, zone })));
  const rules = pairs.map(({ expression, zone }) => ruleOf(expression, zone));
  const patterns = pairs.map(({ expression, zone }) => cronerOf(expression, zone));
  const of = (/** @type {readonly any[]} */ items, /** @type {number} */ call) => items[call % items.length];
  const figures = [
    [
      'next',
      timed(OWN_CALLS, (call) => own.nextOccurrence(of(rules, call), of(points, call), context)),
      timed(CRONER_CALLS, (call) => of(patterns, call).nextRun(new Date(of(points, call)))),
    ],
    [
      'previous',
      timed(OWN_CALLS, (call) => own.previousOccurrence(of(rules, call), of(points, call), context)),
      timed(CRONER_CALLS, (call) => of(patterns, call).previousRuns(1, new Date(of(points, call)))),
    ],
  ];
  for (const [what, ours, theirs] of /** @type {[string, number, number][]} */ (figures)) {
    console.log(
      `${what}, ${name}: ${rate(ours)}/s, croner ${rate(theirs)}/s, ${(theirs / ours).toFixed(1)}x (goal ${goal}x)`,
    );
  }
}

/** The least favourable of the special expressions: warm, and at the first look at a schedule that nobody has asked for. */
function compareSpecial(/** @type {any} */ own) {
  const dice = createDice(2);
  const points = Array.from({ length: 200 }, () => FROM + dice(SPAN_MS));
  let number = 0;
  const ratios = SPECIAL.map((expression) => {
    const pattern = cronerOf(expression, 'Europe/Berlin');
    const rule = ruleOf(expression, 'Europe/Berlin');
    const at = (/** @type {number} */ call) => points[call % points.length] ?? FROM;
    // A time of its own makes each text new to every cache.
    const fresh = () => {
      number += 1;
      const clock = `${number % 60} ${Math.floor(number / 60) % 24}`;
      const months = `1-${6 + (Math.floor(number / 1_440) % 6)}`;
      return expression.replace(/^\S+ \S+/, clock).replace(/ \* (\S+)$/, ` ${months} $1`);
    };
    const warm =
      timed(2_000, (call) => own.nextOccurrence(rule, at(call), context)) /
      timed(200, (call) => pattern.nextRun(new Date(at(call))));
    const first =
      timed(200, (call) => own.nextOccurrence(ruleOf(fresh(), 'Europe/Berlin'), at(call), context)) /
      timed(200, (call) => cronerOf(fresh(), 'Europe/Berlin').nextRun(new Date(at(call))));
    return { expression, warm, first };
  });
  for (const what of /** @type {const} */ (['warm', 'first'])) {
    const worst = ratios.reduce((most, each) => (each[what] > most[what] ? each : most));
    const when = what === 'warm' ? 'again and again' : 'at its first look';
    console.log(
      `next with L, W or #, ${when}: at worst ${worst[what].toFixed(3)} of croner's time, for ${worst.expression} (goal 1.2)`,
    );
  }
}

/** @param {(below: number) => number} dice */
function randomExpression(dice) {
  const pick = (/** @type {readonly string[]} */ items) => items[dice(items.length)] ?? '*';
  const field = (/** @type {number} */ low, /** @type {number} */ high) => {
    const one = low + dice(high - low + 1);
    const other = low + dice(high - low + 1);
    const range = `${Math.min(one, other)}-${Math.max(one, other)}`;
    return pick(['*', `${one}`, `${one},${other}`, range, `${range}/2`, `*/${2 + dice(6)}`]);
  };
  const dayOfMonth = pick(['*', '*', '*', field(1, 31), 'L', 'LW', `${1 + dice(31)}W`, `${1 + dice(28)},L`]);
  const dayOfWeek = pick(['*', '*', '*', field(0, 6), `${dice(7)}#${1 + dice(5)}`, `${dice(7)}L`]);
  return `${field(0, 59)} ${field(0, 23)} ${dayOfMonth} ${pick(['*', '*', field(1, 12)])} ${dayOfWeek}`;
}

/** Next and previous in turn, at random moments of random expressions in the eight zones. */
function compareAnswers(/** @type {any} */ own) {
  const dice = createDice(3);
  /** @type {string[]} */
  const wrong = [];
  for (let cases = 0; cases < CASES; ) {
    const zone = ZONES[dice(ZONES.length)] ?? 'UTC';
    const expression = randomExpression(dice);
    const rule = ruleOf(expression, zone);
    const pattern = cronerOf(expression, zone);
    for (let point = 0; point < POINTS_PER_EXPRESSION; point += 1, cases += 1) {
      const at = FROM + dice(SPAN_MS);
      const isNext = point % 2 === 0;
      const ours = isNext ? own.nextOccurrence(rule, at, context) : own.previousOccurrence(rule, at, context);
      const theirs = isNext ? pattern.nextRun(new Date(at)) : pattern.previousRuns(1, new Date(at))[0];
      if (ours !== theirs?.getTime()) {
        wrong.push(`${isNext ? 'after' : 'before'} ${new Date(at).toISOString()}: ${expression} in ${zone}`);
      }
    }
  }
  console.log(
    `${CASES.toLocaleString('en-US')} random cases beside croner: ${wrong.length} disagreements (goal 0)`,
  );
  for (const text of wrong.slice(0, 10)) console.log(`  ${text}`);
}

function measureCounts(/** @type {any} */ own, /** @type {any} */ counts) {
  const rule = ruleOf('* * * * *', 'Europe/Berlin');
  const [from, until] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)];
  const works = {
    'a year of * * * * * counted': () => own.countBetween(rule, from, until, context),
    'the same by days': () =>
      counts.countsByDay(rule, '2026-01-01', '2026-12-31', { hostZone: 'Europe/Berlin' }),
    'by days elsewhere': () =>
      counts.countsByDay(rule, '2026-01-01', '2026-12-31', { hostZone: 'Asia/Tokyo' }),
    'a week by hours': () => {
      for (let day = 1; day <= 7; day += 1) counts.countsByHour(rule, `2026-03-0${day}`, { hostZone: 'UTC' });
    },
  };
  for (const [name, work] of Object.entries(works)) {
    const took = Array.from({ length: 50 }, () => {
      const beganAt = performance.now();
      work();
      return performance.now() - beganAt;
    });
    console.log(
      `${name}: first ${took[0]?.toFixed(2)} ms, then p50 ${quantile(took.slice(1), 0.5).toFixed(3)} ms (goal 2 ms)`,
    );
  }
}

function measureZones(/** @type {any} */ own) {
  const zones = Intl.supportedValuesOf('timeZone')
    .filter((zone) => !ZONES.includes(zone))
    .slice(0, 60);
  const took = zones.map((zone) => {
    const beganAt = performance.now();
    own.nextOccurrence(ruleOf('30 2 * * *', zone), FROM, context);
    return performance.now() - beganAt;
  });
  console.log(
    `first use of a zone: p50 ${quantile(took, 0.5).toFixed(2)} ms, p95 ${quantile(took, 0.95).toFixed(2)} ms (goal 5 ms)`,
  );
}

export async function benchCalendar() {
  const { occurrences, counts } = await loadSources({
    occurrences: 'shared/schedule/occurrences.ts',
    counts: 'shared/schedule/counts.ts',
  });
  compareRates(occurrences, 'numbers, ranges and steps', PLAIN, 10);
  compareSpecial(occurrences);
  measureZones(occurrences);
  measureCounts(occurrences, counts);
  const memory = path.join(import.meta.dirname, 'calendarMemory.mjs');
  process.stdout.write(execFileSync(process.execPath, [memory], { encoding: 'utf8' }));
  compareAnswers(occurrences);
}
