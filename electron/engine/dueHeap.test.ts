import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DueHeap, type HeapEntry } from './dueHeap';

type Named = HeapEntry & { readonly name: number };
const NAMES = 12;

test('whatever is put in, moved and taken out, the soonest comes first and what is due is found', () => {
  const change = fc.tuple(fc.nat(NAMES - 1), fc.option(fc.nat(20), { nil: null }));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const heap = new DueHeap<Named>();
      const entries = Array.from({ length: NAMES }, (_, name): Named => ({ name, dueAt: null, slot: -1 }));
      for (const [name, dueAt] of changes) {
        const entry = entries[name];
        if (entry !== undefined) heap.place(entry, dueAt);
        const present = entries.filter((each) => each.dueAt !== null);
        const soonest = Math.min(...present.map((each) => each.dueAt ?? 0));
        expect(heap.size).toBe(present.length);
        expect(heap.first()?.dueAt ?? Infinity).toBe(soonest);
        const due = heap.upTo(10).map((each) => each.name);
        const expected = present.filter((each) => (each.dueAt ?? 0) <= 10).map((each) => each.name);
        expect(due.sort((a, b) => a - b)).toEqual(expected);
      }
    }),
  );
});

test('an entry of a heap that was cleared can be put in again', () => {
  const heap = new DueHeap<HeapEntry>();
  const entry = { dueAt: null, slot: -1 };
  heap.place(entry, 5);
  heap.clear();
  expect(heap.first()).toBeNull();
  heap.place(entry, 7);
  expect(heap.upTo(7)).toEqual([entry]);
});
