/**
 * A binary heap of entries by the moment at which they want attention. Entries know their place in it, so that one can be
 * moved or taken out in O(log n); reading what is due touches nothing that is not.
 */

/** `dueAt` null: not in the heap. `slot` is the heap's own and -1 outside of it. */
export type HeapEntry = { dueAt: number | null; slot: number };

export class DueHeap<E extends HeapEntry> {
  readonly #entries: E[] = [];

  get size(): number {
    return this.#entries.length;
  }

  first(): E | null {
    return this.#entries[0] ?? null;
  }

  /** Puts it in, moves it, or takes it out, as its `dueAt` says. */
  place(entry: E, dueAt: number | null): void {
    const before = entry.dueAt;
    entry.dueAt = dueAt;
    if (dueAt === null) {
      this.#take(entry);
    } else if (entry.slot < 0) {
      entry.slot = this.#entries.length;
      this.#entries.push(entry);
      this.#rise(entry, dueAt);
    } else if (before === null || dueAt < before) this.#rise(entry, dueAt);
    else this.#sink(entry, dueAt);
  }

  clear(): void {
    for (const entry of this.#entries) entry.slot = -1;
    this.#entries.length = 0;
  }

  /** Every entry that is due at or before that moment, in no order. */
  upTo(at: number): E[] {
    const found: E[] = [];
    const stack = [0];
    for (let slot = stack.pop(); slot !== undefined; slot = stack.pop()) {
      const entry = this.#entries[slot];
      if (entry === undefined || dueOf(entry) > at) continue;
      found.push(entry);
      stack.push(2 * slot + 2, 2 * slot + 1);
    }
    return found;
  }

  #take(entry: E): void {
    const slot = entry.slot;
    if (slot < 0) return;
    entry.slot = -1;
    const last = this.#entries.pop();
    if (last === undefined || last === entry) return;
    this.#set(last, slot);
    this.#rise(last, dueOf(last));
    this.#sink(last, dueOf(last));
  }

  #set(entry: E, slot: number): void {
    this.#entries[slot] = entry;
    entry.slot = slot;
  }

  #rise(entry: E, dueAt: number): void {
    let slot = entry.slot;
    while (slot > 0) {
      const parent = this.#entries[(slot - 1) >> 1];
      if (parent === undefined || dueOf(parent) <= dueAt) break;
      const above = parent.slot;
      this.#set(parent, slot);
      slot = above;
    }
    this.#set(entry, slot);
  }

  #sink(entry: E, dueAt: number): void {
    let slot = entry.slot;
    for (;;) {
      const left = this.#entries[2 * slot + 1];
      const right = this.#entries[2 * slot + 2];
      const child = right !== undefined && left !== undefined && dueOf(right) < dueOf(left) ? right : left;
      if (child === undefined || dueOf(child) >= dueAt) break;
      const below = child.slot;
      this.#set(child, slot);
      slot = below;
    }
    this.#set(entry, slot);
  }
}

const dueOf = (entry: HeapEntry): number => entry.dueAt ?? Number.POSITIVE_INFINITY;
