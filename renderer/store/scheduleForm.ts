/** One schedule as it stands in the editor, with the fields of every kind, so that switching between kinds loses nothing. */
import {
  type AfterJobRule,
  type CronRule,
  type EventRule,
  LOCAL_ZONE,
  type Schedule,
  type ScheduleId,
  ScheduleRule,
} from '../../shared/model/schedule';
import type { Instant } from '../../shared/time';
import { newKey } from './formKeys';
import { emptySpan, readSpan, type SpanForm, writeSpan } from './spanForm';

export type ScheduleKind = ScheduleRule['kind'];

export type ScheduleForm = {
  /** Tells schedules apart while they have no id yet. */
  readonly key: number;
  readonly id: ScheduleId | null;
  readonly kind: ScheduleKind;
  readonly cron: Omit<CronRule, 'kind'>;
  readonly interval: {
    readonly every: SpanForm;
    readonly basis: 'grid' | 'after_end';
    readonly anchorAt: Instant | null;
  };
  readonly once: { readonly date: string; readonly time: string; readonly zone: string };
  /** `jobId` is empty until a job is chosen. */
  readonly afterJob: Omit<AfterJobRule, 'kind'>;
  readonly event: Omit<EventRule, 'kind'>;
};

export const emptySchedule = (zone: string = LOCAL_ZONE): ScheduleForm => ({
  key: newKey(),
  id: null,
  kind: 'cron',
  cron: { expression: '', zone, dayMatch: 'either', gap: 'run_after', repeat: 'first' },
  interval: { every: emptySpan('15', 'minutes'), basis: 'grid', anchorAt: null },
  once: { date: '', time: '', zone },
  afterJob: { jobId: '', on: 'succeeded' },
  event: { on: 'start' },
});

/** The form of a schedule that exists. */
export function scheduleForm({ id, rule }: Schedule): ScheduleForm {
  const form: ScheduleForm = { ...emptySchedule(), id, kind: rule.kind };
  switch (rule.kind) {
    case 'cron': {
      const { kind: _kind, ...cron } = rule;
      return { ...form, cron };
    }
    case 'interval':
      return {
        ...form,
        interval: {
          every: writeSpan(rule.everyMs),
          basis: rule.basis,
          anchorAt: rule.anchorAt ?? null,
        },
      };
    case 'once': {
      const [date = '', time = ''] = rule.local.split('T');
      return { ...form, once: { date, time, zone: rule.zone } };
    }
    case 'after_job':
      return { ...form, afterJob: { jobId: rule.jobId, on: rule.on } };
    case 'event':
      return { ...form, event: { on: rule.on } };
  }
}

type RuleReading =
  | { readonly rule: ScheduleRule }
  | { readonly rule: null; readonly field: string; readonly text: string };

/** The rule of a schedule, or what keeps it from being one. Whether it makes sense is for the engine to say. */
export function readRule(schedule: ScheduleForm): RuleReading {
  const reading = typedRule(schedule);
  if (reading.rule === null) return reading;
  const checked = ScheduleRule.safeParse(reading.rule);
  if (checked.success) return reading;
  const [issue] = checked.error.issues;
  return { rule: null, field: String(issue?.path[0]), text: issue?.message ?? '' };
}

function typedRule(schedule: ScheduleForm): RuleReading {
  switch (schedule.kind) {
    case 'cron':
      if (schedule.cron.expression.trim() === '') {
        return { rule: null, field: 'expression', text: 'Type a schedule, or pick one from Presets.' };
      }
      return { rule: { kind: 'cron', ...schedule.cron } };
    case 'interval': {
      const { every, basis, anchorAt } = schedule.interval;
      const ms = readSpan(every);
      if (ms === null || ms <= 0) {
        return { rule: null, field: 'everyMs', text: 'Type a whole number, 1 or more.' };
      }
      return {
        rule: { kind: 'interval', everyMs: ms, basis, ...(anchorAt === null ? {} : { anchorAt }) },
      };
    }
    case 'once': {
      const { date, time, zone } = schedule.once;
      if (date === '' || time === '') {
        return { rule: null, field: 'local', text: 'Choose a date and a time.' };
      }
      return { rule: { kind: 'once', local: `${date}T${time}`, zone } };
    }
    case 'after_job':
      return { rule: { kind: 'after_job', ...schedule.afterJob } };
    case 'event':
      return { rule: { kind: 'event', ...schedule.event } };
  }
}
