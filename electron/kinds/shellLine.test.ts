import { expect, test } from 'vitest';
import { firstProgram } from './shellLine';

test.each<[string, string | null]>([
  ['restic backup ~/Notes --tag laptop', 'restic'],
  ['  restic', 'restic'],
  ['LANG=C restic backup', 'restic'],
  ['A=1 B="two words" C=\'x y\' restic', 'restic'],
  ['A=1', null],
  ['A=1; restic', null],
  ['# a comment\n\n  restic', 'restic'],
  ['# only a comment', null],
  ['"/opt/my tools/run" now', '/opt/my tools/run'],
  ["'my tool'", 'my tool'],
  ['my\\ tool x', 'my tool'],
  ['./script.sh', './script.sh'],
  ['~/bin/x', '~/bin/x'],
  ['restic|less', 'restic'],
  ['restic;x', 'restic'],
  ['restic>out', 'restic'],
  ['cd /tmp && ls', null],
  ['[ -f x ] && y', null],
  ['[[ -f x ]]', null],
  ['{ a; }', null],
  ['(a)', null],
  ['! a', null],
  ['if true; then a; fi', null],
  ['$TOOL x', null],
  ['`which x`', null],
  ['"$HOME/x"', null],
  ['A=$(date) restic', null],
  ['x"', null],
  ['*.sh', null],
  ['', null],
  ['   ', null],
  ['> out', null],
  ['&', null],
])('the program of %j is %j', (line, expected) => {
  expect(firstProgram(line)).toBe(expected);
});

test('answers quickly whatever is typed', () => {
  for (const char of ['\\', '"', "'", 'a', ' ', '#', '=', '\n']) {
    expect(() => firstProgram(char.repeat(10_000))).not.toThrow();
  }
});
