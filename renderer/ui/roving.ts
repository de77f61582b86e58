/** A set of buttons that is one stop for the Tab key; arrows, Home and End go from one to the next inside it. */
import { type KeyboardEvent, useState } from 'react';

export type Roving = {
  /** For the element around the buttons. */
  onKeyDown(event: KeyboardEvent<HTMLElement>): void;
  /** Spread over each button; `current` is where the Tab key goes while nothing was focused yet. */
  button(id: string): { tabIndex: number; onFocus(): void; 'data-stop': string };
};

export function useRoving(current: string): Roving {
  const [focused, setFocused] = useState<string | null>(null);
  const stop = focused ?? current;
  return {
    onKeyDown: (event) => {
      const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-stop]')];
      const here = buttons.findIndex((button) => button.contains(document.activeElement));
      const steps: Readonly<Record<string, number>> = {
        ArrowDown: here + 1,
        ArrowUp: here - 1,
        Home: 0,
        End: buttons.length - 1,
      };
      const to = steps[event.key];
      if (here < 0 || to === undefined) return;
      event.preventDefault();
      buttons[Math.max(0, Math.min(buttons.length - 1, to))]?.focus();
    },
    button: (id) => ({ tabIndex: id === stop ? 0 : -1, onFocus: () => setFocused(id), 'data-stop': id }),
  };
}
