import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { partFolder, parts, staleParts, writeStamp } from './parts.mjs';

let root: string;
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-parts-'));
  for (const [file, contents] of Object.entries({
    'package-lock.json': '{}',
    'electron/main.ts': 'main',
    'shared/time.ts': 'time',
    'renderer/main.tsx': 'page',
    'build/icons/16x16.png': 'icon',
  })) {
    write(file, contents);
  }
  for (const { part, stamp } of staleParts(root, { isTestBuild: false })) {
    fs.mkdirSync(partFolder(root, part), { recursive: true });
    writeStamp(partFolder(root, part), stamp);
  }
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

function write(file: string, contents: string): void {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  fs.writeFileSync(path.join(root, file), contents);
}
const stale = ({ isTestBuild = false } = {}) =>
  staleParts(root, { isTestBuild }).map(({ part }) => part.name);
const all = parts.map(({ name }) => name);

test('nothing is stale after everything was built', () => {
  expect(stale()).toEqual([]);
});

test('a change makes only the parts stale that it can reach', () => {
  write('renderer/main.tsx', 'another page');
  expect(stale()).toEqual(['renderer']);
  write('electron/core/plan.ts', 'plan');
  expect(stale()).toEqual(['main', 'preload', 'agent', 'storeWorker', 'cli', 'renderer']);
});

test('what everything shares makes everything stale', () => {
  write('package-lock.json', '{"lockfileVersion":3}');
  expect(stale()).toEqual(all);
});

test('a renamed and a removed file are noticed', () => {
  fs.renameSync(path.join(root, 'renderer/main.tsx'), path.join(root, 'renderer/app.tsx'));
  expect(stale()).toEqual(['renderer']);
  fs.rmSync(path.join(root, 'build/icons/16x16.png'));
  expect(stale()).toEqual(['renderer', 'icons']);
});

test('tests and documents are not part of any bundle', () => {
  write('electron/core/plan.test.ts', 'test');
  write('shared/README.md', 'text');
  expect(stale()).toEqual([]);
});

test('a build with the hooks for tests is not taken for an ordinary one', () => {
  expect(stale({ isTestBuild: true })).toEqual(all);
});

test('a part whose folder was removed is built again', () => {
  fs.rmSync(path.join(root, 'out/preload'), { recursive: true });
  expect(stale()).toEqual(['preload']);
});
