/** A cache that forgets what was not asked for longest, so that an editor or an import cannot make it grow. */

/** Answers `make(key)`, remembering the newest `max` answers. */
export const createRecent = <K, V>(max: number, make: (key: K) => V): ((key: K) => V) => {
  const kept = new Map<K, V>();
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined) {
      // A map keeps its insertion order, so putting the entry back makes it the youngest.
      kept.delete(key);
      kept.set(key, known);
      return known;
    }
    const made = make(key);
    kept.set(key, made);
    if (kept.size > max) {
      const oldest = kept.keys().next();
      if (oldest.done !== true) kept.delete(oldest.value);
    }
    return made;
  };
};
