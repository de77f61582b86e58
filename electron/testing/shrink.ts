/**
 * Finds out which events a fault needs: leaves out as many as possible of a life that breaks a rule while it still breaks the
 * same one. Large pieces first, then smaller ones, as delta debugging does.
 */

export type Attempt = { readonly events: number; readonly broken: string | null };

/** The rule without the instants and jobs that it was broken with. */
const ruleOf = (broken: string): string =>
  (broken.split('\n')[0] ?? '').replace(/\{.*\}/, '').replace(/\d{4}-\S+Z/, '');

/**
 * `relive` lives the same life without some events, by number. Answers the numbers of those that are needed, as far as that was
 * found out before `isOver`.
 */
export async function neededEvents(
  first: Attempt,
  relive: (skips: ReadonlySet<number>) => Promise<Attempt>,
  isOver: () => boolean,
): Promise<number[]> {
  const rule = ruleOf(first.broken ?? '');
  let needed = Array.from({ length: first.events }, (_, index) => index);
  const stillFails = async (kept: readonly number[]): Promise<boolean> => {
    const present = new Set(kept);
    const skips = new Set(
      Array.from({ length: first.events }, (_, index) => index).filter((n) => !present.has(n)),
    );
    const { broken } = await relive(skips);
    return broken !== null && ruleOf(broken) === rule;
  };
  for (let size = Math.ceil(needed.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < needed.length && !isOver(); ) {
      const kept = [...needed.slice(0, from), ...needed.slice(from + size)];
      if (await stillFails(kept)) needed = kept;
      else from += size;
    }
  }
  return needed;
}
