/**
 * A job as it stands in the editor: every field as typed, however unfinished, so that nothing is lost while it makes no sense
 * yet. Reading a form gives the draft to send and a sentence for each field that does not fit into one.
 */
import { emptyCommandSettings } from '../../shared/kinds/command';
import type { KindSettings } from '../../shared/kinds/registry';
import { type Job, JobDraft, type JobDraftInput } from '../../shared/model/job';
import { defaultPolicies } from '../../shared/model/policies';
import {
  type ConditionForm,
  conditionForm,
  type DatesForm,
  datesForm,
  emptyDates,
  readCondition,
  readDates,
} from './conditionForm';
import { reserveKeys } from './formKeys';
import { createNumberReader } from './numberForm';
import { type PolicyForm, policyForm, readPolicies } from './policyForm';
import { emptySchedule, readRule, type ScheduleForm, scheduleForm } from './scheduleForm';

export type JobForm = PolicyForm & {
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
  readonly dates: DatesForm;
  readonly conditions: readonly ConditionForm[];
};

/** Sentences by path, as in `Failure.fields` without the leading `draft.`. */
export type Mistakes = Readonly<Record<string, string>>;

export const isSameForm = (one: JobForm, other: JobForm): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** Keys that come with a form from outside are not given out again. */
export function reserveKeysOf({ schedules, aside, conditions, dates }: JobForm): void {
  const rows = [...schedules, ...(aside === null ? [] : [aside]), ...conditions, ...dates.excluded];
  reserveKeys(rows.map(({ key }) => key));
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
  dates: emptyDates(),
  conditions: [],
  ...policyForm(defaultPolicies),
});

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
  dates: datesForm(job.dates),
  conditions: job.conditions.map(conditionForm),
  ...policyForm(job.policies),
});

/** Lists that stand in one field: the mistake of an item is that field's. */
const LIST_FIELDS = ['tags', 'policies.retry.exitCodes'];

const fieldOf = (path: readonly PropertyKey[]): string => {
  const whole = path.map(String).join('.');
  return LIST_FIELDS.find((field) => whole.startsWith(`${field}.`)) ?? whole;
};

/** The draft a form stands for, or the mistakes that keep it from being one. */
export function readForm(form: JobForm): { readonly draft: JobDraftInput; readonly mistakes: Mistakes } {
  const mistakes: Record<string, string> = {};
  const read = createNumberReader(mistakes);
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
    dates: readDates(form.dates),
    conditions: form.conditions.map((one, index) => readCondition(one, read, `conditions.${index}`)),
    policies: readPolicies(form, read, mistakes),
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
