/**
 * What the policies and dates of a job cannot mean together with its schedules. The schemas of `policies` and `dates` refuse what
 * is wrong in itself; here is what only shows against the calendar. Asked on saving, and by the editor while it is typed.
 */
import { type Dates, everyDay } from '../model/dates';
import type { Policies } from '../model/policies';
import { isCalendarRule, type ScheduleRule } from '../model/schedule';
import { DAY_MS, type Instant } from '../time';
import { firstFreeDay, nextRunnable } from './dates';
import { dateText } from './dayWords';
import { shortestDistance } from './distance';
import { dayNumberAt, dayNumberOf } from './localDays';
import { nextOccurrence, type OccurrenceContext, zoneOfRule } from './occurrences';
import { formMistakes } from './validate';
import { spanInWords } from './words';

/** The parts of a draft that are judged together; `rules` are those of its schedules. */
export interface PolicyDraft {
  readonly policies: Pick<Policies, 'jitterMs' | 'retry'>;
  readonly dates: Dates;
  readonly rules: readonly ScheduleRule[];
}

/** `path` names the field of the draft, `message` says in a sentence what to do about it. */
export interface PolicyMistake {
  readonly path: 'policies.jitterMs' | 'policies.retry.exitCodes' | `dates.${keyof Dates}`;
  readonly message: string;
}

const jitterMistakes = (jitterMs: number, rules: readonly ScheduleRule[]): PolicyMistake[] => {
  const distance = Math.min(...rules.map(shortestDistance), Number.POSITIVE_INFINITY);
  if (jitterMs < distance) return [];
  const message = `Due times of this job are only ${spanInWords(distance)} apart. Use less than that.`;
  return [{ path: 'policies.jitterMs', message }];
};

const retryMistakes = ({ countMax, exitCodes }: Policies['retry']): PolicyMistake[] => {
  if (countMax === 0 || exitCodes === null || exitCodes.some((code) => code !== 0)) return [];
  const message = 'Exit code 0 means that it worked, and is never tried again. Name another.';
  return [{ path: 'policies.retry.exitCodes', message }];
};

const textOf = (date: string): string => dateText(dayNumberOf(date) * DAY_MS);

/** What keeps events from starting the job: they may come at any time, so one free day ahead is enough. */
const eventMistakes = (dates: Dates, today: number): PolicyMistake[] => {
  if (dates.until === null) return [];
  const first = dates.from === null ? today : Math.max(today, dayNumberOf(dates.from));
  if (firstFreeDay(first, dates.excluded) <= dayNumberOf(dates.until)) return [];
  return [{ path: 'dates.excluded', message: `Every day up to ${textOf(dates.until)} is excluded.` }];
};

const nothingDue = (dates: Dates): PolicyMistake => {
  if (dates.until === null)
    return { path: 'dates.from', message: 'Nothing is due from this day on. Choose an earlier one.' };
  const span = dates.from === null ? 'up to this day' : `from ${textOf(dates.from)} to this day`;
  return { path: 'dates.until', message: `Nothing is due ${span}. Choose a later one.` };
};

/**
 * A job whose every schedule would stand still because of its dates. One schedule that is over while another goes on is no
 * mistake, and neither is one that would stand still on any dates.
 */
const dateMistakes = (
  dates: Dates,
  rules: readonly ScheduleRule[],
  now: Instant,
  context: OccurrenceContext,
): PolicyMistake[] => {
  const days = rules.map((rule) => dayNumberAt(now, zoneOfRule(rule, context)));
  const today = Math.min(...days);
  if (dates.until !== null && dayNumberOf(dates.until) < today)
    return [{ path: 'dates.until', message: 'The last day is already past.' }];
  if (!rules.every(isCalendarRule)) return eventMistakes(dates, today);
  const isAlive = rules.some(
    (rule) => nextOccurrence(rule, now, { ...context, dates: everyDay }) !== undefined,
  );
  if (!isAlive || rules.some((rule) => nextRunnable(rule, now, context, dates) !== undefined)) return [];
  const isPlanned = rules.some((rule) => nextOccurrence(rule, now, { ...context, dates }) !== undefined);
  return isPlanned
    ? [{ path: 'dates.excluded', message: 'Every due time that is left lies on an excluded date.' }]
    : [nothingDue(dates)];
};

/**
 * Everything about policies and dates that keeps a job from being saved at `now`, empty if nothing does. Rules with mistakes of
 * their own are left out; `validateSchedule` names those. `createdAt` of the context may be missing for a job that is new.
 */
export const policyMistakes = (
  { policies, dates, rules }: PolicyDraft,
  now: Instant,
  context: OccurrenceContext,
): PolicyMistake[] => {
  const sound = rules.filter((rule) => formMistakes(rule).length === 0);
  const asOfNow = { createdAt: now, ...context };
  return [
    ...jitterMistakes(policies.jitterMs, sound),
    ...retryMistakes(policies.retry),
    ...(sound.length === 0 ? [] : dateMistakes(dates, sound, now, asOfNow)),
  ];
};
