/**
 * What to watch out for in a schedule that can be saved, in the order in which the editor shows it. The texts are those
 * of the cron editor; the numbers come from the calendar that will run the job.
 */
import type { ScheduleWarning } from '../model/preview';
import { type CronRule, isCalendarRule, type ScheduleRule } from '../model/schedule';
import { DAY_MS, type Instant, MINUTE_MS } from '../time';
import { timesPerDay } from './clockWords';
import { type CronExpression, parseCron } from './cron';
import type { CronField } from './cronField';
import { firstInGap } from './cronOccurrences';
import { clockText, dateText, monthName, ordinal, shortDate, shortName } from './dayWords';
import { type LocalTimes, localTimesOf } from './localTimes';
import { daysOf } from './matchingDays';
import { neverFires } from './never';
import { nextOccurrence, type OccurrenceContext, parseLocal } from './occurrences';
import { spanInWords } from './words';
import { instantsOf, type LocalMs, localMsOf, offsetsOf, resolveZone, type Stretch } from './zone';

const RARE_MS = 365 * DAY_MS;
const CLOCK_CHANGE_AHEAD_MS = 30 * DAY_MS;
/** The months that have no day of this number; 29 is missing in most years only. */
const MONTHS_WITHOUT: Readonly<Record<number, readonly number[]>> = {
  29: [2],
  30: [2],
  31: [2, 4, 6, 9, 11],
};

const rareWarning = (
  rule: CronRule,
  from: Instant,
  context: OccurrenceContext,
  zone: string,
): ScheduleWarning[] => {
  const next = nextOccurrence(rule, from, context);
  if (next === undefined || next - from <= RARE_MS) return [];
  return [{ code: 'runs_rarely', text: `Runs rarely. The next one is ${dateText(localMsOf(next, zone))}.` }];
};

/** Days of the current month in `zone` on which the expression is due. */
const daysThisMonth = (cron: CronExpression, rule: CronRule, from: Instant, zone: string): string => {
  const date = new Date(localMsOf(from, zone));
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const days = daysOf(cron, rule.dayMatch).count(
    Date.UTC(year, month, 1) / DAY_MS,
    Date.UTC(year, month + 1, 1) / DAY_MS,
  );
  return `${days} ${days === 1 ? 'day' : 'days'} this month.`;
};

const dayRuleWarning = (
  cron: CronExpression,
  rule: CronRule,
  from: Instant,
  zone: string,
): ScheduleWarning[] => {
  if (!cron.areBothDaysRestricted) return [];
  const days = daysThisMonth(cron, rule, from, zone);
  if (rule.dayMatch === 'both') {
    const text = `Runs only when both match. ${days} Other cron tools read this line as “either”.`;
    return [{ code: 'both_rule', text }];
  }
  const { dayOfMonth, dayOfWeek } = cron.fields;
  const starred = [dayOfMonth, dayOfWeek].find((field) => field.text.startsWith('*'));
  if (starred !== undefined) {
    const where = starred === dayOfMonth ? 'day' : 'weekday';
    const text = `“${starred.text}” in the ${where} counts as set. It runs when either matches: ${days} Some other cron tools require both.`;
    return [{ code: 'star_step_day', text }];
  }
  return [
    { code: 'either_rule', text: `Day and weekday are both set. Cron runs when either matches: ${days}` },
  ];
};

const denseText = (every: string, perDay: number): string =>
  `Runs ${every}: ${perDay.toLocaleString('en-US')} times a day.`;

const denseCron = (cron: CronExpression): ScheduleWarning[] => {
  const { values } = cron.fields.second;
  if (values.length < 2) return [];
  const step = 60 / values.length;
  const isEven = values.every((value, i) => value === (values[0] ?? 0) + i * step);
  const every = isEven
    ? `every ${step === 1 ? 'second' : spanInWords(step * 1_000)}`
    : `${values.length} times a minute`;
  return [{ code: 'more_than_once_a_minute', text: denseText(every, timesPerDay(cron)) }];
};

const missingDayWarning = (cron: CronExpression): ScheduleWarning[] => {
  const { dayOfMonth, month } = cron.fields;
  const { values } = dayOfMonth;
  if (dayOfMonth.isEvery || dayOfMonth.hasStep || cron.areBothDaysRestricted) return [];
  // A range that comes from below, such as 25-31, plainly means "to the end of the month".
  const day = values.find((value) => value >= 29 && !values.includes(value - 1));
  const skipped = (MONTHS_WITHOUT[day ?? 0] ?? []).filter((m) => month.values.includes(m));
  if (day === undefined || skipped.length === 0 || month.values.length === 1) return [];
  const names = skipped.map((m) => shortName(monthName(m))).join(', ');
  const text = `Some months have no ${ordinal(day)}. It skips ${names}${day === 29 ? ' in most years' : ''}.`;
  return [{ code: 'missing_days', text }];
};

const unevenStepWarning = (cron: CronExpression): ScheduleWarning[] => {
  const isUneven = (field: CronField): boolean =>
    /^\*\/\d+$/.test(field.text) && (field.name === 'hour' ? 24 : 60) % Number(field.text.slice(2)) !== 0;
  const field = [cron.fields.hour, cron.fields.minute, cron.fields.second].find(isUneven);
  if (field === undefined) return [];
  const last = String(field.values.at(-1)).padStart(2, '0');
  const gap = field.name === 'hour' ? `${last}:00, then 00:00` : `:${last}, then :00`;
  return [{ code: 'uneven_step', text: `${field.text} leaves a short gap: ${gap}.` }];
};

/** `It runs at 03:00 that day.`, or with its own date if the gap ends at midnight. */
const afterGap = (skipped: LocalMs, gapEnd: LocalMs): string => {
  const isSameDay = Math.floor(skipped / DAY_MS) === Math.floor(gapEnd / DAY_MS);
  return `It runs at ${clockText(gapEnd)} ${isSameDay ? 'that day' : `on ${shortDate(gapEnd)}`}.`;
};

const missingTime = (local: LocalMs, then: string): ScheduleWarning => {
  const text = `${clockText(local)} on ${shortDate(local)} does not exist. ${then}`;
  return { code: 'clock_change', text };
};

const repeatedTime = (local: LocalMs, then: string): ScheduleWarning => {
  const text = `${clockText(local)} on ${shortDate(local)} comes twice. ${then}`;
  return { code: 'clock_change', text };
};

const REPEAT_WORDS = {
  first: 'It runs the first time.',
  second: 'It runs the second time.',
  both: 'It runs both times.',
};

const changeAt = (stretch: Stretch, rule: CronRule, times: LocalTimes): ScheduleWarning | undefined => {
  const start = stretch.from + stretch.offsetMs;
  const skipped = firstInGap(times, stretch);
  if (skipped !== undefined)
    return missingTime(skipped, rule.gap === 'skip' ? 'It is skipped that day.' : afterGap(skipped, start));
  const repeated = times.atOrAfter(start);
  return repeated < stretch.isRepeatBelow ? repeatedTime(repeated, REPEAT_WORDS[rule.repeat]) : undefined;
};

/** The first clock change ahead that hits a fixed time. */
const cronChangeWarning = (
  cron: CronExpression,
  rule: CronRule,
  from: Instant,
  zone: string,
): ScheduleWarning[] => {
  const times = localTimesOf(rule.expression, rule.dayMatch);
  if (cron.kind === 'frequent' || times === undefined) return [];
  const { stretchAt } = offsetsOf(zone);
  let at: number = stretchAt(from).until;
  while (at <= from + CLOCK_CHANGE_AHEAD_MS) {
    const stretch = stretchAt(at);
    const warning = changeAt(stretch, rule, times);
    if (warning !== undefined) return [warning];
    at = stretch.until;
  }
  return [];
};

const onceChangeWarning = (local: LocalMs | undefined, zone: string): ScheduleWarning[] => {
  if (local === undefined) return [];
  const found = instantsOf(local, zone);
  if (found.kind === 'none') return [missingTime(local, afterGap(local, localMsOf(found.gapEnd, zone)))];
  return found.kind === 'two' ? [repeatedTime(local, REPEAT_WORDS.first)] : [];
};

/** All warnings about a rule without mistakes of form. `from` is the present. */
export const warningsOf = (
  rule: ScheduleRule,
  from: Instant,
  context: OccurrenceContext,
): ScheduleWarning[] => {
  if (!isCalendarRule(rule)) return [];
  if (rule.kind === 'interval') {
    const every = rule.everyMs === 1_000 ? 'every second' : `every ${spanInWords(rule.everyMs)}`;
    const text = denseText(every, Math.floor(DAY_MS / rule.everyMs));
    return rule.everyMs < MINUTE_MS ? [{ code: 'more_than_once_a_minute', text }] : [];
  }
  const zone = resolveZone(rule.zone, context.hostZone);
  if (rule.kind === 'once') return onceChangeWarning(parseLocal(rule.local), zone);
  const reason = neverFires(rule);
  if (reason !== undefined) {
    return [{ code: 'never_runs', text: `This never runs. ${reason} It cannot be saved like this.` }];
  }
  const parsed = parseCron(rule.expression);
  if (!parsed.ok) return [];
  const cron = parsed.value;
  return [
    ...rareWarning(rule, from, context, zone),
    ...dayRuleWarning(cron, rule, from, zone),
    ...denseCron(cron),
    ...missingDayWarning(cron),
    ...unevenStepWarning(cron),
    ...cronChangeWarning(cron, rule, from, zone),
  ];
};
