/** Keys that tell the rows of a form apart on the screen while they have no id of their own. They are never sent anywhere. */

let nextKey = 1;

export const newKey = (): number => nextKey++;

/** Keys that come with a form from outside are not given out again. */
export function reserveKeys(keys: readonly number[]): void {
  nextKey = Math.max(nextKey, ...keys.map((key) => key + 1));
}
