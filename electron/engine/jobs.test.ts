/** What a person changes: nothing old fires, nothing due is lost, and a wrong input gets a sentence on its field. */

import { expect, test } from 'vitest';
import { everyDay } from '../../shared/model/dates';
import { JOBS_MAX, type Job, NAME_LENGTH_MAX } from '../../shared/model/job';
import type { ScheduleRule } from '../../shared/model/schedule';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/time';
import { asDraft, cron, draftOf, instant, Rig, settle, unwrap } from '../testing/rig';

const save = (rig: Rig, job: Job, change: Partial<ReturnType<typeof asDraft>>) =>
  rig.engine.saveJob({ jobId: job.id, revision: job.revision, draft: { ...asDraft(job), ...change } });
const withRule = (job: Job, rule: ScheduleRule) => ({
  schedules: job.schedules.map(({ id }) => ({ id, rule })),
});

test('a new job gets ids, a first revision and a grid that begins with it (S-30, D9)', async () => {
  const rig = await Rig.started();
  const theirs = await rig.addJob({ rules: [cron('0 1 * * *')] });
  const draft = draftOf({ rules: [{ kind: 'interval', everyMs: HOUR_MS, basis: 'grid' }] });
  const stolen = {
    ...draft,
    schedules: draft.schedules.map(({ rule }) => ({ id: theirs.schedules[0]?.id, rule })),
  };
  const job = unwrap(await rig.engine.saveJob({ draft: stolen as typeof draft }));
  expect(job).toMatchObject({ revision: 1, disabledReason: null, deletedAt: null });
  expect(job.schedules[0]?.rule).toMatchObject({ anchorAt: job.createdAt });
  expect(job.schedules[0]?.id).not.toBe(theirs.schedules[0]?.id);
});

test('a job made within its minute runs at once, and once (S-31, C-074)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T09:00:37Z' });
  const job = await rig.addJob({ rules: [cron('0 9 * * *')] });
  await rig.time.advance(DAY_MS - HOUR_MS);
  expect(await rig.runs(job.id)).toMatchObject([
    {
      trigger: 'creation',
      plannedAt: instant('2026-05-04T09:00Z'),
      startedAt: instant('2026-05-04T09:00:37Z'),
    },
  ]);
});

test('made at the very second of its due time it runs once, not twice (S-31)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T09:00Z' });
  const job = await rig.addJob({ rules: [cron('0 9 * * *')] });
  await rig.time.advance(HOUR_MS);
  expect(await rig.runs(job.id)).toHaveLength(1);
});

test('the creation minute survives a crash before it ran, and is forgotten when the job is switched off (S-32, S-35)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T09:00:37Z' });
  rig.incarnation.dieAt({ port: 'store', call: 4, when: 'after' });
  void rig.engine.saveJob({ draft: draftOf({ rules: [cron('0 9 * * *')] }) });
  await rig.incarnation.died;
  rig.kill();
  await rig.renew().start();
  await rig.time.advance(MINUTE_MS);
  const [job] = await rig.store.read((reader) => reader.jobs.list());
  expect(await rig.runs(job?.id as never)).toHaveLength(1);

  const paused = await Rig.started({ startAt: '2026-05-04T09:00:37Z' });
  const off = await paused.addJob({ rules: [cron('0 9 * * *')], isEnabled: false });
  unwrap(await paused.engine.setEnabled({ jobId: off.id, isEnabled: true }));
  await paused.time.advance(HOUR_MS);
  expect(await paused.runs(off.id)).toEqual([]);
});

test('an edited schedule does not run because its new time of today has passed (X-15, C-102)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T00:30Z' });
  const job = await rig.addJob({ rules: [cron('0 1 * * *')] });
  await rig.advanceTo('2026-05-04T09:00Z');
  const edited = unwrap(await save(rig, job, withRule(job, cron('0 8 * * *'))));
  await rig.advanceTo('2026-05-04T10:00Z');
  unwrap(await rig.engine.setEnabled({ jobId: job.id, isEnabled: false }));
  await rig.advanceTo('2026-05-05T12:00Z');
  unwrap(await rig.engine.setEnabled({ jobId: job.id, isEnabled: true }));
  await rig.advanceTo('2026-05-06T07:59:59Z');
  expect(edited.schedules[0]?.id).toBe(job.schedules[0]?.id);
  expect(await rig.runs(job.id)).toHaveLength(1);
  await rig.advanceTo('2026-05-06T08:00:01Z');
  expect(await rig.runs(job.id)).toHaveLength(2);
});

test('what is due at the moment of an edit is decided before it (C-057)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 9 * * *')] });
  await rig.advanceTo('2026-05-04T08:59:59.999Z');
  rig.time.jump(1);
  unwrap(await save(rig, job, { name: 'Another name', ...withRule(job, cron('0 10 * * *')) }));
  await rig.advanceTo('2026-05-04T11:00Z');
  expect((await rig.runs(job.id)).map(({ plannedAt }) => plannedAt)).toEqual([
    instant('2026-05-04T09:00Z'),
    instant('2026-05-04T10:00Z'),
  ]);
});

test('switching on after months fires nothing old, whatever the kind (X-63, H-62)', async () => {
  const rig = await Rig.started();
  const rules: ScheduleRule[] = [
    cron('0 9 * * *'),
    { kind: 'interval', everyMs: HOUR_MS, basis: 'grid' },
    { kind: 'interval', everyMs: HOUR_MS, basis: 'after_end' },
    { kind: 'once', local: '2026-05-10T08:00', zone: 'UTC' },
  ];
  const job = await rig.addJob({ rules, isEnabled: false });
  rig.time.jump(90 * DAY_MS);
  rig.engine.notifyResume();
  await settle();
  unwrap(await rig.engine.setEnabled({ jobId: job.id, isEnabled: true }));
  await rig.time.advance(MINUTE_MS - 1);
  expect(await rig.runs(job.id)).toEqual([]);
  await rig.time.advance(HOUR_MS);
  expect((await rig.runs(job.id)).length).toBeGreaterThan(0);
});

test('an interval keeps its grid when only the name is edited, even by an editor that does not know the anchor', async () => {
  const rig = await Rig.started();
  const rule: ScheduleRule = { kind: 'interval', everyMs: HOUR_MS, basis: 'grid' };
  const job = await rig.addJob({ rules: [rule] });
  await rig.time.advance(20 * MINUTE_MS);
  const edited = unwrap(await save(rig, job, { name: 'Other', ...withRule(job, rule) }));
  expect(edited.schedules).toEqual(job.schedules);
  const longer = unwrap(await save(rig, edited, withRule(edited, { ...rule, everyMs: 2 * HOUR_MS })));
  expect(longer.schedules[0]?.rule).toMatchObject({ anchorAt: longer.updatedAt });
});

test('every wrong schedule gets its sentence, and nothing is stored', async () => {
  const rig = await Rig.started();
  const refused = await rig.engine.saveJob({
    draft: draftOf({
      rules: [
        cron('61 * * * *'),
        cron('0 0 30 2 *'),
        cron('0 9 * * *', 'Mars/Olympus'),
        { kind: 'once', local: '2020-01-01T00:00', zone: 'UTC' },
      ],
    }),
  });
  expect(refused).toMatchObject({ ok: false, error: { code: 'invalid_input', message: '4 things to fix.' } });
  expect(refused.ok ? [] : Object.keys(refused.error.fields ?? {}).sort()).toEqual([
    'schedules.0.expression',
    'schedules.1.expression',
    'schedules.2.zone',
    'schedules.3.local',
  ]);
  expect(await rig.engine.jobRows()).toEqual([]);
});

test('a job whose single moment is over can still be renamed', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [{ kind: 'once', local: '2026-05-04T08:30', zone: 'UTC' }] });
  await rig.time.advance(HOUR_MS);
  expect((await save(rig, job, { name: 'Other' })).ok).toBe(true);
});

test('an edit of a stale revision is refused, and so is one of a job that is gone (X-78)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({});
  const newer = unwrap(await save(rig, job, { name: 'Mine' }));
  expect(newer.revision).toBe(2);
  expect(await save(rig, job, { name: 'Theirs' })).toMatchObject({ ok: false, error: { code: 'conflict' } });
  unwrap(await rig.engine.deleteJob({ jobId: job.id, stopRun: false }));
  for (const answer of [
    await save(rig, newer, {}),
    await rig.engine.setEnabled({ jobId: job.id, isEnabled: false }),
    await rig.engine.duplicateJob(job.id),
    await rig.engine.deleteJob({ jobId: job.id, stopRun: false }),
    await rig.engine.jobDetail(job.id),
  ]) {
    expect(answer).toMatchObject({ ok: false, error: { code: 'not_found' } });
  }
});

test('a copy is off, has a name and ids of its own, and keeps the rest', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({
    name: 'x'.repeat(NAME_LENGTH_MAX),
    tags: ['home'],
    rules: [cron('0 9 * * *'), { kind: 'once', local: '2026-05-04T07:59', zone: 'UTC' }],
  });
  await rig.time.advance(HOUR_MS);
  const copy = unwrap(await rig.engine.duplicateJob(job.id));
  expect(copy).toMatchObject({ isEnabled: false, disabledReason: 'user', tags: ['home'], revision: 1 });
  expect(copy.name).toHaveLength(NAME_LENGTH_MAX);
  expect(copy.name.startsWith('Copy of xxx')).toBe(true);
  expect(copy.schedules.map(({ id }) => id)).not.toEqual(job.schedules.map(({ id }) => id));
});

test('a deleted job runs no more and comes back with its history, firing nothing old (S-34)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('*/10 * * * *')] });
  await rig.advanceTo('2026-05-04T08:05Z');
  unwrap(await rig.engine.deleteJob({ jobId: job.id, stopRun: false }));
  expect(await rig.engine.jobRows()).toEqual([]);
  await rig.advanceTo('2026-05-04T09:05Z');
  const restored = unwrap(await rig.engine.restoreJob(job.id));
  expect(restored).toMatchObject({ isEnabled: true, deletedAt: null });
  await rig.advanceTo('2026-05-04T09:11Z');
  expect((await rig.runs(job.id)).map(({ plannedAt }) => plannedAt)).toEqual([
    instant('2026-05-04T08:00Z'),
    instant('2026-05-04T09:10Z'),
  ]);
  expect(await rig.engine.restoreJob(job.id)).toMatchObject({ ok: false, error: { code: 'not_found' } });
});

test('a job that runs is deleted only with its run stopped (S-34)', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: HOUR_MS });
  const job = await rig.addJob({});
  await rig.engine.startRun(job.id, 'manual');
  await settle();
  expect(await rig.engine.deleteJob({ jobId: job.id, stopRun: false })).toMatchObject({
    ok: false,
    error: { code: 'busy' },
  });
  unwrap(await rig.engine.deleteJob({ jobId: job.id, stopRun: true }));
  await settle();
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'cancelled' }]);
});

test('editing or switching off does not touch the run in hand (H-83)', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: HOUR_MS });
  const job = await rig.addJob({});
  await rig.engine.startRun(job.id, 'manual');
  await settle();
  unwrap(await rig.engine.setEnabled({ jobId: job.id, isEnabled: false }));
  await rig.time.advance(HOUR_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'succeeded' }]);
});

test('switching to what is set already makes no new revision', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({});
  expect(unwrap(await rig.engine.setEnabled({ jobId: job.id, isEnabled: true })).revision).toBe(1);
});

test('there is a limit to the number of jobs (S-02)', async () => {
  const rig = await Rig.started();
  const { read, transact, close } = rig.store;
  rig.store = {
    read,
    close,
    transact: (work) =>
      transact((writer) => work({ ...writer, jobs: { ...writer.jobs, count: async () => JOBS_MAX } })),
  };
  expect(await rig.engine.saveJob({ draft: draftOf() })).toMatchObject({
    ok: false,
    error: { code: 'invalid_input', message: 'Belfry holds at most 4096 jobs. Delete one first.' },
  });
});

test('every change is announced after it took effect', async () => {
  const rig = await Rig.started();
  rig.announced.length = 0;
  const job = await rig.addJob({ rules: [cron('0 9 * * *')] });
  expect(rig.announced).toContainEqual({ name: 'jobs.changed', payload: { jobId: job.id } });
  expect((await rig.engine.status()).next).toMatchObject({ at: instant('2026-05-04T09:00Z'), dueCount: 1 });
});

const after = (job: Job): ScheduleRule => ({ kind: 'after_job', jobId: job.id, on: 'ended' });

test('jobs that would start each other in a circle are refused, with a sentence on the schedule', async () => {
  const rig = await Rig.started();
  const first = await rig.addJob({ name: 'First' });
  const second = await rig.addJob({ name: 'Second', rules: [cron('0 1 * * *'), after(first)] });
  const third = await rig.addJob({ name: 'Third', rules: [after(second)] });
  expect(
    await save(rig, first, { schedules: [{ rule: cron('0 2 * * *') }, { rule: after(third) }] }),
  ).toMatchObject({
    ok: false,
    error: {
      code: 'invalid_input',
      fields: {
        'schedules.1.jobId':
          '“Third” starts after this job already, by way of “Second”. In a circle they would start each other without end.',
      },
    },
  });
  expect(await save(rig, first, { schedules: [{ rule: after(first) }] })).toMatchObject({
    error: { fields: { 'schedules.0.jobId': 'A job cannot start after itself. Choose another.' } },
  });
  unwrap(await save(rig, third, { schedules: [{ rule: after(first) }] }));
});

test('a job cannot be made to start after one that is gone, but stays savable when that one goes', async () => {
  const rig = await Rig.started();
  const gone = await rig.addJob({ name: 'Gone' });
  const waiting = await rig.addJob({ name: 'Waiting', rules: [after(gone)] });
  unwrap(await rig.engine.deleteJob({ jobId: gone.id, stopRun: false }));
  unwrap(await save(rig, waiting, { name: 'Waits for ever', schedules: waiting.schedules }));
  const [row] = await rig.engine.jobRows();
  expect(row).toMatchObject({ name: 'Waits for ever', next: { code: 'never' } });
  expect(await rig.engine.saveJob({ draft: draftOf({ rules: [after(gone)] }) })).toMatchObject({
    error: { fields: { 'schedules.0.jobId': 'This job does not exist any more. Choose another.' } },
  });
});

test('a deleted job does not come back into a circle that was closed meanwhile', async () => {
  const rig = await Rig.started();
  const last = await rig.addJob({ name: 'Last' });
  const middle = await rig.addJob({ name: 'Middle', rules: [after(last)] });
  const first = await rig.addJob({ name: 'First', rules: [after(middle)] });
  unwrap(await rig.engine.deleteJob({ jobId: middle.id, stopRun: false }));
  const closing = unwrap(await save(rig, last, { schedules: [{ rule: after(first) }] }));
  expect(await rig.engine.restoreJob(middle.id)).toMatchObject({ ok: false, error: { code: 'conflict' } });
  unwrap(await save(rig, closing, { schedules: [] }));
  unwrap(await rig.engine.restoreJob(middle.id));
});

test('a job that is brought back makes nothing up, and is on since then (D3)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('*/10 * * * *')] });
  await rig.time.advance(HOUR_MS);
  unwrap(await rig.engine.deleteJob({ jobId: job.id, stopRun: true }));
  const ranBefore = (await rig.runs(job.id)).length;
  await rig.time.advance(DAY_MS);
  const restored = unwrap(await rig.engine.restoreJob(job.id));
  const restoredAt = rig.time.clock.now();
  expect(restored).toMatchObject({ revision: job.revision + 1, updatedAt: restoredAt, deletedAt: null });
  const [state] = await rig.store.read((reader) => reader.schedules.ofJob(job.id));
  expect(state?.activeSince).toBe(restoredAt);
  await rig.time.advance(MINUTE_MS);
  expect(await rig.runs(job.id)).toHaveLength(ranBefore);
});

test('policies and dates that cannot work are refused on their fields, and only when they change', async () => {
  const rig = await Rig.started();
  const often = { rules: [cron('*/5 * * * *')] };
  expect(
    await rig.engine.saveJob({ draft: draftOf({ ...often, policies: { jitterMs: HOUR_MS } }) }),
  ).toMatchObject({
    ok: false,
    error: { code: 'invalid_input', fields: { 'policies.jitterMs': expect.any(String) } },
  });
  const job = await rig.addJob({ ...often, dates: { ...everyDay, until: '2026-05-05' } });
  await rig.advanceTo('2026-05-07T00:00Z');
  const renamed = unwrap(await save(rig, job, { name: 'It is over' }));
  expect(await save(rig, renamed, { dates: { ...everyDay, until: '2026-05-06' } })).toMatchObject({
    error: { fields: { 'dates.until': expect.any(String) } },
  });
});

test('days that become a job’s own by an edit are not made up (D3)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({
    rules: [cron('0 9 * * *')],
    dates: { ...everyDay, from: '2026-06-01' },
  });
  await rig.advanceTo('2026-05-10T12:00Z');
  unwrap(await save(rig, job, { dates: everyDay }));
  await rig.advanceTo('2026-05-11T08:59Z');
  expect(await rig.history(job.id)).toEqual([]);
  await rig.advanceTo('2026-05-11T09:01Z');
  expect(await rig.runs(job.id)).toHaveLength(1);
});

test('an edit of policies, tags and notes neither moves what is decided nor loses what is owed', async () => {
  const rig = await Rig.started();
  const cause = await rig.addJob({ name: 'Cause' });
  const job = await rig.addJob({ rules: [cron('0 9 * * *'), after(cause)] });
  await rig.advanceTo('2026-05-04T09:30Z');
  rig.kill();
  rig.renew();
  const owed = { at: instant('2026-05-04T09:20Z'), trigger: 'chain' as const, sourceRunId: null };
  const chainId = job.schedules[1]?.id as never;
  await rig.store.transact((writer) => writer.schedules.addPending(chainId, owed));
  const states = () => rig.store.read((reader) => reader.schedules.ofJob(job.id));
  const known = (await states()).map(({ watermarkAt, pending }) => ({ watermarkAt, pending }));
  const { policies } = job;
  unwrap(await save(rig, job, { tags: ['x'], notes: 'y', policies: { ...policies, graceMs: 1 } }));
  expect((await states()).map(({ watermarkAt, pending }) => ({ watermarkAt, pending }))).toEqual(known);
  expect(known[1]?.pending).toEqual([owed]);
});

test('deleting a job ends its own pause', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({});
  const pause = (scope: Parameters<typeof rig.engine.startPause>[0]['scope']) =>
    rig.engine.startPause({ scope, note: '', until: null });
  unwrap(await pause({ kind: 'job', jobId: job.id }));
  unwrap(await pause({ kind: 'all' }));
  unwrap(await rig.engine.deleteJob({ jobId: job.id, stopRun: false }));
  const left = await rig.store.read((reader) => reader.pauses.at(rig.time.clock.now()));
  expect(left.map(({ scope }) => scope.kind)).toEqual(['all']);
});
