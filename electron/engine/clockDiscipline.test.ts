/** Clocks that step, zones that move, sleep in every phase, and the nights on which clocks change, on a real store. */

import { expect, test } from 'vitest';
import type { ScheduleRule } from '../../shared/model/schedule';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import { cron, instant, Rig, settle } from '../testing/rig';

const YEAR_MS = 365 * DAY_MS;
const times = async (rig: Rig, job: Awaited<ReturnType<Rig['addJob']>>): Promise<string[]> =>
  (await rig.runs(job.id)).map(({ plannedAt }) => new Date(plannedAt ?? 0).toISOString().slice(5, 16));

test.each([false, true])(
  'sleep in any phase leaves one run for each due job, with its true lateness (X-02, X-03)',
  async (monotonicCountsSleep) => {
    const rig = await Rig.started({ startAt: '2026-05-04T08:00Z', monotonicCountsSleep });
    const armed = await rig.addJob({ rules: [cron('0 9 * * *')] });
    const running = await rig.addJob({ rules: [cron('50 8 * * *')] });
    rig.processes.script = ({ jobId }) => ({ durationMs: jobId === running.id ? 30 * MINUTE_MS : SECOND_MS });
    await rig.advanceTo('2026-05-04T08:55Z');
    const standby = rig.beside();
    await standby.engine.start();
    await rig.time.sleepFor(3 * HOUR_MS);
    for (const _ of [1, 2]) rig.engine.notifyResume();
    await rig.time.advance(HOUR_MS);
    expect(await rig.runs(armed.id)).toMatchObject([
      { trigger: 'catch_up', missCause: 'asleep', plannedAt: instant('2026-05-04T09:00Z') },
    ]);
    expect(await rig.runs(running.id)).toMatchObject([{ outcome: 'succeeded', attemptCount: 1 }]);
    expect(rig.processes.spawned.find(({ jobId }) => jobId === armed.id)?.lateMs).toBeGreaterThan(
      2.8 * HOUR_MS,
    );
    const states = [(await rig.engine.status()).state, (await standby.engine.status()).state];
    expect(states).toEqual(['running', 'standby']);
  },
);

test('sleep while a run is about to start neither loses nor doubles it (X-02)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T08:59:50Z' });
  const job = await rig.addJob({ rules: [cron('0 9 * * *')] });
  const start = rig.processes.runner.start;
  let letGo = (): void => {};
  const isHeld = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  rig.processes.runner.start = async (order) => {
    await isHeld;
    return start(order);
  };
  await rig.advanceTo('2026-05-04T09:00:01Z');
  await rig.time.sleepFor(2 * HOUR_MS);
  rig.engine.notifyResume();
  letGo();
  await rig.time.advance(MINUTE_MS);
  expect(rig.processes.spawned).toHaveLength(1);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'succeeded' }]);
});

test.each([
  ['two seconds at the due time', -2 * SECOND_MS],
  ['an hour', -HOUR_MS],
])('a clock that goes back by %s repeats nothing and freezes nothing (X-04, X-68)', async (_, ms) => {
  const rig = await Rig.started({ startAt: '2026-05-04T07:58Z' });
  const often = await rig.addJob({ rules: [cron('*/10 * * * *')] });
  const interval = await rig.addJob({ rules: [{ kind: 'interval', everyMs: 7 * MINUTE_MS, basis: 'grid' }] });
  await rig.advanceTo('2026-05-04T09:00Z');
  rig.time.jump(ms);
  const back = rig.time.clock.now();
  await rig.advanceTo('2026-05-04T09:21Z');
  for (const job of [often, interval]) {
    const planned = (await rig.runs(job.id)).map(({ plannedAt }) => plannedAt);
    expect(new Set(planned).size).toBe(planned.length);
    expect(Math.max(...planned.map(Number))).toBeGreaterThan(back);
  }
  expect((await times(rig, often)).slice(-3)).toEqual(['05-04T09:00', '05-04T09:10', '05-04T09:20']);
});

test('a clock that is a year ahead for an hour, and a job that is made in it, leave nothing frozen (H-46, X-35)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T08:05Z' });
  const quarter = await rig.addJob({ rules: [cron('*/15 * * * *')] });
  await rig.time.advance(MINUTE_MS);
  rig.time.jump(YEAR_MS);
  await rig.time.advance(MINUTE_MS);
  const made = await rig.addJob({ rules: [{ kind: 'interval', everyMs: HOUR_MS, basis: 'grid' }] });
  const retried = await rig.addJob({ rules: [cron('*/30 * * * *')] });
  await rig.time.advance(HOUR_MS);
  rig.time.jump(-YEAR_MS - HOUR_MS);
  await rig.time.advance(61 * SECOND_MS);
  const count = async (job: typeof made): Promise<number> => (await rig.runs(job.id)).length;
  const before = [await count(quarter), await count(made), await count(retried)];
  await rig.time.advance(2 * HOUR_MS);
  const after = [await count(quarter), await count(made), await count(retried)];
  expect(after.map((total, index) => total - (before[index] ?? 0))).toEqual([8, 2, 4]);
});

test('a waiting job wakes once a year, and on 29 February once in four (H-49)', async () => {
  const timings = { renewMs: 40 * DAY_MS, staleMs: 999 * DAY_MS, watchMs: 40 * DAY_MS };
  const rig = await Rig.started({ startAt: '2027-12-31T12:00Z', timings });
  const yearly = await rig.addJob({ rules: [cron('0 6 1 1 *')] });
  const leap = await rig.addJob({ rules: [cron('0 6 29 2 *')] });
  for (const day of ['2028-01-01T05:59Z', '2028-02-29T05:59Z', '2029-01-01T05:59Z']) {
    await rig.time.sleepFor(instant(day) - rig.time.clock.now());
    await rig.time.advance(2 * MINUTE_MS);
  }
  expect(await times(rig, yearly)).toEqual(['01-01T06:00', '01-01T06:00']);
  expect(await times(rig, leap)).toEqual(['02-29T06:00']);
});

test('on the way to Tokyo a job of the computer goes along, and one with a zone stays in Berlin (X-31)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T05:30Z', zone: 'Europe/Berlin' });
  const local = await rig.addJob({ rules: [cron('0 15 * * *')] });
  const berlin = await rig.addJob({ rules: [cron('0 15 * * *', 'Europe/Berlin')] });
  await rig.advanceTo('2026-05-04T06:30Z');
  rig.machine.zone = 'Asia/Tokyo';
  await rig.time.advance(MINUTE_MS);
  // In Tokyo it is half past three: the time of today has passed on the way.
  expect(await rig.runs(local.id)).toMatchObject([{ trigger: 'catch_up', missCause: 'zone_changed' }]);
  expect(await rig.runs(berlin.id)).toEqual([]);
  await rig.advanceTo('2026-05-05T14:00Z');
  expect(await times(rig, local)).toEqual(['05-04T06:00', '05-05T06:00']);
  expect(await times(rig, berlin)).toEqual(['05-04T13:00', '05-05T13:00']);
});

/** Zone, the evening before, the rule, and the instants that run until the next evening. */
const nights: readonly [zone: string, from: string, rule: ScheduleRule, expected: readonly string[]][] = [
  ['America/New_York', '2026-03-07T23:00Z', cron('30 2 * * *'), ['03-08T07:00']],
  ['America/New_York', '2026-10-31T23:00Z', cron('30 1 * * *'), ['11-01T05:30']],
  ['Europe/Berlin', '2026-03-28T22:00Z', cron('30 2 * * *'), ['03-29T01:00']],
  ['Europe/Berlin', '2026-10-24T20:00Z', cron('30 2 * * *'), ['10-25T00:30']],
  ['Australia/Lord_Howe', '2026-10-03T12:00Z', cron('15 2 * * *'), ['10-03T15:30']],
  ['Australia/Lord_Howe', '2026-04-04T12:00Z', cron('45 1 * * *'), ['04-04T14:45']],
  ['UTC', '2026-03-28T22:00Z', cron('30 2 * * *'), ['03-29T02:30']],
];

test.each(nights)(
  'in %s on the night of %s a fixed time runs once (D6)',
  async (zone, from, rule, expected) => {
    const rig = await Rig.started({ startAt: from, zone });
    const job = await rig.addJob({ rules: [rule] });
    await rig.time.advance(20 * HOUR_MS);
    expect(await times(rig, job)).toEqual(expected);
  },
);

test.each([
  ['America/New_York', '2026-10-31T23:00Z'],
  ['Europe/Berlin', '2026-03-28T22:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T12:00Z'],
  ['UTC', '2026-10-24T20:00Z'],
])('in %s on the night of %s a frequent job follows real time (D6, X-79)', async (zone, from) => {
  const rig = await Rig.started({ startAt: from, zone });
  const job = await rig.addJob({ rules: [cron('*/30 * * * *')] });
  await rig.time.advance(12 * HOUR_MS - 1);
  const moments = (await rig.runs(job.id)).map(({ plannedAt }) => plannedAt ?? 0);
  expect(moments).toHaveLength(24);
  expect(new Set(moments.slice(1).map((at, index) => at - (moments[index] ?? 0)))).toEqual(
    new Set([30 * MINUTE_MS]),
  );
});

test('a machine that was off is told apart from a Belfry that was closed (D7)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T08:05Z' });
  const policies = { catchUp: { mode: 'all' as const, ageMsMax: null, countMax: 10 } };
  const job = await rig.addJob({ rules: [cron('0 * * * *')], policies });
  await rig.time.advance(MINUTE_MS);
  await rig.engine.stop({ runs: 'leave' });
  await rig.advanceTo('2026-05-04T09:30Z');
  rig.machine.reboot();
  rig.time.reboot();
  await rig.advanceTo('2026-05-04T10:30Z');
  await rig.renew().start();
  await rig.time.advance(MINUTE_MS);
  expect((await rig.runs(job.id)).map(({ missCause }) => missCause)).toEqual(['off', 'not_running']);
});

test('what was missed asleep keeps its cause although Belfry died before it was decided', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T08:05Z' });
  const job = await rig.addJob({ rules: [cron('0 * * * *')] });
  await rig.store.transact((writer) =>
    writer.settings.insertGap(
      { cause: 'asleep', from: instant('2026-05-04T08:06Z'), to: instant('2026-05-04T09:30Z') },
      { caughtUpCount: 0, missedCount: 0, missedJobCount: 0 },
    ),
  );
  await rig.advanceTo('2026-05-04T08:06Z');
  rig.kill();
  await rig.advanceTo('2026-05-04T09:31Z');
  await rig.renew().start();
  await settle();
  expect(await rig.runs(job.id)).toMatchObject([{ trigger: 'catch_up', missCause: 'asleep' }]);
});

test('a job runs once for each start of Belfry, each sleep, and each time the network is back', async () => {
  const rig = new Rig();
  rig.surroundings.networkState = 'down';
  await rig.engine.start();
  const on = (event: 'start' | 'wake' | 'network') => rig.addJob({ rules: [{ kind: 'event', on: event }] });
  const [start, wake, network] = [await on('start'), await on('wake'), await on('network')];
  const counts = async (): Promise<number[]> =>
    Promise.all([start, wake, network].map(async ({ id }) => (await rig.runs(id)).length));
  await rig.time.advance(MINUTE_MS);
  expect(await counts()).toEqual([0, 0, 0]);
  await rig.time.sleepFor(HOUR_MS);
  for (const _ of [1, 2]) rig.engine.notifyResume();
  await rig.time.advance(MINUTE_MS);
  expect(await counts()).toEqual([0, 1, 0]);
  rig.surroundings.networkState = 'up';
  for (const _ of [1, 2]) rig.surroundings.tell('network');
  await rig.time.advance(10 * SECOND_MS);
  expect(await counts()).toEqual([0, 1, 1]);
  await rig.engine.stop({ runs: 'leave' });
  await rig.renew().start();
  await rig.time.advance(MINUTE_MS);
  expect(await counts()).toEqual([1, 1, 1]);
  expect(await rig.runs(start.id)).toMatchObject([{ trigger: 'event', missCause: null }]);
});

test('a standby that takes over has started long ago', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [{ kind: 'event', on: 'start' }] });
  const standby = rig.beside();
  await standby.engine.start();
  await rig.time.advance(MINUTE_MS);
  await rig.engine.stop({ runs: 'leave' });
  await rig.time.advance(10 * MINUTE_MS);
  expect((await standby.engine.status()).state).toBe('running');
  expect(await rig.runs(job.id)).toEqual([]);
});
