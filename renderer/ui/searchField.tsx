/** A field that narrows what is below it. Escape clears it first and leaves it next. */
import type { LucideIcon } from 'lucide-react';
import { X } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import { Button, SearchField as Field, Input } from 'react-aria-components';
import { Icon } from './icon';

type SearchFieldProps = {
  label: string;
  placeholder: string;
  clearLabel: string;
  icon: LucideIcon;
  value: string;
  onChange: (value: string) => void;
  onSubmit?: () => void;
  onLeave?: () => void;
  after?: ReactNode;
  ref?: Ref<HTMLInputElement>;
};

export function SearchField(props: SearchFieldProps) {
  const { value, onChange, onSubmit, onLeave } = props;
  return (
    <Field
      className="search-field"
      aria-label={props.label}
      value={value}
      onChange={onChange}
      {...(onSubmit === undefined ? {} : { onSubmit })}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && value === '') onLeave?.();
        // The kit swallows what it hands to a listener; other keys belong to the window.
        event.continuePropagation();
      }}
    >
      <Icon of={props.icon} size={14} />
      <Input
        className="search-input"
        placeholder={props.placeholder}
        spellCheck={false}
        {...(props.ref === undefined ? {} : { ref: props.ref })}
      />
      {value === '' ? null : (
        <Button className="icon-button icon-button-small" aria-label={props.clearLabel}>
          <Icon of={X} size={14} />
        </Button>
      )}
      {props.after}
    </Field>
  );
}
