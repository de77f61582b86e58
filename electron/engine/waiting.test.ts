/** Conditions that wait: asked in order and again, counted in time awake, told while they last, and kept over a restart. */

import { expect, test } from 'vitest';
import type { Condition } from '../../shared/model/condition';
import type { Job } from '../../shared/model/job';
import { defaultRetry } from '../../shared/model/policies';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import { StoreError } from '../core/storeError';
import type { ConditionAnswer } from '../ports/surroundings';
import { cron, instant, type JobFacts, Rig, type RigOptions, settle, unwrap } from '../testing/rig';

const mains = (facts: Partial<Condition> = {}): Condition =>
  ({ kind: 'mains', waitMsMax: 2 * HOUR_MS, otherwise: 'skip', ...facts }) as Condition;
const network = (facts: Partial<Condition> = {}): Condition =>
  ({ kind: 'network', waitMsMax: 3 * MINUTE_MS, otherwise: 'run', ...facts }) as Condition;

/** A job due at 09:00 that waits for what is not so, seen at that moment. */
async function waits(
  conditions: Condition[],
  { rig: options = {}, ...facts }: JobFacts & { rig?: RigOptions } = {},
): Promise<{ rig: Rig; job: Job }> {
  const rig = await Rig.started(options);
  for (const { kind } of conditions) rig.surroundings.states.set(kind, 'unmet');
  const job = await rig.addJob({ rules: [cron('0 9 * * *')], conditions, ...facts });
  await rig.advanceTo('2026-05-04T09:00Z');
  return { rig, job };
}

const met = (rig: Rig, kind: Condition['kind'], change: 'power' | 'network' | 'idle' = 'power'): void => {
  rig.surroundings.states.set(kind, 'met');
  rig.surroundings.tell(change);
};

test('plugging the laptop in at minute 40 starts the run, which says what it waited for (product 3.2, item 3)', async () => {
  const { rig, job } = await waits([mains()]);
  await rig.advanceTo('2026-05-04T09:39Z');
  expect(await rig.runs(job.id)).toMatchObject([
    {
      state: 'queued',
      waits: [
        {
          kind: 'mains',
          since: instant('2026-05-04T09:00Z'),
          until: instant('2026-05-04T11:00Z'),
          otherwise: 'skip',
          endedAt: null,
        },
      ],
    },
  ]);
  expect((await rig.engine.jobRows())[0]?.next).toMatchObject({ code: 'waiting', wait: { kind: 'mains' } });
  await rig.advanceTo('2026-05-04T09:40Z');
  met(rig, 'mains');
  await settle();
  expect(rig.processes.spawned).toHaveLength(1);
  await rig.time.advance(MINUTE_MS);
  expect(await rig.runs(job.id)).toMatchObject([
    { outcome: 'succeeded', waits: [{ end: 'met', endedAt: instant('2026-05-04T09:40Z') }] },
  ]);
});

test('the begin and the end of a wait are announced', async () => {
  const { rig, job } = await waits([mains()]);
  const [run] = await rig.runs(job.id);
  expect(rig.announced.filter(({ name, payload }) => name === 'runs.changed' && payload)).toContainEqual({
    name: 'runs.changed',
    payload: { runId: run?.id, jobId: job.id },
  });
  rig.announced.length = 0;
  met(rig, 'mains');
  await settle();
  expect(rig.announced.map(({ name }) => name)).toContain('jobs.changed');
});

test('where the system tells nothing it is asked again within 30 s', async () => {
  const { rig } = await waits([mains()]);
  rig.surroundings.states.set('mains', 'met');
  await rig.time.advance(30 * SECOND_MS);
  expect(rig.processes.spawned).toHaveLength(1);
});

test('an event of another sort asks nothing', async () => {
  const { rig } = await waits([mains()]);
  const count = rig.surroundings.asked.length;
  rig.surroundings.tell('network');
  rig.surroundings.tell('idle');
  await settle();
  expect(rig.surroundings.asked).toHaveLength(count);
});

test.each([
  ['check_command', [10, 10, 10, 10]],
  ['host_answers', [5, 10, 20, 30]],
  ['user_idle', [30, 30, 30, 30]],
] as const)('%s is asked again after %j s', async (kind, gaps) => {
  const condition = { kind, waitMsMax: HOUR_MS, otherwise: 'run', host: 'nas', port: 22, idleMs: 60_000 };
  const settings = { kind: 'command', line: 'true' };
  const rig = await Rig.started();
  const draft = { ...condition, settings: { ...(await rig.addJob({})).settings, ...settings } };
  const fields = {
    check_command: ['kind', 'waitMsMax', 'otherwise', 'settings'],
    host_answers: ['kind', 'waitMsMax', 'otherwise', 'host', 'port'],
    user_idle: ['kind', 'waitMsMax', 'otherwise', 'idleMs'],
  }[kind];
  const clean = Object.fromEntries(Object.entries(draft).filter(([name]) => fields.includes(name)));
  rig.surroundings.states.set(kind, 'unmet');
  const askedAt: number[] = [];
  rig.surroundings.answer = async ({ kind: asked }) => {
    askedAt.push(rig.time.clock.now());
    return { state: rig.surroundings.states.get(asked) ?? 'met', detail: null };
  };
  await rig.addJob({ rules: [cron('0 9 * * *')], conditions: [clean as unknown as Condition] });
  await rig.advanceTo('2026-05-04T09:02Z');
  const seen = askedAt.slice(1, 5).map((at, index) => (at - (askedAt[index] ?? 0)) / SECOND_MS);
  expect(seen).toEqual(gaps);
});

test('a wait for a host says which one', async () => {
  const host = {
    kind: 'host_answers',
    host: 'nas.local',
    port: 22,
    waitMsMax: HOUR_MS,
    otherwise: 'run',
  } as const;
  const { rig, job } = await waits([host]);
  expect(await rig.runs(job.id)).toMatchObject([{ waits: [{ detail: 'nas.local:22' }] }]);
});

test('unknown never holds a run up and is recorded as unknown', async () => {
  const rig = await Rig.started();
  rig.surroundings.states.set('mains', 'unknown');
  const job = await rig.addJob({ rules: [cron('0 9 * * *')], conditions: [mains(), network()] });
  await rig.advanceTo('2026-05-04T09:00:05Z');
  expect(await rig.runs(job.id)).toMatchObject([
    { outcome: 'succeeded', waits: [{ kind: 'mains', end: 'unknown' }] },
  ]);
});

test('surroundings that break count as unknown', async () => {
  const rig = await Rig.started();
  rig.surroundings.answer = () => Promise.reject(new Error('no bus'));
  const job = await rig.addJob({ rules: [cron('0 9 * * *')], conditions: [mains()] });
  await rig.advanceTo('2026-05-04T09:00:05Z');
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'succeeded', waits: [{ end: 'unknown' }] }]);
});

test('after the limit the run is made all the same if the job says so', async () => {
  const { rig, job } = await waits([network()]);
  await rig.advanceTo('2026-05-04T09:02:59Z');
  expect(rig.processes.spawned).toEqual([]);
  await rig.advanceTo('2026-05-04T09:03:05Z');
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'succeeded', waits: [{ end: 'gave_up' }] }]);
});

test('after the limit the due time is skipped for the condition if the job says so', async () => {
  const { rig, job } = await waits([mains()]);
  await rig.advanceTo('2026-05-04T11:00:01Z');
  expect(await rig.runs(job.id)).toEqual([]);
  expect(await rig.skips(job.id)).toMatchObject([
    { plannedAt: instant('2026-05-04T09:00Z'), reason: 'condition', runId: null },
  ]);
  expect((await rig.engine.jobRows())[0]?.next).toMatchObject({ code: 'due' });
});

test('after the limit the run fails with a sentence if the job says so', async () => {
  const { rig, job } = await waits([mains({ otherwise: 'fail' })]);
  await rig.advanceTo('2026-05-04T11:00:01Z');
  expect(await rig.runs(job.id)).toMatchObject([
    {
      outcome: 'failed',
      reason: 'condition_not_met',
      detail: 'The laptop was not plugged in within the time that this job waits.',
      attemptCount: 0,
      waits: [{ end: 'gave_up' }],
    },
  ]);
});

test('a limit of nothing looks once', async () => {
  const { rig, job } = await waits([mains({ waitMsMax: 0 })]);
  await settle();
  expect(await rig.skips(job.id)).toMatchObject([{ reason: 'condition' }]);
});

test.each([false, true])(
  'time asleep does not use up the limit, whatever the clocks do: %s',
  async (monotonicCountsSleep) => {
    const { rig, job } = await waits([mains()], { rig: { monotonicCountsSleep } });
    await rig.time.advance(HOUR_MS);
    await rig.time.sleepFor(8 * HOUR_MS);
    await rig.time.advance(59 * MINUTE_MS);
    const [run] = await rig.runs(job.id);
    expect(run).toMatchObject({ state: 'queued' });
    expect(Math.abs((run?.waits[0]?.until ?? 0) - instant('2026-05-04T19:00Z'))).toBeLessThan(MINUTE_MS);
    await rig.time.advance(2 * MINUTE_MS);
    expect(await rig.runs(job.id)).toEqual([]);
  },
);

test('a clock that is set does not end a wait', async () => {
  const { rig, job } = await waits([mains()]);
  rig.time.jump(5 * HOUR_MS);
  await rig.time.advance(HOUR_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ state: 'queued' }]);
  rig.time.jump(-9 * HOUR_MS);
  await rig.time.advance(HOUR_MS + SECOND_MS);
  expect((await rig.runs(job.id)).filter(({ state }) => state === 'queued')).toEqual([]);
});

test('one condition is waited for after the other', async () => {
  const { rig, job } = await waits([mains(), network()]);
  await rig.time.advance(MINUTE_MS);
  met(rig, 'mains');
  await settle();
  expect(await rig.runs(job.id)).toMatchObject([
    {
      waits: [
        { kind: 'mains', end: 'met' },
        { kind: 'network', endedAt: null },
      ],
    },
  ]);
  met(rig, 'network', 'network');
  await settle();
  expect(rig.processes.spawned).toHaveLength(1);
});

test('runs that wait for conditions take no place of the pool', async () => {
  const rig = await Rig.started();
  rig.surroundings.states.set('mains', 'unmet');
  for (let count = 0; count < 6; count += 1)
    await rig.addJob({ rules: [cron('0 9 * * *')], conditions: [mains()] });
  const free = await rig.addJob({ rules: [cron('0 9 * * *')] });
  await rig.advanceTo('2026-05-04T09:00:05Z');
  expect(rig.processes.spawned.map(({ jobId }) => jobId)).toEqual([free.id]);
  expect((await rig.engine.status()).runningCount).toBe(0);
});

test('a run by hand waits for nothing', async () => {
  const rig = await Rig.started();
  rig.surroundings.states.set('mains', 'unmet');
  const job = await rig.addJob({ conditions: [mains()] });
  await rig.engine.startRun(job.id, 'manual');
  await settle();
  expect(rig.processes.spawned).toHaveLength(1);
  expect(rig.surroundings.asked).toEqual([]);
});

test('"run anyway" ends the wait by hand, and the run starts', async () => {
  const { rig, job } = await waits([mains(), network()]);
  const [run] = await rig.runs(job.id);
  unwrap(await rig.engine.startNow(run?.id as never));
  await settle();
  expect(rig.processes.spawned).toHaveLength(1);
  expect(await rig.runs(job.id)).toMatchObject([{ state: 'running', waits: [{ end: 'by_hand' }] }]);
  expect(await rig.engine.startNow(run?.id as never)).toMatchObject({
    ok: false,
    error: { code: 'conflict' },
  });
});

test('"run anyway" is kept when Belfry dies before there is a place', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: HOUR_MS });
  rig.surroundings.states.set('mains', 'unmet');
  const job = await rig.addJob({ rules: [cron('0 9 * * *')], conditions: [mains()] });
  for (let count = 0; count < 4; count += 1) await rig.addJob({ rules: [cron('0 9 * * *')] });
  await rig.advanceTo('2026-05-04T09:00:05Z');
  const [run] = await rig.runs(job.id);
  unwrap(await rig.engine.startNow(run?.id as never));
  rig.kill();
  await rig.renew().start();
  await rig.advanceTo('2026-05-04T10:00:05Z');
  expect(await rig.runs(job.id)).toMatchObject([{ state: 'running' }]);
});

test('after a restart the wait goes on with what is left of it', async () => {
  const { rig, job } = await waits([mains()]);
  await rig.time.advance(HOUR_MS);
  rig.kill();
  await rig.time.advance(5 * HOUR_MS);
  await rig.renew().start();
  await rig.time.advance(58 * MINUTE_MS);
  const [run] = await rig.runs(job.id);
  expect(run).toMatchObject({ state: 'queued', waits: [{ kind: 'mains', endedAt: null }] });
  await rig.time.advance(4 * MINUTE_MS);
  expect((await rig.runs(job.id)).filter(({ state }) => state === 'queued')).toEqual([]);
});

test('a run that waits is stopped at once, and ends when its job is switched off or deleted (S-43)', async () => {
  const { rig, job } = await waits([mains()]);
  const [run] = await rig.runs(job.id);
  unwrap(await rig.engine.stopRun(run?.id as never));
  met(rig, 'mains');
  await rig.time.advance(MINUTE_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'cancelled', reason: 'stopped_by_user' }]);
  expect(rig.processes.spawned).toEqual([]);

  const second = await waits([mains()]);
  unwrap(await second.rig.engine.setEnabled({ jobId: second.job.id, isEnabled: false }));
  await settle();
  expect(await second.rig.runs(second.job.id)).toMatchObject([{ outcome: 'cancelled', reason: 'job_off' }]);
});

test('one run is never asked for twice at the same time, however often something changes', async () => {
  const rig = await Rig.started();
  const pending: ((answer: ConditionAnswer) => void)[] = [];
  rig.surroundings.answer = () => new Promise((resolve) => pending.push(resolve));
  await rig.addJob({ rules: [cron('0 9 * * *')], conditions: [mains()] });
  await rig.advanceTo('2026-05-04T09:00Z');
  for (let count = 0; count < 5; count += 1) rig.surroundings.tell('power');
  await settle();
  expect(pending).toHaveLength(1);
  pending[0]?.({ state: 'unmet', detail: null });
  await settle();
  rig.surroundings.tell('power');
  rig.surroundings.tell('power');
  await settle();
  expect(pending).toHaveLength(2);
});

test('a stop ends what is being asked', async () => {
  const rig = await Rig.started();
  let signal: AbortSignal | null = null;
  rig.surroundings.answer = (_, asked) => {
    signal = asked;
    return new Promise(() => undefined);
  };
  await rig.addJob({ rules: [cron('0 9 * * *')], conditions: [mains()] });
  await rig.advanceTo('2026-05-04T09:00Z');
  await rig.engine.stop({ runs: 'leave' });
  expect((signal as AbortSignal | null)?.aborted).toBe(true);
  expect(rig.time.pendingCount()).toBe(0);
});

test('conditions are asked again if the run then waited long for a place', async () => {
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: HOUR_MS });
  for (let count = 0; count < 4; count += 1) await rig.addJob({ rules: [cron('0 9 * * *')] });
  const job = await rig.addJob({ rules: [cron('1 9 * * *')], conditions: [mains()] });
  await rig.advanceTo('2026-05-04T09:30Z');
  rig.surroundings.states.set('mains', 'unmet');
  await rig.advanceTo('2026-05-04T10:01Z');
  expect(await rig.runs(job.id)).toMatchObject([
    { state: 'queued', waits: [{ kind: 'mains', endedAt: null }] },
  ]);
  met(rig, 'mains');
  await settle();
  expect(rig.processes.spawned.at(-1)?.jobId).toBe(job.id);
});

test('a retry waits for the conditions too; one that waits in vain has failed', async () => {
  const retry = { ...defaultRetry, countMax: 2, delayMs: MINUTE_MS };
  const rig = await Rig.started();
  rig.processes.script = () => ({ durationMs: SECOND_MS, exitCode: 4 });
  const conditions = [mains({ waitMsMax: MINUTE_MS })];
  const job = await rig.addJob({ rules: [cron('0 9 * * *')], conditions, policies: { retry } });
  await rig.advanceTo('2026-05-04T09:00:30Z');
  rig.surroundings.states.set('mains', 'unmet');
  await rig.advanceTo('2026-05-04T09:02:05Z');
  expect(await rig.runs(job.id)).toMatchObject([
    { outcome: 'failed', reason: 'condition_not_met', exitCode: 4, attemptCount: 1 },
  ]);
});

test('while nothing can be saved the run waits, and goes on by itself (H-61)', async () => {
  const rig = await Rig.started();
  rig.surroundings.states.set('mains', 'unmet');
  const job = await rig.addJob({ rules: [cron('0 9 * * *')], conditions: [mains()] });
  await rig.advanceTo('2026-05-04T09:10Z');
  rig.storeError = new StoreError('full', 'The disk is full.');
  met(rig, 'mains');
  await rig.time.advance(MINUTE_MS);
  expect(rig.processes.spawned).toEqual([]);
  expect((await rig.engine.status()).problem).toContain('disk is full');
  rig.storeError = null;
  await rig.time.advance(MINUTE_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ outcome: 'succeeded', waits: [{ end: 'met' }] }]);
});
