/** Menus: behind a button, and at a place for the context menu. Items with a shortcut show it. */
import type { LucideIcon } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import {
  Button,
  Menu as Items,
  MenuItem,
  MenuTrigger,
  Popover,
  Separator,
  Text,
} from 'react-aria-components';
import { Icon } from './icon';
import { Kbd } from './kbd';
import type { Shortcut } from './shortcut';
import { WithTooltip } from './tooltip';

export type MenuEntry =
  | 'separator'
  | {
      readonly id: string;
      readonly label: string;
      readonly icon?: LucideIcon;
      readonly shortcut?: Shortcut;
      readonly isDanger?: boolean;
      readonly onChoose: () => void;
    };

function Entries({ label, entries }: { label: string; entries: readonly MenuEntry[] }) {
  return (
    <Items className="menu" aria-label={label}>
      {entries.map((entry, index) =>
        entry === 'separator' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: separators have no identity but their place
          <Separator key={`separator ${index}`} className="menu-separator" />
        ) : (
          <MenuItem
            key={entry.id}
            id={entry.id}
            textValue={entry.label}
            className={`menu-item${entry.isDanger ? ' menu-item-danger' : ''}`}
            onAction={entry.onChoose}
          >
            <span className="menu-icon">
              {entry.icon === undefined ? null : <Icon of={entry.icon} size={14} />}
            </span>
            <Text slot="label">{entry.label}</Text>
            {entry.shortcut === undefined ? null : <Kbd of={entry.shortcut} />}
          </MenuItem>
        ),
      )}
    </Items>
  );
}

type MenuButtonProps = {
  label: string;
  icon: LucideIcon;
  entries: readonly MenuEntry[];
  /** The right half of a split button. */
  isNarrow?: boolean;
  isSmall?: boolean;
};

/** An icon button that opens a menu. */
export function IconMenu({ label, icon, entries, isNarrow = false, isSmall = false }: MenuButtonProps) {
  const shape = `${isNarrow ? ' icon-button-narrow' : ''}${isSmall ? ' icon-button-small' : ''}`;
  return (
    <MenuTrigger>
      <WithTooltip text={label}>
        <Button className={`icon-button${shape}`} aria-label={label}>
          <Icon of={icon} size={isNarrow ? 12 : isSmall ? 14 : 16} />
        </Button>
      </WithTooltip>
      <Popover className="popover" placement="bottom end" offset={4}>
        <Entries label={label} entries={entries} />
      </Popover>
    </MenuTrigger>
  );
}

type TextMenuProps = {
  children: ReactNode;
  label: string;
  entries: readonly MenuEntry[];
  /** `button`: with the edge of a small button. */
  look?: 'quiet' | 'button';
};

/** A text button that opens a menu. */
export function TextMenu({ children, label, entries, look = 'quiet' }: TextMenuProps) {
  return (
    <MenuTrigger>
      <Button className={look === 'quiet' ? 'select-button' : 'button button-default button-small'}>
        {children}
      </Button>
      <Popover className="popover" placement="bottom end" offset={4}>
        <Entries label={label} entries={entries} />
      </Popover>
    </MenuTrigger>
  );
}

export type Place = { readonly x: number; readonly y: number };

type ContextMenuProps = {
  label: string;
  at: Place | null;
  entries: readonly MenuEntry[];
  onClose: () => void;
};

/** A menu at a place of the window, for a right click or the menu key. */
export function ContextMenu({ label, at, entries, onClose }: ContextMenuProps) {
  const anchor = useRef<HTMLSpanElement>(null);
  return (
    <>
      <span ref={anchor} className="anchor" style={{ left: at?.x ?? 0, top: at?.y ?? 0 }} />
      <Popover
        className="popover"
        triggerRef={anchor}
        placement="bottom start"
        offset={2}
        isOpen={at !== null}
        onOpenChange={(isOpen) => {
          if (!isOpen) onClose();
        }}
      >
        <Entries label={label} entries={entries} />
      </Popover>
    </>
  );
}
