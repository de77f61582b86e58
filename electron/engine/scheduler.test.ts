/** Due times through sleep, absence and moved clocks, on a real store: which run, which are recorded, and why. */

import { expect, test } from 'vitest';
import type { Decision, Run } from '../../shared/model/run';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import { cron, instant, Rig, settle } from '../testing/rig';

const planned = (runs: readonly Run[]): string[] =>
  runs.map(({ plannedAt, trigger }) => `${trigger} ${plannedAt === null ? '' : clock(plannedAt)}`);
const clock = (at: number): string => new Date(at).toISOString().slice(11, 16);
const skipped = (decisions: readonly Decision[]): string[] =>
  decisions.map(({ reason, plannedAt, count }) => `${reason} ${clock(plannedAt)} ${count}`);

test('runs a job at its due time, not a millisecond earlier, and records it (H-44, C-055)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 9 * * *')] });
  await rig.advanceTo('2026-05-04T08:59:59.999Z');
  expect(rig.processes.spawned).toEqual([]);
  await rig.time.advance(1);
  expect(rig.processes.spawned).toHaveLength(1);
  expect(rig.processes.spawned[0]).toMatchObject({ lateMs: 0, attemptNumber: 1, trigger: 'schedule' });
  await rig.time.advance(SECOND_MS);
  const [run, ...others] = await rig.runs(job.id);
  expect(others).toEqual([]);
  expect(run).toMatchObject({ outcome: 'succeeded', exitCode: 0, durationMs: 1_000, missCause: null });
});

test('runs at 13:00 although the timers stood still all night (C-034)', async () => {
  const rig = await Rig.started({ startAt: '2026-06-01T21:00Z', zone: 'Europe/Berlin' });
  const job = await rig.addJob({ rules: [cron('0 13 * * *')] });
  await rig.time.advance(HOUR_MS);
  await rig.time.sleepFor(8.5 * HOUR_MS);
  await rig.advanceTo('2026-06-02T11:00:02Z');
  const [run] = await rig.runs(job.id);
  expect(run).toMatchObject({ plannedAt: instant('2026-06-02T11:00Z'), trigger: 'schedule' });
  expect((run?.startedAt ?? 0) - instant('2026-06-02T11:00Z')).toBeLessThan(2_000);
});

test.each([false, true])(
  'a quarter hour missed asleep runs late once and the others stay on the quarter (C-035)',
  async (monotonicCountsSleep) => {
    const rig = await Rig.started({
      startAt: '2026-05-04T11:40Z',
      zone: 'Europe/Berlin',
      monotonicCountsSleep,
    });
    const job = await rig.addJob({ rules: [cron('*/15 * * * *')] });
    await rig.advanceTo('2026-05-04T11:46Z');
    await rig.time.sleepFor(16 * MINUTE_MS);
    await rig.advanceTo('2026-05-04T12:31Z');
    const runs = await rig.runs(job.id);
    expect(planned(runs)).toEqual(['schedule 11:45', 'catch_up 12:00', 'schedule 12:15', 'schedule 12:30']);
    expect(runs[1]).toMatchObject({ missCause: 'asleep', mergedCount: 0 });
    expect(runs[1]?.startedAt).toBeLessThan(instant('2026-05-04T12:02:31Z'));
  },
);

test('what passed while Belfry was closed runs once and says so (D7, H-62, X-65)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('*/10 * * * *')] });
  await rig.advanceTo('2026-05-04T08:05Z');
  await rig.engine.stop({ runs: 'leave' });
  await rig.time.advance(HOUR_MS);
  await rig.renew().start();
  await settle();
  const run = (await rig.runs(job.id)).at(-1);
  expect(planned(await rig.runs(job.id))).toEqual(['schedule 08:00', 'catch_up 09:00']);
  expect(run).toMatchObject({ trigger: 'catch_up', missCause: 'not_running', mergedCount: 5 });
  expect((await rig.engine.status()).lastGap).toEqual({
    cause: 'not_running',
    from: instant('2026-05-04T08:05Z'),
    to: instant('2026-05-04T09:05Z'),
    caughtUpCount: 1,
    missedCount: 6,
    missedJobCount: 1,
  });
});

test('with catch-up off a closed app means no run, and the single moment is over (C-043)', async () => {
  const rig = await Rig.started();
  const policies = { catchUp: { mode: 'none' as const, ageMsMax: null, countMax: 10 } };
  const often = await rig.addJob({ rules: [cron('*/10 * * * *')], policies });
  const once = await rig.addJob({
    rules: [{ kind: 'once', local: '2026-05-04T08:20', zone: 'UTC' }],
    policies,
  });
  await rig.time.advance(SECOND_MS);
  rig.kill();
  await rig.advanceTo('2026-05-04T08:35Z');
  await rig.renew().start();
  await rig.advanceTo('2026-05-04T08:41Z');
  expect(planned(await rig.runs(often.id))).toEqual(['schedule 08:40']);
  expect(skipped(await rig.skips(often.id))).toEqual(['catch_up_off 08:00 4']);
  expect(skipped(await rig.skips(once.id))).toEqual(['catch_up_off 08:20 1']);
  const rows = await rig.engine.jobRows();
  expect(rows.find(({ id }) => id === once.id)).toMatchObject({ state: 'missed', next: { code: 'ended' } });
});

test('resume events that mean nothing start nothing, and a real sleep starts one catch-up run (C-046)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('30 * * * *'), cron('15 * * * *')] });
  for (const event of [
    'notifySuspend',
    'notifyResume',
    'notifyResume',
    'notifySuspend',
    'notifyResume',
  ] as const) {
    rig.engine[event]();
    await rig.time.advance(600);
  }
  expect(await rig.runs(job.id)).toEqual([]);
  await rig.time.sleepFor(2 * HOUR_MS);
  rig.engine.notifyResume();
  await rig.time.advance(10);
  rig.engine.notifyResume();
  await rig.time.advance(MINUTE_MS);
  const runs = await rig.runs(job.id);
  expect(planned(runs)).toEqual(['catch_up 09:30']);
  expect(runs[0]?.mergedCount).toBe(3);
});

test('after 180 and after 57,600 missed minutes the job goes on with the next one (C-040)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('* * * * *')] });
  await rig.time.advance(40 * SECOND_MS);
  await rig.time.sleepFor(3 * HOUR_MS);
  rig.engine.notifyResume();
  await rig.time.advance(MINUTE_MS);
  await rig.time.sleepFor(40 * DAY_MS);
  rig.engine.notifyResume();
  await rig.time.advance(MINUTE_MS);
  const runs = (await rig.runs(job.id)).filter(({ trigger }) => trigger === 'catch_up');
  expect(runs.map(({ mergedCount }) => mergedCount)).toEqual([179, 57_599]);
  expect((await rig.runs(job.id)).at(-1)).toMatchObject({ trigger: 'schedule' });
});

test('a clock that is corrected forward starts one run, not one for each due time it jumped over (C-051)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T07:02Z' });
  const job = await rig.addJob({ rules: [cron('*/5 * * * *')] });
  await rig.time.advance(20 * SECOND_MS);
  rig.time.jump(HOUR_MS);
  await rig.time.advance(30 * SECOND_MS);
  const runs = await rig.runs(job.id);
  expect(runs).toHaveLength(1);
  expect(runs[0]).toMatchObject({ missCause: 'clock_forward', mergedCount: 11 });
});

test('after the clock went forward and back everything that did not run goes on, and nothing runs twice (C-049, X-04)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T14:59:30Z' });
  const minutely = await rig.addJob({ rules: [cron('* * * * *')] });
  // It has no occurrence between 15:00 and 17:00, so nothing of it is decided by the jump.
  const later = await rig.addJob({ rules: [cron('20 17 * * *')] });
  await rig.advanceTo('2026-05-04T15:00:10Z');
  rig.time.jump(2 * HOUR_MS);
  await rig.advanceTo('2026-05-04T17:00:40Z');
  // Made while the clock was wrong: its past is not decided by anybody.
  const made = await rig.addJob({ rules: [cron('5-55/10 * * * *')] });
  rig.time.jump(-2 * HOUR_MS);
  await rig.advanceTo('2026-05-04T15:31Z');
  expect(planned(await rig.runs(made.id))).toEqual(['schedule 15:05', 'schedule 15:15', 'schedule 15:25']);
  await rig.advanceTo('2026-05-04T17:21Z');
  expect(planned(await rig.runs(later.id))).toEqual(['schedule 17:20']);
  const moments = (await rig.runs(minutely.id)).map(({ plannedAt }) => plannedAt ?? 0);
  const from = instant('2026-05-04T14:59Z');
  // Every minute once: 17:00 ran while the clock was wrong and does not come again.
  expect([...moments].sort((a, b) => a - b)).toEqual(
    Array.from({ length: 143 }, (_, index) => from + index * MINUTE_MS),
  );
  expect(await rig.skips(minutely.id)).toEqual([]);
});

/** A rig with a quarter-hourly job, one six hours after its end, and a single moment in two hours. */
async function threeJobs() {
  const rig = await Rig.started({ startAt: '2026-05-04T08:01Z' });
  const quarter = await rig.addJob({ rules: [cron('*/15 * * * *')] });
  const hours = await rig.addJob({ rules: [{ kind: 'interval', everyMs: 6 * HOUR_MS, basis: 'after_end' }] });
  const once = await rig.addJob({
    rules: [{ kind: 'once', local: '2026-05-04T10:00', zone: 'UTC' }],
    policies: { catchUp: { mode: 'once', ageMsMax: HOUR_MS, countMax: 10 } },
  });
  const nextOf = async (id: typeof once.id) =>
    (await rig.engine.jobRows()).find((row) => row.id === id)?.next;
  return { rig, quarter, hours, once, nextOf };
}

test.each(['lives on', 'is restarted after it', 'dies during it'])(
  'a clock that was days ahead for seconds silences nothing, and Belfry %s (C-052)',
  async (how) => {
    const { rig, quarter, hours, once, nextOf } = await threeJobs();
    await rig.advanceTo('2026-05-04T08:02Z');
    rig.time.jump(3 * DAY_MS);
    await rig.time.advance(40 * SECOND_MS);
    const wrongRuns = (await rig.runs(quarter.id)).length;
    if (how === 'dies during it') rig.kill();
    rig.time.jump(-3 * DAY_MS);
    if (how === 'is restarted after it') {
      await rig.time.advance(31 * SECOND_MS);
      rig.kill();
    }
    if (how !== 'lives on') await rig.renew().start();
    await rig.time.advance(31 * SECOND_MS);
    expect(await nextOf(quarter.id)).toEqual({ code: 'due', at: instant('2026-05-04T08:15Z') });
    expect(await nextOf(once.id)).toEqual({ code: 'due', at: instant('2026-05-04T10:00Z') });
    const afterEnd = (await nextOf(hours.id)) as { at: number };
    expect(afterEnd.at).toBeLessThanOrEqual(instant('2026-05-04T14:05Z'));
    const detail = await rig.engine.jobDetail(quarter.id);
    expect(detail.ok && detail.value.upcoming[0]).toBe(instant('2026-05-04T08:15Z'));
    await rig.advanceTo('2026-05-04T10:01Z');
    const inOrder = (await rig.runs(quarter.id)).filter(({ trigger }) => trigger === 'schedule');
    expect(wrongRuns).toBe(1);
    expect(planned(inOrder)).toEqual(
      ['08:15', '08:30', '08:45', '09:00', '09:15', '09:30', '09:45', '10:00'].map((at) => `schedule ${at}`),
    );
    expect(planned(await rig.runs(once.id))).toEqual(['schedule 10:00']);
    const runCount = (await rig.runs(hours.id)).length;
    await rig.advanceTo('2026-05-04T14:10Z');
    expect(await rig.runs(hours.id)).toHaveLength(runCount + 1);
  },
);

test('a single moment that ran while the clock was ahead stays done (C-052, C-064)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T08:01Z' });
  const job = await rig.addJob({ rules: [{ kind: 'once', local: '2026-05-04T10:00', zone: 'UTC' }] });
  rig.time.jump(3 * DAY_MS);
  await rig.time.advance(40 * SECOND_MS);
  expect(planned(await rig.runs(job.id))).toEqual(['catch_up 10:00']);
  rig.time.jump(-3 * DAY_MS);
  await rig.time.advance(31 * SECOND_MS);
  expect((await rig.engine.jobRows())[0]?.next).toEqual({ code: 'ended' });
  await rig.advanceTo('2026-05-04T11:00Z');
  expect(await rig.runs(job.id)).toHaveLength(1);
});

test('what was reopened and then missed while Belfry was closed is caught up, not lost (C-049, C-052)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T14:59:30Z' });
  const job = await rig.addJob({ rules: [cron('*/10 * * * *')] });
  await rig.advanceTo('2026-05-04T15:00:10Z');
  rig.time.jump(2 * HOUR_MS);
  await rig.time.advance(31 * SECOND_MS);
  rig.time.jump(-2 * HOUR_MS);
  await rig.advanceTo('2026-05-04T15:11Z');
  await rig.engine.stop({ runs: 'leave' });
  await rig.advanceTo('2026-05-04T17:05Z');
  await rig.renew().start();
  await settle();
  const runs = await rig.runs(job.id);
  expect(planned(runs)).toEqual(['schedule 15:00', 'schedule 15:10', 'catch_up 17:00', 'catch_up 16:50']);
  expect(runs.at(-1)).toMatchObject({ missCause: 'not_running', mergedCount: 9 });
});

test('a clock that is far in the past at the start runs nothing older than the job once it is right (D3, C-044)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T08:01Z' });
  const often = await rig.addJob({ rules: [cron('*/10 * * * *')] });
  const once = await rig.addJob({ rules: [{ kind: 'once', local: '2026-05-04T08:30', zone: 'UTC' }] });
  await rig.advanceTo('2026-05-04T08:41Z');
  await rig.engine.stop({ runs: 'leave' });
  await rig.time.advance(HOUR_MS);
  const right = rig.time.clock.now();
  rig.time.jump(instant('2001-01-01T00:00Z') - right);
  await rig.renew().start();
  await rig.time.advance(25 * MINUTE_MS);
  expect(rig.processes.spawned).toHaveLength(5);
  rig.time.jump(right + 25 * MINUTE_MS - rig.time.clock.now());
  await rig.time.advance(31 * SECOND_MS);
  const runs = await rig.runs(often.id);
  expect(planned(runs).slice(4)).toEqual(['catch_up 10:00']);
  expect(runs.at(-1)?.mergedCount).toBe(7);
  expect(await rig.runs(once.id)).toHaveLength(1);
  await rig.advanceTo('2026-05-04T10:11Z');
  expect(planned(await rig.runs(often.id)).slice(5)).toEqual(['schedule 10:10']);
});

test('a clock that was far in the past for the whole of a life is forgotten by the next one (D3)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T08:01Z' });
  const often = await rig.addJob({ rules: [cron('* * * * *')] });
  await rig.time.advance(20 * SECOND_MS);
  rig.kill();
  rig.time.jump(-9_000 * DAY_MS);
  await rig.renew().start();
  await rig.time.advance(5 * MINUTE_MS);
  await rig.engine.stop({ runs: 'leave' });
  rig.time.jump(9_000 * DAY_MS);
  await rig.renew().start();
  await settle();
  expect((await rig.runs(often.id)).map(({ plannedAt, mergedCount }) => [plannedAt, mergedCount])).toEqual([
    [instant('2026-05-04T08:01Z'), 0],
    [instant('2026-05-04T08:06Z'), 4],
  ]);
});

test('a clock that steps back over a due time just met does not repeat it (H-56, X-04)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 9 * * *')] });
  await rig.advanceTo('2026-05-04T09:00:01Z');
  rig.time.jump(-3 * SECOND_MS);
  await rig.time.advance(MINUTE_MS);
  expect(await rig.runs(job.id)).toHaveLength(1);
});

test('a moment beyond the reach of a timer waits for it, without waking more often than every 30 s (C-054, H-49)', async () => {
  const timings = { renewMs: DAY_MS, staleMs: 9 * DAY_MS, watchMs: DAY_MS };
  const rig = await Rig.started({ startAt: '2026-05-04T08:00Z', timings });
  const job = await rig.addJob({ rules: [{ kind: 'once', local: '2026-05-30T08:00', zone: 'UTC' }] });
  await rig.time.advance(26 * DAY_MS - 1);
  expect(await rig.runs(job.id)).toEqual([]);
  await rig.time.advance(1);
  expect(await rig.runs(job.id)).toHaveLength(1);
});

test('a list asked for in the same instant, and another job that ends then, move nothing (C-057)', async () => {
  for (let turn = 0; turn < 20; turn += 1) {
    const rig = await Rig.started({ startAt: '2026-05-04T02:44:59Z' });
    rig.processes.script = ({ jobName }) => ({ durationMs: jobName === 'B' ? 15 * MINUTE_MS : 10 });
    const a = await rig.addJob({ name: 'A', rules: [cron('0 3 * * *')] });
    await rig.addJob({ name: 'B', rules: [cron('*/15 * * * *')] });
    await rig.advanceTo('2026-05-04T02:59:59.999Z');
    const asked: Promise<unknown>[] = [rig.engine.jobRows(), rig.engine.status(), rig.engine.jobDetail(a.id)];
    if (turn % 2 === 0) rig.engine.notifyResume();
    await rig.time.advance(turn % 3);
    asked.push(rig.engine.jobRows());
    await rig.time.advance(50);
    await Promise.all(asked);
    expect(planned(await rig.runs(a.id))).toEqual(['schedule 03:00']);
    const next = (await rig.engine.jobRows()).find(({ id }) => id === a.id)?.next;
    expect(next).toEqual({ code: 'due', at: instant('2026-05-05T03:00Z') });
  }
});

test('an interval keeps its grid through restarts (X-01, C-061)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T08:00Z' });
  const daily = await rig.addJob({ rules: [{ kind: 'interval', everyMs: DAY_MS, basis: 'grid' }] });
  for (let restart = 0; restart < 9; restart += 1) {
    await rig.time.advance(8 * HOUR_MS + MINUTE_MS);
    await rig.engine.stop({ runs: 'leave' });
    await rig.renew().start();
  }
  expect(planned(await rig.runs(daily.id))).toEqual(['schedule 08:00', 'schedule 08:00', 'schedule 08:00']);
});

test('an interval after the end counts from the end of the last run, also after a restart and a run by hand', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T08:00Z' });
  rig.processes.script = () => ({ durationMs: 10 * MINUTE_MS });
  const job = await rig.addJob({
    rules: [{ kind: 'interval', everyMs: 30 * MINUTE_MS, basis: 'after_end' }],
  });
  await rig.advanceTo('2026-05-04T08:41Z');
  expect(planned(await rig.runs(job.id))).toEqual(['schedule 08:30']);
  await rig.engine.stop({ runs: 'leave' });
  await rig.renew().start();
  await rig.advanceTo('2026-05-04T09:21Z');
  expect(planned(await rig.runs(job.id))).toEqual(['schedule 08:30', 'schedule 09:10']);
  await rig.engine.startRun(job.id, 'manual');
  await rig.advanceTo('2026-05-04T10:02Z');
  expect(planned(await rig.runs(job.id)).slice(2)).toEqual(['manual ', 'schedule 10:01']);
});

test.each([0, 1, null])(
  'a single moment never comes twice, however it ended: %s (C-064)',
  async (exitCode) => {
    const rig = await Rig.started();
    rig.processes.script = () => ({
      durationMs: exitCode === null ? HOUR_MS : SECOND_MS,
      exitCode: exitCode ?? 0,
    });
    const job = await rig.addJob({ rules: [{ kind: 'once', local: '2026-05-04T08:15', zone: 'UTC' }] });
    await rig.advanceTo('2026-05-04T08:16Z');
    for (let restart = 0; restart < 3; restart += 1) {
      rig.kill();
      if (restart === 0) rig.processes.vanish();
      await rig.time.advance(5 * MINUTE_MS);
      await rig.renew().start();
      await rig.time.advance(MINUTE_MS);
    }
    const runs = await rig.runs(job.id);
    expect(runs).toHaveLength(1);
    const outcomes = { 0: 'succeeded', 1: 'failed', null: 'abandoned' };
    expect(runs[0]?.outcome).toBe(outcomes[String(exitCode) as '0' | '1' | 'null']);
  },
);

test('a job that takes longer than its cadence skips what passes meanwhile and is not postponed for ever (H-55, C-070)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T07:56Z' });
  rig.processes.script = () => ({ durationMs: 14.5 * MINUTE_MS });
  const job = await rig.addJob({
    rules: [
      { kind: 'interval', everyMs: 5 * MINUTE_MS, basis: 'grid', anchorAt: instant('2026-05-04T08:00Z') },
    ],
    policies: { catchUp: { mode: 'once', ageMsMax: 2.5 * MINUTE_MS, countMax: 10 } },
  });
  await rig.advanceTo('2026-05-04T10:59:59Z');
  const runs = await rig.runs(job.id);
  expect(runs.map(({ plannedAt }) => ((plannedAt ?? 0) - instant('2026-05-04T08:00Z')) / MINUTE_MS)).toEqual([
    0, 15, 30, 45, 60, 75, 90, 105, 120, 135, 150, 165,
  ]);
  const skips = await rig.skips(job.id);
  expect(skips).toHaveLength(24);
  expect(new Set(skips.map(({ reason }) => reason))).toEqual(new Set(['overlap']));
});

test('with the pool full a due time waits in the queue and runs late, not lost and not its own overlap (C-071)', async () => {
  const rig = await Rig.started();
  rig.processes.script = ({ jobName }) => ({ durationMs: jobName === 'C' ? 3 * SECOND_MS : 10 * MINUTE_MS });
  for (const name of ['A1', 'A2', 'A3', 'A4']) await rig.addJob({ name, rules: [cron('10 8 * * *')] });
  const c = await rig.addJob({ name: 'C', rules: [cron('15 8,10,12 * * *')] });
  await rig.advanceTo('2026-05-04T08:15:02Z');
  expect(await rig.runs(c.id)).toMatchObject([{ state: 'queued', startedAt: null }]);
  const row = (await rig.engine.jobRows()).find(({ id }) => id === c.id);
  expect(row?.next).toEqual({ code: 'queued', since: instant('2026-05-04T08:15Z') });
  await rig.advanceTo('2026-05-04T08:20:04Z');
  expect(await rig.runs(c.id)).toMatchObject([
    { outcome: 'succeeded', startedAt: instant('2026-05-04T08:20Z') },
  ]);
  await rig.advanceTo('2026-05-04T10:15:02Z');
  expect(await rig.runs(c.id)).toMatchObject([{}, { startedAt: instant('2026-05-04T10:15Z') }]);
  expect(await rig.skips(c.id)).toEqual([]);
});

test('many reasons to wake in one instant make one run (C-076)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 9 * * *')] });
  await rig.advanceTo('2026-05-04T08:59:59.999Z');
  rig.time.jump(1);
  const asked = Array.from({ length: 100 }, (_, index) => {
    rig.engine.notifyResume();
    return index % 10 === 0 ? rig.engine.setPaused(false) : rig.engine.jobRows();
  });
  await rig.time.advance(SECOND_MS);
  await Promise.all(asked);
  expect(await rig.runs(job.id)).toHaveLength(1);
});

test('a job that already ran does not run again after restarts, even with the clock a little behind (C-099)', async () => {
  const rig = await Rig.started({ startAt: '2026-03-11T00:30Z', zone: 'America/Santiago' });
  rig.processes.script = () => ({ durationMs: 41 * SECOND_MS });
  const job = await rig.addJob({ rules: [cron('0 22 * * *')] });
  await rig.advanceTo('2026-03-11T01:30:37Z');
  for (const back of [0, -2 * SECOND_MS]) {
    await rig.engine.stop({ runs: 'leave' });
    rig.time.jump(back);
    await rig.renew().start();
    await rig.time.advance(23 * SECOND_MS);
  }
  expect(await rig.runs(job.id)).toHaveLength(1);
  const [row] = await rig.engine.jobRows();
  expect(row?.next).toEqual({ code: 'due', at: instant('2026-03-12T01:00Z') });
});

test('while everything is paused due times are recorded, and going on fires nothing old', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T08:01Z' });
  const job = await rig.addJob({ rules: [cron('*/10 * * * *')] });
  await rig.engine.setPaused(true);
  expect((await rig.engine.status()).state).toBe('paused');
  await rig.advanceTo('2026-05-04T08:35Z');
  await rig.engine.setPaused(false);
  await rig.advanceTo('2026-05-04T08:41Z');
  expect(planned(await rig.runs(job.id))).toEqual(['schedule 08:40']);
  expect(skipped(await rig.skips(job.id))).toEqual([
    'paused_all 08:10 1',
    'paused_all 08:20 1',
    'paused_all 08:30 1',
  ]);
});

test('a computer that travels plans its own schedules anew and leaves named zones alone (X-31)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T08:00Z', zone: 'Europe/Berlin' });
  const local = await rig.addJob({ rules: [cron('0 12 * * *')] });
  const named = await rig.addJob({ rules: [cron('0 12 * * *', 'Europe/Berlin')] });
  rig.machine.zone = 'Asia/Tokyo';
  rig.engine.notifyResume();
  await settle();
  const next = new Map((await rig.engine.jobRows()).map((row) => [row.id, row.next]));
  expect(next.get(named.id)).toEqual({ code: 'due', at: instant('2026-05-04T10:00Z') });
  expect(next.get(local.id)).toEqual({ code: 'due', at: instant('2026-05-05T03:00Z') });
});

test('a day whose time has passed in the new zone, but not yet in the old one, is caught up', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T13:30Z', zone: 'America/New_York' });
  const job = await rig.addJob({ rules: [cron('0 9 * * *')] });
  await rig.time.advance(9 * HOUR_MS);
  await rig.time.sleepFor(13 * HOUR_MS);
  rig.machine.zone = 'Europe/Berlin';
  rig.engine.notifyResume();
  await rig.time.advance(MINUTE_MS);
  expect(await rig.runs(job.id)).toMatchObject([
    { trigger: 'catch_up', plannedAt: instant('2026-05-05T07:00Z'), missCause: 'asleep' },
  ]);
});

test('at a spring gap and an autumn repeat a fixed time runs once (D6)', async () => {
  const spring = await Rig.started({ startAt: '2026-03-28T23:00Z', zone: 'Europe/Berlin' });
  const first = await spring.addJob({ rules: [cron('30 2 * * *')] });
  await spring.time.advance(6 * HOUR_MS);
  expect((await spring.runs(first.id)).map(({ plannedAt }) => plannedAt)).toEqual([
    instant('2026-03-29T01:00Z'),
  ]);
  const autumn = await Rig.started({ startAt: '2026-10-24T22:00Z', zone: 'Europe/Berlin' });
  const second = await autumn.addJob({ rules: [cron('30 2 * * *')] });
  await autumn.time.advance(6 * HOUR_MS);
  expect((await autumn.runs(second.id)).map(({ plannedAt }) => plannedAt)).toEqual([
    instant('2026-10-25T00:30Z'),
  ]);
});
