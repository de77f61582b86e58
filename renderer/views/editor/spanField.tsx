/** A length of time: a number and its unit. */
import { type SpanForm, UNITS } from '../../store/spanForm';
import { Select } from '../../ui/select';
import { TextField } from '../../ui/textField';
import { useField } from './fields';
import { texts } from './texts';

const { units, unitsOfOne } = texts.interval;

type SpanFieldProps = {
  path: string;
  amountLabel: string;
  unitLabel: string;
  value: SpanForm;
  onChange: (value: SpanForm) => void;
};

export function SpanField({ path, amountLabel, unitLabel, value, onChange }: SpanFieldProps) {
  const isOne = value.amount.trim() === '1';
  return (
    <span className="span-field">
      <TextField
        {...useField(path)}
        className="field-short"
        label={amountLabel}
        isLabelHidden
        inputMode="numeric"
        value={value.amount}
        onChange={(amount) => onChange({ ...value, amount })}
      />
      <Select
        label={unitLabel}
        value={value.unit}
        options={UNITS.map((id) => ({ id, label: (isOne ? unitsOfOne : units)[id] }))}
        onChange={(unit) => onChange({ ...value, unit })}
      />
    </span>
  );
}
