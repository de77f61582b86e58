/** Buttons. A shortcut is shown in a chip that screen readers skip, and told to them through `aria-keyshortcuts`. */
import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode, Ref } from 'react';
import { Button as PlainButton, ToggleButton } from 'react-aria-components';
import { Icon } from './icon';
import { Kbd } from './kbd';
import { type Shortcut, shortcutForAria } from './shortcut';
import { WithTooltip } from './tooltip';

export type ButtonVariant = 'default' | 'primary' | 'quiet' | 'danger';

type Pressing = {
  onPress?: () => void;
  shortcut?: Shortcut;
  ref?: Ref<HTMLButtonElement>;
};

/** Lays the key hint on the real element, which the kit does not pass through. */
const withKeys = (shortcut: Shortcut | undefined) =>
  shortcut === undefined
    ? {}
    : {
        render: (props: ComponentProps<'button'>) => (
          <button {...props} aria-keyshortcuts={shortcutForAria(shortcut)} />
        ),
      };

type ButtonProps = Pressing & {
  children: ReactNode;
  variant?: ButtonVariant;
  icon?: LucideIcon;
  isSmall?: boolean;
  autoFocus?: boolean;
  label?: string;
};

export function Button({
  children,
  variant = 'default',
  icon,
  isSmall,
  shortcut,
  onPress,
  ref,
  autoFocus,
  label,
}: ButtonProps) {
  return (
    <PlainButton
      className={`button button-${variant}${isSmall ? ' button-small' : ''}`}
      {...withKeys(shortcut)}
      {...(onPress === undefined ? {} : { onPress })}
      {...(ref === undefined ? {} : { ref })}
      {...(autoFocus === undefined ? {} : { autoFocus })}
      {...(label === undefined ? {} : { 'aria-label': label })}
    >
      {icon === undefined ? null : <Icon of={icon} size={14} />}
      {children}
      {shortcut === undefined ? null : <Kbd of={shortcut} />}
    </PlainButton>
  );
}

type IconButtonProps = Pressing & {
  icon: LucideIcon;
  /** The name, also shown as the tooltip. */
  label: string;
  isSmall?: boolean;
};

export function IconButton({ icon, label, isSmall, shortcut, onPress, ref }: IconButtonProps) {
  return (
    <WithTooltip text={label} {...(shortcut === undefined ? {} : { shortcut })}>
      <PlainButton
        className={`icon-button${isSmall ? ' icon-button-small' : ''}`}
        aria-label={label}
        {...withKeys(shortcut)}
        {...(onPress === undefined ? {} : { onPress })}
        {...(ref === undefined ? {} : { ref })}
      >
        <Icon of={icon} size={isSmall ? 14 : 16} />
      </PlainButton>
    </WithTooltip>
  );
}

type IconToggleProps = Omit<IconButtonProps, 'onPress' | 'ref'> & {
  isOn: boolean;
  onChange: (isOn: boolean) => void;
};

/** An icon button that stays pressed. */
export function IconToggle({ icon, label, isSmall, isOn, onChange }: IconToggleProps) {
  return (
    <WithTooltip text={label}>
      <ToggleButton
        className={`icon-button${isSmall ? ' icon-button-small' : ''}`}
        aria-label={label}
        isSelected={isOn}
        onChange={onChange}
      >
        <Icon of={icon} size={isSmall ? 14 : 16} />
      </ToggleButton>
    </WithTooltip>
  );
}
