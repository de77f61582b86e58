import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { emptyScriptSettings, type ScriptSettings } from '../../shared/kinds/script';
import { createHost } from '../system/host';
import { createProcessTable } from '../system/processTable';
import { realClock, realTimer } from '../system/realTime';
import { interpreterOf } from './scriptPlan';
import { createRig } from './testRig';

const processes = createProcessTable();
const { bootId } = createHost({ nodeId: 'node-1', processes });
const rig = createRig({ clock: realClock, timer: realTimer, processes, bootId });
afterEach(() => rig.remove());

const script = (text: string, more: Partial<ScriptSettings> = {}): ScriptSettings => ({
  ...emptyScriptSettings,
  text,
  ...more,
});

async function run(settings: ScriptSettings) {
  const order = { ...rig.order({}), settings };
  const started = await rig.runner.start(order);
  if (started.kind !== 'started') return { ...started.end, text: '', folder: null };
  const end = await started.attempt.ended;
  return { ...end, text: await rig.text(order), folder: rig.outputs.folder(order.runId, order.attemptId) };
}

test.each<[string, ScriptSettings, string, number]>([
  ['sh by default', script('echo "$0" | grep -c script; exit 3'), '1', 3],
  ['bash', script('a=(1 2 3); echo "$((a[2]))"', { interpreter: 'bash' }), '3', 0],
  [
    'python',
    script('import sys\nprint(sys.argv[1])', { interpreter: 'python', arguments: ['it is'] }),
    'it is',
    0,
  ],
  [
    'node',
    script('console.log(process.argv[2])', { interpreter: 'node', arguments: ['--flag'] }),
    '--flag',
    0,
  ],
  ['any program', script('echo other', { interpreter: 'other', program: '/bin/sh' }), 'other', 0],
  ['what the first line says', script('#!/usr/bin/env -S python3 -u\nprint("yes")'), 'yes', 0],
  ['lines that were pasted from Windows', script('if true\r\nthen echo ok\r\nfi\r\n'), 'ok', 0],
])('a script runs: %s', async (_, settings, text, exitCode) => {
  const end = await run(settings);
  expect(end).toMatchObject({ exitCode });
  if (text !== '') expect(end.text).toContain(text);
});

test('the text of a script is in a file for the owner alone', async () => {
  const { folder } = await run(script('echo done'));
  const facts = fs.statSync(path.join(folder ?? '', 'script'));
  expect(facts.mode & 0o777).toBe(0o600);
});

test.each<[string, ScriptSettings, string]>([
  [
    'no interpreter',
    script('x', { interpreter: 'other', program: 'no-such-thing' }),
    'no-such-thing was not found',
  ],
  ['no such first line', script('#!/no/such/sh\nx'), '/no/such/sh does not exist'],
])('a script without its interpreter is a failed run that names it: %s', async (_, settings, text) => {
  const end = await run(settings);
  expect(end).toMatchObject({ reason: 'program_not_found', exitCode: null });
  expect(end.detail).toContain(text);
});

test.each<[string, string, { names: readonly string[]; arguments: readonly string[] }]>([
  ['none', 'echo', { names: ['/bin/sh'], arguments: [] }],
  ['a path', '#!/bin/bash -eu\n', { names: ['/bin/bash'], arguments: ['-eu'] }],
  ['a path and one argument with blanks', '#! /bin/sh  -e u \n', { names: ['/bin/sh'], arguments: ['-e u'] }],
  ['env', '#!/usr/bin/env ruby\r\n', { names: ['ruby'], arguments: [] }],
  ['env that divides', '#!/usr/bin/env -S deno run -A\n', { names: ['deno'], arguments: ['run', '-A'] }],
])('the first line of a script names its interpreter: %s', (_, text, expected) => {
  expect(interpreterOf(script(text))).toEqual(expected);
});
