/**
 * One series of due times, seen from outside: what arms it, what keeps it going, and what a run of it leaves behind. Each
 * test is a row of one of the two older schedulers, lived through on virtual time with a real store.
 */

import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import { StoreError } from '../core/storeError';
import { asDraft, cron, instant, Rig, settle, unwrap } from '../testing/rig';

const plannedAt = async (rig: Rig, jobId: Parameters<Rig['runs']>[0]): Promise<string[]> =>
  (await rig.runs(jobId)).map((run) =>
    run.plannedAt === null ? run.trigger : new Date(run.plannedAt).toISOString().slice(11, 16),
  );

test('a run is a row of its own, with what was planned and what was done apart, and no word about who leads (H-01)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 8 * * *')] });
  await rig.advanceTo('2026-05-04T08:00:02Z');
  expect(await rig.runs(job.id)).toMatchObject([
    {
      plannedAt: instant('2026-05-04T08:00Z'),
      startedAt: instant('2026-05-04T08:00Z'),
      outcome: 'succeeded',
    },
  ]);
  const lease = await rig.store.read((reader) => reader.leases.get());
  expect(Object.keys(lease ?? {}).sort()).toEqual(
    ['bootId', 'epoch', 'holderId', 'nodeId', 'pid', 'processStart', 'renewedAt', 'takenAt'].sort(),
  );
});

test('a run changes only what it is about: creation, revision and definition of the job stay (H-08)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('*/5 * * * *')] });
  let exitCode = 0;
  rig.processes.script = () => ({ durationMs: 10, exitCode: exitCode++ });
  await rig.advanceTo('2026-05-04T08:11Z');
  expect((await rig.runs(job.id)).map(({ outcome }) => outcome)).toEqual(['succeeded', 'failed', 'failed']);
  expect(await rig.store.read((reader) => reader.jobs.get(job.id))).toEqual(job);
});

test('an edit replaces the schedules of one job whole and touches no other; nothing of the old ones fires (H-36, X-34)', async () => {
  const rig = await Rig.started();
  const edited = await rig.addJob({ rules: [cron('1 8 * * *'), cron('2 8 * * *')] });
  const other = await rig.addJob({ rules: [cron('2 8 * * *')] });
  const [, second] = edited.schedules;
  unwrap(
    await rig.engine.saveJob({
      jobId: edited.id,
      draft: { ...asDraft(edited), schedules: second ? [second] : [] },
    }),
  );
  await rig.advanceTo('2026-05-04T08:03Z');
  expect(await plannedAt(rig, edited.id)).toEqual(['08:02']);
  expect(await plannedAt(rig, other.id)).toEqual(['08:02']);
});

test('a job is planned by the time its saving answers, and saving changes nobody’s role (H-37)', async () => {
  const rig = await Rig.started();
  const before = await rig.store.read((reader) => reader.leases.get());
  const job = await rig.addJob({ rules: [cron('0 9 * * *')] });
  expect((await rig.engine.status()).next).toMatchObject({
    at: instant('2026-05-04T09:00Z'),
    jobName: job.name,
  });
  expect(await rig.store.read((reader) => reader.leases.get())).toEqual(before);
});

test('many wishes at once to look again are one look after another and arm one timer (H-42, H-51)', async () => {
  const rig = await Rig.started();
  await rig.addJob({ rules: [cron('0 9 * * *')] });
  const armed = rig.time.pendingCount();
  for (let count = 0; count < 20; count += 1) rig.engine.notifyResume();
  await settle();
  expect(rig.time.pendingCount()).toBe(armed);
  await rig.advanceTo('2026-05-04T09:00:00Z');
  expect(rig.processes.spawned).toHaveLength(1);
});

test('a schedule with nothing left to come says so, and an edit brings it back (H-43, H-70)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [{ kind: 'once', local: '2026-05-04T08:00', zone: 'UTC' }] });
  await rig.advanceTo('2026-05-04T08:01Z');
  const next = async () => (await rig.engine.jobRows()).find(({ id }) => id === job.id)?.next;
  expect(await next()).toEqual({ code: 'ended' });
  unwrap(
    await rig.engine.saveJob({
      jobId: job.id,
      draft: { ...asDraft(job), schedules: [{ rule: cron('5 8 * * *') }] },
    }),
  );
  expect(await next()).toEqual({ code: 'due', at: instant('2026-05-04T08:05Z') });
});

test('while nothing can be written an interval does not run in a hot loop, and its pace is the same afterwards (H-45)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T08:00Z' });
  const job = await rig.addJob({ rules: [{ kind: 'interval', everyMs: MINUTE_MS, basis: 'grid' }] });
  rig.processes.script = () => ({ durationMs: 10 });
  await rig.time.advance(90 * SECOND_MS);
  rig.storeError = new StoreError('full', 'The disk is full.');
  await rig.time.advance(10 * MINUTE_MS);
  expect(rig.processes.spawned).toHaveLength(1);
  rig.storeError = null;
  await rig.time.advance(2 * MINUTE_MS);
  const starts = (await rig.runs(job.id)).map(({ startedAt }) => startedAt ?? 0);
  expect(starts.length).toBeGreaterThanOrEqual(3);
  for (const [index, at] of starts.slice(1).entries()) {
    expect(at - (starts[index] ?? 0)).toBeGreaterThanOrEqual(SECOND_MS);
  }
});

test('an end that a wrong clock dated a year ahead does not keep an interval waiting for a year (H-46)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T08:00Z' });
  const job = await rig.addJob({ rules: [{ kind: 'interval', everyMs: HOUR_MS, basis: 'after_end' }] });
  rig.processes.script = () => ({ durationMs: 10 });
  rig.time.jump(365 * DAY_MS);
  rig.engine.notifyResume();
  await rig.time.advance(MINUTE_MS);
  rig.time.jump(-365 * DAY_MS);
  rig.engine.notifyResume();
  await settle();
  const before = rig.processes.spawned.length;
  await rig.time.advance(HOUR_MS + MINUTE_MS);
  expect(rig.processes.spawned.length).toBe(before + 1);
  expect((await rig.runs(job.id)).length).toBeGreaterThan(0);
});

test('while the store cannot be read nothing starts, and what was due is made up for afterwards (H-52, H-66)', async () => {
  const rig = await Rig.started();
  const [broken, other] = [
    await rig.addJob({ rules: [cron('0 8 * * *')] }),
    await rig.addJob({ rules: [cron('0 8 * * *')] }),
  ];
  const { store } = rig;
  rig.store = {
    read: () => Promise.reject(new StoreError('busy', 'Somebody else is writing.')),
    transact: () => Promise.reject(new StoreError('busy', 'Somebody else is writing.')),
    close: () => store.close(),
  };
  await rig.advanceTo('2026-05-04T08:00:20Z');
  expect(rig.processes.spawned).toEqual([]);
  rig.store = store;
  await rig.advanceTo('2026-05-04T08:02Z');
  for (const { id } of [broken, other]) expect(await plannedAt(rig, id)).toEqual(['08:00']);
});

test('of the many ways to come upon one due time only the first makes a run (H-54)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 8 * * *')] });
  await rig.time.sleepFor(5 * MINUTE_MS);
  for (let count = 0; count < 5; count += 1) rig.engine.notifyResume();
  await settle();
  rig.kill();
  await rig.renew().start();
  await rig.time.advance(2 * MINUTE_MS);
  expect(await plannedAt(rig, job.id)).toEqual(['08:00']);
});

test('a command is told which due time it serves, why it runs, and how late (H-57, X-03)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T01:30Z' });
  await rig.addJob({ rules: [cron('0 2 * * *')] });
  await rig.time.sleepFor(6.5 * HOUR_MS);
  rig.engine.notifyResume();
  await settle();
  expect(rig.processes.spawned).toMatchObject([
    { plannedAt: instant('2026-05-04T02:00Z'), trigger: 'catch_up', lateMs: 6 * HOUR_MS, attemptNumber: 1 },
  ]);
});

test('a later success leaves no trace of an old error on the job (H-58, S-50)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0,1 8 * * *')] });
  const exits = [3, 0];
  rig.processes.script = () => ({ durationMs: 10, exitCode: exits.shift() ?? 0 });
  await rig.advanceTo('2026-05-04T08:00:30Z');
  expect(unwrap(await rig.engine.jobDetail(job.id))).toMatchObject({
    row: { state: 'failed' },
    latestRun: { exitCode: 3, reason: 'exit_code' },
  });
  await rig.advanceTo('2026-05-04T08:01:30Z');
  expect(unwrap(await rig.engine.jobDetail(job.id))).toMatchObject({
    row: { state: 'succeeded' },
    latestRun: { exitCode: 0, reason: null, detail: null },
  });
});

test('a run that hangs holds up neither the catching up of others nor the lease (H-63, H-68, X-13)', async () => {
  const rig = await Rig.started();
  const rules = [cron('0 8 * * *')];
  const hanging = await rig.addJob({ name: 'hangs', rules, policies: { timeoutMs: null } });
  const others = [await rig.addJob({ name: 'a', rules }), await rig.addJob({ name: 'b', rules })];
  rig.processes.script = ({ jobId }) => ({ durationMs: jobId === hanging.id ? null : 1_000 });
  const renewedBefore = (await rig.store.read((reader) => reader.leases.get()))?.renewedAt ?? 0;
  await rig.time.sleepFor(HOUR_MS);
  await rig.time.advance(10 * MINUTE_MS);
  for (const { id } of others) expect(await rig.runs(id)).toMatchObject([{ outcome: 'succeeded' }]);
  expect(await rig.runs(hanging.id)).toMatchObject([{ state: 'running' }]);
  const lease = await rig.store.read((reader) => reader.leases.get());
  expect(lease?.renewedAt).toBeGreaterThan(renewedBefore + HOUR_MS);
});

test('a job that is removed while others are being caught up is left out (H-64, S-43)', async () => {
  const rig = await Rig.started();
  const rules = [cron('0 8 * * *')];
  const jobs = [];
  for (let count = 0; count < 6; count += 1) jobs.push(await rig.addJob({ name: `job ${count}`, rules }));
  rig.processes.script = () => ({ durationMs: MINUTE_MS });
  await rig.time.sleepFor(HOUR_MS);
  const last = jobs.at(-1);
  if (last === undefined) throw new Error('there are six');
  unwrap(await rig.engine.deleteJob({ jobId: last.id, stopRun: true }));
  await rig.time.advance(5 * MINUTE_MS);
  expect(rig.processes.spawned.filter(({ jobId }) => jobId === last.id)).toEqual([]);
  expect(rig.processes.spawned).toHaveLength(5);
});

test('a run that a clock dated in the future does not hide what is missed later (H-65, X-35)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 9 * * *')] });
  rig.time.jump(400 * DAY_MS);
  rig.engine.notifyResume();
  await rig.time.advance(MINUTE_MS);
  rig.time.jump(-400 * DAY_MS);
  rig.engine.notifyResume();
  await rig.time.advance(MINUTE_MS);
  await rig.time.sleepFor(2 * HOUR_MS);
  await rig.time.advance(MINUTE_MS);
  const missed = (await rig.runs(job.id)).filter(({ plannedAt: at }) => at === instant('2026-05-04T09:00Z'));
  expect(missed).toMatchObject([{ trigger: 'catch_up', missCause: 'asleep' }]);
});

test('a new job waits for its next due time and does not run for the last one (H-67)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T10:00:10Z' });
  const job = await rig.addJob({ rules: [cron('0 2 * * *')] });
  await rig.time.advance(HOUR_MS);
  expect(await rig.runs(job.id)).toEqual([]);
  await rig.advanceTo('2026-05-05T02:00:05Z');
  expect(await plannedAt(rig, job.id)).toEqual(['02:00']);
});

test('a job whose command cannot be started is one failed run and keeps nobody else from being caught up (H-69)', async () => {
  const rig = await Rig.started();
  const rules = [cron('0 8 * * *')];
  const [broken, sound] = [
    await rig.addJob({ name: 'broken', rules }),
    await rig.addJob({ name: 'sound', rules }),
  ];
  rig.processes.script = ({ jobId }) =>
    jobId === broken.id ? { durationMs: 0, failure: 'program_not_found' } : { durationMs: 10 };
  await rig.time.sleepFor(HOUR_MS);
  rig.engine.notifyResume();
  await rig.time.advance(SECOND_MS);
  expect(await rig.runs(broken.id)).toMatchObject([{ outcome: 'failed', reason: 'program_not_found' }]);
  expect(await rig.runs(sound.id)).toMatchObject([{ outcome: 'succeeded' }]);
});

test('the same rule is refused with the same words by saving and by looking ahead (H-72, H-73)', async () => {
  const rig = await Rig.started();
  const rule = cron('0 9 * * *', 'Mars/Olympus');
  const [preview] = rig.engine.preview([rule], 1);
  const saved = await rig.engine.saveJob({
    draft: { ...asDraft(await rig.addJob({})), schedules: [{ rule }] },
  });
  expect(preview).toMatchObject({ valid: false, field: 'zone' });
  expect(saved).toMatchObject({ ok: false, error: { code: 'invalid_input' } });
  if (preview?.valid === false && !saved.ok) {
    expect(saved.error.fields).toEqual({ 'schedules.0.zone': preview.message });
  }
  expect((await rig.engine.jobRows()).length).toBe(1);
});

test('cron, interval and one moment are kinds of schedule; a manual job has none (S-36, S-37)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T08:00:00Z' });
  const job = await rig.addJob({
    rules: [
      cron('10 8 * * *'),
      { kind: 'interval', everyMs: 20 * MINUTE_MS, basis: 'grid' },
      { kind: 'once', local: '2026-05-04T08:30', zone: 'UTC' },
    ],
  });
  const byHand = await rig.addJob({});
  await rig.advanceTo('2026-05-04T08:39:59Z');
  expect(await plannedAt(rig, job.id)).toEqual(['08:10', '08:20', '08:30']);
  await rig.time.advance(DAY_MS);
  // Once is once; the interval goes on from its own beginning and not from midnight or the epoch.
  expect((await plannedAt(rig, job.id)).filter((text) => text === '08:30')).toHaveLength(1);
  expect((await plannedAt(rig, job.id)).slice(3, 5)).toEqual(['08:40', '09:00']);
  expect(await rig.runs(byHand.id)).toEqual([]);
});

test('when the command begins its due time is used up already, and the job says since when it runs (S-45)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 8 * * *')] });
  rig.processes.script = () => ({ durationMs: HOUR_MS });
  await rig.advanceTo('2026-05-04T08:00:01Z');
  const [schedule] = job.schedules;
  const decision = await rig.store.read((reader) =>
    reader.decisions.at(schedule?.id as never, instant('2026-05-04T08:00Z')),
  );
  expect(decision).toMatchObject({ kind: 'run' });
  expect(await rig.runs(job.id)).toMatchObject([
    {
      state: 'running',
      startedAt: instant('2026-05-04T08:00Z'),
      endedAt: null,
      durationMs: null,
      reason: null,
    },
  ]);
  expect((await rig.engine.jobRows())[0]?.next).toMatchObject({
    code: 'running',
    since: instant('2026-05-04T08:00Z'),
  });
});

test('the end of a run and what the lists say of it are one commit (S-51)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 8 * * *')] });
  rig.processes.script = () => ({ durationMs: SECOND_MS, exitCode: 1 });
  await rig.advanceTo('2026-05-04T08:00:00.500Z');
  const seen: string[] = [];
  const { store } = rig;
  rig.store = {
    read: (work) => store.read(work),
    close: () => store.close(),
    transact: async (work) => {
      const result = await store.transact(work);
      const told = await store.read(async (reader) => ({
        run: (await reader.runs.history(job.id, { after: null, limit: 1 })).entries[0],
        stats: await reader.jobs.stats(job.id),
      }));
      if (told.run?.entry === 'run') seen.push(`${told.run.run.outcome} ${told.stats.runCount}`);
      return result;
    },
  };
  await rig.time.advance(2 * SECOND_MS);
  expect(new Set(seen)).toEqual(new Set(['failed 1']));
});

test('a job that was interrupted and is due again at the start is recovered first (S-71)', async () => {
  const rig = await Rig.started();
  await rig.addJob({ rules: [cron('*/10 * * * *')] });
  rig.processes.script = () => ({ durationMs: null });
  await rig.advanceTo('2026-05-04T08:00:05Z');
  rig.kill();
  rig.processes.areHidden = true;
  await rig.time.advance(30 * MINUTE_MS);
  const spawned = rig.processes.spawned.length;
  await rig.renew().start();
  await rig.time.advance(MINUTE_MS);
  // It may still go on, so it is switched off instead of being started again.
  expect(rig.processes.spawned).toHaveLength(spawned);
  expect((await rig.engine.jobRows())[0]).toMatchObject({ isEnabled: false, disabledReason: 'interrupted' });
});

test('a holder that slept for hours is not replaced, and its jobs run once (S-72)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 9 * * *')] });
  const other = rig.beside();
  await other.engine.start();
  await rig.time.sleepFor(7 * HOUR_MS);
  await rig.time.advance(2 * MINUTE_MS);
  expect(await plannedAt(rig, job.id)).toEqual(['09:00']);
  expect(await rig.store.read((reader) => reader.leases.get())).toMatchObject({
    pid: rig.host.pid,
    epoch: 1,
  });
});

test('run now says why it cannot, and starts nothing beside a run that goes on (S-77, X-60)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({});
  rig.processes.script = () => ({ durationMs: HOUR_MS });
  unwrap(await rig.engine.startRun(job.id, 'manual'));
  expect(await rig.engine.startRun(job.id, 'manual')).toMatchObject({ ok: false, error: { code: 'busy' } });
  unwrap(await rig.engine.deleteJob({ jobId: job.id, stopRun: true }));
  expect(await rig.engine.startRun(job.id, 'manual')).toMatchObject({
    ok: false,
    error: { code: 'not_found' },
  });
  expect(rig.processes.spawned).toHaveLength(1);
});
