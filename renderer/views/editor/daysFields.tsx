/** On which days the job runs at all. Folded away until somebody asks for it, because most jobs run on every day. */
import { CalendarX, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { EXCLUDED_MAX } from '../../../shared/model/dates';
import { type DatesForm, type ExcludedForm, emptyExcluded } from '../../store/conditionForm';
import { Button, IconButton } from '../../ui/button';
import { TextField } from '../../ui/textField';
import { useField, useForm, useFormChange, useMistakes } from './fields';
import { texts } from './policyTexts';

const words = texts.days;

const isPlain = ({ from, until, excluded }: DatesForm): boolean =>
  from === '' && until === '' && excluded.length === 0;

export function DaysFields() {
  const dates = useForm((form) => form.dates);
  const mistakes = useMistakes();
  const [isAsked, setAsked] = useState(false);
  const hasMistake = Object.keys(mistakes).some((path) => path.startsWith('dates'));
  if (isPlain(dates) && !isAsked && !hasMistake) {
    return (
      <div>
        <Button isSmall variant="quiet" icon={CalendarX} onPress={() => setAsked(true)}>
          {words.limit}
        </Button>
      </div>
    );
  }
  return <OpenDays dates={dates} />;
}

function OpenDays({ dates }: { dates: DatesForm }) {
  const change = useFormChange();
  const set = (path: string, part: Partial<DatesForm>): void =>
    change(`dates.${path}`, { dates: { ...dates, ...part } });
  const { excluded } = dates;
  const setRange = (index: number, part: Partial<ExcludedForm>, path: string): void =>
    set(`excluded.${index}.${path}`, {
      excluded: excluded.map((range, at) => (at === index ? { ...range, ...part } : range)),
    });
  return (
    <fieldset className="days">
      <legend className="field-label">{words.title}</legend>
      <div className="days-ends">
        <DateField
          path="dates.from"
          label={words.from}
          help={words.fromHelp}
          value={dates.from}
          onChange={(from) => set('from', { from })}
        />
        <DateField
          path="dates.until"
          label={words.until}
          help={words.untilHelp}
          value={dates.until}
          onChange={(until) => set('until', { until })}
        />
      </div>
      {excluded.length === 0 ? null : <span className="field-label">{words.excluded}</span>}
      {excluded.map((range, index) => (
        <div key={range.key} className="days-range">
          <DateField
            path={`dates.excluded.${index}.from`}
            label={words.rangeFrom(index + 1)}
            isLabelHidden
            value={range.from}
            onChange={(from) => setRange(index, { from }, 'from')}
          />
          <span>{words.to}</span>
          <DateField
            path={`dates.excluded.${index}.until`}
            label={words.rangeUntil(index + 1)}
            isLabelHidden
            value={range.until}
            onChange={(until) => setRange(index, { until }, 'until')}
          />
          <IconButton
            icon={X}
            isSmall
            label={words.remove(index + 1)}
            onPress={() => set('excluded', { excluded: excluded.filter((_, at) => at !== index) })}
          />
        </div>
      ))}
      <div className="field-foot">
        {excluded.length < EXCLUDED_MAX ? (
          <Button
            isSmall
            icon={Plus}
            onPress={() => set('excluded', { excluded: [...excluded, emptyExcluded()] })}
          >
            {words.add}
          </Button>
        ) : null}
        <span className="field-help">{words.help}</span>
      </div>
    </fieldset>
  );
}

type DateFieldProps = {
  path: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  help?: string;
  isLabelHidden?: boolean;
};

function DateField({ path, label, value, onChange, help, isLabelHidden = false }: DateFieldProps) {
  return (
    <TextField
      {...useField(path)}
      className="field-date"
      label={label}
      isLabelHidden={isLabelHidden}
      type="date"
      value={value}
      onChange={onChange}
      help={help}
    />
  );
}
