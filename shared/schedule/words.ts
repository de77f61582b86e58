/** A schedule in words: one sentence for the editor, a few words for a row of a list. 24-hour clock, English. */
import {
  type AfterJobRule,
  type CronRule,
  type EventRule,
  type IntervalRule,
  LOCAL_ZONE,
  type OnceRule,
  type ScheduleRule,
} from '../model/schedule';
import { assertNever } from '../result';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../time';
import { clockInWords, listedTimes, timesPerDay } from './clockWords';
import { type CronExpression, parseCron } from './cron';
import { clockText, dateText, daysInWords, shortDate, weekdayName } from './dayWords';
import { daysOf } from './matchingDays';
import { neverFires } from './never';
import { type OccurrenceContext, parseLocal } from './occurrences';
import { shortCron } from './shortWords';
import { localMsOf, resolveZone } from './zone';

/** `jobNameOf` names the job that a schedule waits for; without it, it is “another job”. */
export interface SentenceContext extends OccurrenceContext {
  readonly jobNameOf?: (jobId: string) => string | undefined;
}

/** Of the name of another job, a row of a list has room for this much. */
const SHORT_NAME_MAX = 24;

/** A longer sentence helps nobody; the preview shows the times. */
const SENTENCE_LENGTH_MAX = 160;

const UNITS = [
  { ms: DAY_MS, name: 'day' },
  { ms: HOUR_MS, name: 'hour' },
  { ms: MINUTE_MS, name: 'minute' },
  { ms: SECOND_MS, name: 'second' },
] as const;

const amount = (count: number, name: string): string => `${count} ${name}${count === 1 ? '' : 's'}`;

/** `2 hours`, `90 minutes`, `1 day 1 minute`. */
export const spanInWords = (ms: number): string => {
  const whole = UNITS.find((unit) => ms >= unit.ms && ms % unit.ms === 0);
  if (whole !== undefined && ms / whole.ms <= 120) return amount(ms / whole.ms, whole.name);
  const parts: string[] = [];
  let rest = ms;
  for (const unit of UNITS) {
    const count = Math.floor(rest / unit.ms);
    if (count > 0) parts.push(amount(count, unit.name));
    rest -= count * unit.ms;
  }
  if (rest > 0 || parts.length === 0) parts.push(amount(rest, 'millisecond'));
  return parts.join(' ');
};

/** `Tokyo` of `Asia/Tokyo`. */
export const placeOf = (zone: string): string => (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');

const zoneSuffix = (zone: string, context: OccurrenceContext): string => {
  const resolved = resolveZone(zone, context.hostZone);
  if (resolved === resolveZone(LOCAL_ZONE, context.hostZone)) return '';
  return /^(Etc\/|UTC$|GMT$)/.test(resolved) ? `, ${resolved}` : `, ${placeOf(resolved)} time`;
};

/** A four-year span holds every kind of month; the figure is only said to be about right. */
const daysPerMonth = (cron: CronExpression, dayMatch: CronRule['dayMatch']): number => {
  const from = Date.UTC(2025, 0, 1) / DAY_MS;
  const until = Date.UTC(2029, 0, 1) / DAY_MS;
  const days = daysOf(cron, dayMatch).count(from, until);
  return Math.max(1, Math.round(days / (4 * cron.fields.month.values.length)));
};

const cronSentence = (rule: CronRule, context: OccurrenceContext): string => {
  const parsed = parseCron(rule.expression);
  if (!parsed.ok) return rule.expression;
  const cron = parsed.value;
  const reason = neverFires(rule);
  if (reason !== undefined) return `Never: ${reason}`;
  const clock = clockInWords(cron);
  const isListed = listedTimes(cron) !== undefined;
  const isFrequent = !isListed && (cron.fields.hour.values.length === 24 || !clock.startsWith('At '));
  const days = daysInWords(cron, rule.dayMatch, isFrequent);
  const joint = days === '' ? '' : isListed ? ' ' : ', ';
  const suffix = zoneSuffix(rule.zone, context);
  const text = `${clock}${joint}${days}${suffix}`;
  if (text.length <= SENTENCE_LENGTH_MAX) return text;
  const many = timesPerDay(cron).toLocaleString('en-US');
  return `${many} times a day on about ${daysPerMonth(cron, rule.dayMatch)} days a month${suffix}`;
};

const intervalSentence = (rule: IntervalRule, context: OccurrenceContext): string => {
  const span = spanInWords(rule.everyMs);
  if (rule.basis === 'after_end') return `${span} after the last run ended`;
  if (rule.anchorAt === undefined) return everySpan(rule.everyMs);
  const anchor = localMsOf(rule.anchorAt, resolveZone(LOCAL_ZONE, context.hostZone));
  return `${everySpan(rule.everyMs)}, counted from ${dateText(anchor)} ${clockText(anchor)}`;
};

const everySpan = (ms: number): string => {
  const span = spanInWords(ms);
  return span.startsWith('1 ') && !span.slice(2).includes(' ') ? `Every ${span.slice(2)}` : `Every ${span}`;
};

const onceSentence = (rule: OnceRule, context: OccurrenceContext): string => {
  const local = parseLocal(rule.local);
  if (local === undefined) return rule.local;
  const weekday = weekdayName(new Date(local).getUTCDay());
  return `Once, on ${weekday} ${dateText(local)} at ${clockText(local)}${zoneSuffix(rule.zone, context)}`;
};

const EVENT_WORDS: Readonly<Record<EventRule['on'], string>> = {
  start: 'When Belfry starts',
  wake: 'When the laptop wakes up',
  network: 'When the network is back',
};

const AFTER_WORDS: Readonly<Record<AfterJobRule['on'], string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  ended: 'ended',
};

/**
 * The whole schedule in a sentence without a full stop. The zone is named if it is not that of this computer. A rule
 * with a mistake is repeated as it was typed.
 */
export const sentence = (rule: ScheduleRule, context: SentenceContext): string => {
  switch (rule.kind) {
    case 'cron':
      return cronSentence(rule, context);
    case 'interval':
      return intervalSentence(rule, context);
    case 'once':
      return onceSentence(rule, context);
    case 'after_job':
      return `After ${context.jobNameOf?.(rule.jobId) ?? 'another job'} ${AFTER_WORDS[rule.on]}`;
    case 'event':
      return EVENT_WORDS[rule.on];
    default:
      return assertNever(rule);
  }
};

const shortName = (name: string): string =>
  name.length <= SHORT_NAME_MAX ? name : `${name.slice(0, SHORT_NAME_MAX - 1).trimEnd()}…`;

/** The schedule in as few words as a row of a list has room for. The zone is left out. */
export const shortSentence = (
  rule: ScheduleRule,
  { jobNameOf }: Pick<SentenceContext, 'jobNameOf'> = {},
): string => {
  switch (rule.kind) {
    case 'cron': {
      const parsed = parseCron(rule.expression);
      if (!parsed.ok) return rule.expression;
      return neverFires(rule) === undefined ? shortCron(parsed.value, rule.dayMatch) : 'Never';
    }
    case 'interval':
      return rule.basis === 'after_end'
        ? `${spanInWords(rule.everyMs)} after each run`
        : everySpan(rule.everyMs);
    case 'once': {
      const local = parseLocal(rule.local);
      return local === undefined ? rule.local : `Once, ${shortDate(local)} ${clockText(local)}`;
    }
    case 'after_job':
      return `After ${shortName(jobNameOf?.(rule.jobId) ?? 'another job')} ${AFTER_WORDS[rule.on]}`;
    case 'event':
      return EVENT_WORDS[rule.on];
    default:
      return assertNever(rule);
  }
};
