/** Two processes on one store: what one that does not run the jobs changes takes effect at once in the one that does. */

import { expect, test } from 'vitest';
import { defaultSettings, HOLDER_UNREACHABLE } from '../../shared/model/settings';
import { MINUTE_MS, SECOND_MS } from '../../shared/time';
import { LEASE_TIMINGS_DEFAULT } from '../core/timings';
import { cron, draftOf, instant, type JobFacts, Rig, settle, unwrap } from '../testing/rig';
import { YIELD_MS } from './lease';

const timings = LEASE_TIMINGS_DEFAULT;

/** One that leads, one that follows. */
async function two() {
  const rig = await Rig.started({ timings });
  const other = rig.beside();
  await other.engine.start();
  return { rig, leader: rig.engine, follower: other.engine, other };
}
const add = async (engine: Rig['engine'], facts: JobFacts) =>
  unwrap(await engine.saveJob({ draft: draftOf(facts) }));
const toldSince = (rig: Rig, count: number) => new Set(rig.announced.slice(count).map(({ name }) => name));

test('a job that a follower saves is planned by the leader within a second, and every window is told', async () => {
  const { rig, leader, follower } = await two();
  const announced = rig.announced.length;
  const job = await add(follower, { rules: [cron('0 8 * * *')] });
  await rig.time.advance(SECOND_MS);
  expect((await leader.status()).next).toMatchObject({ at: instant('2026-05-04T08:00Z') });
  expect(rig.announced.slice(announced).filter(({ name }) => name === 'jobs.changed').length).toBeGreaterThan(
    1,
  );
  await rig.advanceTo('2026-05-04T08:00:05Z');
  expect(await rig.runs(job.id)).toMatchObject([{ trigger: 'schedule', outcome: 'succeeded' }]);
});

test('a pause that a follower begins and ends is kept by the leader', async () => {
  const { rig, leader, follower } = await two();
  const job = await add(leader, { rules: [cron('* * * * *')] });
  expect((await follower.setPaused(true)).ok).toBe(true);
  expect((await leader.status()).state).toBe('paused');
  const { length } = await rig.runs(job.id);
  await rig.time.advance(5 * MINUTE_MS);
  expect(await rig.runs(job.id)).toHaveLength(length);
  expect((await follower.setPaused(false)).ok).toBe(true);
  await rig.time.advance(2 * MINUTE_MS);
  expect((await rig.runs(job.id)).length).toBeGreaterThan(length);
});

test('a run that waits is closed when a follower switches its job off (S-43)', async () => {
  const { rig, leader, follower } = await two();
  rig.surroundings.states.set('network', 'unmet');
  const wait = { kind: 'network', waitMsMax: 60 * MINUTE_MS, otherwise: 'run' } as const;
  const job = await add(leader, { rules: [cron('0 8 * * *')], conditions: [wait] });
  await rig.advanceTo('2026-05-04T08:01Z');
  expect(await rig.runs(job.id)).toMatchObject([{ state: 'queued' }]);
  await follower.setEnabled({ jobId: job.id, isEnabled: false });
  await settle();
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'cancelled', reason: 'job_off' }]);
});

test('a job whose run goes on in the leader is not deleted by a follower, which could not stop it; one that waits is (D11)', async () => {
  const { rig, leader, follower } = await two();
  rig.processes.script = () => ({ durationMs: 10 * MINUTE_MS });
  const running = await add(leader, { name: 'Goes on' });
  await leader.startRun(running.id, 'manual');
  rig.surroundings.states.set('network', 'unmet');
  const wait = { kind: 'network', waitMsMax: 60 * MINUTE_MS, otherwise: 'run' } as const;
  const waiting = await add(leader, { rules: [cron('0 8 * * *')], conditions: [wait] });
  await rig.advanceTo('2026-05-04T08:01Z');
  expect(await follower.deleteJob({ jobId: running.id, stopRun: true })).toEqual({
    ok: false,
    error: { code: 'unavailable', message: HOLDER_UNREACHABLE },
  });
  expect((await leader.jobRows()).map(({ name }) => name)).toContain('Goes on');
  expect(await follower.deleteJob({ jobId: waiting.id, stopRun: true })).toMatchObject({ ok: true });
  await settle();
  expect(await rig.runs(waiting.id)).toMatchObject([{ outcome: 'cancelled' }]);
});

test('other settings, and what was seen, are told too; the leader does not tell what it knows', async () => {
  const { rig, leader, follower } = await two();
  const job = await add(leader, {});
  const told = rig.peers.toldCount;
  await leader.markSeen(job.id);
  await leader.setPaused(true);
  await leader.setPaused(false);
  expect(rig.peers.toldCount).toBe(told);
  await follower.saveSettings(defaultSettings);
  await follower.markSeen(job.id);
  expect(rig.peers.toldCount).toBe(told + 2);
});

test('after its stop a process hears nothing any more (X-05)', async () => {
  const { rig, leader, follower } = await two();
  await follower.stop({ runs: 'leave' });
  await leader.stop({ runs: 'leave' });
  const announced = rig.announced.length;
  rig.peers.join().tell();
  await settle();
  expect([...toldSince(rig, announced)]).toEqual([]);
  expect(rig.time.pendingCount()).toBe(0);
});

test('handing over ends the leadership and not the runs, and the other one has the jobs at once (H-17, H-40)', async () => {
  const { rig, leader, follower } = await two();
  rig.processes.script = () => ({ durationMs: MINUTE_MS });
  const job = await add(leader, { rules: [cron('0 8 * * *')] });
  await rig.advanceTo('2026-05-04T08:00:05Z');
  expect((await leader.handOver()).ok).toBe(true);
  await settle();
  expect([(await leader.status()).state, (await follower.status()).state]).toEqual(['standby', 'running']);
  expect((await leader.status()).holder).toMatchObject({ pid: expect.any(Number) });
  await rig.time.advance(2 * MINUTE_MS);
  // Neither again nor lost: the other one watched it to its end.
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'succeeded', wasAdopted: true }]);
  expect(rig.processes.spawned).toHaveLength(1);
  expect(await leader.handOver()).toMatchObject({ ok: false, error: { code: 'conflict' } });
});

test('a lease that nobody takes is taken back, though not before others had the time to', async () => {
  const rig = await Rig.started({ timings });
  await rig.engine.handOver();
  expect((await rig.engine.status()).state).toBe('standby');
  await rig.time.advance(YIELD_MS - SECOND_MS);
  expect(await rig.store.read((reader) => reader.leases.get())).toBeNull();
  await rig.time.advance(timings.watchMs + SECOND_MS);
  expect((await rig.engine.status()).state).toBe('running');
  expect((await rig.store.read((reader) => reader.leases.get()))?.epoch).toBe(2);
});

test('when the one that took over is gone again, the jobs come back without waiting', async () => {
  const { rig, leader, other } = await two();
  await leader.handOver();
  await settle();
  await rig.time.advance(SECOND_MS);
  other.incarnation.die();
  rig.machine.kill(other.host);
  await rig.time.advance(timings.watchMs);
  expect((await leader.status()).state).toBe('running');
});

test('a handing over that cannot be written is refused, and the jobs go on here', async () => {
  const { rig, leader, follower } = await two();
  const { store } = rig;
  rig.store = { ...store, transact: () => Promise.reject(new Error('broken')) };
  await expect(leader.handOver()).rejects.toThrow('broken');
  rig.store = store;
  await rig.time.advance(2 * timings.watchMs);
  expect([(await leader.status()).state, (await follower.status()).state]).toEqual(['running', 'standby']);
});
