// Every vector of vectors.json, forwards and backwards, whatever zone the computer is in.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { CronRule } from '../model/schedule';
import { toInstant } from '../time';
import { parseCron } from './cron';
import { nextOccurrence, previousOccurrence } from './occurrences';
import vectors from './vectors.json';

const ruleOf = (expression: string, zone: string): CronRule => ({
  kind: 'cron',
  expression,
  zone,
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
});

const valid = vectors.flatMap((vector) =>
  vector.expectNext === null ? [] : [{ ...vector, next: vector.expectNext }],
);
const refused = vectors.filter((vector) => vector.expectError === true);

type Vector = (typeof valid)[number];
type Calendar = Pick<typeof import('./occurrences'), 'nextOccurrence' | 'previousOccurrence'>;

const here: Calendar = { nextOccurrence, previousOccurrence };

const iso = (instant: number): string => new Date(instant).toISOString();

const checkForwards = (vector: Vector, hostZone: string, calendar: Calendar): void => {
  const rule = ruleOf(vector.expr, vector.tz);
  let at = calendar.nextOccurrence(rule, toInstant(Date.parse(vector.from)), { hostZone });
  const found: string[] = [];
  while (at !== undefined && found.length < 5) {
    found.push(iso(at));
    at = calendar.nextOccurrence(rule, at, { hostZone });
  }
  expect(found, vector.id).toEqual(vector.next);
};

const checkBackwards = (vector: Vector, hostZone: string, calendar: Calendar): void => {
  const rule = ruleOf(vector.expr, vector.tz);
  const found: string[] = [];
  let at = toInstant(Date.parse(vector.next.at(-1) ?? vector.from) + 1);
  for (const _ of vector.next) {
    const previous = calendar.previousOccurrence(rule, at, { hostZone });
    if (previous === undefined) break;
    found.unshift(iso(previous));
    at = previous;
  }
  expect(found, vector.id).toEqual(vector.next);
  const earlier = calendar.previousOccurrence(rule, at, { hostZone });
  expect(earlier === undefined || earlier <= Date.parse(vector.from), vector.id).toBe(true);
};

describe('the vectors', () => {
  test('are all here', () => {
    expect(vectors).toHaveLength(178);
    expect(valid).toHaveLength(149);
    expect(refused).toHaveLength(29);
  });

  test.each(valid)('$id next: $expr in $tz, $note', (vector) =>
    checkForwards(vector, vector.hostTz ?? 'UTC', here),
  );

  test.each(valid)('$id previous: $expr in $tz', (vector) =>
    checkBackwards(vector, vector.hostTz ?? 'UTC', here),
  );

  test.each(refused)('$id is refused: $expr ($note)', (vector) => {
    const parsed = parseCron(vector.expr);
    expect(parsed.ok).toBe(false);
    if (!parsed.ok) expect(parsed.error.length).toBeGreaterThan(0);
  });
});

const HOST_ZONES = [
  'UTC',
  'Australia/Sydney',
  'Europe/London',
  'America/New_York',
  'Australia/Lord_Howe',
  'Pacific/Apia',
];

// The process really moves to the zone, because setting TZ resets the zone of Date and of Intl; the modules are loaded
// anew there, so that no offset learned elsewhere can help.
describe.each(HOST_ZONES)('on a computer in %s', (hostZone) => {
  const before = process.env.TZ;
  let calendar = here;

  beforeAll(async () => {
    process.env.TZ = hostZone;
    vi.resetModules();
    calendar = await import('./occurrences');
  });

  afterAll(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });

  test('the process is there', () => {
    expect(new Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(hostZone);
    const at = new Date(Date.UTC(2026, 0, 1));
    const clock = new Intl.DateTimeFormat('en-US', { timeZone: hostZone, hourCycle: 'h23', hour: 'numeric' });
    expect(at.getHours()).toBe(Number(clock.format(at)));
    expect(calendar.nextOccurrence).not.toBe(nextOccurrence);
  });

  test('all vectors give the same answers (C-026)', () => {
    for (const vector of valid) {
      checkForwards(vector, hostZone, calendar);
      checkBackwards(vector, hostZone, calendar);
    }
  });

  test('a schedule in the local zone gives the answers of that zone', () => {
    const ofHere = valid.filter(({ tz }) => tz === hostZone);
    expect(ofHere.length).toBeGreaterThan(0);
    for (const vector of ofHere) checkForwards({ ...vector, tz: 'local' }, hostZone, calendar);
  });
});
