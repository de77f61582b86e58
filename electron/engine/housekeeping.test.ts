/**
 * Goal: the store is copied, checked and kept small without anybody noticing (S-02). Method: days of virtual time with the
 * real store and a keeper that remembers; for portions and endings, a store whose expired rows are counted instead of made.
 */

import { expect, test } from 'vitest';
import { RunId } from '../../shared/model/run';
import { defaultSettings } from '../../shared/model/settings';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, toInstant } from '../../shared/time';
import { StoreError } from '../core/storeError';
import type { RetentionReader, RetentionWriter } from '../ports/store';
import { cron, Rig, settle, unwrap } from '../testing/rig';
import { AGAIN_AFTER_MS, FIRST_AFTER_MS } from './housekeeping';
import { PORTION_MAX } from './retention';

const onDisk = { hasDisk: true } as const;
const copies = (rig: Rig) => rig.keeper.made.filter(({ reason }) => reason === 'daily');

test('a copy is made soon after the start, not during it, and then once a day (S-02)', async () => {
  const rig = await Rig.started(onDisk);
  await rig.time.advance(FIRST_AFTER_MS - SECOND_MS);
  expect(copies(rig)).toHaveLength(0);
  await rig.time.advance(MINUTE_MS);
  expect(copies(rig)).toHaveLength(1);
  await rig.time.advance(DAY_MS - 2 * MINUTE_MS);
  expect(copies(rig)).toHaveLength(1);
  await rig.time.advance(2 * MINUTE_MS);
  expect(copies(rig)).toHaveLength(2);
  expect(unwrap(await rig.engine.dataFacts()).lastBackupAt).toBe(copies(rig)[0]?.madeAt);
});

test('a copy that became due in sleep is made after waking up, and one that is young enough is not', async () => {
  const rig = await Rig.started(onDisk);
  await rig.time.advance(MINUTE_MS);
  await rig.time.sleepFor(3 * HOUR_MS);
  await rig.time.advance(MINUTE_MS);
  expect(copies(rig)).toHaveLength(1);
  await rig.time.sleepFor(22 * HOUR_MS);
  await rig.time.advance(MINUTE_MS);
  expect(copies(rig)).toHaveLength(2);
});

test('a copy that failed is tried again after an hour, and its failure is no trouble of the schedule', async () => {
  const rig = await Rig.started(onDisk);
  rig.keeper.error = new StoreError('full', 'No room for a copy.');
  await rig.time.advance(MINUTE_MS);
  expect((await rig.engine.status()).problem).toBeNull();
  rig.keeper.error = null;
  await rig.time.advance(AGAIN_AFTER_MS - 2 * MINUTE_MS);
  expect(copies(rig)).toHaveLength(0);
  await rig.time.advance(2 * MINUTE_MS);
  expect(copies(rig)).toHaveLength(1);
});

test('all of the store is looked at each day; what is found is told and stays told until it is found no longer (S-03)', async () => {
  const rig = await Rig.started(onDisk);
  rig.keeper.finding = 'row 7 missing from index';
  const job = await rig.addJob({ rules: [cron('0 9 * * *')] });
  await rig.time.advance(2 * MINUTE_MS);
  expect(rig.keeper.checkCount).toBe(1);
  expect((await rig.engine.status()).problem).toContain('damaged');
  // The jobs go on, and the next life knows it too.
  await rig.engine.stop({ runs: 'leave' });
  await rig.renew().start();
  expect((await rig.engine.status()).problem).toContain('damaged');
  await rig.advanceTo('2026-05-04T09:01Z');
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'succeeded' }]);
  rig.keeper.finding = null;
  expect(unwrap(await rig.engine.checkData()).lastCheck).toMatchObject({ finding: null });
  expect((await rig.engine.status()).problem).toBeNull();
  const { checkCount } = rig.keeper;
  await rig.time.advance(20 * HOUR_MS);
  expect(rig.keeper.checkCount).toBe(checkCount);
  await rig.time.advance(5 * HOUR_MS);
  expect(rig.keeper.checkCount).toBe(checkCount + 1);
});

test('a copy that meets damage has all of the store looked at at once', async () => {
  const rig = await Rig.started(onDisk);
  await rig.time.advance(MINUTE_MS);
  const { checkCount } = rig.keeper;
  const { backUp } = rig.keeper;
  rig.keeper.backUp = () => Promise.reject(new StoreError('corrupt', 'damaged'));
  rig.keeper.finding = 'a page is damaged';
  await rig.time.advance(DAY_MS);
  expect(rig.keeper.checkCount).toBeGreaterThan(checkCount);
  expect((await rig.engine.status()).problem).toContain('damaged');
  rig.keeper.backUp = backUp;
});

test('only the process that runs the jobs copies and checks', async () => {
  const rig = await Rig.started(onDisk);
  const other = rig.beside();
  await other.engine.start();
  await rig.time.advance(2 * DAY_MS);
  expect(copies(rig)).toHaveLength(2);
  expect(rig.keeper.checkCount).toBe(2);
});

/** A store in which so many runs and outputs have expired; it remembers each portion. */
function expiring(rig: Rig, counts: { outputs: number; runs: number; decisions: number; pages: number }) {
  const portions: { sort: keyof typeof counts; count: number; at: number }[] = [];
  const some = (count: number): RunId[] =>
    Array.from({ length: Math.min(count, PORTION_MAX) }, (_, index) =>
      RunId.parse(`00000000-0000-7000-9000-${(index + 1).toString(16).padStart(12, '0')}`),
    );
  const take = (sort: keyof typeof counts, max: number): number => {
    const count = Math.min(counts[sort], max);
    counts[sort] -= count;
    if (count > 0) portions.push({ sort, count, at: rig.time.clock.monotonic() });
    return count;
  };
  const reader = {
    expiredOutputs: async () => some(counts.outputs),
    expiredRuns: async () => some(counts.runs),
  };
  const writer: Partial<RetentionWriter> = {
    ...reader,
    outputsRemoved: async (runIds) => void take('outputs', runIds.length),
    removeRuns: async (runIds) => take('runs', runIds.length),
    removeDecisions: async ({ max }) => take('decisions', max),
    giveBack: async (max) => take('pages', max),
  };
  const { store } = rig;
  rig.store = {
    read: (work) =>
      store.read((r) => work({ ...r, retention: { ...r.retention, ...reader } as RetentionReader })),
    transact: (work, options) =>
      store.transact(
        (w) => work({ ...w, retention: { ...w.retention, ...writer } as RetentionWriter }),
        options,
      ),
    close: () => store.close(),
  };
  return portions;
}

test('what has expired goes in portions with rests between: output, runs, decisions, room (S-02)', async () => {
  const rig = await Rig.started(onDisk);
  const portions = expiring(rig, { outputs: 450, runs: 250, decisions: 210, pages: 300 });
  await rig.time.advance(2 * MINUTE_MS);
  expect(portions.map(({ sort, count }) => [sort, count])).toEqual([
    ['outputs', 200],
    ['outputs', 200],
    ['outputs', 50],
    ['runs', 200],
    ['runs', 50],
    ['decisions', 200],
    ['decisions', 10],
    ['pages', 256],
    ['pages', 44],
  ]);
  const rests = portions.slice(1).map(({ at }, index) => at - (portions[index]?.at ?? 0));
  expect(Math.min(...rests)).toBeGreaterThanOrEqual(100);
  // Files first: a run that is gone tells nobody where its output lies.
  expect(rig.keeper.removedOutputs).toHaveLength(450 + 250);
});

test('other rules are followed at the next look, and the same ones within the hour are not asked again', async () => {
  const rig = await Rig.started(onDisk);
  await rig.time.advance(MINUTE_MS);
  const portions = expiring(rig, { outputs: 0, runs: 10, decisions: 0, pages: 0 });
  await rig.time.advance(10 * MINUTE_MS);
  expect(portions).toEqual([]);
  const retention = { ...defaultSettings.retention, runDays: 7 };
  await rig.engine.saveSettings({ ...defaultSettings, retention });
  await rig.time.advance(MINUTE_MS);
  expect(portions).toMatchObject([{ sort: 'runs', count: 10 }]);
});

test('removing stops at once with the life that does it (X-05)', async () => {
  const rig = await Rig.started(onDisk);
  const portions = expiring(rig, { outputs: 0, runs: 10_000, decisions: 0, pages: 0 });
  // Begun at a look between ten and forty seconds after the start.
  for (let count = 0; portions.length === 0 && count < 100; count += 1) await rig.time.advance(SECOND_MS);
  const before = portions.length;
  expect(before).toBeGreaterThan(0);
  await rig.engine.stop({ runs: 'leave' });
  await rig.time.advance(HOUR_MS);
  expect(portions.length - before).toBeLessThanOrEqual(1);
  expect(rig.time.pendingCount()).toBe(0);
});

test('after a leap of the clock nothing is removed for its age until a day has shown that it is right', async () => {
  const rig = await Rig.started(onDisk);
  await rig.time.advance(MINUTE_MS);
  const portions = expiring(rig, { outputs: 0, runs: 10, decisions: 0, pages: 0 });
  rig.time.jump(400 * DAY_MS);
  await rig.time.advance(20 * HOUR_MS);
  expect(portions).toEqual([]);
  await rig.time.advance(5 * HOUR_MS);
  expect(portions).toHaveLength(1);
});

test('the copies of a clock that was ahead do not keep the next one waiting', async () => {
  const rig = await Rig.started(onDisk);
  const ahead = toInstant(rig.time.clock.now() + 300 * DAY_MS);
  await rig.store.transact((writer) => writer.settings.setLastBackupAt(ahead));
  await rig.time.advance(MINUTE_MS);
  await settle();
  expect(copies(rig)).toHaveLength(1);
});
