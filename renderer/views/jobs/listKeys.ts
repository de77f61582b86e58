/**
 * Keys of the list. A letter that is an action acts and never begins a name; any other letter begins one, and so does each
 * letter with Shift. Half a second long every further letter belongs to that name, actions included: `b a` jumps to
 * “Backup” although neither is bound, and the `k` of “back” does not move. A held key moves on but acts only once.
 */
import type { KeyboardEvent } from 'react';
import type { JobRow } from '../../../shared/model/job';
import { hasMod, isTyping } from '../../ui/shortcut';
import { createTypeAhead } from './typeAhead';

export type ListCommand =
  | 'open'
  | 'run'
  | 'stop'
  | 'edit'
  | 'toggle'
  | 'remove'
  | 'duplicate'
  | 'new'
  | 'filter'
  | 'menu';

export type ListKeyHandlers = {
  readonly rows: readonly JobRow[];
  readonly index: number;
  /** Rows in a page. */
  readonly pageRows: number;
  readonly now: () => number;
  move(index: number): void;
  command(name: ListCommand): void;
};

const LETTERS: Readonly<Record<string, ListCommand>> = {
  r: 'run',
  s: 'stop',
  e: 'edit',
  p: 'toggle',
  n: 'new',
  '/': 'filter',
};

const NAMED: Readonly<Record<string, ListCommand>> = {
  Enter: 'open',
  Delete: 'remove',
  Backspace: 'remove',
  ContextMenu: 'menu',
};

/** Where a movement key leads from `index`, or null if the key moves nothing. */
export function target(key: string, index: number, count: number, pageRows: number): number | null {
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return Math.min(count - 1, index + 1);
    case 'ArrowUp':
    case 'k':
      return Math.max(0, index - 1);
    case 'PageDown':
      return Math.min(count - 1, index + pageRows);
    case 'PageUp':
      return Math.max(0, index - pageRows);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}

function commandOf(event: KeyboardEvent): ListCommand | null {
  if (hasMod(event) && event.key.toLowerCase() === 'd') return 'duplicate';
  if (hasMod(event) && event.key === 'Enter') return 'run';
  if (event.shiftKey && event.key === 'F10') return 'menu';
  if (event.metaKey || event.ctrlKey || event.altKey) return null;
  return NAMED[event.key] ?? LETTERS[event.key] ?? null;
}

/** Makes the handler for key presses of a list; it remembers what is being typed. */
export function createListKeys(): (event: KeyboardEvent, handlers: ListKeyHandlers) => void {
  const typeAhead = createTypeAhead();
  return (event, { rows, index, pageRows, now, move, command }) => {
    if (isTyping(event.target) || rows.length === 0) return;
    const isPlain = !event.metaKey && !event.ctrlKey && !event.altKey;
    const isLetter = isPlain && event.key.length === 1 && event.key !== ' ';
    const isName = isLetter && typeAhead.isTyping(now());
    const next = isPlain && !isName ? target(event.key, index, rows.length, pageRows) : null;
    const name = isName ? null : commandOf(event);
    if (next !== null) move(next);
    else if (name !== null) {
      if (!event.repeat) command(name);
    } else if (isLetter) {
      if (event.repeat) return event.preventDefault();
      const found = typeAhead.type(
        event.key,
        now(),
        rows.map((row) => row.name),
      );
      if (found >= 0) move(found);
    } else if (event.key !== ' ') return;
    event.preventDefault();
  };
}
