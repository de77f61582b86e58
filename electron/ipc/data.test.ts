/** What may be asked while the store is refused, and what only the window may mean. */

import { expect, test } from 'vitest';
import { type RequestName, requests } from '../../shared/ipc/contract';
import { ok } from '../../shared/result';
import type { DataActions } from '../ports/data';
import type { DataSources } from './data';
import { failedStoreHandlers, forOthers } from './handlers';
import type { WindowSide } from './window';

const BACKUP_ID = 'belfry-2026-12-01T03-40-00-000Z-daily.db';
const WORKING: readonly RequestName[] = [
  'engine.status',
  'health.get',
  'settings.get',
  'backups.list',
  'clipboard.write',
  'folders.choose',
  'window.drawn',
  'rescue.get',
  'rescue.retry',
  'rescue.act',
  'rescue.cancelRepair',
  'rescue.export',
  'data.reveal',
  'app.quit',
];

function setUp(chosenFile: string | null = '/chosen/export.json') {
  const done: string[] = [];
  const report = { choice: 'restore' as const, sentences: ['Done.'], keptFile: null };
  const data: DataActions = {
    rescueState: async () => null,
    retry: async () => null,
    act: async ({ choice }) => {
      done.push(choice);
      return ok(report);
    },
    cancelRepair: () => void done.push('cancel'),
    exportTo: async (file) => {
      done.push(`export ${file}`);
      return ok({ jobCount: 2, runCount: 3, gapCount: 0 });
    },
    restoreOpen: async () => ok(report),
  };
  const windowSide: WindowSide = {
    chooseFolder: async () => null,
    writeClipboard: async () => undefined,
    windowDrawn: () => undefined,
    isWindowDrawn: () => true,
    chooseNewFile: async () => chosenFile,
    revealFolder: async (folder) => void done.push(`reveal ${folder}`),
    quit: () => void done.push('quit'),
    applySettings: () => undefined,
  };
  const sources: DataSources = { data, folder: '/the/data', windowSide };
  const facts = { version: '1', pid: 1, host: 'app' as const, runtime: 'Node', sqlite: 'not open' };
  const here = failedStoreHandlers('It is damaged.', { ...sources, facts });
  return { here, others: forOthers(here, sources), done };
}

test('a refused store answers how to mend it, and refuses everything else with the reason (X-46)', async () => {
  const { here } = setUp();
  for (const name of Object.keys(requests) as RequestName[]) {
    const reply = await (here[name] as (input: unknown) => Promise<unknown>)({ choice: 'restore' });
    if (WORKING.includes(name)) expect(reply, name).toMatchObject({ ok: true });
    else {
      expect(reply, name).toEqual({ ok: false, error: { code: 'unavailable', message: 'It is damaged.' } });
    }
  }
});

test('an export goes to the file that the person chose, and nowhere without one', async () => {
  const chosen = setUp();
  expect(await chosen.here['rescue.export'](undefined)).toEqual(
    ok({ file: '/chosen/export.json', jobCount: 2, runCount: 3, gapCount: 0 }),
  );
  const closed = setUp(null);
  expect(await closed.here['rescue.export'](undefined)).toEqual(ok(null));
  expect([chosen.done, closed.done]).toEqual([['export /chosen/export.json'], []]);
});

test('a command line mends the store, but opens no dialog and no folder and ends no window (D13)', async () => {
  const { others, done } = setUp();
  for (const name of ['rescue.export', 'data.reveal', 'app.quit'] as const) {
    expect(await others[name](undefined)).toMatchObject({ ok: false, error: { code: 'unsupported' } });
  }
  expect(done).toEqual([]);
  expect(await others['rescue.act']({ choice: 'restore', backupId: BACKUP_ID as never })).toMatchObject({
    ok: true,
  });
  expect(done).toEqual(['restore']);
});
