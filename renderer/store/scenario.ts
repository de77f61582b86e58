/**
 * What the user can suppose in the editor, and the spans that it stands for. Only the clock of this laptop is read here; what
 * then happens to a job is the engine's answer.
 */
import { Scenario } from '../../shared/model/whatIf';
import { DAY_MS, type Instant, toInstant } from '../../shared/time';

export const SCENARIOS = ['nothing', 'asleep', 'off', 'battery', 'offline', 'elsewhere'] as const;
export type ScenarioKind = (typeof SCENARIOS)[number];

/** Each kind with the fields of all, so that switching between them loses nothing. Times are `HH:mm`. */
export type ScenarioForm = {
  readonly kind: ScenarioKind;
  readonly from: string;
  readonly until: string;
  /** An IANA name. */
  readonly zone: string;
};

/** How far ahead is looked. */
export const SPAN_MS = 7 * DAY_MS;

export const emptyScenario: ScenarioForm = {
  kind: 'nothing',
  from: '22:10',
  until: '07:30',
  zone: 'Asia/Tokyo',
};

const FRIDAY = 5;
const WEEKEND = { from: '18:00', until: '08:00', days: 3 };

/** The moment of a wall time on this laptop's calendar, `days` after the day of `now`. */
function wallAt(now: Instant, days: number, time: string): number {
  const day = new Date(now);
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days, hour, minute).getTime();
}

type Part = { readonly from: Instant; readonly to: Instant };

/** From `now` on: the past is over. */
const ahead = (now: Instant, from: number, to: number): readonly Part[] =>
  to <= now || from >= now + SPAN_MS
    ? []
    : [{ from: toInstant(Math.max(now, from)), to: toInstant(Math.min(now + SPAN_MS, to)) }];

const days = (first: number): number[] =>
  Array.from({ length: SPAN_MS / DAY_MS + 1 - first }, (_, index) => first + index);

function nights({ from, until }: ScenarioForm, now: Instant): readonly Part[] {
  const isOverMidnight = until <= from;
  return days(-1).flatMap((day) =>
    ahead(now, wallAt(now, day, from), wallAt(now, day + (isOverMidnight ? 1 : 0), until)),
  );
}

const weekends = (now: Instant): readonly Part[] =>
  days(-WEEKEND.days)
    .filter((day) => new Date(wallAt(now, day, '12:00')).getDay() === FRIDAY)
    .flatMap((day) =>
      ahead(now, wallAt(now, day, WEEKEND.from), wallAt(now, day + WEEKEND.days, WEEKEND.until)),
    );

/** What the engine is asked to live through, or null if there is nothing to suppose. */
export function scenarioOf(form: ScenarioForm, now: Instant): Scenario | null {
  const all: Part[] = [{ from: now, to: toInstant(now + SPAN_MS) }];
  const none = Scenario.parse({});
  switch (form.kind) {
    case 'nothing':
      return null;
    case 'asleep':
      if (!/^\d\d:\d\d$/.test(form.from) || !/^\d\d:\d\d$/.test(form.until) || form.from === form.until)
        return null;
      return { ...none, asleep: [...nights(form, now)] };
    case 'off':
      return { ...none, off: [...weekends(now)] };
    case 'battery':
      return { ...none, onBattery: all };
    case 'offline':
      return { ...none, withoutNetwork: all };
    case 'elsewhere':
      return { ...none, travels: [{ at: now, zone: form.zone }] };
  }
}
