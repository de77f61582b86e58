/**
 * A cache that cannot grow, whatever an editor or an import asks for.
 *
 * Two generations instead of an exact order of use: a hit among the young costs one look-up and moves nothing. When the
 * young fill their half they become the old, and what of the old was not asked for since is forgotten.
 */

/** Answers `make(key)`, remembering at most `max` answers. An answer of undefined is not remembered. */
export const createRecent = <K, V>(max: number, make: (key: K) => V): ((key: K) => V) => {
  let young = new Map<K, V>();
  let old = new Map<K, V>();
  const half = Math.ceil(max / 2);
  return (key) => {
    const known = young.get(key);
    if (known !== undefined) return known;
    const value = old.get(key) ?? make(key);
    if (young.size >= half) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
    return value;
  };
};
