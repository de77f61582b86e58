/** Lists, the detail pane and the status: true, from the scheduler's own plan, and without any effect. */

import { expect, test } from 'vitest';
import { JobDetail } from '../../shared/ipc/contract';
import { everyDay } from '../../shared/model/dates';
import { JobId, JobRow } from '../../shared/model/job';
import { defaultSettings, SchedulerStatus } from '../../shared/model/settings';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import { cron, instant, Rig, settle, unwrap } from '../testing/rig';

const only = async (rig: Rig): Promise<JobRow> => {
  const [row] = await rig.engine.jobRows();
  return JobRow.parse(row);
};

test('a row says what the job does, when it runs next, and how it went', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: 3 * SECOND_MS });
  await rig.addJob({ name: 'Back up notes', tags: ['home'], rules: [cron('0 9 * * *'), cron('0 12 * * *')] });
  expect(await only(rig)).toMatchObject({
    name: 'Back up notes',
    summary: 'true',
    tags: ['home'],
    state: 'never_run',
    spark: '',
    next: { code: 'due', at: instant('2026-05-04T09:00Z') },
    lastRunAt: null,
  });
  expect((await only(rig)).scheduleShort).toMatch(/ and 1 more$/);
  await rig.advanceTo('2026-05-04T09:00:01Z');
  expect(await only(rig)).toMatchObject({
    state: 'running',
    spark: 'r9',
    next: { code: 'running', since: instant('2026-05-04T09:00Z'), usualMs: null },
  });
  await rig.advanceTo('2026-05-04T09:01Z');
  expect(await only(rig)).toMatchObject({
    state: 'succeeded',
    spark: 's9',
    lastRunAt: instant('2026-05-04T09:00Z'),
  });
});

test('a job shows when it has ended, is paused, or runs by hand only', async () => {
  const rig = await Rig.started();
  const once = await rig.addJob({ rules: [{ kind: 'once', local: '2026-05-04T08:10', zone: 'UTC' }] });
  const off = await rig.addJob({ rules: [cron('0 9 * * *')], isEnabled: false });
  const byHand = await rig.addJob({});
  await rig.time.advance(HOUR_MS);
  const rows = new Map((await rig.engine.jobRows()).map((row) => [row.id, row]));
  expect(rows.get(once.id)).toMatchObject({ next: { code: 'ended' }, state: 'succeeded', isEnabled: true });
  expect(rows.get(off.id)).toMatchObject({
    next: { code: 'paused' },
    state: 'paused',
    disabledReason: 'user',
  });
  expect(rows.get(byHand.id)).toMatchObject({
    next: { code: 'by_hand' },
    state: 'never_run',
    scheduleShort: '',
  });
  await rig.engine.setPaused(true);
  const [first] = (await rig.engine.jobRows()).filter(({ id }) => id === once.id);
  expect(first?.next).toEqual({ code: 'ended' });
});

test('the detail pane lists the next due times of all schedules, the median and the last runs', async () => {
  const rig = await Rig.started();
  let turn = 0;
  rig.processes.script = () => {
    turn += 1;
    return { durationMs: turn * SECOND_MS, exitCode: turn === 2 ? 1 : 0 };
  };
  const job = await rig.addJob({
    rules: [cron('0 9 * * *'), { kind: 'interval', everyMs: HOUR_MS, basis: 'after_end' }],
  });
  await rig.advanceTo('2026-05-04T11:05Z');
  const detail = JobDetail.parse(unwrap(await rig.engine.jobDetail(job.id)));
  expect(detail.runCount).toBe(4);
  expect(detail.recentRuns.map(({ outcome }) => outcome)).toEqual([
    'succeeded',
    'failed',
    'succeeded',
    'succeeded',
  ]);
  expect(detail.medianMs).toBe(3_000);
  expect(detail.upcoming).toHaveLength(10);
  expect(detail.upcoming.slice(0, 2)).toEqual([
    (detail.latestRun?.endedAt ?? 0) + HOUR_MS,
    instant('2026-05-05T09:00Z'),
  ]);
  expect(detail.sentences).toHaveLength(2);
  expect(detail.activeRun).toBeNull();
  await rig.engine.startRun(job.id, 'manual');
  await settle();
  expect(unwrap(await rig.engine.jobDetail(job.id))).toMatchObject({
    activeRun: { state: 'running' },
    latestRun: { state: 'running' },
  });
});

test('a process on standby shows the same next due times as the one that leads (S-38)', async () => {
  const rig = await Rig.started();
  await rig.addJob({ rules: [cron('0 9 * * *')] });
  const other = rig.beside();
  await other.engine.start();
  expect(await other.engine.jobRows()).toEqual(await rig.engine.jobRows());
});

test('a failing job turns the tray until it was looked at or succeeds again (ui.md 14.1)', async () => {
  const rig = await Rig.started();
  let exitCode = 1;
  rig.processes.script = () => ({ durationMs: SECOND_MS, exitCode });
  const job = await rig.addJob({ rules: [cron('0 * * * *')] });
  const failing = async () => (await rig.engine.status()).failingCount;
  await rig.advanceTo('2026-05-04T08:01Z');
  expect(await failing()).toBe(1);
  unwrap(await rig.engine.markSeen(job.id));
  expect(await failing()).toBe(0);
  expect((await only(rig)).state).toBe('failed');
  await rig.advanceTo('2026-05-04T09:01Z');
  expect(await failing()).toBe(1);
  exitCode = 0;
  await rig.advanceTo('2026-05-04T10:01Z');
  expect(await failing()).toBe(0);
  exitCode = 1;
  await rig.advanceTo('2026-05-04T11:01Z');
  unwrap(await rig.engine.deleteJob({ jobId: job.id, stopRun: false }));
  expect(await failing()).toBe(0);
});

test('lateness is news until the job was opened', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 9 * * *')] });
  await rig.time.sleepFor(3 * HOUR_MS);
  rig.engine.notifyResume();
  await rig.time.advance(MINUTE_MS);
  expect((await only(rig)).state).toBe('caught_up');
  unwrap(await rig.engine.markSeen(job.id));
  expect((await only(rig)).state).toBe('succeeded');
});

test('the status tells the next due time, how many jobs are due then, and what runs', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: HOUR_MS });
  await rig.addJob({ name: 'A', rules: [cron('0 9 * * *')] });
  await rig.addJob({ name: 'B', rules: [cron('0 9 * * *'), cron('0 9 * * 1')] });
  expect(SchedulerStatus.parse(await rig.engine.status())).toEqual({
    state: 'running',
    holder: null,
    jobCount: 2,
    runningCount: 0,
    failingCount: 0,
    next: { at: instant('2026-05-04T09:00Z'), jobName: 'A', dueCount: 2 },
    lastGap: null,
    problem: null,
  });
  await rig.advanceTo('2026-05-04T09:01Z');
  expect((await rig.engine.status()).runningCount).toBe(2);
  await rig.engine.setPaused(true);
  expect(await rig.engine.status()).toMatchObject({ state: 'paused', next: null });
  await rig.engine.stop({ runs: 'stop' });
  expect((await rig.engine.status()).state).toBe('stopped');
});

test('the status passes over jobs that are paused and days on which nothing runs', async () => {
  const rig = await Rig.started();
  await rig.addJob({ name: 'Paused', tags: ['disk'], rules: [cron('0 9 * * *')] });
  const excluded = [{ from: '2026-05-04', until: '2026-05-04' }];
  await rig.addJob({ name: 'Off today', rules: [cron('0 10 * * *')], dates: { ...everyDay, excluded } });
  const next = async () => (await rig.engine.status()).next;
  expect(await next()).toMatchObject({ at: instant('2026-05-04T09:00Z'), jobName: 'Paused' });
  const scope = { kind: 'tag', tag: 'disk' } as const;
  const pause = unwrap(await rig.engine.startPause({ scope, note: '', until: null }));
  expect(await next()).toEqual({ at: instant('2026-05-05T10:00Z'), jobName: 'Off today', dueCount: 1 });
  await rig.addJob({ name: 'Late', rules: [cron('30 22 * * *')] });
  expect(await next()).toMatchObject({ at: instant('2026-05-04T22:30Z'), jobName: 'Late' });
  unwrap(await rig.engine.endPause(pause.id));
  expect(await next()).toMatchObject({ jobName: 'Paused' });
});

test('a sleep is told with its span and what was caught up', async () => {
  const rig = await Rig.started();
  await rig.addJob({ rules: [cron('0 9 * * *')] });
  await rig.advanceTo('2026-05-04T08:30Z');
  rig.engine.notifySuspend();
  await settle();
  await rig.time.sleepFor(2 * HOUR_MS);
  rig.engine.notifyResume();
  await settle();
  expect((await rig.engine.status()).lastGap).toEqual({
    cause: 'asleep',
    from: instant('2026-05-04T08:30Z'),
    to: instant('2026-05-04T10:30Z'),
    caughtUpCount: 1,
    missedCount: 1,
    missedJobCount: 1,
  });
});

test('history is paged, newest first, with runs and skipped due times', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: 90 * MINUTE_MS });
  const job = await rig.addJob({ rules: [cron('0 * * * *')] });
  await rig.advanceTo('2026-05-04T11:59Z');
  const first = unwrap(await rig.engine.history({ jobId: job.id, limit: 3 }));
  expect(first.entries.map(({ entry }) => entry)).toEqual(['skip', 'run', 'skip']);
  const second = unwrap(await rig.engine.history({ jobId: job.id, after: first.next ?? '', limit: 3 }));
  expect(second.entries.map(({ entry }) => entry)).toEqual(['run']);
  const unknown = JobId.parse('00000000-0000-4000-8000-00000000ffff');
  expect(unwrap(await rig.engine.history({ jobId: unknown, limit: 3 })).entries).toEqual([]);
});

test('a preview shows what the engine will do, and every mistake with its place', async () => {
  const rig = await Rig.started({ zone: 'Europe/Berlin' });
  const [good, bad] = rig.engine.preview([cron('0 9 * * *'), cron('0 99 * * *')], 3);
  expect(good).toMatchObject({ valid: true });
  expect(good?.valid === true ? good.preview.next.map(({ at }) => at) : []).toEqual([
    instant('2026-05-05T07:00Z'),
    instant('2026-05-06T07:00Z'),
    instant('2026-05-07T07:00Z'),
  ]);
  expect(bad).toMatchObject({ valid: false, mistakes: [{ field: 'hour', start: 2, length: 2 }] });
});

test('preferences are kept', async () => {
  const rig = await Rig.started();
  expect(await rig.engine.settings()).toEqual(defaultSettings);
  await rig.engine.saveSettings({ ...defaultSettings, theme: 'dark' });
  expect(await rig.engine.settings()).toEqual({ ...defaultSettings, theme: 'dark' });
});

test('a run that does not exist is not found', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({});
  const run = unwrap(await rig.engine.startRun(job.id, 'manual'));
  await rig.time.advance(DAY_MS);
  expect(unwrap(await rig.engine.run(run.id)).outcome).toBe('succeeded');
  const unknown = '00000000-0000-4000-8000-00000000ffff' as typeof run.id;
  expect(await rig.engine.run(unknown)).toMatchObject({ ok: false, error: { code: 'not_found' } });
  expect(await rig.engine.stopRun(unknown)).toMatchObject({ ok: false, error: { code: 'not_found' } });
});
