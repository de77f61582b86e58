/**
 * A job as it stands in the editor: every field as typed, however unfinished, so that nothing is lost while it makes no sense
 * yet. Reading a form gives the draft to send and a sentence for each field that does not fit into one.
 */
import { emptyCommandSettings } from '../../shared/kinds/command';
import type { KindSettings } from '../../shared/kinds/registry';
import { type Job, JobDraft, type JobDraftInput } from '../../shared/model/job';
import { defaultPolicies, type Policies } from '../../shared/model/policies';
import {
  type CronRule,
  LOCAL_ZONE,
  type Schedule,
  type ScheduleId,
  ScheduleRule,
} from '../../shared/model/schedule';
import type { Instant } from '../../shared/time';
import { emptySpan, readSpan, type SpanForm, writeSpan } from './spanForm';

export type ScheduleKind = ScheduleRule['kind'];

/** One schedule with the fields of every kind, so that switching between kinds loses nothing. */
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
};

/** A limit that can be switched off and keeps its value while it is off. */
export type LimitForm = { readonly isOn: boolean; readonly span: SpanForm };

export type JobForm = {
  readonly name: string;
  readonly settings: KindSettings;
  readonly tags: readonly string[];
  /** What stands in the field for tags and was not added yet. It counts as a tag. */
  readonly typedTag: string;
  readonly notes: string;
  readonly isEnabled: boolean;
  readonly schedules: readonly ScheduleForm[];
  /** The schedule that was there before "by hand only", so that changing one's mind loses nothing. */
  readonly aside: ScheduleForm | null;
  readonly catchUp: Policies['catchUp']['mode'];
  readonly lateLimit: LimitForm;
  readonly timeout: LimitForm;
  readonly grace: SpanForm;
  readonly repeatIfInterrupted: boolean;
};

/** Sentences by path, as in `Failure.fields` without the leading `draft.`. */
export type Mistakes = Readonly<Record<string, string>>;

let nextKey = 1;

export const emptySchedule = (zone: string = LOCAL_ZONE): ScheduleForm => ({
  key: nextKey++,
  id: null,
  kind: 'cron',
  cron: { expression: '', zone, dayMatch: 'either', gap: 'run_after', repeat: 'first' },
  interval: { every: emptySpan('15', 'minutes'), basis: 'grid', anchorAt: null },
  once: { date: '', time: '', zone },
});

export const isSameForm = (one: JobForm, other: JobForm): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** Keys that come with a form from outside are not given out again. */
export function reserveKeys({ schedules, aside }: JobForm): void {
  const keys = [...schedules, ...(aside === null ? [] : [aside])].map(({ key }) => key);
  nextKey = Math.max(nextKey, ...keys.map((key) => key + 1));
}

/** The tags, with the one that is being typed. */
export function tagsOf({ tags, typedTag }: Pick<JobForm, 'tags' | 'typedTag'>): readonly string[] {
  const tag = typedTag.replaceAll(',', ' ').trim();
  return tag === '' || tags.includes(tag) ? tags : [...tags, tag];
}

export const emptyForm = (): JobForm => ({
  name: '',
  settings: emptyCommandSettings,
  tags: [],
  typedTag: '',
  notes: '',
  isEnabled: true,
  schedules: [emptySchedule()],
  aside: null,
  ...policyForm(defaultPolicies),
});

const limit = (ms: number | null, whenOff: SpanForm): LimitForm =>
  ms === null ? { isOn: false, span: whenOff } : { isOn: true, span: writeSpan(ms) };

const policyForm = (policies: Policies) => ({
  catchUp: policies.catchUp.mode,
  lateLimit: limit(policies.catchUp.ageMsMax, emptySpan('1', 'hours')),
  timeout: limit(policies.timeoutMs, emptySpan('1', 'hours')),
  grace: writeSpan(policies.graceMs),
  repeatIfInterrupted: policies.repeatIfInterrupted,
});

function scheduleForm({ id, rule }: Schedule): ScheduleForm {
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
  }
}

/** The form of a job that exists. */
export const formOf = (job: Job): JobForm => ({
  name: job.name,
  settings: job.settings,
  tags: job.tags,
  typedTag: '',
  notes: job.notes,
  isEnabled: job.isEnabled,
  schedules: job.schedules.map(scheduleForm),
  aside: null,
  ...policyForm(job.policies),
});

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
  }
}

/** Every tag stands in one field; other paths are those of their fields. */
const fieldOf = (path: readonly PropertyKey[]): string =>
  path[0] === 'tags' ? 'tags' : path.map(String).join('.');

/** The draft a form stands for, or the mistakes that keep it from being one. */
export function readForm(form: JobForm): { readonly draft: JobDraftInput; readonly mistakes: Mistakes } {
  const mistakes: Record<string, string> = {};
  const number = (span: SpanForm, path: string): number => {
    const ms = readSpan(span);
    if (ms === null) mistakes[path] = 'Type a whole number.';
    return ms ?? 0;
  };
  const limited = ({ isOn, span }: LimitForm, path: string): number | null =>
    isOn ? number(span, path) : null;
  const schedules: JobDraftInput['schedules'] = [];
  // Where each schedule of the draft stands in the form: unfinished ones are not in the draft.
  const places: number[] = [];
  for (const [index, schedule] of form.schedules.entries()) {
    const reading = readRule(schedule);
    if (reading.rule === null) mistakes[`schedules.${index}.rule.${reading.field}`] = reading.text;
    else {
      places.push(index);
      schedules.push(schedule.id === null ? { rule: reading.rule } : { id: schedule.id, rule: reading.rule });
    }
  }
  const draft: JobDraftInput = {
    name: form.name,
    settings: form.settings,
    tags: [...tagsOf(form)],
    notes: form.notes,
    isEnabled: form.isEnabled,
    schedules,
    policies: {
      catchUp: { mode: form.catchUp, ageMsMax: limited(form.lateLimit, 'policies.catchUp.ageMsMax') },
      overlap: { mode: 'skip' },
      timeoutMs: limited(form.timeout, 'policies.timeoutMs'),
      graceMs: number(form.grace, 'policies.graceMs'),
      repeatIfInterrupted: form.repeatIfInterrupted,
    },
  };
  const checked = JobDraft.safeParse(draft);
  for (const issue of checked.success ? [] : checked.error.issues) {
    const [first, second, ...others] = issue.path;
    const isSchedule = first === 'schedules' && typeof second === 'number';
    const path = fieldOf(isSchedule ? [first, places[second] ?? 0, ...others] : issue.path);
    mistakes[path] ??= issue.message;
  }
  return { draft, mistakes };
}
