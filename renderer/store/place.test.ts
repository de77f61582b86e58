import { expect, test } from 'vitest';
import type { JobId } from '../../shared/model/job';
import { createPlaceStore } from './place';

const JOB = '00000000-0000-4000-8000-000000000001' as JobId;

test('opening the window again brings back job, tab, filter and order', () => {
  let kept: string | null = null;
  const memory = {
    read: () => kept,
    write: (text: string) => {
      kept = text;
    },
  };
  const first = createPlaceStore(memory);
  first.getState().select(JOB);
  first.getState().change({ tab: 'log', filter: 'tag:work', sort: 'name', isLogWrapped: false });
  const second = createPlaceStore(memory);
  expect(second.getState()).toMatchObject({
    place: 'jobs',
    selectedId: JOB,
    tab: 'log',
    filter: 'tag:work',
    sort: 'name',
    isLogWrapped: false,
  });
});

test.each(['no JSON', '[]', '{"tab":"gone","sort":7,"filter":null,"selectedId":3}'])(
  'what makes no sense is not brought back: %s',
  (text) => {
    const store = createPlaceStore({ read: () => text, write: () => undefined });
    expect(store.getState()).toMatchObject({
      tab: 'overview',
      sort: 'attention',
      filter: '',
      selectedId: null,
    });
  },
);
