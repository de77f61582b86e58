/** Chance from a seed, so that what was done can be done again: the moments of the machine remain its own. */

/**
 * @typedef {object} Chance
 * @property {() => number} next from 0 to below 1
 * @property {(from: number, below: number) => number} between a whole number
 * @property {<T>(of: readonly T[]) => T} pick
 * @property {(share: number) => boolean} isTrue
 */

/** Mulberry32. @param {number} seed @returns {Chance} */
export function createChance(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (from, below) => from + Math.floor(next() * (below - from)),
    pick: (of) => /** @type {any} */ (of[Math.floor(next() * of.length)]),
    isTrue: (share) => next() < share,
  };
}
