/** Chromium writes to the data folder, unless that was refused. */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chromiumFolder } from './chromiumFolder';

let root = '';
let data = '';
let temporary = '';

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-chromium-'));
  data = path.join(root, 'data');
  temporary = path.join(root, 'temporary');
  fs.mkdirSync(temporary);
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

test('a data folder that may be used is the one, and stays', () => {
  const { path: chosen, remove } = chromiumFolder(data, temporary);
  expect(chosen).toBe(data);
  remove();
  expect(fs.existsSync(data)).toBe(true);
});

test.skipIf(process.platform === 'win32')(
  'a refused one is left alone: each start finds the same other folder, which goes at the end (S-01)',
  () => {
    fs.mkdirSync(data);
    fs.chmodSync(data, 0o777);
    const first = chromiumFolder(data, temporary);
    expect(path.dirname(first.path)).toBe(temporary);
    expect(fs.statSync(first.path).mode & 0o777).toBe(0o700);
    expect(chromiumFolder(data, temporary).path).toBe(first.path);
    expect(fs.readdirSync(data)).toEqual([]);
    fs.writeFileSync(path.join(first.path, 'Preferences'), '{}');
    first.remove();
    expect(fs.readdirSync(temporary)).toEqual([]);
  },
);

test.skipIf(process.platform === 'win32')('a name that somebody took with a link is not followed', () => {
  fs.mkdirSync(data);
  fs.chmodSync(data, 0o777);
  const expected = chromiumFolder(data, temporary);
  expected.remove();
  const elsewhere = path.join(root, 'elsewhere');
  fs.mkdirSync(elsewhere, { mode: 0o700 });
  fs.symlinkSync(elsewhere, expected.path);
  const chosen = chromiumFolder(data, temporary).path;
  expect(chosen).not.toBe(expected.path);
  expect(fs.realpathSync(chosen)).not.toBe(fs.realpathSync(elsewhere));
});
