// The engine lets go of a run and asks for it again within one process, and nothing could be written down meanwhile.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import type { Adoption, AttemptOrder, LiveAttempt } from '../ports/running';
import { createProcessTable } from '../system/processTable';
import { realClock, realTimer } from '../system/realTime';
import { OWN_ENDS_MAX } from './ownAttempts';
import { createRig } from './testRig';

const processes = createProcessTable();
const rig = createRig({ clock: realClock, timer: realTimer, processes, bootId: 'this boot' });
const place = (...names: string[]): string => path.join(rig.root, ...names);

const isQuiet = (): Promise<void> =>
  vi.waitFor(async () => expect(await rig.living()).toEqual([]), { timeout: 10_000, interval: 5 });
afterEach(async () => {
  await isQuiet();
  expect(rig.warnings).toEqual([]);
});
afterAll(() => rig.remove());

const appears = (name: string): Promise<void> =>
  vi.waitFor(() => expect(fs.existsSync(place(name))).toBe(true), { timeout: 10_000, interval: 5 });
const adopt = ({ runId, attemptId }: AttemptOrder, attempt: LiveAttempt | null): Promise<Adoption> =>
  rig.runner.adopt({ runId, attemptId, identity: attempt?.identity ?? null });
/** Like a full disk: the shim can write no result, and Belfry can note no signal. */
function refuseWriting({ runId, attemptId }: AttemptOrder): void {
  for (const name of ['result', 'signals']) {
    const file = path.join(rig.outputs.folder(runId, attemptId), name);
    fs.rmSync(file, { force: true });
    fs.mkdirSync(file);
  }
}
/** Starts a command that waits to be let go, on a disk that fills up meanwhile. */
async function startOnFullDisk(name: string, then: string) {
  const line = `touch ${name}-up; while [ ! -e ${name}-go ]; do sleep 0.02; done; ${then}`;
  const started = await rig.start({ line });
  await appears(`${name}-up`);
  refuseWriting(started.order);
  return { ...started, letGo: () => fs.writeFileSync(place(`${name}-go`), '') };
}

test('a command that ends after it was let go of, without a result, is adopted with its true end', async () => {
  const { attempt, order, letGo } = await startOnFullDisk('after', 'echo 12; exit 42');
  attempt.detach();
  const before = Date.now();
  letGo();
  await isQuiet();
  const after = Date.now();
  const adoption = await adopt(order, attempt);
  expect(adoption).toMatchObject({
    kind: 'ended',
    end: { reason: 'exit_code', detail: null, exitCode: 42, signal: null, outputBytes: 3 },
  });
  const endedAt = adoption.kind === 'ended' ? adoption.end.endedAt : 0;
  expect(endedAt).toBeGreaterThanOrEqual(before);
  // Noticed when the system told, not when somebody asked.
  expect(endedAt).toBeLessThanOrEqual(after + 1);
  // Whoever could not write that down either may ask again, and without knowing the process.
  expect(await adopt(order, null)).toEqual(adoption);
});

test('a command that goes on is watched again, and ends truly without a result', async () => {
  const { attempt, order, letGo } = await startOnFullDisk('goes-on', 'exit 42');
  attempt.detach();
  const first = await adopt(order, attempt);
  if (first.kind !== 'running') throw new Error(first.kind);
  first.attempt.detach();
  const second = await adopt(order, attempt);
  if (second.kind !== 'running') throw new Error(second.kind);
  expect(second.attempt.identity).toEqual(attempt.identity);
  letGo();
  expect(await second.attempt.ended).toMatchObject({ reason: 'exit_code', exitCode: 42 });
});

test('an end that was told but could not be written down is told again', async () => {
  const { attempt, order, letGo } = await startOnFullDisk('told', 'exit 42');
  letGo();
  const end = await attempt.ended;
  expect(end).toMatchObject({ exitCode: 42 });
  attempt.detach();
  expect(await adopt(order, attempt)).toEqual({ kind: 'ended', end });
});

test('a signal that could not be noted still explains the end', async () => {
  const soft = await startOnFullDisk('soft', 'true');
  await soft.attempt.signal('soft');
  soft.attempt.detach();
  const hard = await startOnFullDisk('hard', 'true');
  await hard.attempt.signal('hard');
  hard.attempt.detach();
  await isQuiet();
  expect(await adopt(soft.order, soft.attempt)).toMatchObject({
    kind: 'ended',
    end: { reason: 'signal', exitCode: 143, signal: 'SIGTERM' },
  });
  expect(await adopt(hard.order, hard.attempt)).toMatchObject({
    kind: 'ended',
    end: { reason: 'signal', exitCode: null, signal: 'SIGKILL' },
  });
});

test('a group that goes on without its shim is watched to its end', async () => {
  const { attempt, order, letGo } = await startOnFullDisk('orphaned', 'true');
  attempt.detach();
  process.kill(attempt.identity.pid, 'SIGKILL');
  await vi.waitFor(() => expect(processes.look(attempt.identity.pid).kind).toBe('absent'));
  const adoption = await adopt(order, attempt);
  if (adoption.kind !== 'running') throw new Error(adoption.kind);
  letGo();
  expect(await adoption.attempt.ended).toMatchObject({ reason: 'interrupted', exitCode: null });
});

test('a start that is under way is waited for, so that nobody takes it for one that never happened', async () => {
  const order = rig.order({ line: 'exit 7' });
  const starting = rig.runner.start(order);
  const adoption = await adopt(order, null);
  const started = await starting;
  if (started.kind !== 'started') throw new Error(started.kind);
  started.attempt.detach();
  const end =
    adoption.kind === 'running' ? await adoption.attempt.ended : adoption.kind === 'ended' && adoption.end;
  expect(end).toMatchObject({ exitCode: 7 });
});

test('a refused start is told again', async () => {
  const order = rig.order({ line: 'true', folder: '~/gone' });
  const started = await rig.runner.start(order);
  expect(started).toMatchObject({ kind: 'failed', end: { reason: 'folder_missing' } });
  expect(await adopt(order, null)).toEqual({ ...started, kind: 'ended' });
});

test('the newest ends are kept, and no more of them', async () => {
  const orders = Array.from({ length: OWN_ENDS_MAX + 1 }, () =>
    rig.order({ line: 'true', folder: '~/gone' }),
  );
  for (const order of orders) await rig.runner.start(order);
  const [oldest, second] = orders;
  if (oldest === undefined || second === undefined) throw new Error('There are orders.');
  expect((await adopt(oldest, null)).kind).toBe('gone');
  expect((await adopt(second, null)).kind).toBe('ended');
});
