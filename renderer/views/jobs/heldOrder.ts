/**
 * The order of a list while somebody is in it. Rows must not move under a pointer or a focus: a new order waits until it is
 * asked for, or until the list is left.
 */
import { useState } from 'react';

type Keyed = { readonly id: string };

/** The new rows in the old order; those that were not there before come where they belong at the end. */
export function inOldOrder<Row extends Keyed>(
  rows: readonly Row[],
  order: readonly string[],
): readonly Row[] {
  const place = new Map(order.map((id, index) => [id, index]));
  const last = order.length;
  return [...rows].sort((a, b) => (place.get(a.id) ?? last) - (place.get(b.id) ?? last));
}

type HeldOrder<Row> = {
  readonly rows: readonly Row[];
  readonly isChanged: boolean;
  /** Takes the new order now. */
  release(): void;
};

/** `question` names what was asked for, filter and sort: another question always gives its own order. */
export function useHeldOrder<Row extends Keyed>(
  sorted: readonly Row[],
  isHeld: boolean,
  question: string,
): HeldOrder<Row> {
  const [held, setHeld] = useState<{ order: readonly string[]; question: string }>({ order: [], question });
  const order = sorted.map((row) => row.id);
  const isSame = order.join() === held.order.join();
  const isFree = !isHeld || held.question !== question || held.order.length === 0;
  // Adjusting during rendering is how a state follows its inputs without drawing an old order first.
  if (isFree && (!isSame || held.question !== question)) setHeld({ order, question });
  if (isFree) return { rows: sorted, isChanged: false, release: () => undefined };
  const rows = inOldOrder(sorted, held.order);
  const isChanged = rows.some((row, index) => row.id !== order[index]);
  return { rows, isChanged, release: () => setHeld({ order, question }) };
}
