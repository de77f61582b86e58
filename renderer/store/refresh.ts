/**
 * Events say only that something changed; a refresher turns them into questions. However many come, it asks one question
 * at a time and at most ten in a second, and none while nobody can see the window.
 */

/** Whether anybody can see the window. */
export type Attention = {
  isHidden(): boolean;
  onChange(listener: () => void): () => void;
};

export const REST_MS = 100;

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns how to ask. `work` must not reject: failures are values. */
export function createRefresher(
  work: () => Promise<void>,
  attention: Attention,
  restMs: number = REST_MS,
): () => void {
  let isWorking = false;
  let isAsked = false;
  const serve = async (): Promise<void> => {
    if (isWorking) return;
    isWorking = true;
    while (isAsked && !attention.isHidden()) {
      isAsked = false;
      await Promise.all([work(), rest(restMs)]);
    }
    isWorking = false;
  };
  attention.onChange(() => void serve());
  return () => {
    isAsked = true;
    void serve();
  };
}

/** Keeps the object of every item that did not change, so that only changed rows are drawn again. */
export function reuse<Item, Key>(
  before: readonly Item[] | null,
  after: readonly Item[],
  keyOf: (item: Item) => Key,
): readonly Item[] {
  if (before === null) return after;
  const known = new Map(before.map((item) => [keyOf(item), item]));
  return after.map((item) => {
    const old = known.get(keyOf(item));
    return old !== undefined && JSON.stringify(old) === JSON.stringify(item) ? old : item;
  });
}
