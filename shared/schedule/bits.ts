/** Sets of small numbers as the bits of an integer: days of a month, hours, and the halves of sixty minutes. */

/** The smallest member of a set that is not empty. */
export const lowest = (bits: number): number => 31 - Math.clz32(bits & -bits);

/** The largest member of a set that is not empty. */
export const highest = (bits: number): number => 31 - Math.clz32(bits);

/** How many members a set has. */
export const bitCount = (bits: number): number => {
  const pairs = bits - ((bits >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
};
