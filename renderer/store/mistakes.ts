/** What keeps the form of the editor from being saved, by field: as the window reads it, and as the engine answered. */
import type { ScheduleRule } from '../../shared/model/schedule';
import type { EditorState, ScheduleAnswer } from './editor';
import { type JobForm, type Mistakes, readForm } from './jobForm';
import { readRule, type ScheduleForm } from './scheduleForm';

type Said = Pick<EditorState, 'form' | 'answers' | 'initial'>;

/** The field of a schedule that a mistake of the whole rule belongs to. */
export const rulePath = (index: number, kind: ScheduleRule['kind']): string =>
  `schedules.${index}.rule.${MAIN_FIELDS[kind]}`;

const MAIN_FIELDS: Readonly<Record<ScheduleRule['kind'], string>> = {
  cron: 'expression',
  interval: 'everyMs',
  once: 'local',
  after_job: 'jobId',
  event: 'on',
};

const ruleText = (schedule: ScheduleForm): string => JSON.stringify(readRule(schedule).rule);

/** What the engine says of the schedule as it stands now; null if it only knows what was typed before. */
export function currentAnswer(schedule: ScheduleForm, said: ScheduleAnswer | undefined) {
  return said !== undefined && JSON.stringify(said.rule) === ruleText(schedule) ? said.answer : null;
}

/** A single moment that was saved once stays savable when it is over. */
const isAsSaved = (schedule: ScheduleForm, initial: JobForm): boolean => {
  const saved = initial.schedules.find(({ id }) => id !== null && id === schedule.id);
  return saved !== undefined && ruleText(saved) === ruleText(schedule);
};

/** Everything that keeps the form from being saved, as far as the window and the engine's previews know. */
export function mistakesOf({ form, answers, initial }: Said): Mistakes {
  const mistakes: Record<string, string> = { ...readForm(form).mistakes };
  for (const [index, schedule] of form.schedules.entries()) {
    const answer = currentAnswer(schedule, answers.get(schedule.key));
    if (answer === null || isAsSaved(schedule, initial)) continue;
    const never = answer.valid
      ? answer.preview.warnings.find(({ code }) => code === 'never_runs')
      : undefined;
    const path =
      answer.valid || answer.field === undefined
        ? rulePath(index, schedule.kind)
        : `schedules.${index}.rule.${answer.field}`;
    if (!answer.valid) mistakes[path] ??= answer.message;
    else if (never !== undefined) mistakes[path] ??= never.text;
  }
  return mistakes;
}

/** The mistakes that are shown now: what the engine refused, and what the fields that were left say. */
export function shownMistakes(state: EditorState): Mistakes {
  const all = mistakesOf(state);
  const shown: Record<string, string> = {};
  for (const [path, text] of Object.entries(all)) {
    if (state.isTried || state.left.has(path)) shown[path] = text;
  }
  return { ...shown, ...state.refused };
}

/** How many things there are to fix: an expression can have several. */
export function countMistakes({ form, answers }: Pick<Said, 'form' | 'answers'>, mistakes: Mistakes): number {
  let count = 0;
  for (const path of Object.keys(mistakes)) {
    const index = /^schedules\.(\d+)\.rule\.expression$/.exec(path)?.[1];
    const schedule = index === undefined ? undefined : form.schedules[Number(index)];
    const answer = schedule === undefined ? null : currentAnswer(schedule, answers.get(schedule.key));
    count += answer?.valid === false ? Math.max(1, answer.mistakes.length) : 1;
  }
  return count;
}

/** The engine names fields of the draft; the form has the same names, with the rule of a schedule one level deeper. */
export const formPaths = (fields: Readonly<Record<string, string>> = {}): Mistakes =>
  Object.fromEntries(
    Object.entries(fields).map(([path, text]) => [
      path
        .replace(/^draft\./, '')
        .replace(/^schedules\.(\d+)\.(expression|zone|everyMs|local|jobId|on)$/, 'schedules.$1.rule.$2'),
      text,
    ]),
  );
