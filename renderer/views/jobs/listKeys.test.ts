import type { KeyboardEvent } from 'react';
import { expect, test } from 'vitest';
import type { JobRow } from '../../../shared/model/job';
import { inOldOrder } from './heldOrder';
import { createListKeys, type ListCommand } from './listKeys';

const ROWS = ['Archive', 'Backup', 'Backlog', 'Zip'].map((name) => ({ name }) as JobRow);

function start(index = 1) {
  const moves: number[] = [];
  const commands: ListCommand[] = [];
  let time = 0;
  const handle = createListKeys();
  const press = (key: string, held: Partial<KeyboardEvent> = {}, waitMs = 10): void => {
    time += waitMs;
    const event = { key, preventDefault: () => undefined, target: null, ...held } as unknown as KeyboardEvent;
    handle(event, {
      rows: ROWS,
      index,
      pageRows: 10,
      now: () => time,
      move: (to) => moves.push(to),
      command: (name) => commands.push(name),
    });
  };
  return { press, moves, commands };
}

test('arrows, J and K, Home, End and pages move', () => {
  const { press, moves } = start();
  for (const key of ['ArrowDown', 'j', 'ArrowUp', 'k', 'Home', 'End', 'PageDown', 'PageUp'])
    press(key, {}, 1_000);
  expect(moves).toEqual([2, 2, 0, 0, 0, 3, 3, 0]);
});

test('letters act on the selected job', () => {
  const { press, commands } = start();
  for (const key of ['r', 's', 'e', 'p', 'n', '/', 'Enter', 'Delete', 'Backspace']) press(key, {}, 1_000);
  expect(commands).toEqual(['run', 'stop', 'edit', 'toggle', 'new', 'filter', 'open', 'remove', 'remove']);
});

test('the main modifier with D duplicates, and Shift with F10 opens the menu', () => {
  const { press, commands } = start();
  press('d', { ctrlKey: true });
  press('F10', { shiftKey: true });
  press('ContextMenu');
  press('r', { ctrlKey: true });
  expect(commands).toEqual(['duplicate', 'menu', 'menu']);
});

test('letters typed quickly jump to a name, and the letters in it are not commands', () => {
  const { press, moves, commands } = start(0);
  press('b');
  press('a');
  press('c');
  press('k');
  press('l');
  expect(moves).toEqual([1, 1, 1, 1, 2]);
  expect(commands).toEqual([]);
  press('e', {}, 600);
  expect(commands).toEqual(['edit']);
});

test('a held key goes on moving, but acts only once', () => {
  const { press, moves, commands } = start();
  for (const key of ['Delete', 'r', 'Enter', 'd', 'x'])
    press(key, { repeat: true, ctrlKey: key === 'd' }, 1_000);
  expect(commands).toEqual([]);
  press('ArrowDown', { repeat: true }, 1_000);
  expect(moves).toEqual([2]);
});

test('a letter that is an action never begins a name, and with Shift it does', () => {
  const { press, moves, commands } = start(0);
  press('e');
  expect(commands).toEqual(['edit']);
  press('Z', { shiftKey: true });
  expect(moves).toEqual([3]);
});

test('a new order waits: the rows stay where they were and new ones come last', () => {
  const rows = [{ id: 'c' }, { id: 'a' }, { id: 'new' }, { id: 'b' }];
  expect(inOldOrder(rows, ['a', 'b', 'gone', 'c']).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'new']);
});
