/** One of a long list, found by typing. What is typed and fits nothing falls back to the choice in force. */
import { ChevronDown, type LucideIcon } from 'lucide-react';
import { useRef } from 'react';
import {
  Button,
  ComboBox as Field,
  FieldError,
  Group,
  Input,
  ListBox,
  ListBoxItem,
  ListLayout,
  Popover,
  Text,
  Virtualizer,
} from 'react-aria-components';
import { Icon } from './icon';

/** Only the options in view are in the page; one with a note is measured. */
const ROW_HEIGHT = 28;

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
  placeholder?: string;
  /** `field`: with an edge all the time. */
  look?: 'bar' | 'field';
};

export function ComboBox(props: ComboBoxProps) {
  const { label, openLabel, icon, value, options, onChange, error, path, placeholder, look = 'bar' } = props;
  const isOpen = useRef(false);
  const wasOpen = useRef(false);
  return (
    // The kit closes the list with Escape and lets the key go on; whoever closes a list does not mean to leave as well.
    // biome-ignore lint/a11y/noStaticElementInteractions: it only watches what the field inside does
    <div
      className="combo-frame"
      onKeyDownCapture={() => {
        wasOpen.current = isOpen.current;
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && wasOpen.current) event.preventDefault();
      }}
    >
      <Field
        className="combo"
        aria-label={label}
        defaultItems={options}
        selectedKey={value}
        menuTrigger="input"
        onOpenChange={(isNowOpen) => {
          isOpen.current = isNowOpen;
        }}
        isInvalid={error !== undefined}
        validationBehavior="aria"
        onSelectionChange={(id) => {
          if (id !== null) onChange(String(id));
        }}
        {...(path === undefined ? {} : { 'data-path': path })}
      >
        <Group className={look === 'bar' ? 'combo-box' : 'combo-box combo-field'}>
          <Icon of={icon} size={14} />
          <Input
            className="combo-input"
            spellCheck={false}
            {...(placeholder === undefined ? {} : { placeholder })}
            onFocus={(event) => event.currentTarget.select()}
          />
          <Button className="combo-open" aria-label={openLabel}>
            <Icon of={ChevronDown} size={12} />
          </Button>
        </Group>
        <FieldError className="field-error">{error}</FieldError>
        <Popover className="popover combo-popover" offset={4}>
          <Virtualizer layout={ListLayout} layoutOptions={{ estimatedRowHeight: ROW_HEIGHT, padding: 4 }}>
            <ListBox<ComboOption> className="menu combo-list">
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
          </Virtualizer>
        </Popover>
      </Field>
    </div>
  );
}
