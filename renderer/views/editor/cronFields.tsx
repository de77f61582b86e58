/**
 * A cron expression: its sentence, a box for each field, the whole line in the colours of the fields, and its mistakes at
 * their columns with the rewrite that one button applies. Every one of them reads and writes the same text.
 */
import { ChevronDown } from 'lucide-react';
import type { CronMistake } from '../../../shared/model/preview';
import { readRule, type ScheduleForm } from '../../store/scheduleForm';
import { Button } from '../../ui/button';
import { Icon } from '../../ui/icon';
import { TextMenu } from '../../ui/menu';
import { Select } from '../../ui/select';
import { TextField } from '../../ui/textField';
import { CronBoxes } from './cronBoxes';
import { useCronMistakes } from './cronMistakes';
import { CrontabOffer } from './crontabOffer';
import { hasFixedTime, runsOf, tokensOf } from './expression';
import { useExpressionSteps } from './expressionSteps';
import { useField } from './fields';
import { Sentence, Warnings } from './sentence';
import { texts } from './texts';
import type { ScheduleProps } from './whenSection';

const words = texts.cron;

export function CronFields({ schedule, index, change }: ScheduleProps) {
  const { cron } = schedule;
  const set = (field: string, part: Partial<ScheduleForm['cron']>): void =>
    change(`rule.${field}`, { cron: { ...cron, ...part } });
  const write = (expression: string): void => set('expression', { expression });
  const path = `schedules.${index}.rule.expression`;
  const { area, rewrite } = useExpressionSteps(cron.expression, write);
  const mistakes = useCronMistakes(schedule, index);
  const hasMistakes = mistakes.length > 0;
  return (
    <div className="cron-fields" ref={area}>
      <Sentence schedule={schedule} hasMistake={hasMistakes} />
      <CronBoxes
        expression={cron.expression}
        mistakes={mistakes}
        onChange={write}
        onWhole={rewrite}
        path={path}
      />
      <Warnings
        schedule={schedule}
        onDayMatch={(dayMatch) => {
          set('dayMatch', { dayMatch });
          rewrite(cron.expression);
        }}
      />
      <ExpressionLine
        schedule={schedule}
        index={index}
        mistakes={mistakes}
        onChange={write}
        onRewrite={rewrite}
      />
      <CrontabOffer expression={cron.expression} onSchedule={rewrite} />
      {hasMistakes ? <MistakeList schedule={schedule} mistakes={mistakes} onFix={rewrite} /> : null}
      <p className="field-help">{words.help}</p>
      {readRule(schedule).rule !== null && hasFixedTime(cron.expression) ? (
        <ClockChange schedule={schedule} set={set} />
      ) : null}
    </div>
  );
}

type LineProps = {
  schedule: ScheduleForm;
  index: number;
  mistakes: readonly CronMistake[];
  onChange: (expression: string) => void;
  onRewrite: (expression: string) => void;
};

function ExpressionLine({ schedule, index, mistakes, onChange, onRewrite }: LineProps) {
  const { expression } = schedule.cron;
  const field = useField(`schedules.${index}.rule.expression`);
  const isListed = mistakes.length > 0 && field.error !== undefined;
  return (
    <TextField
      {...field}
      className="expression"
      label={words.expression}
      isMono
      value={expression}
      onChange={onChange}
      placeholder={words.placeholder}
      // The list below says what is wrong and how to mend it; here it would be said twice.
      error={isListed ? mistakes[0]?.message : field.error}
      backdrop={runsOf(expression, mistakes).map((run) => (
        <span
          key={run.start}
          className={`${run.box === null ? '' : `hue-${run.box}`}${run.isWrong ? ' is-wrong' : ''}`}
        >
          {run.text}
        </span>
      ))}
      aside={
        <TextMenu
          label={words.presets}
          entries={texts.presets.map((preset) => ({
            id: preset.expression,
            label: preset.label,
            onChoose: () => onRewrite(preset.expression),
          }))}
        >
          {words.presets}
          <Icon of={ChevronDown} size={12} />
        </TextMenu>
      }
    />
  );
}

type MistakeListProps = {
  schedule: ScheduleForm;
  mistakes: readonly CronMistake[];
  onFix: (expression: string) => void;
};

/** The piece of the text that a mistake stands in. */
const pieceOf = (expression: string, mistake: CronMistake): string =>
  tokensOf(expression).find(
    ({ start, text }) => mistake.start >= start && mistake.start <= start + text.length,
  )?.text ?? '';

function MistakeList({ schedule, mistakes, onFix }: MistakeListProps) {
  const { expression } = schedule.cron;
  return (
    <ul className="mistakes" aria-label={words.mistakes}>
      {mistakes.map((mistake) => {
        const { field, fix } = mistake;
        const name = field === 'expression' ? words.whole : words.names[field];
        return (
          <li key={`${mistake.start} ${mistake.message}`} className="mistake">
            <span className="mistake-field">{name}</span>
            <span className={`mono hue-${field}`}>{pieceOf(expression, mistake)}</span>
            <span className="tone-fail">
              {mistake.message}{' '}
              {fix === undefined ? null : (
                <Button isSmall onPress={() => onFix(fix.replacement)}>
                  {fix.label}
                </Button>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

type ClockProps = {
  schedule: ScheduleForm;
  set: (field: string, part: Partial<ScheduleForm['cron']>) => void;
};

/** What happens on the two days a year when a fixed time does not exist, or comes twice. */
function ClockChange({ schedule, set }: ClockProps) {
  const { gap, repeat } = schedule.cron;
  return (
    <fieldset className="choices">
      <legend className="field-label">{words.clocks}</legend>
      <span>{words.gap}</span>
      <Select
        label={words.gap}
        value={gap}
        options={[
          { id: 'run_after', label: words.gaps.run_after },
          { id: 'skip', label: words.gaps.skip },
        ]}
        onChange={(value) => set('gap', { gap: value })}
      />
      <span>{words.repeat}</span>
      <Select
        label={words.repeat}
        value={repeat}
        options={[
          { id: 'first', label: words.repeats.first },
          { id: 'second', label: words.repeats.second },
          { id: 'both', label: words.repeats.both },
        ]}
        onChange={(value) => set('repeat', { repeat: value })}
      />
    </fieldset>
  );
}
