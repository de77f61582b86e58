/** Whether a schedule can be saved. The editor asks while the user types, the engine once more on saving. */
import {
  INTERVAL_MS_MAX,
  INTERVAL_MS_MIN,
  LOCAL_ZONE,
  type OnceRule,
  type ScheduleRule,
} from '../model/schedule';
import { assertNever } from '../result';
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from '../time';
import { parseCron } from './cron';
import { monthName } from './dayWords';
import { neverFires } from './never';
import { type OccurrenceContext, onceAt, parseLocal } from './occurrences';
import { isZone } from './zone';

/** `path` names the field of the rule, `message` says in a sentence what to do about it. */
export interface ScheduleMistake {
  readonly path: 'expression' | 'zone' | 'everyMs' | 'local';
  readonly message: string;
}

const zoneMistakes = (zone: string): ScheduleMistake[] =>
  zone === LOCAL_ZONE || isZone(zone)
    ? []
    : [{ path: 'zone', message: `“${zone}” is not a time zone. Choose one such as Europe/Berlin.` }];

/** H-74. The schema has the same limits; a draft is checked before it meets the schema. */
const intervalMistakes = (everyMs: number): ScheduleMistake[] => {
  if (!Number.isFinite(everyMs)) return [{ path: 'everyMs', message: 'Type how long the interval is.' }];
  if (everyMs < INTERVAL_MS_MIN)
    return [{ path: 'everyMs', message: 'An interval must be 1 second or more.' }];
  if (everyMs > INTERVAL_MS_MAX)
    return [{ path: 'everyMs', message: 'An interval must be 365 days or less.' }];
  if (!Number.isInteger(everyMs))
    return [{ path: 'everyMs', message: 'An interval must be whole milliseconds.' }];
  return [];
};

const localMistakes = (rule: OnceRule): ScheduleMistake[] => {
  if (parseLocal(rule.local) !== undefined) return [];
  const date = /^(\d{4})-(\d{2})-(\d{2})T/.exec(rule.local);
  const name = monthName(Number(date?.[2]));
  const day = Number(date?.[3]);
  if (name === '' || !(day > 28 && day <= 31))
    return [{ path: 'local', message: 'Choose a date and a time.' }];
  return [{ path: 'local', message: `${day} ${name} ${date?.[1]} does not exist.` }];
};

/** What keeps a rule from having any meaning: mistakes of form and unknown zones. */
export const formMistakes = (rule: ScheduleRule): ScheduleMistake[] => {
  switch (rule.kind) {
    // Whether the job is there, and not this one by a detour, is checked where all jobs are known.
    case 'after_job':
    case 'event':
      return [];
    case 'cron': {
      const parsed = parseCron(rule.expression);
      const mistakes = parsed.ok ? [] : parsed.error;
      return [
        ...mistakes.map(({ message }) => ({ path: 'expression' as const, message })),
        ...zoneMistakes(rule.zone),
      ];
    }
    case 'interval':
      return intervalMistakes(rule.everyMs);
    case 'once':
      return [...localMistakes(rule), ...zoneMistakes(rule.zone)];
    default:
      return assertNever(rule);
  }
};

const agoInWords = (ms: number): string => {
  if (ms < MINUTE_MS) return 'just now';
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ago`;
  return `${Math.floor(ms / DAY_MS)} days ago`;
};

/**
 * Everything that keeps a schedule from being saved at `now`, empty if nothing does. A once rule in the past is among
 * it; whoever saves a job again whose single run is over decides whether to ask at all.
 */
export const validateSchedule = (
  rule: ScheduleRule,
  now: Instant,
  context: OccurrenceContext,
): ScheduleMistake[] => {
  const mistakes = formMistakes(rule);
  if (mistakes.length > 0) return mistakes;
  const reason = neverFires(rule);
  if (reason !== undefined) return [{ path: 'expression', message: `This never runs. ${reason}` }];
  if (rule.kind !== 'once') return [];
  const late = now - onceAt(rule, context);
  if (late < 0) return [];
  return [{ path: 'local', message: `That was ${agoInWords(late)}. Pick a later time, or use Run now.` }];
};
