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

export type Refresher = {
  /** After the rest that the last question asked for. */
  ask(): void;
  /** Without that rest: for what the user has done and waits to see. */
  askNow(): void;
};

/** Returns how to ask. `work` must not reject: failures are values. */
export const createRefresher = (
  work: () => Promise<void>,
  attention: Attention,
  restMs: number = REST_MS,
): (() => void) => createPacedRefresher(work, attention, () => restMs).ask;

/** The same where a question may be dear: `restMs` tells after each one how long to wait before the next. */
export function createPacedRefresher(
  work: () => Promise<void>,
  attention: Attention,
  restMs: () => number,
): Refresher {
  let endRest: () => void = () => undefined;
  const rest = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  let isHurried = false;
  let isWorking = false;
  let isAsked = false;
  const serve = async (): Promise<void> => {
    if (isWorking) return;
    isWorking = true;
    while (isAsked && !attention.isHidden()) {
      isAsked = false;
      isHurried = false;
      const begun = Date.now();
      await work();
      if (!isHurried) await rest(Math.max(0, restMs() - (Date.now() - begun)));
    }
    isWorking = false;
  };
  attention.onChange(() => void serve());
  const ask = (): void => {
    isAsked = true;
    void serve();
  };
  const askNow = (): void => {
    isHurried = true;
    ask();
    endRest();
  };
  return { ask, askNow };
}

/** Whether two values of the contract, which are plain data, say the same. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => isSame((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]))
  );
}

/**
 * Keeps the object of every item that did not change, so that only changed rows are drawn again; and the list itself if
 * nothing changed in it.
 */
export function reuse<Item, Key>(
  before: readonly Item[] | null,
  after: readonly Item[],
  keyOf: (item: Item) => Key,
): readonly Item[] {
  if (before === null) return after;
  const known = new Map(before.map((item) => [keyOf(item), item]));
  const kept = after.map((item) => {
    const old = known.get(keyOf(item));
    return old !== undefined && isSame(old, item) ? old : item;
  });
  return kept.length === before.length && kept.every((item, index) => item === before[index]) ? before : kept;
}
