import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { dataFolder, ensurePrivateFolder, type Surroundings } from './dataFolder';

const linux: Surroundings = {
  platform: 'linux',
  env: {},
  home: '/home/ada',
  workingFolder: '/somewhere',
  argv: ['/usr/bin/belfry'],
};

test.each<[string, Partial<Surroundings>, string]>([
  ['Linux', {}, '/home/ada/.config/Belfry'],
  ['Linux with its own place for settings', { env: { XDG_CONFIG_HOME: '/cfg' } }, '/cfg/Belfry'],
  ['a relative XDG_CONFIG_HOME is ignored', { env: { XDG_CONFIG_HOME: 'cfg' } }, '/home/ada/.config/Belfry'],
  ['an empty XDG_CONFIG_HOME is ignored', { env: { XDG_CONFIG_HOME: '' } }, '/home/ada/.config/Belfry'],
  ['macOS', { platform: 'darwin', home: '/Users/ada' }, '/Users/ada/Library/Application Support/Belfry'],
  [
    'Windows',
    { platform: 'win32', env: { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' } },
    'C:\\Users\\ada\\AppData\\Roaming\\Belfry',
  ],
  [
    'Windows without APPDATA',
    { platform: 'win32', home: 'C:\\Users\\ada' },
    'C:\\Users\\ada\\AppData\\Roaming\\Belfry',
  ],
  ['a folder of choice', { argv: ['belfry', '--user-data-dir=/data/b'] }, '/data/b'],
  ['a relative folder of choice', { argv: ['belfry', '--user-data-dir=b'] }, '/somewhere/b'],
  ['the last choice counts', { argv: ['--user-data-dir=/a', '--user-data-dir=/b c'] }, '/b c'],
  ['an empty choice is none', { argv: ['--user-data-dir='] }, '/home/ada/.config/Belfry'],
])('finds the data folder: %s', (_, change, expected) => {
  expect(dataFolder({ ...linux, ...change })).toBe(expected);
});

test('the data folder is made for its owner alone, and an existing one is closed to others (security.md 4.13)', () => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-data-'));
  try {
    const fresh = path.join(root, 'a', 'Belfry');
    ensurePrivateFolder(fresh);
    expect(fs.statSync(fresh).mode & 0o777).toBe(0o700);

    const open = path.join(root, 'open');
    fs.mkdirSync(open);
    fs.chmodSync(open, 0o755);
    fs.writeFileSync(path.join(open, 'kept'), 'x');
    ensurePrivateFolder(open);
    expect(fs.statSync(open).mode & 0o777).toBe(0o700);
    expect(fs.readFileSync(path.join(open, 'kept'), 'utf8')).toBe('x');
  } finally {
    fs.rmSync(root, { recursive: true });
  }
});
