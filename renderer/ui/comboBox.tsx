/** One of a long list, found by typing. What is typed and fits nothing falls back to the choice in force. */
import { ChevronDown, type LucideIcon } from 'lucide-react';
import {
  Button,
  ComboBox as Field,
  FieldError,
  Group,
  Input,
  ListBox,
  ListBoxItem,
  Popover,
  Text,
} from 'react-aria-components';
import { Icon } from './icon';

export type ComboOption = { readonly id: string; readonly label: string; readonly note?: string };

type ComboBoxProps = {
  label: string;
  openLabel: string;
  icon: LucideIcon;
  value: string;
  options: readonly ComboOption[];
  onChange: (id: string) => void;
  error?: string | undefined;
  path?: string;
};

export function ComboBox({ label, openLabel, icon, value, options, onChange, error, path }: ComboBoxProps) {
  return (
    <Field
      className="combo"
      aria-label={label}
      defaultItems={options}
      selectedKey={value}
      menuTrigger="input"
      isInvalid={error !== undefined}
      validationBehavior="aria"
      onSelectionChange={(id) => {
        if (id !== null) onChange(String(id));
      }}
      {...(path === undefined ? {} : { 'data-path': path })}
    >
      <Group className="combo-box">
        <Icon of={icon} size={14} />
        <Input className="combo-input" spellCheck={false} onFocus={(event) => event.currentTarget.select()} />
        <Button className="combo-open" aria-label={openLabel}>
          <Icon of={ChevronDown} size={12} />
        </Button>
      </Group>
      <FieldError className="field-error">{error}</FieldError>
      <Popover className="popover combo-popover" offset={4}>
        <ListBox<ComboOption> className="menu">
          {(option) => (
            <ListBoxItem id={option.id} textValue={option.label} className="menu-item combo-item">
              <Text slot="label">{option.label}</Text>
              {option.note === undefined ? null : (
                <Text slot="description" className="combo-note">
                  {option.note}
                </Text>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Field>
  );
}
