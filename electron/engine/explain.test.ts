/** Why a job ran or did not, at any moment of its life: one virtual machine, and questions about what it lived through. */
import { expect, test } from 'vitest';
import { momentsIn } from '../../shared/explain/moments';
import { explainInWords } from '../../shared/explain/words';
import type { JobId } from '../../shared/model/job';
import { defaultRetention, defaultSettings } from '../../shared/model/settings';
import type { Result } from '../../shared/result';
import { HOUR_MS, type Instant, MINUTE_MS } from '../../shared/time';
import type { Parameters } from '../store/connection';
import { type Database, openDatabase } from '../store/database';
import { asDraft, cron, instant, Rig, unwrap } from '../testing/rig';

const explain = async (rig: Rig, jobId: JobId, at: string) =>
  unwrap(await rig.engine.explain(jobId, instant(at)));

const words = async (rig: Rig, jobId: JobId, at: string, zone = 'UTC'): Promise<string> =>
  explainInWords(await explain(rig, jobId, at), instant(at), momentsIn(zone));

test('a due time that ran says so, with its run and the rule as it was', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 8 * * *')] });
  await rig.advanceTo('2026-05-04T08:01Z');
  expect(await explain(rig, job.id, '2026-05-04T08:00Z')).toMatchObject({
    code: 'ran',
    jobName: 'Back up notes',
    plannedAt: instant('2026-05-04T08:00Z'),
    scheduleId: job.schedules[0]?.id,
    run: { outcome: 'succeeded', lateMs: 0, trigger: 'schedule' },
  });
  expect(await words(rig, job.id, '2026-05-04T08:00Z')).toBe('Ran on time.');
});

test('a moment of a minute finds the due time of that minute, and says which it is', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('30 0 8 * * *')] });
  await rig.advanceTo('2026-05-04T08:01Z');
  expect(await words(rig, job.id, '2026-05-04T08:00Z')).toBe('Due at 08:00:30. Ran on time.');
  expect(await explain(rig, job.id, '2026-05-04T08:01Z')).toMatchObject({
    code: 'not_planned',
    why: 'no_occurrence',
    previousAt: instant('2026-05-04T08:00:30Z'),
    nextAt: instant('2026-05-05T08:00:30Z'),
  });
});

test('what passed during sleep names the span, and the run that stands for it', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 * * * *')] });
  await rig.advanceTo('2026-05-04T08:10Z');
  await rig.time.sleepFor(5 * HOUR_MS);
  await rig.time.advance(MINUTE_MS);
  const covered = await words(rig, job.id, '2026-05-04T10:00Z');
  expect(covered).toMatch(
    /^Not run: the laptop was asleep from 08:\d\d(:\d\d)? to 13:10(:\d\d)?; the 13:10(:\d\d)? run stands for it\.$/,
  );
  expect(await words(rig, job.id, '2026-05-04T13:00Z')).toMatch(
    /^Ran 10 min late, for 4 other due times too: the laptop was asleep/,
  );
  // Half past lies within the range of what was merged, and is no due time.
  expect(await explain(rig, job.id, '2026-05-04T10:30Z')).toMatchObject({ code: 'not_planned' });
});

test('a skip for overlap names the run that was still going', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: 90 * MINUTE_MS });
  const job = await rig.addJob({ rules: [cron('0 * * * *')], policies: { timeoutMs: null } });
  await rig.advanceTo('2026-05-04T08:30Z');
  expect(await words(rig, job.id, '2026-05-04T08:00Z')).toBe('Running since 08:00, on time.');
  await rig.advanceTo('2026-05-04T09:50Z');
  expect(await words(rig, job.id, '2026-05-04T08:00Z')).toBe('Ran on time.');
  expect(await words(rig, job.id, '2026-05-04T09:00Z')).toBe(
    'Skipped: the previous run was still going, since 08:00.',
  );
});

test('a pause is told with its note, before and after it was over', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 * * * *')] });
  const pause = unwrap(
    await rig.engine.startPause({
      scope: { kind: 'job', jobId: job.id },
      note: 'on holiday',
      until: instant('2026-05-04T12:30Z'),
    }),
  );
  expect(await words(rig, job.id, '2026-05-04T10:00Z')).toBe(
    'Will be skipped: paused by you, “on holiday”, until 12:30.',
  );
  expect(await explain(rig, job.id, '2026-05-04T13:00Z')).toMatchObject({ code: 'planned' });
  await rig.advanceTo('2026-05-04T08:30Z');
  expect(await words(rig, job.id, '2026-05-04T08:00Z')).toBe('Skipped: paused by you, “on holiday”.');
  unwrap(await rig.engine.endPause(pause.id));
  expect(await words(rig, job.id, '2026-05-04T08:00Z')).toBe('Skipped: paused by you, “on holiday”.');
  expect(await explain(rig, job.id, '2026-05-04T10:00Z')).toMatchObject({ code: 'planned' });
});

test('before the job was there, and after it was deleted, nothing was owed; a deleted job is still explained', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 * * * *')] });
  await rig.advanceTo('2026-05-04T09:30Z');
  unwrap(await rig.engine.deleteJob({ jobId: job.id, stopRun: false }));
  await rig.advanceTo('2026-05-04T11:30Z');
  expect(await explain(rig, job.id, '2026-05-04T07:00Z')).toMatchObject({ code: 'not_yet' });
  expect(await explain(rig, job.id, '2026-05-04T09:00Z')).toMatchObject({ code: 'ran' });
  expect(await words(rig, job.id, '2026-05-04T11:00Z')).toBe('Not run: the job was deleted at 09:30.');
  expect(await explain(rig, job.id, '2030-05-04T11:00Z')).toMatchObject({ code: 'deleted' });
});

test('a job that was deleted and brought back owes nothing of the time between', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 * * * *')] });
  unwrap(await rig.engine.deleteJob({ jobId: job.id, stopRun: false }));
  await rig.advanceTo('2026-05-04T09:30Z');
  unwrap(await rig.engine.restoreJob(job.id));
  expect(await explain(rig, job.id, '2026-05-04T09:00Z')).toMatchObject({
    code: 'not_planned',
    why: 'not_owed',
  });
});

test('what has been removed with old history is said to be too long ago, and not to have been no plan (X-18)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 9 * * *')] });
  await rig.advanceTo('2026-05-07T10:00Z');
  const rules = { ...defaultRetention, runDays: 1, failureDays: 1 };
  await rig.engine.saveSettings({ ...defaultSettings, retention: rules });
  const limits = { now: instant('2026-05-07T10:00Z'), max: 100 };
  const before = instant('2026-05-06T10:00Z');
  await rig.store.transact(async ({ retention }) => {
    await retention.removeRuns(await retention.expiredRuns(rules, limits));
    await retention.removeDecisions({ before, max: 100 });
  });
  expect(await explain(rig, job.id, '2026-05-04T09:00Z')).toMatchObject({ why: 'forgotten' });
  expect(await words(rig, job.id, '2026-05-04T09:00Z')).toMatch(
    /^It is longer ago than Belfry keeps history/,
  );
  expect(await explain(rig, job.id, '2026-05-07T09:00Z')).toMatchObject({ code: 'ran' });
});

test('while a job is off each moment says since when, however often it was edited meanwhile', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 * * * *')] });
  await rig.advanceTo('2026-05-04T08:30Z');
  const off = unwrap(await rig.engine.setEnabled({ jobId: job.id, isEnabled: false }));
  await rig.advanceTo('2026-05-04T10:30Z');
  unwrap(await rig.engine.saveJob({ jobId: job.id, draft: { ...asDraft(off), notes: 'Later.' } }));
  await rig.advanceTo('2026-05-04T12:30Z');
  const since = instant('2026-05-04T08:30Z');
  for (const at of ['2026-05-04T09:00Z', '2026-05-04T12:00Z', '2026-05-04T13:00Z']) {
    expect(await explain(rig, job.id, at)).toMatchObject({ code: 'disabled', reason: 'user', since });
  }
  unwrap(await rig.engine.setEnabled({ jobId: job.id, isEnabled: true }));
  expect(await explain(rig, job.id, '2026-05-04T09:00Z')).toMatchObject({ code: 'disabled', since });
  expect(await explain(rig, job.id, '2026-05-04T13:00Z')).toMatchObject({ code: 'planned' });
});

test('an edit is no rewriting of history: each moment is read by the rule of its time', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 * * * *')] });
  await rig.advanceTo('2026-05-04T09:10Z');
  const [schedule] = job.schedules;
  unwrap(
    await rig.engine.saveJob({
      jobId: job.id,
      draft: { ...asDraft(job), schedules: [{ ...schedule, rule: cron('30 * * * *') }] },
    }),
  );
  await rig.advanceTo('2026-05-04T10:10Z');
  expect(await explain(rig, job.id, '2026-05-04T09:00Z')).toMatchObject({
    code: 'ran',
    schedule: 'Every hour',
  });
  expect(await explain(rig, job.id, '2026-05-04T08:30Z')).toMatchObject({
    code: 'not_yet',
    since: instant('2026-05-04T09:10Z'),
  });
  expect(await explain(rig, job.id, '2026-05-04T09:30Z')).toMatchObject({ code: 'ran' });
  expect(await explain(rig, job.id, '2026-05-04T10:00Z')).toMatchObject({ code: 'not_planned' });
});

test('the creation minute that passed before the job was there is told as run at once (S-31)', async () => {
  const rig = await Rig.started({ startAt: '2026-05-04T09:00:37Z' });
  const job = await rig.addJob({ rules: [cron('0 9 * * *')] });
  await rig.time.advance(MINUTE_MS);
  expect(await words(rig, job.id, '2026-05-04T09:00Z')).toBe(
    'Ran 37 s late: the job was made after that moment, in the same minute.',
  );
});

test('a local time that the clocks jump over, and one that comes twice, are told (D6)', async () => {
  const rig = await Rig.started({ startAt: '2026-03-27T12:00Z', zone: 'Europe/Berlin' });
  const rule = { ...cron('30 2 * * *'), gap: 'skip' as const };
  const job = await rig.addJob({ rules: [rule as ReturnType<typeof cron>] });
  // 02:30 does not exist on the 29th; the first moment after it is 03:00.
  expect(await explain(rig, job.id, '2026-03-29T01:00Z')).toMatchObject({
    code: 'not_planned',
    why: 'clock_gap',
  });
  expect(await explain(rig, job.id, '2026-10-25T00:30Z')).toMatchObject({ code: 'planned' });
  expect(await explain(rig, job.id, '2026-10-25T01:30Z')).toMatchObject({
    code: 'not_planned',
    why: 'clock_repeat',
  });
});

test('days outside the dates and days that are left out are told apart', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({
    rules: [cron('0 9 * * *')],
    dates: {
      from: '2026-05-06',
      until: '2026-05-20',
      excluded: [{ from: '2026-05-10', until: '2026-05-11' }],
    },
  });
  const codes = ['05T', '06T', '10T', '21T'].map(async (day) => {
    const { code, ...facts } = await explain(rig, job.id, `2026-05-${day}09:00Z`);
    return [code, 'why' in facts ? facts.why : 'reason' in facts ? facts.reason : null];
  });
  expect(await Promise.all(codes)).toEqual([
    ['not_planned', 'outside_dates'],
    ['planned', null],
    ['will_skip', 'date_excluded'],
    ['not_planned', 'outside_dates'],
  ]);
});

test('a job that is started by hand says so, and knows the run of that minute', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: 5 * MINUTE_MS });
  const job = await rig.addJob({});
  expect(await explain(rig, job.id, '2026-05-04T08:00Z')).toMatchObject({ why: 'by_hand_only' });
  await rig.advanceTo('2026-05-04T07:59:10Z');
  unwrap(await rig.engine.startRun(job.id, 'manual'));
  await rig.advanceTo('2026-05-04T08:10Z');
  expect(await words(rig, job.id, '2026-05-04T07:59:30Z')).toBe('Started by hand at 07:59:10.');
});

test('while Belfry is closed the past is not decided yet; afterwards it is, and the gap is named', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({
    rules: [cron('0 * * * *')],
    policies: { catchUp: { mode: 'none', ageMsMax: null, countMax: 10 } },
  });
  await rig.engine.stop({ runs: 'leave' });
  await rig.time.advance(2 * HOUR_MS + MINUTE_MS);
  expect(await explain(rig, job.id, '2026-05-04T08:00Z')).toMatchObject({ code: 'undecided' });
  rig.renew();
  await rig.engine.start();
  await rig.time.advance(MINUTE_MS);
  expect(await words(rig, job.id, '2026-05-04T08:00Z')).toMatch(
    /^Not run: Belfry was not running from 07:58 to 09:59; this job does not make up for missed times \(2 due times together\)\.$/,
  );
});

test('no answer reads a table from end to end: history may be long', async () => {
  const statements = new Set<string>();
  let isWatching = false;
  const database = unwrap(openDatabase('memory') as Result<Database>);
  const note =
    <R>(read: (sql: string, parameters?: Parameters) => R) =>
    (sql: string, parameters?: Parameters) => {
      if (isWatching) statements.add(sql);
      return read(sql, parameters);
    };
  const { writer } = database;
  const watched = Object.create(writer, {
    get: { value: note(writer.get) },
    all: { value: note(writer.all) },
  });
  const rig = new Rig({ open: () => ({ ...database, writer: watched }) });
  await rig.engine.start();
  rig.processes.script = () => ({ durationMs: 90 * MINUTE_MS });
  const job = await rig.addJob({ rules: [cron('0 * * * *')], policies: { timeoutMs: null } });
  await rig.advanceTo('2026-05-04T09:30Z');
  isWatching = true;
  for (const at of [
    '2026-05-04T07:00Z',
    '2026-05-04T08:00Z',
    '2026-05-04T09:00Z',
    '2026-05-04T09:20Z',
    '2026-05-06T09:00Z',
  ]) {
    await explain(rig, job.id, at);
  }
  isWatching = false;
  const scans = [...statements].flatMap((sql) =>
    writer
      .all(`EXPLAIN QUERY PLAN ${sql}`)
      .map(({ detail }) => String(detail))
      // Pauses and schedules of one job are a handful, and no index would make them quicker.
      .filter((detail) => /^SCAN (r|d|runs|decisions|attempts|jobs|j)\b/.test(detail)),
  );
  expect(statements.size).toBeGreaterThan(8);
  expect(scans).toEqual([]);
});

test('an unknown job is a refusal', async () => {
  const rig = await Rig.started();
  const nobody = '00000000-0000-7000-8000-00000000ffff' as JobId;
  const answer = await rig.engine.explain(nobody, rig.time.clock.now() as Instant);
  expect(answer).toMatchObject({ ok: false, error: { code: 'not_found' } });
});
