/**
 * Goal: after an older copy of the data was put back, nothing runs that may have run since that copy was made (D3, D4).
 * Method: the store is left as putting a copy back leaves it: a span that is not known, and waiting runs that are closed.
 */

import { expect, test } from 'vitest';
import { type Pause, PauseId } from '../../shared/model/pause';
import { defaultRetry } from '../../shared/model/policies';
import { HOUR_MS, MINUTE_MS, toInstant } from '../../shared/time';
import { cron, instant, type JobFacts, Rig, settle, unwrap } from '../testing/rig';

const unknownUntil = (until: string, since = '2026-05-04T07:58Z'): Pause => ({
  id: PauseId.parse('00000000-0000-7000-a000-000000000001'),
  scope: { kind: 'all' },
  note: '',
  cause: 'restored',
  since: instant(since),
  until: instant(until),
  endedAt: null,
});

/** Jobs as of 07:58, in a copy that is put back at 10:10. `since`: what the mark names as its beginning. */
async function restored(facts: JobFacts, since?: string) {
  const rig = await Rig.started();
  const job = await rig.addJob(facts);
  await rig.engine.stop({ runs: 'leave' });
  await rig.advanceTo('2026-05-04T10:10Z');
  await rig.store.transact((writer) => writer.pauses.insert(unknownUntil('2026-05-04T10:10Z', since)));
  await rig.renew().start();
  await settle();
  return { rig, job };
}

test('everything undecided until a copy was put back is skipped for that reason, and later ones run (D3)', async () => {
  for (const catchUp of ['none', 'once', 'all'] as const) {
    const policies = { catchUp: { mode: catchUp, countMax: 10, ageMsMax: null } };
    const { rig, job } = await restored({ rules: [cron('0 * * * *')], policies });
    expect(rig.processes.spawned).toEqual([]);
    expect(await rig.skips(job.id)).toMatchObject([{ reason: 'data_restored', count: 3 }]);
    await rig.advanceTo('2026-05-04T11:01Z');
    expect(await rig.runs(job.id)).toMatchObject([{ plannedAt: instant('2026-05-04T11:00Z') }]);
  }
});

test('what was undecided already when the copy was made is not known either', async () => {
  // Belfry slept from 07:58 on, woke and ran it, and the copy is of that moment's beginning.
  const { rig, job } = await restored({ rules: [cron('0 8 * * *')] }, '2026-05-04T09:00Z');
  expect(rig.processes.spawned).toEqual([]);
  expect(await rig.skips(job.id)).toMatchObject([{ reason: 'data_restored', count: 1 }]);
});

test('the answer to "why" names the copy, and no pause of a person is shown', async () => {
  const { rig, job } = await restored({ rules: [cron('0 * * * *')] });
  const explanation = unwrap(await rig.engine.explain(job.id, instant('2026-05-04T09:00Z')));
  expect(explanation).toMatchObject({ code: 'skipped', reason: 'data_restored', pause: null });
  expect(await rig.engine.pauses()).toEqual([]);
  expect((await rig.engine.status()).state).toBe('running');
  // Even where the clock is set back into the span.
  rig.time.jump(-HOUR_MS);
  rig.engine.notifyResume();
  await settle();
  expect(await rig.engine.pauses()).toEqual([]);
  expect((await rig.engine.status()).state).toBe('running');
  expect((await rig.engine.jobRows()).map(({ state }) => state)).toEqual(['skipped']);
});

test('a run that the restore closed stays closed, and what would have followed it does not run', async () => {
  const rig = await Rig.started();
  rig.surroundings.states.set('network', 'unmet');
  const wait = { kind: 'network', waitMsMax: HOUR_MS, otherwise: 'run' } as const;
  const job = await rig.addJob({ rules: [cron('0 8 * * *')], conditions: [wait] });
  const rule = { kind: 'after_job', jobId: job.id, on: 'ended' } as const;
  const next = await rig.addJob({ name: 'after it', rules: [rule] });
  await rig.advanceTo('2026-05-04T08:01Z');
  const [queued] = await rig.runs(job.id);
  rig.kill();
  const endedAt = toInstant(rig.time.clock.now() + MINUTE_MS);
  await rig.time.advance(MINUTE_MS);
  await rig.store.transact(async (writer) => {
    if (queued === undefined) throw new Error('nothing waits');
    const end = { outcome: 'abandoned', reason: 'data_restored', detail: null, endedAt } as const;
    await writer.runs.closeQueued(queued.id, end);
    await writer.pauses.insert(unknownUntil('2026-05-04T08:02Z'));
  });
  rig.surroundings.states.set('network', 'met');
  await rig.renew().start();
  await rig.time.advance(HOUR_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'abandoned', reason: 'data_restored' }]);
  expect(await rig.runs(next.id)).toEqual([]);
  expect(rig.processes.spawned).toEqual([]);
});

/** A run that goes on while the copy is made, and is over, or was begun anew, when that is put back ten minutes later. */
async function restoredWhileRunning(policies: NonNullable<JobFacts['policies']>) {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: MINUTE_MS, exitCode: 1 });
  const job = await rig.addJob({ policies });
  await rig.engine.startRun(job.id, 'manual');
  await settle();
  rig.kill();
  await rig.time.advance(10 * MINUTE_MS);
  await rig.store.transact((writer) =>
    writer.pauses.insert(unknownUntil('2026-05-04T08:08Z', '2026-05-04T08:08Z')),
  );
  return { rig, job };
}

test('what went on when the copy was made gets its true end and is not tried again (D4)', async () => {
  const retry = { ...defaultRetry, countMax: 3, delayMs: MINUTE_MS };
  const { rig, job } = await restoredWhileRunning({ retry });
  await rig.renew().start();
  await rig.time.advance(HOUR_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'failed', exitCode: 1, attemptCount: 1 }]);
  expect(rig.processes.spawned).toHaveLength(1);
});

test('of what went on when the copy was made, and is gone, nothing is repeated, whatever the job says (D4)', async () => {
  for (const kind of ['gone', 'never_started'] as const) {
    const { rig, job } = await restoredWhileRunning({ afterInterruption: 'repeat' });
    rig.processes.runner.adopt = async () =>
      kind === 'gone' ? { kind, restarted: false } : { kind: 'never_started' };
    await rig.renew().start();
    await rig.time.advance(HOUR_MS);
    expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'abandoned', attemptCount: 1 }]);
    expect(rig.processes.spawned).toHaveLength(1);
  }
});

test('what begins after the copy was put back is tried again and repeated as ever', async () => {
  const retry = { ...defaultRetry, countMax: 1, delayMs: MINUTE_MS };
  const { rig, job } = await restored({ policies: { retry } });
  rig.processes.script = () => ({ durationMs: MINUTE_MS, exitCode: 1 });
  await rig.engine.startRun(job.id, 'manual');
  await rig.time.advance(HOUR_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'failed', attemptCount: 2 }]);
});
