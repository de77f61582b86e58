/**
 * Goal: there is no call at which a death does harm. Method: the same minutes are lived again and again; the first time the engine
 * dies at its first call of the store, the next time at the second, and so on until it lives to the end. Each time another
 * engine takes up what is left, and the rules must hold.
 */

import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import type { DeathPlan } from './incarnation';
import { brokenRules, brokenRunning, brokenSpawns } from './invariants';
import { cron, draftOf, Rig, settle } from './rig';

const CALLS_MAX = 200;
const TIMINGS = { renewMs: 2 * MINUTE_MS, staleMs: HOUR_MS, watchMs: HOUR_MS };

type Step = { readonly asks: (rig: Rig) => Promise<unknown> } | { readonly waitsMs: number };

/** Some minutes with a job that is made, runs, is stopped, edited, and runs again; ended by a clean stop. */
const story: readonly Step[] = [
  { asks: ({ engine }) => engine.start() },
  { asks: ({ engine }) => engine.saveJob({ draft: draftOf({ rules: [cron('* * * * *')] }) }) },
  { waitsMs: 100 * SECOND_MS },
  {
    asks: async ({ engine, store }) => {
      const [job] = await store.read((reader) => reader.jobs.list());
      if (job !== undefined) await engine.startRun(job.id, 'manual');
    },
  },
  { waitsMs: SECOND_MS },
  {
    asks: async ({ engine, store }) => {
      const [run] = await store.read((reader) => reader.runs.active());
      if (run !== undefined) await engine.stopRun(run.id);
    },
  },
  {
    asks: async ({ engine, store }) => {
      const [job] = await store.read((reader) => reader.jobs.list());
      if (job === undefined) return;
      await engine.setEnabled({ jobId: job.id, isEnabled: false });
      await engine.setEnabled({ jobId: job.id, isEnabled: true });
    },
  },
  { waitsMs: 80 * SECOND_MS },
  { asks: ({ engine }) => engine.stop({ runs: 'leave' }) },
];

/** Lives through the story, or to the death of the engine: a request to it is never answered then. */
async function live(rig: Rig): Promise<void> {
  for (const step of story) {
    if ('waitsMs' in step) await rig.time.advance(step.waitsMs);
    else await Promise.race([step.asks(rig), rig.incarnation.died]);
    if (rig.incarnation.isDead) return;
  }
}

const ports: readonly DeathPlan['port'][] = ['store', 'runner'];
const cases = ports.flatMap((port) => (['before', 'after'] as const).map((when) => ({ port, when })));

test.each(cases)(
  'dying at any call of the $port, $when it takes effect, does no harm',
  async ({ port, when }) => {
    let deathCount = 0;
    for (let call = 1; call <= CALLS_MAX; call += 1) {
      const rig = new Rig({ timings: TIMINGS });
      rig.processes.script = () => ({ durationMs: 20 * SECOND_MS });
      rig.incarnation.dieAt({ port, call, when });
      await live(rig);
      if (!rig.incarnation.isDead) break;
      deathCount += 1;
      rig.kill();
      await settle();
      await rig.time.advance(MINUTE_MS);
      await rig.renew().start();
      await rig.time.advance(3 * MINUTE_MS);
      const broken = [
        ...brokenRules(rig.database),
        ...brokenSpawns(rig.database, rig.processes),
        ...brokenRunning(rig.database, rig.processes),
      ];
      expect(broken, `call ${call}`).toEqual([]);
      const spawned = rig.processes.spawned.map(({ runId }) => runId);
      expect(new Set(spawned).size, `call ${call}`).toBe(spawned.length);
    }
    expect(deathCount).toBeGreaterThan(port === 'store' ? 30 : 3);
    expect(deathCount).toBeLessThan(CALLS_MAX);
  },
);
