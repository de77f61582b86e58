/** What the policies decide, seen through the whole engine: what is stored, what runs, and when. */

import { expect, test } from 'vitest';
import { defaultPolicies, type Policies } from '../../shared/model/policies';
import { HOUR_MS, MINUTE_MS, toInstant } from '../../shared/time';
import { jitterOf } from '../core/jitter';
import { cron, instant, Rig, unwrap } from '../testing/rig';

const overlap = (mode: Policies['overlap']['mode'], countMax = 3) => ({ overlap: { mode, countMax } });
const catchUp = (changes: Partial<Policies['catchUp']>) => ({
  catchUp: { ...defaultPolicies.catchUp, ...changes },
});
const told = async (rig: Rig, jobId: Parameters<Rig['skips']>[0]) =>
  (await rig.skips(jobId)).map(({ reason, count }) => [reason, count]);

test('one waits and stands for what comes meanwhile, and each occurrence is stored with that run (D8, H-55)', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: 35 * MINUTE_MS });
  const job = await rig.addJob({ rules: [cron('*/10 * * * *')], policies: overlap('queue_one') });
  await rig.advanceTo('2026-05-04T08:31Z');
  const [running, waiting] = await rig.runs(job.id);
  expect(running).toMatchObject({
    state: 'running',
    plannedAt: instant('2026-05-04T08:00Z'),
    mergedCount: 0,
  });
  expect(waiting).toMatchObject({ state: 'queued', plannedAt: instant('2026-05-04T08:10Z'), mergedCount: 2 });
  const answered = await rig.store.read((reader) => reader.decisions.ofRun(waiting?.id as never));
  expect(answered.map(({ kind, plannedAt }) => [kind, plannedAt])).toEqual([
    ['run', instant('2026-05-04T08:10Z')],
    ['merge', instant('2026-05-04T08:20Z')],
    ['merge', instant('2026-05-04T08:30Z')],
  ]);
  await rig.advanceTo('2026-05-04T08:36Z');
  expect((await rig.runs(job.id)).map(({ state }) => state)).toEqual(['finished', 'running']);
});

test('with "all" each missed occurrence runs after sleep, one after another, and the next stays where it was (D7)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({
    rules: [cron('0 * * * *')],
    policies: { ...catchUp({ mode: 'all', countMax: 3 }) },
  });
  await rig.time.sleepFor(5.5 * HOUR_MS);
  rig.engine.notifyResume();
  await rig.time.advance(10 * MINUTE_MS);
  const runs = await rig.runs(job.id);
  expect(runs.map(({ trigger, plannedAt }) => [trigger, plannedAt])).toEqual([
    ['catch_up', instant('2026-05-04T11:00Z')],
    ['catch_up', instant('2026-05-04T12:00Z')],
    ['catch_up', instant('2026-05-04T13:00Z')],
  ]);
  const moments = runs.flatMap(({ startedAt, endedAt }) => [startedAt, endedAt]);
  expect(moments).toEqual([...moments].sort((a, b) => Number(a) - Number(b)));
  expect(await told(rig, job.id)).toEqual([['catch_up_cap', 3]]);
  await rig.advanceTo('2026-05-04T14:01Z');
  expect((await rig.runs(job.id)).at(-1)).toMatchObject({
    trigger: 'schedule',
    plannedAt: instant('2026-05-04T14:00Z'),
  });
});

test('a jittered run starts at its own moment, always the same', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 9 * * *')], policies: { jitterMs: HOUR_MS } });
  const plannedAt = instant('2026-05-04T09:00Z');
  const startsAt = toInstant(plannedAt + jitterOf(job.id, plannedAt, HOUR_MS));
  await rig.advanceTo('2026-05-04T09:00:01Z');
  expect(await rig.runs(job.id)).toMatchObject([{ state: 'queued', notBeforeAt: startsAt }]);
  await rig.advanceTo('2026-05-04T10:00Z');
  expect(await rig.runs(job.id)).toMatchObject([{ state: 'finished', plannedAt, startedAt: startsAt }]);
});

test('beyond its runs per hour a job that is denser than meant is skipped, and goes on in the next hour', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('*/5 * * * *')], policies: { runsPerHourMax: 2 } });
  await rig.advanceTo('2026-05-04T08:58Z');
  expect(await rig.runs(job.id)).toHaveLength(2);
  expect((await told(rig, job.id)).every(([reason]) => reason === 'rate_limit')).toBe(true);
  await rig.advanceTo('2026-05-04T09:06Z');
  expect(await rig.runs(job.id)).toHaveLength(4);
});

test('a pause that ended by itself during sleep swallows only what fell into it (S-35)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 * * * *')], tags: ['backup'] });
  const until = instant('2026-05-04T10:30Z');
  unwrap(await rig.engine.startPause({ scope: { kind: 'tag', tag: 'backup' }, note: '', until }));
  await rig.time.sleepFor(5.5 * HOUR_MS);
  rig.engine.notifyResume();
  await rig.time.advance(MINUTE_MS);
  expect(await rig.runs(job.id)).toMatchObject([
    { trigger: 'catch_up', plannedAt: instant('2026-05-04T13:00Z'), mergedCount: 2, missCause: 'asleep' },
  ]);
  expect(await told(rig, job.id)).toEqual([['paused_tag', 3]]);
});

test('a pause whose end is past is refused on its field', async () => {
  const rig = await Rig.started();
  const until = instant('2026-05-04T07:58Z');
  expect(await rig.engine.startPause({ scope: { kind: 'all' }, note: '', until })).toMatchObject({
    ok: false,
    error: { code: 'invalid_input', fields: { until: expect.any(String) } },
  });
  expect(await rig.engine.pauses()).toEqual([]);
});
