/** `belfry explain` and `belfry preview` against a Belfry that runs, through its socket. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { Explanation } from '../shared/model/explanation';
import type { JobId } from '../shared/model/job';
import { WhatIf } from '../shared/model/whatIf';
import { runCommand } from './commandLine';
import { type Belfry, compose, openOffline } from './compose';
import { realTimer } from './system/realTime';
import { cron, draftOf } from './testing/rig';

vi.setConfig({ testTimeout: 60_000 });

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(): Promise<{ belfry: Belfry; type: (...argv: string[]) => Promise<[number, string]> }> {
  const dataFolder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-look-'));
  cleanUps.push(() => fs.rmSync(dataFolder, { recursive: true, force: true, maxRetries: 3 }));
  const belfry = await compose({
    dataFolder,
    host: 'agent',
    windowSide: null,
    machineHints: null,
    announce: () => undefined,
    checksOutput: true,
    storeWorker: null,
  });
  cleanUps.push(() => belfry.stop({ runs: 'stop' }));
  await belfry.start();
  const type = async (...argv: string[]): Promise<[number, string]> => {
    const lines: string[] = [];
    const say = (text: string): void => void lines.push(text);
    const exitCode = await runCommand(argv, {
      dataFolder,
      timer: realTimer,
      openOffline: () => openOffline({ dataFolder, storeWorker: null }),
      print: say,
      complain: say,
    });
    return [exitCode, lines.join('\n')];
  };
  return { belfry, type };
}

async function save(belfry: Belfry, name: string, expression: string): Promise<JobId> {
  const reply = await belfry.handlers['jobs.save']({
    draft: draftOf({ name, rules: [cron(expression, 'UTC')] }),
  });
  if (!reply.ok) throw new Error(reply.error.message);
  return reply.value.id;
}

test('explains a moment that is to come, and one of the past, in a sentence or as it was answered', async () => {
  const { belfry, type } = await start();
  await save(belfry, 'Noon', '0 12 * * *');
  expect(await type('explain', 'Noon', '2100-05-04T12:00Z')).toEqual([
    0,
    expect.stringContaining('Planned for'),
  ]);
  const [exitCode, before] = await type('explain', 'Noon', '2001-05-04T12:00Z');
  expect([exitCode, before]).toEqual([0, expect.stringContaining('is there only since')]);
  const [, json] = await type('explain', 'Noon', '2100-05-04T12:00Z', '--json');
  expect(Explanation.parse(JSON.parse(json))).toMatchObject({ code: 'planned', jobName: 'Noon' });
  expect(await type('explain', 'Noon', 'soon')).toEqual([2, expect.stringContaining('is not a time')]);
  expect(await type('explain', 'Nobody')).toEqual([1, 'There is no job “Nobody”.']);
});

test('previews one job or all, under a scenario, and runs nothing', async () => {
  const { belfry, type } = await start();
  const jobId = await save(belfry, 'Noon', '0 12 * * *');
  await save(belfry, 'Six', '0 */6 * * *');
  const [exitCode, text] = await type('preview', 'Noon', '--days=3');
  expect(exitCode).toBe(0);
  expect(text.split('\n')).toHaveLength(3);
  const [, json] = await type('preview', 'all', '--days=2', '--json');
  const { rows, isCut } = WhatIf.parse(JSON.parse(json));
  expect(isCut).toBe(false);
  expect(rows).toHaveLength(10);
  const [, off] = await type('preview', 'Noon', '--days=3', '--off=2000-01-01T00:00..2100-01-01T00:00');
  expect(off).toBe('Nothing would happen.');
  const [, asleep] = await type('preview', 'Noon', '--days=3', '--asleep=2000-01-01T00:00..2100-01-01T00:00');
  expect(asleep).toBe('Nothing would happen.');
  const history = await belfry.handlers['runs.history']({ jobId, limit: 10 });
  expect(history.ok && history.value.entries).toEqual([]);
  expect(await type('preview', 'Noon', '--weeks=3')).toEqual([2, expect.stringContaining('Usage:')]);
  expect(await type('preview', 'Noon', '--days=99')).toEqual([2, 'Look 1 to 35 days ahead.']);
});
