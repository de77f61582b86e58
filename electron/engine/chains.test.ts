/** Jobs that run after others: owed in the transaction of the cause, so that a crash between any two steps loses nothing. */

import { expect, test } from 'vitest';
import type { Job } from '../../shared/model/job';
import { defaultRetry } from '../../shared/model/policies';
import type { AfterJobRule } from '../../shared/model/schedule';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import type { Script } from '../testing/doubles';
import { cron, instant, type JobFacts, Rig, settle, unwrap } from '../testing/rig';

/** A job due at 09:00, and one that runs after it. */
async function chained(
  on: AfterJobRule['on'],
  script: Script,
  facts: JobFacts = {},
): Promise<{ rig: Rig; first: Job; second: Job }> {
  const rig = await Rig.started();
  const first = await rig.addJob({ name: 'First', rules: [cron('0 9 * * *')], ...facts });
  const second = await rig.addJob({ name: 'Second', rules: [{ kind: 'after_job', jobId: first.id, on }] });
  rig.processes.script = ({ jobId }) => (jobId === first.id ? script : { durationMs: SECOND_MS });
  return { rig, first, second };
}
const good: Script = { durationMs: 10 * SECOND_MS };
const bad: Script = { durationMs: 10 * SECOND_MS, exitCode: 1 };
const endless: Script = { durationMs: null };
const limited = { policies: { timeoutMs: MINUTE_MS } };

test('a job runs after another, once, for the moment at which that ended', async () => {
  const { rig, second } = await chained('succeeded', good);
  await rig.advanceTo('2026-05-04T09:00:10.500Z');
  expect(await rig.runs(second.id)).toMatchObject([
    { trigger: 'chain', state: 'running', plannedAt: instant('2026-05-04T09:00:10Z') },
  ]);
  await rig.advanceTo('2026-05-04T12:00Z');
  expect(await rig.runs(second.id)).toMatchObject([{ outcome: 'succeeded' }]);
});

test.each([
  ['succeeded', good, {}, 1],
  ['succeeded', bad, {}, 0],
  ['failed', bad, {}, 1],
  ['failed', endless, limited, 1],
  ['failed', good, {}, 0],
  ['ended', good, {}, 1],
  ['ended', bad, {}, 1],
] as const)('after "%s" with %j %j there are %i runs', async (on, script, facts, count) => {
  const { rig, second } = await chained(on, script, facts);
  await rig.advanceTo('2026-05-04T09:10Z');
  expect(await rig.runs(second.id)).toHaveLength(count);
});

test.each([
  ['ended', 1],
  ['failed', 0],
  ['succeeded', 0],
] as const)('a run that was stopped counts for "%s" %i times', async (on, count) => {
  const { rig, first, second } = await chained(on, endless);
  const run = unwrap(await rig.engine.startRun(first.id, 'manual'));
  await settle();
  unwrap(await rig.engine.stopRun(run.id));
  await rig.time.advance(MINUTE_MS);
  expect(await rig.runs(second.id)).toHaveLength(count);
});

test('a test run starts nothing after it', async () => {
  const { rig, first, second } = await chained('ended', good);
  unwrap(await rig.engine.startRun(first.id, 'test'));
  await rig.time.advance(MINUTE_MS);
  expect(await rig.runs(second.id)).toEqual([]);
});

test('an attempt that is followed by another starts nothing, the end of the run does', async () => {
  const { rig, first, second } = await chained('ended', bad, {
    policies: { retry: { ...defaultRetry, countMax: 2, delayMs: 10 * SECOND_MS, growth: 'fixed' } },
  });
  await rig.advanceTo('2026-05-04T09:00:45Z');
  expect(await rig.runs(second.id)).toEqual([]);
  await rig.advanceTo('2026-05-04T09:05Z');
  expect(await rig.runs(first.id)).toMatchObject([{ attemptCount: 3 }]);
  expect(await rig.runs(second.id)).toMatchObject([{ trigger: 'chain' }]);
});

test('a run that waited in vain has failed, one that was skipped for it has not ended', async () => {
  for (const [otherwise, count] of [
    ['fail', 1],
    ['skip', 0],
  ] as const) {
    const { rig, second } = await chained('failed', good, {
      conditions: [{ kind: 'mains', waitMsMax: 0, otherwise }],
    });
    rig.surroundings.states.set('mains', 'unmet');
    await rig.advanceTo('2026-05-04T09:01Z');
    expect(await rig.runs(second.id)).toHaveLength(count);
  }
});

test('a job that is off is owed nothing', async () => {
  const { rig, second } = await chained('ended', good);
  unwrap(await rig.engine.setEnabled({ jobId: second.id, isEnabled: false }));
  await rig.advanceTo('2026-05-04T09:10Z');
  unwrap(await rig.engine.setEnabled({ jobId: second.id, isEnabled: true }));
  await rig.time.advance(HOUR_MS);
  expect(await rig.runs(second.id)).toEqual([]);
});

test('two ends in one millisecond are two occurrences', async () => {
  const rig = await Rig.started();
  const policies = { overlap: { mode: 'allow', countMax: 5 } } as const;
  const first = await rig.addJob({ policies });
  const rules = [{ kind: 'after_job', jobId: first.id, on: 'ended' } as const];
  const second = await rig.addJob({ rules, policies: { overlap: { mode: 'queue_all', countMax: 5 } } });
  rig.processes.script = () => ({ durationMs: SECOND_MS });
  for (let count = 0; count < 2; count += 1) unwrap(await rig.engine.startRun(first.id, 'manual', 'beside'));
  await rig.time.advance(MINUTE_MS);
  const accounted = (await rig.runs(second.id)).reduce((sum, run) => sum + 1 + run.mergedCount, 0);
  expect(accounted).toBe(2);
});

test('the end of an adopted run starts what waits for it', async () => {
  const { rig, second } = await chained('succeeded', good);
  await rig.advanceTo('2026-05-04T09:00:05Z');
  rig.kill();
  await rig.time.advance(20 * SECOND_MS);
  await rig.renew().start();
  await rig.time.advance(MINUTE_MS);
  expect(await rig.runs(second.id)).toMatchObject([{ trigger: 'chain', outcome: 'succeeded' }]);
});

test.each(['before', 'after'] as const)(
  'a death at any call, %s it takes effect, neither loses nor repeats what is owed (D4, S-51)',
  async (when) => {
    let deathCount = 0;
    for (let call = 1; call <= 20; call += 1) {
      const { rig, first, second } = await chained('succeeded', good);
      await rig.advanceTo('2026-05-04T09:00:09.999Z');
      rig.incarnation.dieAt({ port: 'store', call, when });
      await rig.time.advance(10 * SECOND_MS);
      if (rig.incarnation.isDead) deathCount += 1;
      rig.kill();
      await rig.renew().start();
      await rig.time.advance(5 * MINUTE_MS);
      expect(await rig.runs(first.id), `call ${call}`).toMatchObject([{ outcome: 'succeeded' }]);
      expect(await rig.runs(second.id), `call ${call}`).toMatchObject([
        { trigger: 'chain', outcome: 'succeeded' },
      ]);
      expect(rig.processes.spawned, `call ${call}`).toHaveLength(2);
    }
    expect(deathCount).toBeGreaterThan(5);
  },
);
