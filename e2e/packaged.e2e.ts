/**
 * The packaged app, driven from outside: with the release fuses no inspector can be attached, so the test uses what a user
 * has, the binary and the socket of the command line. Numbers are those of SECURITY.md.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { test as base, expect } from '@playwright/test';
import { shellJob } from './drafts';
import { listeningPorts, processTree, removeDataFolder } from './processTree';
import { ask, askFor } from './socketClient';

const executable = path.resolve(import.meta.dirname, '..', 'release', 'linux-unpacked', 'belfry');
const asRoot = process.platform === 'linux' && process.getuid?.() === 0 ? ['--no-sandbox'] : [];

type Packaged = {
  readonly dataFolder: string;
  readonly start: (args?: string[], env?: Record<string, string>) => ChildProcess;
};

const ended = (child: ChildProcess): Promise<number | string> =>
  new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? signal ?? 'unknown')));

const test = base.extend<{ packaged: Packaged }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a destructured argument
  packaged: async ({}, use) => {
    const dataFolder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-packaged-'));
    const children: ChildProcess[] = [];
    await use({
      dataFolder,
      start: (args = [], env = {}) => {
        const child = spawn(executable, [...asRoot, `--user-data-dir=${dataFolder}`, ...args], {
          stdio: ['ignore', 'pipe', 'pipe'],
          env: { ...process.env, ...env },
        });
        children.push(child);
        return child;
      },
    });
    for (const child of children) child.kill('SIGKILL');
    await removeDataFolder(dataFolder);
  },
});

/** Waits until the window of the app on this folder has drawn what the engine told it. */
const waitForWindow = (dataFolder: string): Promise<void> =>
  expect
    .poll(
      () =>
        ask(dataFolder, 'health.get', undefined).then(
          (reply) => reply.ok && reply.value.isWindowDrawn,
          () => false,
        ),
      {
        message: 'the window is drawn',
        timeout: 30_000,
      },
    )
    .toBe(true);

test('starts, draws its window, opens the store and runs a job', async ({ packaged }) => {
  const { dataFolder } = packaged;
  const app = packaged.start();
  await waitForWindow(dataFolder);
  const health = await askFor(dataFolder, 'health.get', undefined);
  expect(health.host).toBe('app');
  expect(health.sqlite).toMatch(/^3\.\d+/);
  expect(health.status.state).toBe('running');

  const job = await askFor(dataFolder, 'jobs.save', {
    draft: shellJob('Greet', 'echo "hello from $BELFRY_JOB_NAME"; exit 3'),
  });
  const run = await askFor(dataFolder, 'runs.start', { jobId: job.id });
  const finished = async (): Promise<unknown> => {
    const { state, outcome, exitCode, trigger } = await askFor(dataFolder, 'runs.get', { runId: run.id });
    return { state, outcome, exitCode, trigger };
  };
  await expect.poll(finished).toEqual({ state: 'finished', outcome: 'failed', exitCode: 3, trigger: 'cli' });
  const page = await askFor(dataFolder, 'output.read', { runId: run.id, from: 0, count: 10 });
  expect(page.lines.map((line) => line.text)).toEqual(['hello from Greet']);

  // Made by the bundle of the worker thread, which lies in the archive (S-13).
  const copy = await askFor(dataFolder, 'backups.create', undefined);
  expect(copy).toMatchObject({ reason: 'manual', jobCount: 1, runCount: 1, problem: null });
  expect((await askFor(dataFolder, 'backups.list', undefined)).map(({ id }) => id)).toContain(copy.id);
  expect(fs.statSync(path.join(dataFolder, 'backups', copy.id)).size).toBe(copy.bytes);
  expect((await askFor(dataFolder, 'data.check', undefined)).lastCheck?.finding).toBeNull();

  app.kill('SIGTERM');
  expect(await ended(app)).toBe(0);
  const again = packaged.start();
  await waitForWindow(dataFolder);
  expect((await askFor(dataFolder, 'jobs.list', undefined)).map((row) => row.name)).toEqual(['Greet']);
  again.kill('SIGTERM');
  expect(await ended(again)).toBe(0);
});

test('4.7 the fuses hold: no Node, no inspector, no loader of somebody else', async ({ packaged }) => {
  const asNode = packaged.start(['-e', 'console.log("as" + "-node")'], { ELECTRON_RUN_AS_NODE: '1' });
  let printed = '';
  asNode.stdout?.on('data', (data) => {
    printed += String(data);
  });
  await waitForWindow(packaged.dataFolder);
  expect(printed).not.toContain('as-node');
  asNode.kill('SIGTERM');
  expect(await ended(asNode)).toBe(0);

  const app = packaged.start(['--inspect=0'], { NODE_OPTIONS: '--require /nonexistent/loader.js' });
  await waitForWindow(packaged.dataFolder);
  expect(listeningPorts(processTree(app.pid ?? 0))).toEqual([]);
});

test('4.7 a release refuses to start with a debugging port', async ({ packaged }) => {
  expect(await ended(packaged.start(['--remote-debugging-port=0']))).not.toBe(0);
  expect(await ended(packaged.start(['--remote-debugging-pipe']))).not.toBe(0);
});

test('4.15 nothing listens on the network while the app runs', async ({ packaged }) => {
  const app = packaged.start();
  await waitForWindow(packaged.dataFolder);
  // A listener of our own shows that one would be seen.
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  expect(listeningPorts([process.pid])).toContain((server.address() as net.AddressInfo).port);
  server.close();
  expect(processTree(app.pid ?? 0).length).toBeGreaterThan(1);
  expect(listeningPorts(processTree(app.pid ?? 0))).toEqual([]);
});
