/** The mistakes of an expression that are to be shown now: not while it is typed for the first time. */
import type { CronMistake } from '../../../shared/model/preview';
import { readRule, type ScheduleForm } from '../../store/scheduleForm';
import { useSelected } from '../../store/select';
import { useStores } from '../stores';
import { useAnswer } from './sentence';

const NONE: readonly CronMistake[] = [];

export function useCronMistakes(schedule: ScheduleForm, index: number): readonly CronMistake[] {
  const { editor } = useStores();
  const { answer, lastGood } = useAnswer(schedule);
  const path = `schedules.${index}.rule.expression`;
  const wasLeft = useSelected(editor, (state) => state.isTried || state.left.has(path));
  if (answer === null || answer.valid || readRule(schedule).rule === null) return NONE;
  return wasLeft || lastGood !== null ? answer.mistakes : NONE;
}
