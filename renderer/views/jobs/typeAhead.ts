/** Letters typed in a row jump to a name. The pause after which they begin anew is half a second. */

export const PAUSE_MS = 500;

export type TypeAhead = {
  /** Letters are coming in, so that the next one is not a command. */
  isTyping(at: number): boolean;
  /** Takes a letter in and gives the index of the name that fits, or -1. */
  type(letter: string, at: number, names: readonly string[]): number;
};

export function createTypeAhead(): TypeAhead {
  let typed = '';
  let lastAt = Number.NEGATIVE_INFINITY;
  const isTyping = (at: number): boolean => typed !== '' && at - lastAt < PAUSE_MS;
  return {
    isTyping,
    type: (letter, at, names) => {
      typed = isTyping(at) ? typed + letter.toLowerCase() : letter.toLowerCase();
      lastAt = at;
      return names.findIndex((name) => name.toLowerCase().startsWith(typed));
    },
  };
}
