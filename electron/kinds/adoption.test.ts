// Attempts that an earlier Belfry left behind. The earlier one is a process of its own, which starts a command through
// the product's code and is then killed the hard way.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Adoption, AttemptOrder, LiveAttempt, ProcessIdentity } from '../ports/running';
import { createHost } from '../system/host';
import { createProcessTable } from '../system/processTable';
import { realClock, realTimer } from '../system/realTime';
import { runVariables } from './environment';
import { launchShim } from './launch';
import { createRunner, createRunners } from './registry';
import { prepareRunFolder } from './runFolder';
import { createRig } from './testRig';

const processes = createProcessTable();
const { bootId } = createHost({ nodeId: 'node-1', processes });
const rig = createRig({ clock: realClock, timer: realTimer, processes, bootId });
/** The later Belfry, which has started nothing itself. */
const later = createRunner(createRunners(rig.deps));
const place = (...names: string[]): string => path.join(rig.root, ...names);
const here = path.dirname(fileURLToPath(import.meta.url));

/** What the earlier Belfry does: start one attempt, tell its identity, and stay. */
const EARLIER = `
import { createRunner, createRunners } from '${here}/registry';
import { createOutputs } from '${here}/output';
import { userSurroundings } from '${here}/commandPlan';
import { createProcessTable } from '${here}/../system/processTable';
import { realClock as clock, realTimer as timer } from '${here}/../system/realTime';

const { root, bootId, order, isStuck } = JSON.parse(process.argv[2]);
// A start waits for its turn right before it spawns.
if (isStuck) {
  setInterval(() => {}, 60_000);
  globalThis.setImmediate = () => console.log('null');
}
const log = { info() {}, warn() {}, error() {} };
const outputs = createOutputs({ runsFolder: root + '/runs', clock, timer, log, onOutput() {} });
const surroundings = { ...userSurroundings(), home: root, loginShell: '/bin/sh' };
const host = { nodeId: 'node-1', bootId };
const deps = { clock, timer, log, host, processes: createProcessTable(), outputs, surroundings, umask: 0o027 };
const started = await createRunner(createRunners(deps)).start(order);
console.log(JSON.stringify(started.attempt.identity));
`;

beforeAll(async () => {
  fs.writeFileSync(place('earlier.ts'), EARLIER);
  await build({
    configFile: false,
    root: here,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: place('earlier.ts'),
      outDir: place('built'),
      rolldownOptions: { output: { format: 'es', entryFileNames: 'earlier.mjs' } },
    },
  });
}, 60_000);

afterEach(async () => {
  // The result of an adopted command is seen a moment before its shim is gone.
  await vi.waitFor(async () => expect(await rig.living()).toEqual([]), { timeout: 10_000, interval: 5 });
  expect(rig.warnings).toEqual([]);
});
afterAll(() => rig.remove());

/** Lets an earlier Belfry start a command and kills it -9 when the command has begun. */
async function leave(order: AttemptOrder, begun: string): Promise<ProcessIdentity> {
  return JSON.parse(await startAndKill({ order }, () => appears(begun)));
}
/** The same, killed right before it starts the command. */
async function leaveUnbegun(order: AttemptOrder): Promise<void> {
  await startAndKill({ order, isStuck: true }, async () => {});
}
async function startAndKill(
  facts: { order: AttemptOrder; isStuck?: boolean },
  until: () => Promise<void>,
): Promise<string> {
  const argument = JSON.stringify({ root: rig.root, bootId, ...facts });
  const earlier: ChildProcess = spawn(process.execPath, [place('built', 'earlier.mjs'), argument], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  earlier.stdout?.on('data', (part) => {
    said += part;
  });
  await vi.waitFor(() => expect(said).toContain('\n'), { timeout: 20_000, interval: 5 });
  await until();
  earlier.kill('SIGKILL');
  await once(earlier, 'exit');
  return said;
}
const appears = (name: string): Promise<void> =>
  vi.waitFor(() => expect(fs.existsSync(place(name))).toBe(true), { timeout: 10_000, interval: 5 });
const adopt = ({ runId, attemptId }: AttemptOrder, identity: ProcessIdentity | null): Promise<Adoption> =>
  later.adopt({ runId, attemptId, identity });
function running(adoption: Adoption): LiveAttempt {
  if (adoption.kind !== 'running') throw new Error(`Not running: ${JSON.stringify(adoption)}`);
  return adoption.attempt;
}
/** A command that says it is up and waits to be let go. */
const waiting = (name: string, then: string): string =>
  `echo early; touch ${name}-up; while [ ! -e ${name}-go ]; do sleep 0.02; done; ${then}`;
const letGo = (name: string): void => fs.writeFileSync(place(`${name}-go`), '');

test('a command goes on when Belfry is killed, and is adopted with its true exit code (issue 2 e, C-068 b)', async () => {
  const order = rig.order({ line: waiting('killed', 'echo late; exit 7') });
  const identity = await leave(order, 'killed-up');
  const attempt = running(await adopt(order, identity));
  expect(attempt.identity).toEqual(identity);
  expect((await rig.outputs.reader.read(order.runId, 0, 9))?.isLive).toBe(true);
  letGo('killed');
  expect(await attempt.ended).toMatchObject({
    reason: 'exit_code',
    exitCode: 7,
    signal: null,
    outputBytes: 11,
    detail: null,
  });
  expect(await rig.text(order)).toBe('early\nlate');
});

test('a crash before the identity was recorded loses nothing (S-42, X-43)', async () => {
  const order = rig.order({ line: waiting('unrecorded', 'exit 8') });
  const identity = await leave(order, 'unrecorded-up');
  const attempt = running(await adopt(order, null));
  expect(attempt.identity).toEqual(identity);
  letGo('unrecorded');
  expect(await attempt.ended).toMatchObject({ exitCode: 8 });
});

test('a command that ended while Belfry was away tells when and how', async () => {
  const order = rig.order({ line: waiting('away', 'echo late; exit 9') });
  const identity = await leave(order, 'away-up');
  expect(await later.lateResult(order)).toBeNull();
  letGo('away');
  await vi.waitFor(async () => expect(await rig.living()).toEqual([]), { timeout: 10_000 });
  const result = path.join(rig.outputs.folder(order.runId, order.attemptId), 'result');
  const endedAt = Math.round(fs.statSync(result).mtimeMs);
  for (const known of [identity, null]) {
    expect(await adopt(order, known)).toEqual({
      kind: 'ended',
      end: { reason: 'exit_code', detail: null, exitCode: 9, signal: null, endedAt, outputBytes: 11 },
    });
  }
  // Told as well to somebody who has given it up in between, and looks for no process.
  expect(await later.lateResult(order)).toMatchObject({ exitCode: 9, endedAt });
  expect(await later.lateResult(rig.order({ line: 'true' }))).toBeNull();
  const page = await rig.outputs.reader.read(order.runId, 0, 9);
  expect(page?.lines.at(-1)).toMatchObject({ text: 'late', at: null });
});

test('an adopted command can be stopped, shell, child and all (S-74)', async () => {
  const order = rig.order({ line: `sh -c "trap '' TERM; touch stop-up; while :; do sleep 0.02; done"` });
  const attempt = running(await adopt(order, await leave(order, 'stop-up')));
  await attempt.signal('soft');
  await attempt.signal('hard');
  expect((await attempt.ended).reason).toBe('signal');
});

test('a soft signal of the earlier Belfry explains the exit code to the later one', async () => {
  const order = rig.order({ line: 'touch softly-up; sleep 600' });
  const { attempt } = await rig.start(order.settings, order);
  await appears('softly-up');
  await attempt.signal('soft');
  attempt.detach();
  await vi.waitFor(async () => expect(await rig.living()).toEqual([]), { timeout: 10_000 });
  expect(await adopt(order, attempt.identity)).toMatchObject({
    kind: 'ended',
    end: { exitCode: 143, signal: 'SIGTERM' },
  });
});

test('what Belfry killed before it went away ended by that kill', async () => {
  const order = rig.order({ line: 'touch hardly-up; sleep 600' });
  const { attempt } = await rig.start(order.settings, order);
  await appears('hardly-up');
  attempt.detach();
  await vi.waitFor(async () => expect(await rig.living()).not.toEqual([]));
  fs.writeFileSync(path.join(rig.outputs.folder(order.runId, order.attemptId), 'signals'), 'hard 1\n');
  process.kill(-attempt.identity.processGroup, 'SIGKILL');
  await vi.waitFor(async () => expect(await rig.living()).toEqual([]), { timeout: 10_000 });
  expect(await adopt(order, attempt.identity)).toMatchObject({
    kind: 'ended',
    end: { reason: 'signal', exitCode: null, signal: 'SIGKILL' },
  });
});

test('a detached attempt goes on and its end is told to nobody', async () => {
  const order = rig.order({ line: waiting('detached', 'exit 3') });
  const { attempt } = await rig.start(order.settings, order);
  await appears('detached-up');
  attempt.detach();
  let hasEnded = false;
  void attempt.ended.then(() => {
    hasEnded = true;
  });
  const adopted = running(await adopt(order, attempt.identity));
  letGo('detached');
  expect(await adopted.ended).toMatchObject({ exitCode: 3 });
  expect(hasEnded).toBe(false);
});

test('a command whose shim was killed may still be alive, and is never taken for gone (X-43, S-44)', async () => {
  const order = rig.order({ line: waiting('orphan', 'true') });
  const identity = await leave(order, 'orphan-up');
  process.kill(identity.pid, 'SIGKILL');
  // Its environment goes first: for a moment it is not found by its mark and still there.
  await vi.waitFor(
    () => {
      const found = processes.look(identity.pid);
      expect(found.kind === 'found' && !found.process.isZombie).toBe(false);
    },
    { timeout: 10_000, interval: 5 },
  );
  for (const known of [identity, null]) {
    const adoption = await adopt(order, known);
    expect(adoption).toMatchObject({
      kind: 'unknown',
      why: expect.stringMatching(/still running \(pid \d+/),
    });
  }
  letGo('orphan');
  await vi.waitFor(async () => expect(await rig.living()).toEqual([]), { timeout: 10_000 });
  expect(await adopt(order, identity)).toEqual({ kind: 'gone', restarted: false });
});

test.skipIf(process.platform !== 'linux')(
  'so is a process that left the group before everything else was killed',
  async () => {
    const order = rig.order({
      line: 'setsid sh -c "touch far-up; while [ ! -e far-go ]; do sleep 0.02; done" & sleep 600',
    });
    const identity = await leave(order, 'far-up');
    process.kill(-identity.processGroup, 'SIGKILL');
    await vi.waitFor(() => expect(processes.look(identity.pid).kind === 'found').toBe(false), {
      timeout: 10_000,
    });
    expect(await adopt(order, identity)).toMatchObject({ kind: 'unknown' });
    letGo('far');
    await vi.waitFor(async () => expect(await rig.living()).toEqual([]), { timeout: 10_000 });
  },
);

test('a pid that now belongs to another process is not the run (X-41, C-068 c)', async () => {
  const order = rig.order({});
  fs.mkdirSync(rig.outputs.folder(order.runId, order.attemptId), { recursive: true });
  const own = processes.look(process.pid);
  const start = own.kind === 'found' ? own.process.start : null;
  const identity = {
    nodeId: 'node-1',
    bootId,
    pid: process.pid,
    processGroup: process.pid,
    processStart: '1',
  };
  expect(await adopt(order, identity)).toEqual({ kind: 'gone', restarted: false });
  // Nor is a process without the run's id in its environment, when only the pid file is left.
  fs.writeFileSync(path.join(rig.outputs.folder(order.runId, order.attemptId), 'pid'), `${process.pid}\n`);
  expect(await adopt(order, null)).toEqual({ kind: 'gone', restarted: false });
  expect(start).not.toBe('1');
});

test('a wrong start time never makes a living run over (fails closed)', async () => {
  const order = rig.order({ line: waiting('wrong', 'exit 5') });
  const identity = await leave(order, 'wrong-up');
  expect(await adopt(order, { ...identity, processStart: '1' })).toMatchObject({ kind: 'unknown' });
  const attempt = running(await adopt(order, { ...identity, processStart: null }));
  letGo('wrong');
  expect(await attempt.ended).toMatchObject({ exitCode: 5 });
});

test('after a restart of the machine the process is provably over (X-40)', async () => {
  const order = rig.order({});
  const identity = {
    nodeId: 'node-1',
    bootId: 'an earlier boot',
    pid: process.pid,
    processGroup: process.pid,
    processStart: '1',
  };
  expect(await adopt(order, identity)).toEqual({ kind: 'gone', restarted: true });
  // The same when the crash came before the identity was recorded: the run's folder knows the boot.
  const folder = rig.outputs.folder(order.runId, order.attemptId);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'origin'), 'node node-1\nboot an earlier boot\n');
  expect(await adopt(order, null)).toEqual({ kind: 'gone', restarted: true });
});

test('a run of another computer is never judged from here', async () => {
  const order = rig.order({});
  const identity = { nodeId: 'node-2', bootId, pid: 1, processGroup: 1, processStart: '1' };
  expect(await adopt(order, identity)).toMatchObject({ kind: 'unknown' });
});

test('a kill right before the start is proof that the command never began (S-42)', async () => {
  const order = rig.order({ line: 'touch unbegun' });
  await leaveUnbegun(order);
  // Whoever could not write that down may ask again.
  for (const _ of ['first', 'second']) expect(await adopt(order, null)).toEqual({ kind: 'never_started' });
  // If the earlier Belfry only hung, and starts it now, the command still does not begin.
  const launched = await launchShim({
    runFolder: rig.outputs.folder(order.runId, order.attemptId),
    program: '/bin/sh',
    arguments: ['-c', 'touch unbegun'],
    folder: rig.root,
    environment: runVariables(order),
    umask: 0o022,
  });
  if (launched.kind !== 'started') throw new Error(launched.detail);
  expect(await launched.ended).toEqual({ code: 126, signal: null });
  expect(fs.existsSync(place('unbegun'))).toBe(false);
  expect(await adopt(order, null)).toEqual({ kind: 'never_started' });
});

test('whatever may have begun is never taken for unbegun', async () => {
  const order = rig.order({ line: 'true' });
  const folder = rig.outputs.folder(order.runId, order.attemptId);
  const gone = { kind: 'gone', restarted: false };
  const traces: Record<string, () => void> = {
    'a pid that was written': () => fs.writeFileSync(path.join(folder, 'pid'), '1234567\n'),
    'a pid that could not be written': () => fs.writeFileSync(path.join(folder, 'pid'), ''),
    'no pid': () => fs.rmSync(path.join(folder, 'pid')),
    'a result that could not be written': () => fs.writeFileSync(path.join(folder, 'result'), ''),
    output: () => fs.writeFileSync(path.join(folder, 'stderr'), 'x'),
    'another boot, or none, behind it': () =>
      fs.writeFileSync(path.join(folder, 'origin'), 'node node-1\nboot \n'),
    'no folder': () => fs.rmSync(folder, { recursive: true }),
  };
  for (const [trace, leaveTrace] of Object.entries(traces)) {
    fs.rmSync(folder, { recursive: true, force: true });
    await prepareRunFolder(folder, { nodeId: 'node-1', bootId });
    leaveTrace();
    expect([trace, await adopt(order, null)]).toEqual([trace, gone]);
  }
});

test('a living process of the run is never taken for unbegun', async () => {
  const order = rig.order({ line: 'true' });
  await prepareRunFolder(rig.outputs.folder(order.runId, order.attemptId), { nodeId: 'node-1', bootId });
  const env = { ...process.env, ...runVariables(order) };
  const shim = spawn('/bin/cat', { stdio: ['pipe', 'ignore', 'ignore'], detached: true, env });
  await once(shim, 'spawn');
  expect(await adopt(order, null)).toMatchObject({ kind: 'unknown' });
  shim.stdin.end();
  await once(shim, 'exit');
});

test('a silent command whose shim was killed has begun', async () => {
  const order = rig.order({ line: 'kill -KILL 0' });
  const { attempt } = await rig.start(order.settings, order);
  await attempt.ended;
  expect(await adopt(order, null)).toEqual({ kind: 'gone', restarted: false });
});

test('what left no folder is gone', async () => {
  expect(await adopt(rig.order({}), null)).toEqual({ kind: 'gone', restarted: false });
});

test('a system that tells nothing about processes gets no guess', async () => {
  const blind = {
    look: () => ({ kind: 'unknown' }) as const,
    search: async () => null,
  };
  const other = createRig({ clock: realClock, timer: realTimer, processes: blind, bootId });
  try {
    const order = other.order({});
    const identity = {
      nodeId: 'node-1',
      bootId,
      pid: process.pid,
      processGroup: process.pid,
      processStart: '1',
    };
    expect(await other.runner.adopt({ ...order, identity })).toMatchObject({ kind: 'unknown' });
    expect(await other.runner.adopt({ ...order, identity: null })).toMatchObject({ kind: 'unknown' });
  } finally {
    await other.remove();
  }
});

test('a result that is not complete is none', async () => {
  const order = rig.order({});
  const folder = rig.outputs.folder(order.runId, order.attemptId);
  fs.mkdirSync(folder, { recursive: true });
  for (const torn of ['', '1', 'x\n', '12345\n', '7\n7\n']) {
    fs.writeFileSync(path.join(folder, 'result'), torn);
    expect(await adopt(order, null)).toEqual({ kind: 'gone', restarted: false });
  }
});
