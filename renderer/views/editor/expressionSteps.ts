/**
 * Changes that a button makes to an expression: each is one step that the undo key takes back, and the focus goes to the
 * text that was changed, since the button may be gone. What is typed is undone by the field itself.
 */
import { type RefObject, useEffect, useRef } from 'react';
import { hasMod, isTyping } from '../../ui/shortcut';

type Step = { readonly from: string; readonly to: string };

type Steps = {
  /** Holds the fields of the expression. */
  readonly area: RefObject<HTMLDivElement | null>;
  readonly rewrite: (expression: string) => void;
};

export function useExpressionSteps(expression: string, write: (expression: string) => void): Steps {
  const area = useRef<HTMLDivElement>(null);
  const steps = useRef<Step[]>([]);
  const focusLine = (): void =>
    // A menu gives the focus back to its button first.
    void requestAnimationFrame(() => area.current?.querySelector<HTMLElement>('.expression input')?.focus());
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (!hasMod(event) || event.shiftKey || event.key.toLowerCase() !== 'z') return;
      const isElsewhere = isTyping(event.target) && !area.current?.contains(event.target as Node);
      const last = steps.current.at(-1);
      if (isElsewhere || last === undefined || last.to !== expression) return;
      event.preventDefault();
      steps.current.pop();
      write(last.from);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  });
  return {
    area,
    rewrite: (to) => {
      if (to !== expression) {
        steps.current.push({ from: expression, to });
        write(to);
      }
      focusLine();
    },
  };
}
