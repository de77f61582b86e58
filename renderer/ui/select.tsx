/** One of a list, behind a button that shows the choice. */
import { Check, ChevronDown } from 'lucide-react';
import {
  Button,
  Select as Field,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
} from 'react-aria-components';
import { Icon } from './icon';
import type { Option } from './segmented';

type SelectProps<Id extends string> = {
  label: string;
  value: Id;
  options: readonly Option<Id>[];
  onChange: (id: Id) => void;
  /** `bar`: borderless with the label inside, for toolbars. `field`: with an edge, the label is only its name. */
  look?: 'bar' | 'field';
};

export function Select<Id extends string>({
  label,
  value,
  options,
  onChange,
  look = 'field',
}: SelectProps<Id>) {
  const isBar = look === 'bar';
  return (
    <Field
      className="select"
      value={value}
      onChange={(id) => onChange(id as Id)}
      {...(isBar ? {} : { 'aria-label': label })}
    >
      {isBar ? <Label className="select-label">{label}</Label> : null}
      <Button className={isBar ? 'select-button' : 'select-button select-field'}>
        <SelectValue className="select-value">{({ selectedText }) => selectedText}</SelectValue>
        <Icon of={ChevronDown} size={12} />
      </Button>
      <Popover className="popover" placement="bottom end" offset={4}>
        <ListBox className="menu" items={options.map((option) => ({ ...option }))}>
          {(option) => (
            <ListBoxItem id={option.id} textValue={option.label} className="menu-item">
              {({ isSelected }) => (
                <>
                  <span className="menu-icon">{isSelected ? <Icon of={Check} size={14} /> : null}</span>
                  <span>{option.label}</span>
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Field>
  );
}
