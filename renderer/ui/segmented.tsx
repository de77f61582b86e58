/** One of a few choices in a row: a radio group, so arrows move and select. */
import { RadioButton, RadioField, RadioGroup } from 'react-aria-components';

export type Option<Id extends string> = { readonly id: Id; readonly label: string };
/** `note`: one sentence of what the choice means. */
type NotedOption<Id extends string> = Option<Id> & { readonly note?: string };

type SegmentedProps<Id extends string> = {
  label: string;
  value: Id;
  options: readonly Option<Id>[];
  onChange: (id: Id) => void;
};

export function Segmented<Id extends string>({ label, value, options, onChange }: SegmentedProps<Id>) {
  return (
    <RadioGroup
      className="segmented"
      aria-label={label}
      orientation="horizontal"
      value={value}
      onChange={(id) => onChange(id as Id)}
    >
      {options.map((option) => (
        <RadioField key={option.id} className="segment-field" value={option.id}>
          <RadioButton className="segment">{option.label}</RadioButton>
        </RadioField>
      ))}
    </RadioGroup>
  );
}

type RadioListProps<Id extends string> = Omit<SegmentedProps<Id>, 'options'> & {
  options: readonly NotedOption<Id>[];
};

/** The same choice written out below each other, with a dot before each. */
export function RadioList<Id extends string>({ label, value, options, onChange }: RadioListProps<Id>) {
  return (
    <RadioGroup className="radio-list" aria-label={label} value={value} onChange={(id) => onChange(id as Id)}>
      {options.map((option) => (
        <RadioField key={option.id} className="radio-field" value={option.id}>
          <RadioButton className="radio">
            <span className="radio-dot" />
            <span>
              {option.label}
              {option.note === undefined ? null : <span className="radio-note"> {option.note}</span>}
            </span>
          </RadioButton>
        </RadioField>
      ))}
    </RadioGroup>
  );
}
