/** How texts are taken apart for searching: small letters without accents, and beginnings of words. */

/** Of Latin letters alone, as the index of run_words has it (fts5, unicode61): elsewhere they make another letter. */
const ACCENTS = /(\p{Script=Latin})[\u0300-\u036f]+/gu;
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}]+/u;

/** Nothing of ASCII and of typographic punctuation has accents, and most texts have nothing else. */
const MAY_HAVE_ACCENTS = /[^\0-\x7f\u2010-\u203a]/u;

const folded = (text: string): string =>
  MAY_HAVE_ACCENTS.test(text)
    ? text.normalize('NFD').replace(ACCENTS, '$1').normalize('NFC').toLowerCase()
    : text.toLowerCase();

/** Without letters and digits there are none. */
export const wordsIn = (text: string): string[] =>
  folded(text)
    .split(BETWEEN_WORDS)
    .filter((word) => word !== '');

/** A text that is looked through again and again, taken apart once for `hasWords`. */
export const searchable = (texts: readonly string[]): string => ` ${texts.flatMap(wordsIn).join(' ')}`;

/** Whether each of these is the beginning of a word. */
export const hasWords = (text: string, words: readonly string[]): boolean =>
  words.every((word) => text.includes(` ${word}`));

/** The same of a text that is looked at once: most are ruled out before they are taken apart. */
export function saysWords(text: string, words: readonly string[]): boolean {
  const plain = folded(text);
  return words.every((word) => plain.includes(word)) && hasWords(searchable([plain]), words);
}
