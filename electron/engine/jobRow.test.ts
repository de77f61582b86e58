/** What a row and the detail pane say of retries, waits, pauses, causes and days off; and that a kept row is never an old one. */

import { expect, test } from 'vitest';
import { JobDetail } from '../../shared/ipc/contract';
import { everyDay } from '../../shared/model/dates';
import { type JobId, JobRow } from '../../shared/model/job';
import { defaultPolicies } from '../../shared/model/policies';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import { asDraft, cron, instant, Rig, settle, unwrap } from '../testing/rig';
import { RowMemory } from './jobRow';
import { jobRows } from './rows';

const rowOf = async (rig: Rig, jobId: JobId): Promise<JobRow> => {
  const rows = await rig.engine.jobRows();
  return JobRow.parse(rows.find(({ id }) => id === jobId));
};
const detailOf = async (rig: Rig, jobId: JobId): Promise<JobDetail> =>
  JobDetail.parse(unwrap(await rig.engine.jobDetail(jobId)));

test('a run between two attempts says when it is tried again, and as which attempt', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: SECOND_MS, exitCode: 1 });
  const retry = { ...defaultPolicies.retry, countMax: 2, delayMs: 10 * MINUTE_MS, growth: 'fixed' } as const;
  const job = await rig.addJob({ rules: [cron('0 9 * * *')], policies: { retry } });
  await rig.advanceTo('2026-05-04T09:01Z');
  expect((await rowOf(rig, job.id)).next).toEqual({
    code: 'retry',
    at: instant('2026-05-04T09:10:01Z'),
    attempt: 2,
    attemptsMax: 3,
  });
  expect((await detailOf(rig, job.id)).row.next.code).toBe('retry');
});

test('a run that waits for a condition says for which, in the list and in the detail pane', async () => {
  const rig = await Rig.started();
  rig.surroundings.states.set('mains', 'unmet');
  const condition = { kind: 'mains', waitMsMax: HOUR_MS, otherwise: 'skip' } as const;
  const job = await rig.addJob({ rules: [cron('0 9 * * *')], conditions: [condition] });
  await rig.advanceTo('2026-05-04T09:01Z');
  const waiting = {
    code: 'waiting',
    wait: { kind: 'mains', since: instant('2026-05-04T09:00Z'), endedAt: null },
  };
  expect((await rowOf(rig, job.id)).next).toMatchObject(waiting);
  expect((await detailOf(rig, job.id)).row.next).toMatchObject(waiting);
});

test('a paused job says until when, by the pause that holds longest, and what comes after it (S-35)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ tags: ['disk'], rules: [cron('0 9 * * *')] });
  const other = await rig.addJob({ rules: [cron('0 9 * * *')] });
  const until = instant('2026-05-06T09:00Z');
  const pause = (scope: Parameters<Rig['engine']['startPause']>[0]['scope'], end: typeof until | null) =>
    rig.engine.startPause({ scope, note: 'The disk is away', until: end });
  const byTag = unwrap(await pause({ kind: 'tag', tag: 'disk' }, until));
  const short = unwrap(await pause({ kind: 'job', jobId: job.id }, instant('2026-05-04T12:00Z')));
  expect((await rowOf(rig, job.id)).next).toEqual({ code: 'paused', until });
  expect((await rowOf(rig, other.id)).next.code).toBe('due');
  const detail = await detailOf(rig, job.id);
  expect(detail.pauses).toEqual([short, byTag]);
  // A due time exactly at the end is not paused any more.
  expect(detail.upcoming[0]).toBe(until);
  expect((await detailOf(rig, other.id)).pauses).toEqual([]);

  const forever = unwrap(await pause({ kind: 'all' }, null));
  expect((await rowOf(rig, job.id)).next).toEqual({ code: 'paused', until: null });
  expect((await detailOf(rig, job.id)).upcoming).toEqual([]);
  unwrap(await rig.engine.endPause(forever.id));
  expect((await rowOf(rig, job.id)).next).toEqual({ code: 'paused', until });
  await rig.advanceTo('2026-05-06T08:00Z');
  expect((await rowOf(rig, job.id)).next).toEqual({ code: 'paused', until });
  await rig.advanceTo('2026-05-06T09:00:30Z');
  expect((await rowOf(rig, job.id)).state).toBe('succeeded');
});

test('a job that only something else starts says so, and names the other job by its present name', async () => {
  const rig = await Rig.started();
  const first = await rig.addJob({ name: 'Mirror', rules: [cron('0 9 * * *')] });
  const after = await rig.addJob({ rules: [{ kind: 'after_job', jobId: first.id, on: 'succeeded' }] });
  const woken = await rig.addJob({ rules: [{ kind: 'event', on: 'wake' }] });
  expect((await rowOf(rig, after.id)).next).toEqual({ code: 'on_event' });
  expect((await rowOf(rig, woken.id)).next).toEqual({ code: 'on_event' });
  expect((await rowOf(rig, after.id)).scheduleShort).toContain('Mirror');
  expect((await detailOf(rig, after.id)).sentences[0]).toContain('Mirror');
  const draft = { ...asDraft(first), name: 'Copy to the NAS' };
  unwrap(await rig.engine.saveJob({ jobId: first.id, revision: first.revision, draft }));
  expect((await rowOf(rig, after.id)).scheduleShort).toContain('Copy to the NAS');
  expect((await detailOf(rig, after.id)).sentences[0]).toContain('Copy to the NAS');
});

test('what comes next leaves out the days on which nothing runs, as the engine does', async () => {
  const rig = await Rig.started();
  const excluded = [
    { from: '2026-05-04', until: '2026-05-05' },
    { from: '2026-05-07', until: '2026-05-07' },
  ];
  const job = await rig.addJob({ rules: [cron('0 9 * * *')], dates: { ...everyDay, excluded } });
  expect((await rowOf(rig, job.id)).next).toEqual({ code: 'due', at: instant('2026-05-06T09:00Z') });
  expect((await detailOf(rig, job.id)).upcoming.slice(0, 2)).toEqual([
    instant('2026-05-06T09:00Z'),
    instant('2026-05-08T09:00Z'),
  ]);
  await rig.advanceTo('2026-05-08T08:00Z');
  const runs = await rig.runs(job.id);
  expect(runs.map(({ plannedAt }) => plannedAt)).toEqual([instant('2026-05-06T09:00Z')]);
  expect((await rig.skips(job.id)).every(({ reason }) => reason === 'date_excluded')).toBe(true);
});

test('a job whose last day is over has ended', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({
    rules: [cron('0 9 * * *')],
    dates: { from: null, until: '2026-05-05', excluded: [] },
  });
  await rig.advanceTo('2026-05-06T12:00Z');
  expect((await rowOf(rig, job.id)).next.code).toBe('never');
});

test('rows that are kept are those that would be made anew, whatever happens', async () => {
  const rig = await Rig.started();
  let turn = 0;
  rig.processes.script = () => {
    turn += 1;
    return { durationMs: (turn % 7) * SECOND_MS, exitCode: turn % 3 === 0 ? 1 : 0 };
  };
  const hourly = await rig.addJob({ name: 'Hourly', tags: ['a'], rules: [cron('5 * * * *')] });
  const daily = await rig.addJob({ name: 'Daily', rules: [cron('0 9 * * *')] });
  const excluded = [{ from: '2026-05-05', until: '2026-05-06' }];
  await rig.addJob({ rules: [cron('30 * * * *')], dates: { ...everyDay, excluded } });
  await rig.addJob({ rules: [{ kind: 'after_job', jobId: hourly.id, on: 'ended' }] });
  await rig.addJob({ rules: [{ kind: 'interval', everyMs: 45 * MINUTE_MS, basis: 'after_end' }] });
  const compare = async (what: string): Promise<void> => {
    const kept = await rig.engine.jobRows();
    // Another process makes them anew from the store; it plans nothing that the first has not planned.
    const host = rig.host;
    const ports = { clock: rig.time.clock, host, store: rig.store, rest: settle, memory: new RowMemory() };
    expect(kept, what).toEqual(await jobRows({ ...ports, agenda: () => null }));
  };
  const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['nothing', async () => undefined],
    ['some runs', () => rig.time.advance(2 * HOUR_MS + 7 * MINUTE_MS)],
    ['a look', () => rig.engine.markSeen(hourly.id)],
    [
      'another name',
      () => rig.engine.saveJob({ jobId: daily.id, revision: 1, draft: { ...asDraft(daily), name: 'Z' } }),
    ],
    [
      'a pause of a tag',
      () => rig.engine.startPause({ scope: { kind: 'tag', tag: 'a' }, note: '', until: null }),
    ],
    ['a while', () => rig.time.advance(3 * HOUR_MS)],
    ['a pause of all', () => rig.engine.setPaused(true)],
    ['no pause of all', () => rig.engine.setPaused(false)],
    ['a night', () => rig.time.sleepFor(20 * HOUR_MS)],
    ['a morning', () => rig.time.advance(HOUR_MS)],
    ['a day, after which news is old', () => rig.time.advance(2 * DAY_MS)],
    ['a run by hand', () => rig.engine.startRun(daily.id, 'manual')],
    ['its end', () => rig.time.advance(10 * SECOND_MS)],
    ['switching off', () => rig.engine.setEnabled({ jobId: hourly.id, isEnabled: false })],
    ['a deletion', () => rig.engine.deleteJob({ jobId: hourly.id, stopRun: false })],
    ['a restoration', () => rig.engine.restoreJob(hourly.id)],
  ];
  for (const [what, happen] of steps) {
    await happen();
    await settle();
    await compare(what);
  }
});

test('of rows that did not change none is made again', async () => {
  const rig = await Rig.started();
  for (let hour = 9; hour < 14; hour += 1) await rig.addJob({ rules: [cron(`0 ${hour} * * *`)] });
  const before = await rig.engine.jobRows();
  const after = await rig.engine.jobRows();
  expect(after.every((row, index) => row === before[index])).toBe(true);
  await rig.advanceTo('2026-05-04T09:30Z');
  const later = await rig.engine.jobRows();
  expect(later.filter((row, index) => row !== before[index])).toHaveLength(1);
});
