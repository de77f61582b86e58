/** On a fresh clone both commands begin with no node_modules at all, so what they load first may use Node's own modules only. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

let clone: string;
beforeAll(() => {
  clone = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-clone-'));
  const root = path.resolve(import.meta.dirname, '..');
  fs.cpSync(path.join(root, 'build'), path.join(clone, 'build'), { recursive: true });
  fs.copyFileSync(path.join(root, 'package.json'), path.join(clone, 'package.json'));
});
afterAll(() => fs.rmSync(clone, { recursive: true, force: true }));

const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: clone, encoding: 'utf8' });

test('npm test reads its arguments before there are dependencies', () => {
  const ran = node('build/test.mjs', '--only', 'nonsense');
  expect(ran.stderr).toContain('--only takes check, unit');
  expect(ran.stdout.trim().split('\n').at(-1)).toBe('0 passed, 1 failed, 0 skipped');
});

test('npm start loads what prepares it before there are dependencies', () => {
  for (const file of ['prepare', 'processes', 'appEnvironment', 'electronRuntime', 'systemLibraries']) {
    const ran = node('--input-type=module', '--eval', `await import('./build/${file}.mjs')`);
    expect(`${file}: ${ran.status} ${ran.stderr}`).toBe(`${file}: 0 `);
  }
});
