/** Who schedules: one process at a time, without a gap where it can be known and without a duel where it cannot. */

import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import { StoreError } from '../core/storeError';
import { LEASE_TIMINGS_DEFAULT } from '../core/timings';
import { asDraft, cron, Rig, settle, unwrap } from '../testing/rig';

const timings = LEASE_TIMINGS_DEFAULT;
const lease = (rig: Rig) => rig.store.read((reader) => reader.leases.get());
const state = async (engine: Rig['engine']) => (await engine.status()).state;

test('takes a free lease with its own name and a first epoch, and renews it every five seconds (H-22, H-24)', async () => {
  const rig = await Rig.started({ timings });
  const taken = await lease(rig);
  expect(taken).toMatchObject({ nodeId: 'node-1', pid: rig.host.pid, epoch: 1 });
  expect(taken?.renewedAt).toBe(taken?.takenAt);
  await rig.time.advance(12 * SECOND_MS);
  const renewed = await lease(rig);
  expect(renewed).toEqual({ ...taken, renewedAt: (taken?.takenAt ?? 0) + 10 * SECOND_MS });
});

test('a second process stands by while the first lives, shows who leads, and starts nothing (H-17, H-31)', async () => {
  const rig = await Rig.started({ timings });
  const job = await rig.addJob({ rules: [cron('* * * * *')] });
  const other = rig.beside();
  await other.engine.start();
  const status = await other.engine.status();
  expect(status).toMatchObject({ state: 'standby', holder: { pid: rig.host.pid } });
  expect(await other.engine.startRun(job.id, 'manual')).toMatchObject({
    ok: false,
    error: { code: 'unavailable' },
  });
  await rig.advanceTo('2026-05-04T08:30:30Z');
  expect(await state(other.engine)).toBe('standby');
  expect((await rig.runs(job.id)).filter(({ trigger }) => trigger === 'schedule')).toHaveLength(32);
  expect((await lease(rig))?.epoch).toBe(1);
});

test('of two that start at the same moment the loser says at once that the other one leads (H-17, X-07)', async () => {
  const rig = new Rig({ timings });
  const other = rig.beside();
  await Promise.all([rig.engine.start(), other.engine.start()]);
  const states = [await rig.engine.status(), await other.engine.status()];
  expect(states.map(({ state: each }) => each).sort()).toEqual(['running', 'standby']);
  const leader = (await lease(rig))?.pid;
  expect(states.find(({ state: each }) => each === 'standby')).toMatchObject({ holder: { pid: leader } });
});

test('an edit made by the process on standby is followed by the one that leads', async () => {
  const rig = await Rig.started({ timings });
  const other = rig.beside();
  await other.engine.start();
  const job = await rig.addJob({});
  const draft = { ...asDraft(job), schedules: [{ rule: cron('5 8 * * *') }] };
  unwrap(await other.engine.saveJob({ jobId: job.id, revision: job.revision, draft }));
  await rig.advanceTo('2026-05-04T08:05:01Z');
  expect(await rig.runs(job.id)).toMatchObject([{ trigger: 'schedule', outcome: 'succeeded' }]);
});

test('a clean stop releases the lease, and whoever stands by takes over within one look (H-40, X-10)', async () => {
  const rig = await Rig.started({ timings });
  const other = rig.beside();
  await other.engine.start();
  await rig.engine.stop({ runs: 'leave' });
  expect(await lease(rig)).toBeNull();
  await rig.time.advance(timings.watchMs);
  expect(await state(other.engine)).toBe('running');
  expect(await lease(rig)).toMatchObject({ pid: other.host.pid, epoch: 2 });
});

test('a holder that provably died is replaced within one look (H-13, H-19)', async () => {
  const rig = await Rig.started({ timings });
  const other = rig.beside();
  await other.engine.start();
  rig.kill();
  await rig.time.advance(timings.watchMs);
  expect(await lease(rig)).toMatchObject({ pid: other.host.pid, epoch: 2 });
});

test('a restart does not wait for its own old lease (X-09, H-19)', async () => {
  const rig = await Rig.started({ timings });
  rig.kill();
  await rig.renew().start();
  expect(await state(rig.engine)).toBe('running');
  expect((await lease(rig))?.epoch).toBe(2);
});

test('a silent holder is replaced after the threshold, measured on the own clock, and not before (H-13, H-35, X-11)', async () => {
  const rig = await Rig.started({ timings });
  await rig.time.advance(MINUTE_MS);
  rig.incarnation.freeze();
  // A date in the future must not make the row fresh for ever.
  rig.time.jump(-HOUR_MS);
  const other = rig.beside();
  await other.engine.start();
  await rig.time.advance(timings.staleMs - 1);
  expect(await state(other.engine)).toBe('standby');
  await rig.time.advance(timings.watchMs + 1);
  expect(await state(other.engine)).toBe('running');
});

test('a holder that slept through its lease notices on waking: it writes nothing and starts nothing (H-26, H-28, H-29, X-08, X-12)', async () => {
  const rig = await Rig.started({ timings });
  rig.processes.script = () => ({ durationMs: 40 * SECOND_MS, exitCode: 5 });
  const job = await rig.addJob({ rules: [cron('0 9 * * *'), cron('1 9 * * *')] });
  await rig.advanceTo('2026-05-04T09:00:10Z');
  rig.incarnation.freeze();
  const other = rig.beside();
  await other.engine.start();
  await rig.time.advance(35 * SECOND_MS);
  expect(await state(other.engine)).toBe('running');
  rig.incarnation.thaw();
  await rig.advanceTo('2026-05-04T09:02Z');
  expect(await state(rig.engine)).toBe('standby');
  expect((await lease(rig))?.epoch).toBe(2);
  // The run in hand was adopted by the new holder and has its true end; the next one ran once.
  expect(await rig.runs(job.id)).toMatchObject([
    { exitCode: 5, wasAdopted: true, attemptCount: 1 },
    { exitCode: 5, wasAdopted: false, attemptCount: 1 },
  ]);
  expect(rig.processes.spawned).toHaveLength(2);
});

test('holder and observer that slept alike do not change places (H-13)', async () => {
  const rig = await Rig.started({ timings });
  const other = rig.beside();
  await other.engine.start();
  for (let night = 0; night < 3; night += 1) {
    await rig.time.advance(3 * SECOND_MS);
    await rig.time.sleepFor(8 * HOUR_MS);
    await rig.time.advance(timings.watchMs);
  }
  expect((await lease(rig))?.epoch).toBe(1);
});

test('who cannot read the lease stands by and tries again (H-05, H-06, H-16, H-33)', async () => {
  const rig = new Rig({ timings });
  const read = rig.store.read.bind(rig.store);
  let isBroken = true;
  rig.store = {
    transact: rig.store.transact.bind(rig.store),
    close: rig.store.close.bind(rig.store),
    read: (work) => (isBroken ? Promise.reject(new StoreError('io', 'broken')) : read(work)),
  };
  await rig.engine.start();
  expect(await rig.engine.status()).toMatchObject({
    state: 'starting',
    jobCount: 0,
    problem: expect.stringContaining('disk reported an error'),
  });
  isBroken = false;
  expect(await lease(rig)).toBeNull();
  await rig.time.advance(timings.watchMs);
  expect(await state(rig.engine)).toBe('running');
});

test('a lease that cannot be written is no lease: no role without its commit (X-07)', async () => {
  const rig = new Rig({ timings });
  rig.storeError = new StoreError('full', 'The disk is full.');
  await rig.engine.start();
  expect((await rig.engine.status()).problem).toContain('disk is full');
  expect(await state(rig.engine)).not.toBe('running');
  expect(await lease(rig)).toBeNull();
  rig.storeError = null;
  await rig.time.advance(timings.watchMs);
  expect(await state(rig.engine)).toBe('running');
});

test('who cannot renew gives up before others may take over, and comes back by itself (H-24, H-28)', async () => {
  const rig = await Rig.started({ timings });
  rig.processes.script = () => ({ durationMs: 10 * MINUTE_MS });
  const job = await rig.addJob({});
  await rig.engine.startRun(job.id, 'manual');
  await rig.time.advance(SECOND_MS);
  rig.storeError = new StoreError('full', 'The disk is full.');
  await rig.time.advance(timings.staleMs - timings.renewMs);
  expect(rig.log.lines.some(({ event }) => event === 'lease_lost')).toBe(true);
  rig.storeError = null;
  await rig.time.advance(MINUTE_MS);
  expect(await state(rig.engine)).toBe('running');
  expect((await lease(rig))?.epoch).toBe(2);
  await rig.time.advance(10 * MINUTE_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'succeeded', wasAdopted: true }]);
  expect(rig.processes.spawned).toHaveLength(1);
});

test('after sleep the lease is renewed first and only then anything is started, whether or not the system tells (H-24)', async () => {
  // The engine wakes for its lease and for what is due, in either order.
  for (const phaseMs of [1, 7, 13, 19, 24, 29]) {
    const order: string[] = [];
    const note = <T>(name: string, act: () => Promise<T>): Promise<T> => {
      order.push(name);
      return act();
    };
    const rig = await Rig.started({
      timings,
      tamper: (writer) => ({
        ...writer,
        leases: {
          ...writer.leases,
          renew: (...given) => note('renew', () => writer.leases.renew(...given)),
        },
        runs: { ...writer.runs, insert: (run) => note('queue', () => writer.runs.insert(run)) },
      }),
    });
    await rig.addJob({ rules: [cron('0 9 * * *')] });
    await rig.time.advance(phaseMs * SECOND_MS + 500);
    order.length = 0;
    await rig.time.sleepFor(3 * HOUR_MS);
    await rig.time.advance(40 * SECOND_MS);
    expect(order.filter((name) => name === 'queue')).toHaveLength(1);
    expect(order[0], `asleep after ${phaseMs} s`).toBe('renew');
  }
});

test('the lease is renewed while recovery takes long (H-24)', async () => {
  const rig = await Rig.started({ timings });
  rig.processes.script = () => ({ durationMs: null });
  const job = await rig.addJob({});
  await rig.engine.startRun(job.id, 'manual');
  await settle();
  rig.kill();
  const adopt = rig.processes.runner.adopt;
  const slow = rig.time.timer;
  rig.processes.runner.adopt = (attempt) =>
    new Promise((resolve) => slow.after(5 * MINUTE_MS, () => resolve(adopt(attempt))));
  const starting = rig.renew().start();
  await rig.time.advance(4 * MINUTE_MS);
  const renewed = await lease(rig);
  expect(rig.time.clock.now() - (renewed?.renewedAt ?? 0)).toBeLessThanOrEqual(timings.renewMs);
  expect(await state(rig.engine)).toBe('starting');
  await rig.time.advance(2 * MINUTE_MS);
  await starting;
  expect(await state(rig.engine)).toBe('running');
});

test('the lease is kept when there is no job at all (H-38)', async () => {
  const rig = await Rig.started({ timings });
  await rig.time.advance(HOUR_MS);
  expect((await lease(rig))?.epoch).toBe(1);
});

test('starting twice is starting once (H-15)', async () => {
  const rig = new Rig({ timings });
  await Promise.all([rig.engine.start(), rig.engine.start()]);
  expect((await lease(rig))?.epoch).toBe(1);
});

test('with nothing to do the engine wakes for its lease and every thirty seconds, no more (T2)', async () => {
  const rig = await Rig.started({ timings });
  await rig.addJob({ rules: [cron('0 0 1 1 *')] });
  await rig.time.advance(SECOND_MS);
  const calls = { read: 0, transact: 0 };
  const { read, transact, close } = rig.store;
  rig.store = {
    close,
    read: (work) => {
      calls.read += 1;
      return read(work);
    },
    transact: (work) => {
      calls.transact += 1;
      return transact(work);
    },
  };
  await rig.time.advance(HOUR_MS);
  expect(calls).toEqual({ read: HOUR_MS / (30 * SECOND_MS), transact: HOUR_MS / timings.renewMs });
});

test('a holder whose data was replaced steps down at the next write, starts nothing and leaves what runs alone (H-02, D11)', async () => {
  const rig = await Rig.started({ timings });
  rig.processes.script = () => ({ durationMs: HOUR_MS });
  await rig.addJob({ rules: [cron('0 9 * * *')] });
  const late = await rig.addJob({ rules: [cron('1 9 * * *')] });
  await rig.advanceTo('2026-05-04T09:00:10Z');
  rig.storeError = new StoreError('replaced', 'gone');
  await rig.advanceTo('2026-05-04T09:05Z');
  expect(await rig.engine.status()).toMatchObject({
    state: 'starting',
    problem: expect.stringContaining('quit Belfry and start it again'),
  });
  expect(await rig.engine.startRun(late.id, 'manual')).toMatchObject({ error: { code: 'unavailable' } });
  expect(rig.processes.spawned).toHaveLength(1);
  await rig.engine.stop({ runs: 'leave' });
  expect(rig.processes.spawned).toHaveLength(1);
});
