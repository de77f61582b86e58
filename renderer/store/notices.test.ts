import { expect, test } from 'vitest';
import { createNoticesStore } from './notices';

test('an undo stays after its toast has gone, and newer ones come first', async () => {
  const store = createNoticesStore();
  const done: string[] = [];
  const undo = (name: string) => async () => void done.push(name);
  store.getState().show('Deleted one', undo('one'));
  store.getState().show('Deleted two', undo('two'));
  store.getState().dismiss();
  expect(store.getState().toast).toBeNull();
  expect(store.getState().undo()).toBe(true);
  expect(store.getState().undo()).toBe(true);
  expect(store.getState().undo()).toBe(false);
  expect(done).toEqual(['two', 'one']);
});

test('a new toast takes the place of the one before', () => {
  const store = createNoticesStore();
  store.getState().show('first');
  store.getState().show('second');
  expect(store.getState().toast).toMatchObject({ text: 'second', canUndo: false });
});

test('the same sentence said twice is two announcements', () => {
  const store = createNoticesStore();
  store.getState().say('Saved.');
  const first = store.getState().announcement;
  store.getState().say('Saved.');
  expect(store.getState().announcement?.id).not.toBe(first?.id);
});
