/** Several runs of one job: who waits, who gives way, and what a person may ask for (D8). */

import { expect, test } from 'vitest';
import type { Job } from '../../shared/model/job';
import type { Overlap } from '../../shared/model/policies';
import { defaultRetry } from '../../shared/model/policies';
import type { RunId } from '../../shared/model/run';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import { StoreError } from '../core/storeError';
import { cron, type JobFacts, Rig, settle, unwrap } from '../testing/rig';
import { QUEUED_BY_HAND_MAX } from './runs';

/** A job due every ten minutes whose runs take an hour. */
async function slow(mode: Overlap['mode'], facts: JobFacts = {}): Promise<{ rig: Rig; job: Job }> {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: HOUR_MS });
  const job = await rig.addJob({
    rules: [cron('*/10 * * * *')],
    ...facts,
    policies: { overlap: { mode, countMax: 3 }, ...facts.policies },
  });
  return { rig, job };
}

test('a newer due time stops the older run, which is cancelled as replaced and not tried again (D8)', async () => {
  const { rig, job } = await slow('replace', {
    policies: { overlap: { mode: 'replace', countMax: 3 }, retry: { ...defaultRetry, countMax: 3 } },
  });
  await rig.advanceTo('2026-05-04T08:10:05Z');
  expect(await rig.runs(job.id)).toMatchObject([
    { outcome: 'cancelled', reason: 'replaced', attemptCount: 1 },
    { state: 'running' },
  ]);
  expect(rig.processes.alive()).toHaveLength(1);
});

test('a newer run waits until the older one that will not listen is killed', async () => {
  const { rig, job } = await slow('replace', {
    policies: { overlap: { mode: 'replace', countMax: 3 }, graceMs: 5 * SECOND_MS },
  });
  rig.processes.script = () => ({ durationMs: HOUR_MS, ignoresSoft: true });
  await rig.advanceTo('2026-05-04T08:10:04Z');
  expect(rig.processes.spawned).toHaveLength(1);
  await rig.advanceTo('2026-05-04T08:10:06Z');
  expect(await rig.runs(job.id)).toMatchObject([
    { reason: 'replaced', signal: 'SIGKILL' },
    { state: 'running' },
  ]);
});

test('a run that waits for its retry gives way as well', async () => {
  const { rig, job } = await slow('replace', {
    policies: {
      overlap: { mode: 'replace', countMax: 3 },
      retry: { ...defaultRetry, countMax: 3, delayMs: HOUR_MS },
    },
  });
  rig.processes.script = () => ({ durationMs: SECOND_MS, exitCode: 1 });
  await rig.advanceTo('2026-05-04T08:10:05Z');
  expect((await rig.runs(job.id))[0]).toMatchObject({
    outcome: 'cancelled',
    reason: 'replaced',
    attemptCount: 1,
    exitCode: 1,
  });
  expect(rig.processes.spawned).toHaveLength(2);
});

test('nothing gives way to a run that waits for a condition', async () => {
  const { rig, job } = await slow('replace', {
    conditions: [{ kind: 'mains', waitMsMax: HOUR_MS, otherwise: 'skip' }],
  });
  await rig.advanceTo('2026-05-04T08:09Z');
  rig.surroundings.states.set('mains', 'unmet');
  await rig.advanceTo('2026-05-04T08:12Z');
  expect(rig.processes.alive()).toHaveLength(1);
  rig.surroundings.states.set('mains', 'met');
  rig.surroundings.tell('power');
  await rig.time.advance(SECOND_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ reason: 'replaced' }, { state: 'running' }]);
});

test('an adopted run gives way after a restart (D10)', async () => {
  const { rig, job } = await slow('replace');
  await rig.advanceTo('2026-05-04T08:05Z');
  rig.kill();
  await rig.advanceTo('2026-05-04T08:11Z');
  await rig.renew().start();
  await rig.time.advance(5 * SECOND_MS);
  expect(await rig.runs(job.id)).toMatchObject([
    { outcome: 'cancelled', reason: 'replaced', wasAdopted: true },
    { state: 'running' },
  ]);
});

test('with a queue the next run starts when the one before has ended', async () => {
  const { rig, job } = await slow('queue_all');
  await rig.advanceTo('2026-05-04T08:25Z');
  expect(rig.processes.alive()).toHaveLength(1);
  await rig.advanceTo('2026-05-04T09:00:05Z');
  expect(rig.processes.spawned).toHaveLength(2);
  expect(rig.processes.alive()).toHaveLength(1);
  expect((await rig.runs(job.id))[0]).toMatchObject({ outcome: 'succeeded' });
});

test('a job that allows three has three at once and no more', async () => {
  const { rig } = await slow('allow');
  await rig.advanceTo('2026-05-04T08:45Z');
  expect(rig.processes.alive()).toHaveLength(3);
});

const busy = async (mode: Overlap['mode']) => {
  const { rig, job } = await slow(mode, { rules: [] });
  const first = unwrap(await rig.engine.startRun(job.id, 'manual'));
  await settle();
  return { rig, job, first: first.id };
};
const state = async (rig: Rig, runId: RunId) => unwrap(await rig.engine.run(runId));

test('a start by hand is refused while a run is active, with a sentence (X-60, S-77)', async () => {
  const { rig, job } = await busy('skip');
  expect(await rig.engine.startRun(job.id, 'manual')).toMatchObject({
    ok: false,
    error: { code: 'busy', message: expect.stringContaining('already running') },
  });
});

test('a start by hand can wait for the run before it, and only so many do', async () => {
  const { rig, job, first } = await busy('replace');
  const second = unwrap(await rig.engine.startRun(job.id, 'manual', 'queue'));
  await rig.time.advance(MINUTE_MS);
  expect(await state(rig, second.id)).toMatchObject({ state: 'queued' });
  await rig.time.advance(HOUR_MS);
  expect(await state(rig, first)).toMatchObject({ outcome: 'succeeded' });
  expect(await state(rig, second.id)).toMatchObject({ state: 'running' });
  for (let count = 0; count < QUEUED_BY_HAND_MAX; count += 1)
    unwrap(await rig.engine.startRun(job.id, 'manual', 'queue'));
  expect(await rig.engine.startRun(job.id, 'manual', 'queue')).toMatchObject({
    ok: false,
    error: { code: 'busy' },
  });
});

test('a start by hand can stop the run before it', async () => {
  const { rig, job, first } = await busy('skip');
  const second = unwrap(await rig.engine.startRun(job.id, 'manual', 'replace'));
  await rig.time.advance(SECOND_MS);
  expect(await state(rig, first)).toMatchObject({ outcome: 'cancelled', reason: 'replaced' });
  expect(await state(rig, second.id)).toMatchObject({ state: 'running' });
});

test('a start by hand goes on beside others only where the job allows it and has room', async () => {
  const { rig, job } = await busy('allow');
  unwrap(await rig.engine.startRun(job.id, 'manual', 'beside'));
  unwrap(await rig.engine.startRun(job.id, 'manual', 'beside'));
  await settle();
  expect(rig.processes.alive()).toHaveLength(3);
  expect(await rig.engine.startRun(job.id, 'manual', 'beside')).toMatchObject({
    ok: false,
    error: { code: 'busy', message: expect.stringContaining('as it allows') },
  });
  const single = await busy('skip');
  expect(await single.rig.engine.startRun(single.job.id, 'manual', 'beside')).toMatchObject({
    ok: false,
    error: { code: 'busy', message: expect.stringContaining('does not allow several') },
  });
});

test('a stop that the disk refuses is tried again for a run that gives way (H-61)', async () => {
  const { rig, job } = await slow('replace', {
    policies: {
      overlap: { mode: 'replace', countMax: 3 },
      retry: { ...defaultRetry, countMax: 3, delayMs: HOUR_MS },
    },
  });
  rig.processes.script = ({ attemptNumber }) => ({ durationMs: SECOND_MS, exitCode: attemptNumber });
  await rig.advanceTo('2026-05-04T08:09:59Z');
  const transact = rig.store.transact.bind(rig.store);
  let calls = 0;
  rig.store = {
    read: rig.store.read.bind(rig.store),
    close: rig.store.close.bind(rig.store),
    transact: (work) => {
      calls += 1;
      return calls === 2 ? Promise.reject(new StoreError('full', 'The disk is full.')) : transact(work);
    },
  };
  await rig.advanceTo('2026-05-04T08:10:10Z');
  expect((await rig.runs(job.id))[0]).toMatchObject({ outcome: 'cancelled', reason: 'replaced' });
  expect(rig.processes.spawned).toHaveLength(2);
});

test('a run that cannot be cancelled while the disk is full is tried again slowly, and gives way then', async () => {
  const disk = { isFull: true, tries: 0 };
  const rig = await Rig.started({
    tamper: (writer) => ({
      ...writer,
      runs: {
        ...writer.runs,
        closeQueued: async (runId, end) => {
          disk.tries += 1;
          if (disk.isFull) throw new StoreError('full', 'The disk is full.');
          return writer.runs.closeQueued(runId, end);
        },
      },
    }),
  });
  rig.processes.script = () => ({ durationMs: SECOND_MS, exitCode: 1 });
  const job = await rig.addJob({
    rules: [cron('*/10 * * * *')],
    policies: {
      overlap: { mode: 'replace', countMax: 3 },
      retry: { ...defaultRetry, countMax: 3, delayMs: HOUR_MS },
    },
  });
  await rig.advanceTo('2026-05-04T08:11Z');
  expect(disk.tries).toBeLessThan(10);
  disk.isFull = false;
  await rig.time.advance(MINUTE_MS);
  expect((await rig.runs(job.id))[0]).toMatchObject({ outcome: 'cancelled', reason: 'replaced' });
});
