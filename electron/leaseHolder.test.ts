/** A store is not taken from under a living process that does not answer: real agents, stopped and killed (D11, X-41, H-17). */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { spawnAgent } from './agentProcess.fixture';
import { runCommand } from './commandLine';
import { openOffline } from './compose';
import { livingHolder } from './leaseHolder';
import { openDatabase } from './store/database';
import { leaseOf } from './store/samples';
import { createStore } from './store/store';
import { realTimer } from './system/realTime';

vi.setConfig({ testTimeout: 120_000 });

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function makeFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-holder-'));
  cleanUps.push(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

async function type(dataFolder: string, ...argv: string[]) {
  const lines: string[] = [];
  const exitCode = await runCommand(argv, {
    dataFolder,
    timer: realTimer,
    openOffline: () => openOffline({ dataFolder, storeWorker: null }),
    print: (text) => void lines.push(text),
    complain: (text) => void lines.push(text),
  });
  return { exitCode, text: lines.join('\n') };
}

/** A store whose lease is held, as far as the row says. */
async function heldStore(): Promise<string> {
  const file = path.join(makeFolder(), 'belfry.db');
  const opened = openDatabase({ file });
  if (!opened.ok) throw new Error(opened.error.message);
  const store = createStore(opened.value);
  await store.transact(async ({ leases, settings }) => {
    const lease = leaseOf({ holderId: 'somebody', epoch: 1 });
    await settings.setNodeId(lease.nodeId);
    await leases.take(lease, null);
  });
  await store.close();
  return file;
}

test.runIf(process.platform !== 'win32')(
  'a copy is not put back under an agent that was stopped, but under one that was killed',
  async () => {
    const folder = makeFolder();
    const agent = await spawnAgent(folder, { onCleanUp: (end) => void cleanUps.push(end) });
    expect((await type(folder, 'backup', 'create')).exitCode).toBe(0);
    agent.process.kill('SIGSTOP');
    // Somebody tidied up: nothing leads to its socket any more.
    for (const name of fs.readdirSync(folder).filter((each) => /sock/.test(each))) {
      fs.rmSync(path.join(folder, name));
    }
    const before = fs.statSync(path.join(folder, 'belfry.db')).ino;
    for (const options of [[], ['--json']]) {
      const refused = await type(folder, 'backup', 'restore', 'latest', ...options);
      expect(refused.exitCode).toBe(1);
      expect(refused.text).toMatch(new RegExp(`^Process ${agent.process.pid} is Belfry .* End that process`));
    }
    expect(fs.statSync(path.join(folder, 'belfry.db')).ino).toBe(before);
    expect(fs.existsSync(path.join(folder, 'aside'))).toBe(false);

    agent.process.kill('SIGKILL');
    await agent.ended;
    expect(await type(folder, 'backup', 'restore', 'latest')).toMatchObject({ exitCode: 0 });
    expect(fs.statSync(path.join(folder, 'belfry.db')).ino).not.toBe(before);
  },
);

test('whoever cannot be proven to be gone counts as living', async () => {
  const file = await heldStore();
  const judged = (state: 'alive' | 'dead' | 'unknown') =>
    livingHolder(file, () => ({ isAlive: () => state }));
  expect(await judged('alive')).toMatch(/^Process \d+ is Belfry/);
  expect(await judged('unknown')).toMatch(/^It cannot be told whether process \d+/);
  expect(await judged('dead')).toBeNull();
});

test('a store that is missing, damaged or released is held by nobody', async () => {
  const alive = () => ({ isAlive: () => 'alive' as const });
  const file = await heldStore();
  fs.writeFileSync(file, fs.readFileSync(file).fill(0xa5, 4_096));
  expect(await livingHolder(file, alive)).toBeNull();
  fs.writeFileSync(file, 'no database');
  expect(await livingHolder(file, alive)).toBeNull();
  fs.rmSync(file);
  expect(await livingHolder(file, alive)).toBeNull();
  const released = await heldStore();
  const opened = openDatabase({ file: released });
  if (!opened.ok) throw new Error(opened.error.message);
  opened.value.writer.exec('UPDATE leases SET holder_id = NULL');
  opened.value.writer.close();
  expect(await livingHolder(released, alive)).toBeNull();
});
