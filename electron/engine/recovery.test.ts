/** The start-up pass: what an older epoch left open is adopted, closed or tried again, and never guessed. */

import { expect, test } from 'vitest';
import type { Job } from '../../shared/model/job';
import { defaultPolicies, defaultRetry } from '../../shared/model/policies';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import { ATTEMPTS_AFTER_INTERRUPTION_MAX } from '../core/recovery';
import { StoreError } from '../core/storeError';
import { cron, type JobFacts, Rig, settle, unwrap } from '../testing/rig';
import { createEngine } from './createEngine';

const once = defaultPolicies.catchUp;

/** A rig whose job runs for an hour, killed ten minutes into it. */
async function killed(facts: JobFacts = {}): Promise<{ rig: Rig; job: Job }> {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: HOUR_MS, exitCode: 7 });
  const job = await rig.addJob(facts);
  unwrap(await rig.engine.startRun(job.id, 'manual'));
  await rig.time.advance(10 * MINUTE_MS);
  rig.kill();
  return { rig, job };
}

test('a run that goes on is adopted and ends with its true exit code (D10, C-068)', async () => {
  const { rig, job } = await killed();
  await rig.renew().start();
  expect((await rig.engine.status()).runningCount).toBe(1);
  await rig.time.advance(HOUR_MS);
  expect(await rig.runs(job.id)).toMatchObject([
    { outcome: 'failed', reason: 'exit_code', exitCode: 7, wasAdopted: true, durationMs: HOUR_MS },
  ]);
  expect(rig.processes.spawned).toHaveLength(1);
});

test('a run that ended meanwhile has its true end, at its true time (D10)', async () => {
  const { rig, job } = await killed();
  await rig.time.advance(3 * HOUR_MS);
  await rig.renew().start();
  const [run] = await rig.runs(job.id);
  expect(run).toMatchObject({ outcome: 'failed', exitCode: 7, wasAdopted: true, durationMs: HOUR_MS });
});

test('an adopted run keeps its job from overlapping, and can be stopped (C-068)', async () => {
  const { rig, job } = await killed({ rules: [cron('30 8 * * *')] });
  await rig.renew().start();
  await rig.advanceTo('2026-05-04T08:31Z');
  expect(await rig.skips(job.id)).toMatchObject([{ reason: 'overlap' }]);
  const [run] = await rig.runs(job.id);
  unwrap(await rig.engine.stopRun(run?.id as never));
  await settle();
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'cancelled', wasAdopted: true }]);
});

test('an adopted run has what is left of its time limit', async () => {
  const { rig, job } = await killed({ policies: { timeoutMs: 30 * MINUTE_MS } });
  await rig.renew().start();
  await rig.time.advance(19 * MINUTE_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ state: 'running' }]);
  await rig.time.advance(MINUTE_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'timed_out', durationMs: 30 * MINUTE_MS }]);
});

test('a run whose process is gone is interrupted; the job stays on and runs at its next time (C-064, C-068, X-40, X-41)', async () => {
  const { rig, job } = await killed({ rules: [cron('30 8 * * *')] });
  rig.processes.vanish();
  await rig.renew().start();
  expect(await rig.runs(job.id)).toMatchObject([
    { outcome: 'abandoned', reason: 'interrupted', durationMs: null },
  ]);
  await rig.advanceTo('2026-05-04T08:30:01Z');
  expect(await rig.runs(job.id)).toMatchObject([{}, { state: 'running', trigger: 'schedule' }]);
});

test('after a restart of the machine the reason says so (X-40)', async () => {
  const { rig, job } = await killed();
  rig.processes.vanish();
  rig.machine.reboot();
  await rig.renew().start();
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'abandoned', reason: 'interrupted_restart' }]);
});

test('a run that may still be alive closes as interrupted, kills nothing, and switches its job off (S-53, S-54)', async () => {
  const { rig, job } = await killed({
    rules: [cron('30 8 * * *')],
    policies: { afterInterruption: 'repeat' as const },
  });
  rig.processes.areHidden = true;
  await rig.renew().start();
  rig.processes.areHidden = false;
  const [row] = await rig.engine.jobRows();
  expect(row).toMatchObject({ isEnabled: false, disabledReason: 'interrupted', state: 'abandoned' });
  expect(await rig.runs(job.id)).toMatchObject([
    { outcome: 'abandoned', detail: 'The process cannot be watched.' },
  ]);
  expect(rig.processes.alive()).toHaveLength(1);
  await rig.advanceTo('2026-05-04T08:31Z');
  expect(rig.processes.spawned).toHaveLength(1);
});

/** A rig that died between the commit of a run as running and the spawn of its command. */
async function diedBeforeSpawn(): Promise<{ rig: Rig; job: Job }> {
  const rig = await Rig.started();
  const job = await rig.addJob({});
  rig.incarnation.dieAt({ port: 'runner', call: 1, when: 'before' });
  void rig.engine.startRun(job.id, 'manual');
  await rig.incarnation.died;
  rig.kill();
  return { rig, job };
}

test('a start that was committed and provably never spawned runs once after all (D4, X-43)', async () => {
  const { rig, job } = await diedBeforeSpawn();
  await rig.renew().start();
  await rig.time.advance(HOUR_MS);
  expect(await rig.runs(job.id)).toMatchObject([
    { outcome: 'succeeded', attemptCount: 2, wasAdopted: false },
  ]);
  expect(rig.processes.spawned).toMatchObject([{ attemptNumber: 2 }]);
  rig.kill();
  await rig.renew().start();
  await rig.time.advance(HOUR_MS);
  expect(rig.processes.spawned).toHaveLength(1);
});

test('a start that was committed and may have been spawned is interrupted and not made up (D4, C-064)', async () => {
  const { rig, job } = await diedBeforeSpawn();
  rig.processes.areStartsProvable = false;
  await rig.renew().start();
  await rig.time.advance(HOUR_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'abandoned', attemptCount: 1 }]);
  expect(rig.processes.spawned).toEqual([]);
});

test('a process that was spawned and not recorded is still found (X-43)', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: MINUTE_MS, exitCode: 4 });
  const job = await rig.addJob({});
  rig.incarnation.dieAt({ port: 'runner', call: 1, when: 'after' });
  void rig.engine.startRun(job.id, 'manual');
  await rig.incarnation.died;
  rig.kill();
  await rig.renew().start();
  await rig.time.advance(2 * MINUTE_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ exitCode: 4, wasAdopted: true }]);
  expect(rig.processes.spawned).toHaveLength(1);
});

test('a job that may be repeated is tried again as the next attempt of the same run, and not for ever (D4)', async () => {
  const { rig, job } = await killed({ policies: { afterInterruption: 'repeat' as const } });
  for (let loss = 0; loss < 5; loss += 1) {
    rig.processes.vanish();
    rig.kill();
    await rig.renew().start();
    await rig.time.advance(MINUTE_MS);
  }
  expect(rig.processes.spawned).toHaveLength(ATTEMPTS_AFTER_INTERRUPTION_MAX);
  expect(await rig.runs(job.id)).toMatchObject([
    { outcome: 'abandoned', attemptCount: ATTEMPTS_AFTER_INTERRUPTION_MAX },
  ]);
});

test('runs that waited in the queue go on waiting and start (C-071)', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: 2 * HOUR_MS });
  for (let count = 0; count < 5; count += 1) await rig.addJob({ rules: [cron('0 8 * * *')] });
  await rig.advanceTo('2026-05-04T08:01Z');
  expect(rig.processes.spawned).toHaveLength(4);
  rig.kill();
  await rig.time.advance(MINUTE_MS);
  await rig.renew().start();
  expect(rig.processes.spawned).toHaveLength(4);
  await rig.advanceTo('2026-05-04T10:01Z');
  expect(rig.processes.spawned).toHaveLength(5);
});

test('recovery that the disk interrupts goes on where it was, and watches what it adopted before (H-06)', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: HOUR_MS });
  const jobs = [
    await rig.addJob({ rules: [cron('0 8 * * *')] }),
    await rig.addJob({ rules: [cron('0 8 * * *')] }),
  ];
  await rig.advanceTo('2026-05-04T08:10Z');
  rig.kill();
  const adopt = rig.processes.runner.adopt;
  let count = 0;
  rig.processes.runner.adopt = (attempt) => {
    count += 1;
    if (count === 2) rig.storeError = new StoreError('full', 'The disk is full.');
    return adopt(attempt);
  };
  await rig.renew().start();
  expect((await rig.engine.status()).problem).toContain('disk is full');
  rig.storeError = null;
  await rig.time.advance(10 * SECOND_MS);
  expect((await rig.engine.status()).runningCount).toBe(2);
  await rig.time.advance(HOUR_MS);
  for (const { id } of jobs)
    expect(await rig.runs(id)).toMatchObject([{ outcome: 'succeeded', wasAdopted: true }]);
});

test('a runner that breaks while looking counts as not knowing (S-53)', async () => {
  const { rig, job } = await killed();
  rig.processes.runner.adopt = () => Promise.reject(new Error('no such table'));
  await rig.renew().start();
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'abandoned', reason: 'interrupted' }]);
  expect((await rig.engine.jobRows())[0]).toMatchObject({ isEnabled: false });
});

test('quitting can leave runs to be picked up, or stop them (C-068)', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: HOUR_MS });
  const job = await rig.addJob({});
  await rig.engine.startRun(job.id, 'manual');
  await rig.time.advance(MINUTE_MS);
  await rig.engine.stop({ runs: 'leave' });
  expect(await rig.runs(job.id)).toMatchObject([{ state: 'running' }]);
  await rig.renew().start();
  await rig.engine.stop({ runs: 'stop' });
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'cancelled', reason: 'stopped_by_user' }]);
  expect(rig.processes.alive()).toEqual([]);
});

test('quitting waits for a command that will not listen until it is killed', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: null, ignoresSoft: true });
  const job = await rig.addJob({ policies: { graceMs: 5 * SECOND_MS } });
  await rig.engine.startRun(job.id, 'manual');
  await settle();
  const stopped = rig.engine.stop({ runs: 'stop' });
  await rig.time.advance(5 * SECOND_MS);
  await stopped;
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'cancelled', signal: 'SIGKILL' }]);
});

test('a run that waited through an absence is taken back if its job makes nothing up (D7)', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: 6 * HOUR_MS });
  for (let count = 0; count < 4; count += 1)
    await rig.addJob({ rules: [cron('0 8 * * *')], policies: { timeoutMs: null } });
  const rules = [cron('1 8 * * *')];
  const none = await rig.addJob({ rules, policies: { catchUp: { ...once, mode: 'none' } } });
  const limited = await rig.addJob({ rules, policies: { catchUp: { ...once, ageMsMax: HOUR_MS } } });
  const usual = await rig.addJob({ rules });
  await rig.advanceTo('2026-05-04T08:05Z');
  rig.kill();
  await rig.time.advance(2 * HOUR_MS);
  await rig.renew().start();
  expect(await rig.skips(none.id)).toMatchObject([{ reason: 'catch_up_off', missCause: 'not_running' }]);
  expect(await rig.skips(limited.id)).toMatchObject([{ reason: 'too_old' }]);
  expect(await rig.runs(usual.id)).toMatchObject([{ state: 'queued' }]);
  await rig.advanceTo('2026-05-04T14:05Z');
  expect(await rig.runs(usual.id)).toMatchObject([{ state: 'running' }]);
  expect(await rig.runs(none.id)).toEqual([]);
});

test('after a power failure it says that the machine was off', async () => {
  const rig = await Rig.started();
  rig.surroundings.states.set('mains', 'unmet');
  const job = await rig.addJob({
    rules: [cron('0 8 * * *')],
    conditions: [{ kind: 'mains', waitMsMax: 5 * HOUR_MS, otherwise: 'run' }],
    policies: { catchUp: { ...once, mode: 'none' } },
  });
  await rig.advanceTo('2026-05-04T08:05Z');
  rig.kill();
  rig.machine.reboot();
  const { uptimeMs } = rig.time;
  const bootedAt = uptimeMs() + HOUR_MS;
  await rig.time.advance(2 * HOUR_MS);
  rig.renew();
  const host = { ...rig.incarnation.ports.host, uptimeMs: () => uptimeMs() - bootedAt };
  const engine = createEngine({ ...rig.incarnation.ports, host });
  await engine.start();
  expect(await rig.skips(job.id)).toMatchObject([{ reason: 'catch_up_off', missCause: 'off' }]);
});

test('a quick restart leaves the queue as it was', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: 2 * HOUR_MS });
  for (let count = 0; count < 4; count += 1)
    await rig.addJob({ rules: [cron('0 8 * * *')], policies: { timeoutMs: null } });
  const job = await rig.addJob({
    rules: [cron('1 8 * * *')],
    policies: { catchUp: { ...once, mode: 'none' } },
  });
  await rig.advanceTo('2026-05-04T09:00:30Z');
  rig.kill();
  await rig.time.advance(10 * SECOND_MS);
  await rig.renew().start();
  await rig.advanceTo('2026-05-04T10:00:30Z');
  expect(await rig.runs(job.id)).toMatchObject([{ state: 'running' }]);
});

test('a job can say that any interruption switches it off (S-53)', async () => {
  const { rig, job } = await killed({ policies: { afterInterruption: 'pause' } });
  rig.processes.vanish();
  await rig.renew().start();
  expect((await rig.engine.jobRows())[0]).toMatchObject({
    isEnabled: false,
    disabledReason: 'interrupted',
  });
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'abandoned' }]);
});

/** A rig whose job is off, because nobody could tell whether its run goes on. */
async function interrupted(): Promise<{ rig: Rig; job: Job }> {
  const { rig, job } = await killed();
  rig.processes.areHidden = true;
  await rig.renew().start();
  rig.processes.areHidden = false;
  return { rig, job };
}

test('"check and resume" leaves a job off whose process is found alive, and touches nothing', async () => {
  const { rig, job } = await interrupted();
  expect(unwrap(await rig.engine.checkAndResume(job.id))).toMatchObject({
    found: 'running',
    isResumed: false,
    job: { isEnabled: false },
  });
  expect(rig.processes.alive()).toHaveLength(1);
});

test('"check and resume" switches the job on when the run is over, and keeps its true end (X-67)', async () => {
  const { rig, job } = await interrupted();
  await rig.time.advance(2 * HOUR_MS);
  expect(unwrap(await rig.engine.checkAndResume(job.id))).toMatchObject({
    found: 'over',
    isResumed: true,
    job: { isEnabled: true, disabledReason: null },
  });
  const [run] = await rig.runs(job.id);
  expect(run).toMatchObject({ outcome: 'abandoned', exitCode: null });
  expect(unwrap(await rig.engine.attempts(run?.id as never))).toMatchObject([
    { outcome: 'abandoned', lateResult: { exitCode: 7 } },
  ]);
  expect(await rig.engine.checkAndResume(job.id)).toMatchObject({ ok: false, error: { code: 'conflict' } });
});

test('"check and resume" resumes a job of which nobody can tell more, because the person asked', async () => {
  const { rig, job } = await interrupted();
  rig.processes.areHidden = true;
  expect(unwrap(await rig.engine.checkAndResume(job.id))).toMatchObject({
    found: 'unknown',
    isResumed: true,
  });
});

test('"check and resume" is only for jobs that an interruption switched off', async () => {
  const { rig, job } = await killed();
  await rig.renew().start();
  unwrap(await rig.engine.setEnabled({ jobId: job.id, isEnabled: false }));
  expect(await rig.engine.checkAndResume(job.id)).toMatchObject({ ok: false, error: { code: 'conflict' } });
});

test('a true end that is told after the run was closed is recorded at the next start, and changes nothing else (S-55, X-67)', async () => {
  const { rig, job } = await interrupted();
  await rig.time.advance(2 * HOUR_MS);
  rig.kill();
  await rig.renew().start();
  await settle();
  const [run] = await rig.runs(job.id);
  expect(run).toMatchObject({ outcome: 'abandoned', reason: 'interrupted' });
  const [attempt] = unwrap(await rig.engine.attempts(run?.id as never));
  expect(attempt).toMatchObject({ outcome: 'abandoned', exitCode: null, lateResult: { exitCode: 7 } });
  expect((await rig.engine.jobRows())[0]).toMatchObject({ isEnabled: false, state: 'abandoned' });
});

test('retries do not use up what an interruption may be repeated', async () => {
  const rig = await Rig.started();
  rig.processes.script = ({ attemptNumber }) =>
    attemptNumber <= 3 ? { durationMs: SECOND_MS, exitCode: 1 } : { durationMs: HOUR_MS };
  const job = await rig.addJob({
    rules: [cron('0 8 * * *')],
    policies: {
      afterInterruption: 'repeat',
      retry: { ...defaultRetry, countMax: 5, delayMs: SECOND_MS, growth: 'fixed' },
    },
  });
  await rig.advanceTo('2026-05-04T08:01Z');
  rig.processes.vanish();
  rig.kill();
  await rig.renew().start();
  await rig.time.advance(SECOND_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ state: 'running', attemptCount: 5 }]);
});
