import { expect, test } from 'vitest';
import { ansiPieces, plainText } from './ansi';

const ESC = '\u001b';

test('colours become class names, and the text around them stays plain', () => {
  expect(ansiPieces(`${ESC}[32msending${ESC}[0m a.txt`)).toEqual([
    { text: 'sending', className: 'ansi-green' },
    { text: ' a.txt', className: '' },
  ]);
});

test('bright colours and weights are kept', () => {
  expect(ansiPieces(`${ESC}[1;91mno${ESC}[0m`)).toEqual([
    { text: 'no', className: 'ansi-bright-red ansi-bold' },
  ]);
});

test('other colours become the nearest of the sixteen that are readable', () => {
  const classes = [`${ESC}[38;5;196mx`, `${ESC}[38;2;10;190;20mx`, `${ESC}[38;5;244mx`].map(
    (text) => ansiPieces(text)[0]?.className,
  );
  expect(classes).toEqual(['ansi-red', 'ansi-green', 'ansi-bright-black']);
});

test('cursor movement, titles and links are taken out', () => {
  const line = `${ESC}[2K${ESC}]0;title\u0007${ESC}]8;;https://example.com${ESC}\\here${ESC}]8;;${ESC}\\${ESC}[?25l!`;
  expect(ansiPieces(line)).toEqual([{ text: 'here!', className: '' }]);
});

test('a progress bar that wrote over itself shows its last state', () => {
  expect(plainText('10 %\r55 %\r100 %')).toBe('100 %');
  expect(plainText('done\r')).toBe('done');
  expect(plainText('')).toBe('');
});

test('the plain text has no escape left in it', () => {
  expect(plainText(`${ESC}[33mcache${ESC}[0m is ${ESC}stale`)).not.toContain(ESC);
});
