import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readEnvFile } from './envFile';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-env-'));
afterAll(() => fs.rmSync(root, { recursive: true }));
const file = path.join(root, '.env');

test('quotes, comments, = and line breaks in values are read as people write them, odd names are left out', async () => {
  fs.writeFileSync(file, '\uFEFF# note\nA=1\nB="x=y # z"\nC=\'two\nlines\'\nexport D=4\nbad-name=5\nE=\n');
  expect(await readEnvFile(file)).toEqual({
    kind: 'read',
    variables: [
      { name: 'A', value: '1' },
      { name: 'B', value: 'x=y # z' },
      { name: 'C', value: 'two\nlines' },
      { name: 'D', value: '4' },
      { name: 'E', value: '' },
    ],
  });
});

test.each<[string, () => void, string]>([
  ['missing', () => undefined, 'does not exist.'],
  ['a folder', () => fs.mkdirSync(file), 'is not a file.'],
  ['a pipe nobody writes to', () => execFileSync('mkfifo', [file]), 'is not a file.'],
  ['binary', () => fs.writeFileSync(file, 'A=1\0'), 'is not a text file.'],
  ['too large', () => fs.writeFileSync(file, `A=${'x'.repeat(300_000)}`), 'is larger than 256 KiB.'],
  [
    'thousands of variables',
    () => fs.writeFileSync(file, Array.from({ length: 2_001 }, (_, n) => `V${n}=1`).join('\n')),
    'has more than 2000 variables.',
  ],
])('a file that is %s is refused with a sentence', async (_, make, text) => {
  fs.rmSync(file, { recursive: true, force: true });
  make();
  expect(await readEnvFile(file)).toMatchObject({ kind: 'unreadable', text: expect.stringContaining(text) });
});
