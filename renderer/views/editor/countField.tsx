/** A small whole number in the middle of a phrase. */
import { TextField } from '../../ui/textField';
import { useField } from './fields';

type CountFieldProps = { path: string; label: string; value: string; onChange: (value: string) => void };

export function CountField({ path, label, value, onChange }: CountFieldProps) {
  return (
    <TextField
      {...useField(path)}
      className="field-short"
      label={label}
      isLabelHidden
      inputMode="numeric"
      value={value}
      onChange={onChange}
    />
  );
}
