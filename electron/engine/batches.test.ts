/** Portions of what is due: whole jobs, as large as fits into the time that the main thread may be busy. */

import { expect, test } from 'vitest';
import { everyDay } from '../../shared/model/dates';
import { JobId } from '../../shared/model/job';
import { ScheduleId } from '../../shared/model/schedule';
import { DAY_MS, MINUTE_MS } from '../../shared/time';
import type { ScheduleState } from '../core/ledger';
import { countingIds } from '../testing/doubles';
import { cron, draftOf, instant, Rig, settle, unwrap } from '../testing/rig';
import { Batches } from './batches';
import { newJob } from './jobDefinitions';

const idOf = (number: number): string => `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
const at = instant('2026-05-04T08:00Z');

const stateOf = (schedule: number, job: number): ScheduleState => ({
  scheduleId: ScheduleId.parse(idOf(schedule)),
  jobId: JobId.parse(idOf(job)),
  rule: cron('* * * * *'),
  createdAt: at,
  activeSince: at,
  watermarkAt: at,
  pending: [],
  dates: everyDay,
  lastEndedAt: null,
});

function sizesOf(batches: Batches, tookMs: (size: number) => number): number[] {
  const sizes: number[] = [];
  for (let batch = batches.next(); batch !== null; batch = batches.next()) {
    sizes.push(batch.length);
    batches.took(tookMs(batch.length));
  }
  return sizes;
}

const many = (count: number): ScheduleState[] =>
  Array.from({ length: count }, (_, index) => stateOf(index, index));

test('every schedule comes once, and those of a job come together', () => {
  const due = Array.from({ length: 300 }, (_, index) => stateOf(index, index % 100));
  const batches = new Batches(due);
  const seen: ScheduleState[][] = [];
  for (let batch = batches.next(); batch !== null; batch = batches.next()) seen.push(batch);
  expect(seen.flat()).toHaveLength(300);
  expect(new Set(seen.flat().map(({ scheduleId }) => scheduleId)).size).toBe(300);
  const jobs = seen.map((batch) => new Set(batch.map(({ jobId }) => jobId)));
  expect(jobs.reduce((sum, { size }) => sum + size, 0)).toBe(100);
});

test('a schedule that is due and owed something besides comes once, with both', () => {
  const owed = { ...stateOf(1, 1), pending: [{ at, trigger: 'event', sourceRunId: null } as const] };
  expect(new Batches([stateOf(1, 1), owed]).next()).toEqual([owed]);
});

test('with nothing due there is one empty portion, because what was noticed has to be written', () => {
  const batches = new Batches([]);
  expect(batches.next()).toEqual([]);
  expect(batches.isDone).toBe(true);
  expect(batches.next()).toBeNull();
});

test('a portion grows while there is time, and shrinks when it took too long (D1)', () => {
  expect(sizesOf(new Batches(many(1_000)), () => 0)).toEqual([64, 128, 256, 256, 256, 40]);
  // A millisecond each: ten fit.
  const slow = sizesOf(new Batches(many(200)), (size) => size);
  expect(slow.slice(0, 3)).toEqual([64, 10, 10]);
  // However slow, it goes on.
  expect(new Set(sizesOf(new Batches(many(128)), () => 10_000))).toEqual(new Set([64, 8]));
});

/** A rig that slept for a day with many jobs that are due every hour. */
async function asleepWith(count: number): Promise<Rig> {
  const rig = new Rig({ startAt: '2026-05-04T07:58:10Z' });
  const counting = countingIds();
  const ids = { next: () => counting.next().replace('-7000-', '-7001-') };
  await rig.store.transact(async (writer) => {
    for (let index = 0; index < count; index += 1) {
      const draft = draftOf({ name: `Job ${index}`, rules: [cron('0 * * * *')] });
      await writer.jobs.insert(unwrap(newJob(draft, { ids, hostZone: 'UTC', now: rig.time.clock.now() })));
    }
  });
  rig.processes.script = () => ({ durationMs: null });
  await rig.engine.start();
  await rig.time.sleepFor(DAY_MS);
  return rig;
}

const countOf = (rig: Rig, table: string): number =>
  Number(rig.database.writer.get(`SELECT count(*) AS count FROM ${table}`)?.count);

test('dying between two portions leaves the later jobs due, and none is decided twice (D3)', async () => {
  const rig = await asleepWith(300);
  rig.engine.notifyResume();
  // The first portion only: the second waits for a timer.
  await settle();
  await settle();
  const before = countOf(rig, 'decisions');
  expect(before).toBe(2 * 64);
  rig.kill();
  const started = rig.renew().start();
  await rig.time.advance(MINUTE_MS);
  await started;
  expect(countOf(rig, 'decisions')).toBe(2 * 300);
  expect(countOf(rig, 'runs')).toBe(300);
});

test('the gap is told once, with what all portions caught up', async () => {
  const rig = await asleepWith(300);
  rig.engine.notifyResume();
  await rig.time.advance(MINUTE_MS);
  expect(countOf(rig, 'gaps')).toBe(1);
  expect((await rig.engine.status()).lastGap).toMatchObject({
    cause: 'asleep',
    caughtUpCount: 300,
    missedJobCount: 300,
  });
});

test('a job that is edited between two portions is decided as it is then', async () => {
  const rig = await asleepWith(300);
  const last = (await rig.store.read((reader) => reader.jobs.list())).at(-1);
  rig.engine.notifyResume();
  await settle();
  await settle();
  expect(countOf(rig, 'decisions')).toBe(2 * 64);
  if (last !== undefined)
    await rig.store.transact((writer) => writer.jobs.setDeleted(last.id, rig.time.clock.now()));
  await rig.time.advance(MINUTE_MS);
  expect(countOf(rig, 'runs')).toBe(299);
});
