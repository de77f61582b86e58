/** Attempts that are followed by another one of the same run: when, how often, and what ends the wait for the next. */

import { expect, test } from 'vitest';
import type { Job } from '../../shared/model/job';
import { defaultRetry, type Retry } from '../../shared/model/policies';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import type { Script } from '../testing/doubles';
import { cron, instant, type JobFacts, Rig, settle, unwrap } from '../testing/rig';

const thrice: Retry = { ...defaultRetry, countMax: 2, delayMs: MINUTE_MS, growth: 'fixed' };

/** A job due at 09:00 whose attempts end one after another as the scripts say. */
async function failing(
  scripts: readonly Script[],
  { retry = thrice, ...facts }: JobFacts & { retry?: Retry } = {},
): Promise<{ rig: Rig; job: Job }> {
  const rig = await Rig.started();
  rig.processes.script = ({ attemptNumber }) => scripts[attemptNumber - 1] ?? { durationMs: 0 };
  const job = await rig.addJob({
    rules: [cron('0 9 * * *')],
    ...facts,
    policies: { retry, ...facts.policies },
  });
  return { rig, job };
}
const bad: Script = { durationMs: SECOND_MS, exitCode: 3 };
const good: Script = { durationMs: 2 * SECOND_MS };

const startedAt = async (rig: Rig, job: Job): Promise<string[]> => {
  const [run] = await rig.runs(job.id);
  const attempts = unwrap(await rig.engine.attempts(run?.id as never));
  return attempts.map((attempt) => new Date(attempt.startedAt).toISOString().slice(11, 19));
};

test('a failed attempt is followed by another of the same run, which has one outcome in the end (X-32)', async () => {
  const { rig, job } = await failing([bad, bad, good]);
  await rig.advanceTo('2026-05-04T09:01:30Z');
  const [waiting] = await rig.runs(job.id);
  expect(waiting).toMatchObject({ state: 'queued', attemptCount: 2, outcome: null });
  await rig.advanceTo('2026-05-04T09:05Z');
  expect(await rig.runs(job.id)).toMatchObject([
    { outcome: 'succeeded', exitCode: 0, attemptCount: 3, durationMs: 2 * SECOND_MS },
  ]);
  expect(await startedAt(rig, job)).toEqual(['09:00:00', '09:01:01', '09:02:02']);
  expect((await rig.store.read((reader) => reader.jobs.stats(job.id))).runCount).toBe(1);
});

test('between two attempts the list says when the next one comes, and nothing has failed yet', async () => {
  const { rig, job } = await failing([bad, good]);
  await rig.advanceTo('2026-05-04T09:00:10Z');
  const [row] = await rig.engine.jobRows();
  expect(row).toMatchObject({
    id: job.id,
    state: 'never_run',
    next: { code: 'retry', attempt: 2, attemptsMax: 3, at: instant('2026-05-04T09:01:01Z') },
  });
  expect((await rig.engine.status()).failingCount).toBe(0);
});

test('after the last attempt the run has failed with its exit code', async () => {
  const { rig, job } = await failing([bad, bad, { durationMs: 5 * SECOND_MS, exitCode: 9 }]);
  await rig.advanceTo('2026-05-04T09:10Z');
  expect(await rig.runs(job.id)).toMatchObject([
    { outcome: 'failed', exitCode: 9, attemptCount: 3, durationMs: 5 * SECOND_MS },
  ]);
  expect(rig.processes.spawned).toHaveLength(3);
});

test('a delay can double up to its ceiling', async () => {
  const retry: Retry = {
    ...thrice,
    countMax: 4,
    growth: 'doubling',
    delayMs: MINUTE_MS,
    delayMsMax: 3 * MINUTE_MS,
  };
  const { rig, job } = await failing([bad, bad, bad, bad, bad], { retry });
  await rig.advanceTo('2026-05-04T09:15Z');
  expect(await startedAt(rig, job)).toEqual(['09:00:00', '09:01:01', '09:03:02', '09:06:03', '09:09:04']);
});

test('a timed-out attempt is tried again, its limit counts for each attempt', async () => {
  const { rig, job } = await failing([{ durationMs: null }, good], {
    policies: { timeoutMs: 10 * SECOND_MS },
  });
  await rig.advanceTo('2026-05-04T09:02Z');
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'succeeded', attemptCount: 2 }]);
});

test('only the chosen exit codes are tried again', async () => {
  const retry = { ...thrice, exitCodes: [75] };
  const { rig, job } = await failing([{ durationMs: 0, exitCode: 75 }, bad], { retry });
  await rig.advanceTo('2026-05-04T09:10Z');
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'failed', exitCode: 3, attemptCount: 2 }]);
});

test('a program that cannot be found is not tried again', async () => {
  const { rig, job } = await failing([{ durationMs: 0, failure: 'program_not_found' }]);
  await rig.advanceTo('2026-05-04T09:10Z');
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'failed', attemptCount: 1 }]);
});

test('a run by hand is tried again too, and a stop ends it in the middle of an attempt', async () => {
  const { rig, job } = await failing([bad, { durationMs: null }]);
  const run = unwrap(await rig.engine.startRun(job.id, 'manual'));
  await rig.time.advance(2 * MINUTE_MS);
  unwrap(await rig.engine.stopRun(run.id));
  await rig.time.advance(10 * MINUTE_MS);
  expect(unwrap(await rig.engine.run(run.id))).toMatchObject({
    outcome: 'cancelled',
    reason: 'stopped_by_user',
    attemptCount: 2,
  });
});

test('a run that waits for its next attempt takes no place', async () => {
  const rig = await Rig.started();
  rig.processes.script = ({ attemptNumber }) => (attemptNumber === 1 ? bad : good);
  for (let count = 0; count < 4; count += 1)
    await rig.addJob({ rules: [cron('0 9 * * *')], policies: { retry: { ...thrice, delayMs: HOUR_MS } } });
  await rig.addJob({ rules: [cron('1 9 * * *')] });
  await rig.advanceTo('2026-05-04T09:01Z');
  expect(rig.processes.alive()).toHaveLength(1);
});

test('a stop while it waits for its next attempt ends the run', async () => {
  const { rig, job } = await failing([bad, good]);
  await rig.advanceTo('2026-05-04T09:00:10Z');
  const [run] = await rig.runs(job.id);
  unwrap(await rig.engine.stopRun(run?.id as never));
  await rig.time.advance(10 * MINUTE_MS);
  expect(await rig.runs(job.id)).toMatchObject([
    { outcome: 'cancelled', reason: 'stopped_by_user', attemptCount: 1, exitCode: 3 },
  ]);
  expect(rig.processes.spawned).toHaveLength(1);
});

test.each(['off', 'deleted'])(
  'a job that is %s while it waits makes no further attempt (S-43)',
  async (how) => {
    const { rig, job } = await failing([bad, good]);
    await rig.advanceTo('2026-05-04T09:00:10Z');
    if (how === 'off') unwrap(await rig.engine.setEnabled({ jobId: job.id, isEnabled: false }));
    else unwrap(await rig.engine.deleteJob({ jobId: job.id, stopRun: true }));
    await rig.time.advance(10 * MINUTE_MS);
    expect(rig.processes.spawned).toHaveLength(1);
    expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'cancelled', attemptCount: 1 }]);
  },
);

test('a job that is switched off during an attempt ends with that attempt', async () => {
  const { rig, job } = await failing([{ durationMs: MINUTE_MS, exitCode: 3 }, good]);
  await rig.advanceTo('2026-05-04T09:00:10Z');
  unwrap(await rig.engine.setEnabled({ jobId: job.id, isEnabled: false }));
  await rig.time.advance(10 * MINUTE_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'failed', exitCode: 3, attemptCount: 1 }]);
});

test('"run anyway" makes the next attempt at once', async () => {
  const { rig, job } = await failing([bad, good], { retry: { ...thrice, delayMs: HOUR_MS } });
  await rig.advanceTo('2026-05-04T09:00:10Z');
  const [run] = await rig.runs(job.id);
  unwrap(await rig.engine.startNow(run?.id as never));
  await rig.time.advance(5 * SECOND_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'succeeded', attemptCount: 2 }]);
});

test('a retry survives a restart, and comes at once if its moment passed meanwhile', async () => {
  const { rig, job } = await failing([bad, bad, good]);
  await rig.advanceTo('2026-05-04T09:00:10Z');
  rig.kill();
  await rig.time.advance(10 * SECOND_MS);
  await rig.renew().start();
  await rig.advanceTo('2026-05-04T09:01Z');
  expect(rig.processes.spawned).toHaveLength(1);
  await rig.advanceTo('2026-05-04T09:01:05Z');
  expect(rig.processes.spawned).toHaveLength(2);
  rig.kill();
  await rig.time.advance(HOUR_MS);
  await rig.renew().start();
  await settle();
  expect(rig.processes.spawned).toHaveLength(3);
  await rig.time.advance(MINUTE_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'succeeded', attemptCount: 3 }]);
});

test('an attempt that failed while Belfry was gone is tried again after the restart', async () => {
  const { rig, job } = await failing([bad, good]);
  await rig.advanceTo('2026-05-04T09:00:00.500Z');
  rig.kill();
  await rig.time.advance(10 * SECOND_MS);
  await rig.renew().start();
  await rig.advanceTo('2026-05-04T09:01:10Z');
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'succeeded', attemptCount: 2 }]);
});

test('a retry whose moment passed in sleep comes at once', async () => {
  const { rig, job } = await failing([bad, good], { retry: { ...thrice, delayMs: 10 * MINUTE_MS } });
  await rig.advanceTo('2026-05-04T09:00:10Z');
  await rig.time.sleepFor(2 * HOUR_MS);
  await rig.time.advance(31 * SECOND_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'succeeded', attemptCount: 2 }]);
});

test('a clock that goes back keeps no retry waiting longer than its delay (X-68)', async () => {
  const { rig } = await failing([bad, good]);
  await rig.advanceTo('2026-05-04T09:00:10Z');
  rig.time.jump(-HOUR_MS);
  await rig.time.advance(31 * SECOND_MS + MINUTE_MS + 5 * SECOND_MS);
  expect(rig.processes.spawned).toHaveLength(2);
});

test('jitter delays the start, and only the start', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 9 * * *')], policies: { jitterMs: HOUR_MS } });
  await rig.advanceTo('2026-05-04T09:00:01Z');
  const [run] = await rig.runs(job.id);
  expect(run).toMatchObject({ state: 'queued', plannedAt: instant('2026-05-04T09:00Z') });
  const at = run?.notBeforeAt ?? 0;
  expect(at).toBeGreaterThan(instant('2026-05-04T09:00Z'));
  await rig.time.advance(at - rig.time.clock.now() - 1);
  expect(rig.processes.spawned).toEqual([]);
  await rig.time.advance(1);
  expect(rig.processes.spawned).toHaveLength(1);
});
