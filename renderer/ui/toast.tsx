/** A passing notice with one action. It waits while it is hovered or focused, because time limits must be escapable. */
import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, IconButton } from './button';
import type { Shortcut } from './shortcut';

const SHOWN_MS = 8_000;

type ToastProps = {
  text: string;
  action?: { readonly label: string; readonly shortcut?: Shortcut; readonly onChoose: () => void };
  closeLabel: string;
  regionLabel: string;
  onClose: () => void;
};

export function Toast({ text, action, closeLabel, regionLabel, onClose }: ToastProps) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(onClose, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isHeld, onClose]);
  return (
    <section
      className="toast"
      aria-label={regionLabel}
      data-region="toast"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span className="toast-text">{text}</span>
      {action === undefined ? null : (
        <Button
          isSmall
          variant="quiet"
          onPress={action.onChoose}
          {...(action.shortcut === undefined ? {} : { shortcut: action.shortcut })}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon={X} label={closeLabel} isSmall onPress={onClose} />
    </section>
  );
}
