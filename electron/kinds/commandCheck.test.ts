import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandSettings, emptyCommandSettings } from '../../shared/kinds/command';
import { createCommandInspector } from './commandCheck';
import { planCommand, type Surroundings } from './commandPlan';

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-home-'));
const around: Surroundings = {
  env: { PATH: path.join(home, 'tools') },
  platform: 'linux',
  home,
  loginShell: '/bin/sh',
};
beforeAll(() => {
  for (const name of ['tools', 'Notes (1)', 'tools/inner']) fs.mkdirSync(path.join(home, name));
  fs.writeFileSync(path.join(home, 'tools', 'restic'), '#!/bin/sh\n', { mode: 0o755 });
  fs.writeFileSync(path.join(home, 'tools', 'ünï tool'), '#!/bin/sh\n', { mode: 0o755 });
  fs.writeFileSync(path.join(home, 'tools', 'plain'), 'text', { mode: 0o644 });
});
afterAll(() => fs.rmSync(home, { recursive: true }));

const shell = (line: string, more: Partial<CommandSettings> = {}): CommandSettings => ({
  ...emptyCommandSettings,
  line,
  ...more,
});
const program = (name: string, more: Partial<CommandSettings> = {}): CommandSettings => ({
  ...emptyCommandSettings,
  form: 'program',
  program: name,
  ...more,
});
const check = (settings: CommandSettings) => createCommandInspector(around).check(settings);

test.each<[string, () => CommandSettings, (string | null)[]]>([
  ['a program on the PATH', () => shell('restic backup'), ['tools/restic']],
  ['after assignments', () => shell('A=1 restic'), ['tools/restic']],
  ['a word of the shell', () => shell('cd /x && y'), [null]],
  ['an empty draft', () => shell(''), [null]],
  [
    'not on the PATH',
    () => shell('borg create'),
    [null, 'line', 'borg was not found on this PATH. It would end with exit 127.'],
  ],
  [
    'not executable',
    () => shell('plain'),
    [null, 'line', `${home}/tools/plain is not executable. It would end with exit 126.`],
  ],
  ['a program', () => program('restic'), ['tools/restic']],
  ['a program with a name from elsewhere', () => program('ünï tool'), ['tools/ünï tool']],
  ['no program yet', () => program(''), [null]],
  [
    'a program not on the PATH',
    () => program('borg'),
    [null, 'program', 'borg was not found on this PATH. The run would fail.'],
  ],
  ['a full path', () => program(`${home}/tools/restic`), ['tools/restic']],
  ['a path from home', () => program('~/tools/restic'), ['tools/restic']],
  ['a path from the folder', () => program('./inner/../restic', { folder: '~/tools' }), ['tools/restic']],
  [
    'a path that is not there',
    () => program('/no/such'),
    [null, 'program', '/no/such does not exist. The run would fail.'],
  ],
  [
    'a folder as program',
    () => program('~/tools/inner'),
    [null, 'program', `${home}/tools/inner is a folder, not a program. The run would fail.`],
  ],
  [
    'no such folder',
    () => shell('restic', { folder: '~/gone' }),
    ['tools/restic', 'folder', 'This folder does not exist.'],
  ],
  [
    'a file as folder',
    () => shell('restic', { folder: '~/tools/plain' }),
    ['tools/restic', 'folder', 'This folder does not exist.'],
  ],
  [
    'no such shell',
    () => shell('restic', { shell: '/bin/nosh' }),
    ['tools/restic', 'shell', 'This shell does not exist.'],
  ],
  [
    'the shell of a program does not matter',
    () => program('restic', { shell: '/bin/nosh' }),
    ['tools/restic'],
  ],
  [
    'the PATH of the job',
    () => shell('restic', { variables: [{ name: 'PATH', value: '/bin' }] }),
    [null, 'line', 'restic was not found on this PATH. It would end with exit 127.'],
  ],
])('checks a command: %s (ui.md 10.2)', async (_, settings, [found, at, text]) => {
  const answer = await check(settings());
  expect(answer.programPath).toBe(found == null ? null : path.join(home, found));
  expect(answer.warnings).toEqual(at == null ? [] : [{ path: at, text }]);
});

test('names the folder, the shell and the PATH in force', async () => {
  const answer = await check(shell('restic', { folder: 'Notes (1)' }));
  expect(answer.folder).toBe(path.join(home, 'Notes (1)'));
  expect(answer.shell).toBe('/bin/sh');
  expect(answer.searchPath[0]).toBe(path.join(home, 'tools'));
});

test.each<[string, () => CommandSettings, string, string]>([
  [
    'the folder vanished',
    () => shell('true', { folder: '~/gone' }),
    'folder_missing',
    `The folder ${home}/gone does not exist.`,
  ],
  [
    'the folder is a file',
    () => shell('true', { folder: '~/tools/plain' }),
    'folder_missing',
    `${home}/tools/plain is not a folder.`,
  ],
  [
    'no such shell',
    () => shell('true', { shell: '/bin/nosh' }),
    'shell_not_found',
    'The shell cannot be used. /bin/nosh does not exist.',
  ],
  [
    'a shell that is no program',
    () => shell('true', { shell: '~/tools/plain' }),
    'not_executable',
    `The shell cannot be used. ${home}/tools/plain is not executable.`,
  ],
  ['no such program', () => program('borg'), 'program_not_found', 'borg was not found on this PATH.'],
  [
    'a program that may not run',
    () => program('plain'),
    'not_executable',
    `${home}/tools/plain is not executable.`,
  ],
])('refuses before anything is started: %s', async (_, settings, reason, detail) => {
  expect(await planCommand(settings(), around)).toEqual({ kind: 'refused', reason, detail });
});

test('a shell gets the line as one argument, a program its arguments untouched (C-084)', async () => {
  const hostile = ['a b', 'c&d', '"q"', '%TEMP%', '$HOME', ''];
  expect(await planCommand(program('restic', { arguments: hostile }), around)).toMatchObject({
    kind: 'ready',
    program: path.join(home, 'tools', 'restic'),
    arguments: hostile,
  });
  expect(await planCommand(shell('echo "$HOME"; exit 3'), around)).toMatchObject({
    program: '/bin/sh',
    arguments: ['-c', 'echo "$HOME"; exit 3'],
    folder: home,
    environment: { PWD: home },
  });
  // A line is never taken for options of the shell.
  expect(await planCommand(shell('-x'), around)).toMatchObject({ arguments: ['-c', ' -x'] });
});
