/**
 * Goal: no result is lost while the disk is full or cannot be written (H-61, X-51, D4). Method: the store refuses everything,
 * or everything that may not use the reserve, around the end of a run, with and without a restart in between.
 */

import { expect, test } from 'vitest';
import { defaultRetry } from '../../shared/model/policies';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import { StoreError } from '../core/storeError';
import { type JobFacts, Rig, settle, unwrap } from '../testing/rig';

const full = new StoreError('full', 'No room is left.');

/** A rig whose job has a run of ten seconds, and whose store takes nothing from the fifth on. */
async function fullBeforeTheEnd(facts: JobFacts = {}, exitCode = 0) {
  const rig = await Rig.started({ hasDisk: true });
  const job = await rig.addJob(facts);
  rig.processes.script = () => ({ durationMs: 10 * SECOND_MS, exitCode });
  const run = unwrap(await rig.engine.startRun(job.id, 'manual'));
  await rig.time.advance(5 * SECOND_MS);
  rig.storeError = full;
  return { rig, job, run };
}

/** The process dies, and with it every trace of its commands: only the spill file knows how they ended. */
function loseEverything(rig: Rig): void {
  rig.kill();
  rig.processes.vanish();
  rig.processes.runner.adopt = async () => ({ kind: 'gone', restarted: false });
}

test('an end that the store refuses is kept at the first refusal and forgotten once it is stored (H-61)', async () => {
  const { rig, job, run } = await fullBeforeTheEnd();
  await rig.time.advance(5 * SECOND_MS);
  expect([...rig.spill.ends.values()]).toMatchObject([{ runId: run.id, outcome: 'succeeded', exitCode: 0 }]);
  expect(await rig.runs(job.id)).toMatchObject([{ state: 'running' }]);
  rig.storeError = null;
  await rig.time.advance(MINUTE_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'succeeded', durationMs: 10 * SECOND_MS }]);
  expect(rig.spill.ends.size).toBe(0);
});

test('an end that was kept is stored by the next life, with what follows from it (H-61, S-51)', async () => {
  const { rig, job, run } = await fullBeforeTheEnd();
  const rule = { kind: 'after_job', jobId: job.id, on: 'succeeded' } as const;
  rig.storeError = null;
  const next = await rig.addJob({ name: 'after it', rules: [rule] });
  rig.storeError = full;
  await rig.time.advance(10 * SECOND_MS);
  loseEverything(rig);
  // Still no room: nothing is decided about the run, and it is not lost.
  const engine = rig.renew();
  void engine.start();
  await rig.time.advance(MINUTE_MS);
  expect(rig.spill.ends.size).toBe(1);
  rig.storeError = null;
  await rig.time.advance(2 * MINUTE_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ id: run.id, outcome: 'succeeded', exitCode: 0 }]);
  const [first] = await rig.runs(job.id);
  expect(await rig.runs(next.id)).toMatchObject([{ plannedAt: first?.endedAt, outcome: 'succeeded' }]);
  expect(rig.spill.ends.size).toBe(0);
  expect(rig.processes.spawned).toHaveLength(2);
});

test('a kept end that failed is tried again by the next life, as often as the job allows and no more', async () => {
  const retry = { ...defaultRetry, countMax: 1, delayMs: MINUTE_MS };
  const { rig, job } = await fullBeforeTheEnd({ policies: { retry } }, 3);
  await rig.time.advance(10 * SECOND_MS);
  loseEverything(rig);
  rig.storeError = null;
  await rig.renew().start();
  await settle();
  expect(await rig.runs(job.id)).toMatchObject([{ state: 'queued', attemptCount: 1 }]);
  await rig.time.advance(2 * MINUTE_MS);
  const [run] = await rig.runs(job.id);
  expect(run).toMatchObject({ state: 'finished', outcome: 'failed', exitCode: 3, attemptCount: 2 });
  expect(rig.processes.spawned).toHaveLength(2);
});

test('a kept end of a run that was closed meanwhile is told beside it, once, and changes nothing (X-67)', async () => {
  const { rig, job, run } = await fullBeforeTheEnd();
  await rig.time.advance(10 * SECOND_MS);
  const kept = [...rig.spill.ends.values()];
  loseEverything(rig);
  rig.spill.ends.clear();
  rig.storeError = null;
  await rig.renew().start();
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'abandoned' }]);
  for (const _ of [1, 2]) {
    for (const end of kept) await rig.spill.keep(end);
    await rig.engine.stop({ runs: 'leave' });
    await rig.renew().start();
    expect(rig.spill.ends.size).toBe(0);
    expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'abandoned' }]);
    expect(unwrap(await rig.engine.attempts(run.id))).toMatchObject([
      { outcome: 'abandoned', lateResult: { exitCode: 0 } },
    ]);
  }
});

test('a kept end that the store has, or whose run it does not know, is dropped', async () => {
  const { rig, job } = await fullBeforeTheEnd();
  await rig.time.advance(10 * SECOND_MS);
  const [kept] = rig.spill.ends.values();
  rig.storeError = null;
  await rig.time.advance(MINUTE_MS);
  if (kept === undefined) throw new Error('nothing was kept');
  await rig.spill.keep({ ...kept, outcome: 'failed', exitCode: 9 });
  const strange = '00000000-0000-7000-8000-00000000dead';
  await rig.spill.keep({ ...kept, runId: strange as never, attemptId: strange as never });
  await rig.engine.stop({ runs: 'leave' });
  await rig.renew().start();
  expect(rig.spill.ends.size).toBe(0);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'succeeded', exitCode: 0 }]);
  expect(await rig.runs(job.id)).toHaveLength(1);
});

test('a spill file that has no room does not keep the end from being stored', async () => {
  const { rig, job } = await fullBeforeTheEnd();
  rig.spill.isFull = true;
  await rig.time.advance(10 * SECOND_MS);
  rig.storeError = null;
  await rig.time.advance(MINUTE_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'succeeded' }]);
  expect(rig.log.lines.some(({ event }) => event === 'end_not_spilled')).toBe(true);
});

test('while only the reserve is left, what goes on is ended, nothing is started, and the person is told (D4, X-51)', async () => {
  const rig = await Rig.started({ hasDisk: true });
  const [first, second] = [await rig.addJob({}), await rig.addJob({})];
  rig.processes.script = () => ({ durationMs: 10 * SECOND_MS });
  await rig.engine.startRun(first.id, 'manual');
  await settle();
  const gate = rig.engine.startRun(second.id, 'manual');
  rig.isRoomGone = true;
  await gate;
  await rig.time.advance(HOUR_MS);
  expect(await rig.runs(first.id)).toMatchObject([{ outcome: 'succeeded' }]);
  expect(rig.spill.ends.size).toBe(0);
  const waiting = await rig.runs(second.id);
  expect(waiting).toMatchObject([{ state: 'queued' }]);
  expect((await rig.engine.status()).problem).toContain('the disk is full');
  // Still the holder: renewals may use the reserve, so nobody else tries the same in vain.
  expect((await rig.store.read((reader) => reader.leases.get()))?.epoch).toBe(1);
  rig.isRoomGone = false;
  await rig.time.advance(MINUTE_MS);
  expect(await rig.runs(second.id)).toMatchObject([{ outcome: 'succeeded' }]);
  expect(await rig.engine.status()).toMatchObject({ state: 'running', problem: null });
});
