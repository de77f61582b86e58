/** Runs from the queue to their end: nothing before its commit, limits, stops, and what the disk may do meanwhile. */

import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import { StoreError } from '../core/storeError';
import type { AttemptEnd } from '../ports/running';
import type { Script } from '../testing/doubles';
import { asDraft, cron, instant, Rig, settle, unwrap } from '../testing/rig';

const atNine = { rules: [cron('0 9 * * *')] };
const full = new StoreError('full', 'The disk is full.');

test('nothing is spawned before its start is committed, and nothing at all if it cannot be (D4, S-42, C-02)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob(atNine);
  await rig.advanceTo('2026-05-04T08:59:59Z');
  rig.storeError = full;
  await rig.advanceTo('2026-05-04T09:00:08Z');
  expect(rig.processes.spawned).toEqual([]);
  expect(await rig.engine.status()).toMatchObject({ state: 'running' });
  expect((await rig.engine.status()).problem).toContain('disk is full');
  rig.storeError = null;
  await rig.time.advance(MINUTE_MS);
  expect(rig.processes.spawned).toHaveLength(1);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'succeeded' }]);
  expect(await rig.engine.status()).toMatchObject({ state: 'running', problem: null });
});

test('a run whose start cannot be committed stays queued and starts when the disk has room', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({});
  rig.processes.script = () => ({ durationMs: 10 });
  const transact = rig.store.transact.bind(rig.store);
  let calls = 0;
  rig.store = {
    read: rig.store.read.bind(rig.store),
    close: rig.store.close.bind(rig.store),
    transact: (work) => {
      calls += 1;
      return calls === 2 ? Promise.reject(full) : transact(work);
    },
  };
  const run = unwrap(await rig.engine.startRun(job.id, 'manual'));
  await settle();
  expect(rig.processes.spawned).toEqual([]);
  expect(unwrap(await rig.engine.run(run.id)).state).toBe('queued');
  await rig.time.advance(2 * SECOND_MS);
  expect(unwrap(await rig.engine.run(run.id)).outcome).toBe('succeeded');
});

test('three jobs due while the disk is full for five minutes run once each when it has room (C-098)', async () => {
  const rig = await Rig.started();
  const jobs = [await rig.addJob(atNine), await rig.addJob(atNine), await rig.addJob(atNine)];
  await rig.advanceTo('2026-05-04T08:59Z');
  rig.storeError = full;
  expect((await rig.engine.setEnabled({ jobId: jobs[0]?.id as never, isEnabled: false })).ok).toBe(false);
  await rig.time.advance(5 * MINUTE_MS);
  expect(rig.processes.spawned).toEqual([]);
  rig.storeError = null;
  await rig.time.advance(2 * MINUTE_MS);
  for (const { id } of jobs) {
    expect(await rig.runs(id)).toMatchObject([
      { plannedAt: instant('2026-05-04T09:00Z'), trigger: 'catch_up' },
    ]);
  }
});

test('a result that cannot be written is kept and written later (H-61)', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: SECOND_MS, exitCode: 3 });
  const job = await rig.addJob(atNine);
  await rig.advanceTo('2026-05-04T09:00:00.500Z');
  rig.storeError = full;
  await rig.time.advance(30 * SECOND_MS);
  rig.storeError = null;
  await rig.time.advance(MINUTE_MS);
  expect(await rig.runs(job.id)).toMatchObject([
    { outcome: 'failed', reason: 'exit_code', exitCode: 3, endedAt: instant('2026-05-04T09:00:01Z') },
  ]);
});

const endings: readonly (readonly [string, Script, string])[] = [
  ['ends well', { durationMs: 10 }, 'succeeded'],
  ['ends with another exit code', { durationMs: 10, exitCode: 2 }, 'failed'],
  ['cannot be started', { durationMs: 10, failure: 'program_not_found' }, 'failed'],
  ['takes too long', { durationMs: null }, 'timed_out'],
  ['takes too long and will not listen', { durationMs: null, ignoresSoft: true }, 'timed_out'],
];

test.each(endings)(
  'after a run that %s the next due time and "run now" both start (H-50, H-60, C-067)',
  async (_, script, outcome) => {
    const rig = await Rig.started();
    rig.processes.script = () => script;
    const job = await rig.addJob({ ...atNine, policies: { timeoutMs: MINUTE_MS } });
    await rig.advanceTo('2026-05-04T09:05Z');
    expect(await rig.runs(job.id)).toMatchObject([{ state: 'finished', outcome }]);
    expect((await rig.engine.startRun(job.id, 'manual')).ok).toBe(true);
    await rig.advanceTo('2026-05-05T09:05Z');
    expect(await rig.runs(job.id)).toMatchObject([
      { outcome },
      { outcome },
      { outcome, trigger: 'schedule' },
    ]);
  },
);

test('a runner that breaks gives a failed run and not a stuck one (H-09, H-59)', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => {
    throw Object.create(null);
  };
  const job = await rig.addJob(atNine);
  await rig.advanceTo('2026-05-04T09:01Z');
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'failed', reason: 'spawn_failed' }]);
  expect((await rig.engine.startRun(job.id, 'manual')).ok).toBe(true);
});

test('a command that is not found is a failed run with that reason', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: 0, failure: 'program_not_found' });
  const job = await rig.addJob(atNine);
  await rig.advanceTo('2026-05-04T09:01Z');
  expect(await rig.runs(job.id)).toMatchObject([
    { outcome: 'failed', reason: 'program_not_found', detail: 'It cannot be started.', exitCode: null },
  ]);
});

test('the time limit asks first and kills after the grace time (X-13, S-73, S-74)', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: null, ignoresSoft: true });
  const job = await rig.addJob({
    ...atNine,
    policies: { timeoutMs: 10 * MINUTE_MS, graceMs: 5 * SECOND_MS },
  });
  await rig.advanceTo('2026-05-04T09:10:04.999Z');
  expect(rig.processes.alive()).toHaveLength(1);
  await rig.time.advance(1);
  expect(rig.processes.alive()).toEqual([]);
  expect(await rig.runs(job.id)).toMatchObject([
    {
      outcome: 'timed_out',
      reason: 'timeout',
      signal: 'SIGKILL',
      durationMs: 10 * MINUTE_MS + 5 * SECOND_MS,
    },
  ]);
});

test.each([false, true])(
  'time asleep does not use up the time limit, whatever the clocks do: %s (X-13)',
  async (monotonicCountsSleep) => {
    const rig = await Rig.started({ monotonicCountsSleep });
    rig.processes.script = () => ({ durationMs: null });
    const job = await rig.addJob({ ...atNine, policies: { timeoutMs: HOUR_MS } });
    await rig.advanceTo('2026-05-04T09:30Z');
    await rig.time.sleepFor(8 * HOUR_MS);
    await rig.time.advance(29 * MINUTE_MS);
    expect(await rig.runs(job.id)).toMatchObject([{ state: 'running' }]);
    await rig.time.advance(2 * MINUTE_MS);
    expect((await rig.runs(job.id))[0]).toMatchObject({ outcome: 'timed_out' });
  },
);

test('a stop ends the run as stopped, even if the command ends well on being asked (S-49)', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: null });
  const job = await rig.addJob({});
  const run = unwrap(await rig.engine.startRun(job.id, 'manual'));
  await settle();
  unwrap(await rig.engine.stopRun(run.id));
  await settle();
  expect(unwrap(await rig.engine.run(run.id))).toMatchObject({
    outcome: 'cancelled',
    reason: 'stopped_by_user',
  });
  expect(await rig.engine.stopRun(run.id)).toMatchObject({ ok: false, error: { code: 'conflict' } });
});

test('a stop twice, and after the time limit, changes nothing about the cause', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: null, ignoresSoft: true });
  const job = await rig.addJob({ ...atNine, policies: { timeoutMs: MINUTE_MS, graceMs: MINUTE_MS } });
  await rig.advanceTo('2026-05-04T09:01:30Z');
  const [run] = await rig.runs(job.id);
  unwrap(await rig.engine.stopRun(run?.id as never));
  unwrap(await rig.engine.stopRun(run?.id as never));
  await rig.time.advance(MINUTE_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'timed_out' }]);
});

test('a queued run can be stopped before it ever starts', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: HOUR_MS });
  for (let count = 0; count < 4; count += 1) await rig.addJob(atNine);
  const waiting = await rig.addJob({ rules: [cron('1 9 * * *')] });
  await rig.advanceTo('2026-05-04T09:02Z');
  const [run] = await rig.runs(waiting.id);
  expect(run?.state).toBe('queued');
  unwrap(await rig.engine.stopRun(run?.id as never));
  await rig.time.advance(2 * HOUR_MS);
  expect(await rig.runs(waiting.id)).toMatchObject([
    { outcome: 'cancelled', startedAt: null, attemptCount: 0 },
  ]);
  expect(rig.processes.spawned).toHaveLength(4);
});

test('at most four planned runs at once; one by hand does not wait for them (D8, X-22)', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: HOUR_MS });
  for (let count = 0; count < 6; count += 1) await rig.addJob(atNine);
  const byHand = await rig.addJob({});
  await rig.advanceTo('2026-05-04T09:01Z');
  expect(rig.processes.alive()).toHaveLength(4);
  await rig.engine.startRun(byHand.id, 'manual');
  await settle();
  expect(rig.processes.alive()).toHaveLength(5);
  await rig.advanceTo('2026-05-04T10:01Z');
  expect(rig.processes.spawned).toHaveLength(7);
});

test('a job that is switched off or deleted while its run waits does not start (S-43)', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: HOUR_MS });
  for (let count = 0; count < 4; count += 1) await rig.addJob(atNine);
  const off = await rig.addJob({ rules: [cron('1 9 * * *')] });
  const deleted = await rig.addJob({ rules: [cron('2 9 * * *')] });
  await rig.advanceTo('2026-05-04T09:03Z');
  unwrap(await rig.engine.setEnabled({ jobId: off.id, isEnabled: false }));
  unwrap(await rig.engine.deleteJob({ jobId: deleted.id, stopRun: true }));
  await rig.time.advance(3 * HOUR_MS);
  expect(rig.processes.spawned).toHaveLength(4);
  expect(await rig.runs(off.id)).toMatchObject([{ outcome: 'cancelled', attemptCount: 0 }]);
});

test('a run goes on with the definition it was queued with, whatever is edited meanwhile (H-39, X-14)', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: HOUR_MS });
  for (let count = 0; count < 4; count += 1) await rig.addJob(atNine);
  const job = await rig.addJob({ name: 'Before', rules: [cron('1 9 * * *')] });
  await rig.advanceTo('2026-05-04T09:02Z');
  unwrap(await rig.engine.saveJob({ jobId: job.id, draft: { ...asDraft(job), name: 'After' } }));
  await rig.advanceTo('2026-05-04T10:01Z');
  expect(rig.processes.spawned.at(-1)).toMatchObject({ jobId: job.id, jobName: 'Before' });
});

test('a run by hand claims no due time and moves no schedule (X-64, C-074)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T15:05Z' });
  const job = await rig.addJob({ rules: [cron('0 7 * * *')] });
  await rig.engine.startRun(job.id, 'manual');
  await rig.time.advance(2 * DAY_MS);
  expect((await rig.runs(job.id)).map(({ trigger }) => trigger)).toEqual(['manual', 'schedule', 'schedule']);
});

test('a job that is off can be run by hand, one that runs cannot be run twice (S-43, S-44)', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: HOUR_MS });
  const job = await rig.addJob({ isEnabled: false });
  expect((await rig.engine.startRun(job.id, 'cli')).ok).toBe(true);
  expect(await rig.engine.startRun(job.id, 'manual')).toMatchObject({ ok: false, error: { code: 'busy' } });
  unwrap(await rig.engine.deleteJob({ jobId: job.id, stopRun: true }));
  expect(await rig.engine.startRun(job.id, 'manual')).toMatchObject({
    ok: false,
    error: { code: 'not_found' },
  });
});

test('a clock that was set back during a run gives no negative duration (S-48)', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: MINUTE_MS });
  const job = await rig.addJob({});
  await rig.engine.startRun(job.id, 'manual');
  await settle();
  rig.time.jump(-HOUR_MS);
  await rig.time.advance(MINUTE_MS);
  const [run] = await rig.runs(job.id);
  expect(run).toMatchObject({ outcome: 'succeeded', durationMs: MINUTE_MS });
  expect(run?.endedAt).toBeGreaterThanOrEqual(run?.startedAt ?? 0);
});

test('a runner that tells nonsense about an end still leaves a finished run and a free job (X-19, H-60)', async () => {
  const rig = await Rig.started();
  const nonsense = {
    reason: null,
    detail: { message: 42 },
    exitCode: 1.5,
    signal: 'x'.repeat(99),
    endedAt: Number.NaN,
  };
  rig.processes.runner.start = async () => ({
    kind: 'failed',
    end: { ...nonsense, outputBytes: -1 } as unknown as AttemptEnd,
  });
  const job = await rig.addJob({});
  await rig.engine.startRun(job.id, 'manual');
  await rig.time.advance(SECOND_MS);
  expect(await rig.runs(job.id)).toMatchObject([
    { outcome: 'failed', reason: 'signal', detail: null, outputBytes: 0 },
  ]);
  expect((await rig.engine.startRun(job.id, 'manual')).ok).toBe(true);
});

test('a listener that breaks does not stop the engine', async () => {
  const rig = await Rig.started();
  rig.announced.push = () => {
    throw new Error('the window is gone');
  };
  const job = await rig.addJob(atNine);
  await rig.advanceTo('2026-05-05T09:01Z');
  expect(await rig.runs(job.id)).toHaveLength(2);
});
