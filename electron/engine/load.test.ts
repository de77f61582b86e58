/** Many jobs at once: few transactions for all that is due in one tick, and steps that do not grow with what is not due. */

import { expect, test } from 'vitest';
import { JOBS_MAX } from '../../shared/model/job';
import { MINUTE_MS } from '../../shared/time';
import { countingIds } from '../testing/doubles';
import { cron, draftOf, instant, Rig, unwrap } from '../testing/rig';
import { newJob } from './jobDefinitions';

const STEP_MS_MAX = 50;

/** A started rig with that many jobs, put into the store in one transaction. */
async function crowd(count: number, expressionOf: (index: number) => string): Promise<Rig> {
  // Off the minute, so that no renewal of the lease falls on a due time.
  const rig = new Rig({ startAt: '2026-05-04T07:58:10Z' });
  const counting = countingIds();
  const ids = { next: () => counting.next().replace('-7000-', '-7001-') };
  await rig.store.transact(async (writer) => {
    for (let index = 0; index < count; index += 1) {
      const draft = draftOf({ name: `Job ${index}`, rules: [cron(expressionOf(index))] });
      const now = rig.time.clock.now();
      await writer.jobs.insert(unwrap(newJob(draft, { ids, hostZone: 'UTC', now })));
    }
  });
  await rig.engine.start();
  return rig;
}

/** Counts the transactions from now on. */
function watchTransactions(rig: Rig): { count: number } {
  const watched = { count: 0 };
  const { read, transact, close } = rig.store;
  rig.store = {
    read,
    close,
    transact: (work) => {
      watched.count += 1;
      return transact(work);
    },
  };
  return watched;
}

test('a thousand schedules due in one tick are decided in a few transactions (S2)', async () => {
  const rig = await crowd(1_000, () => '0 9 * * *');
  rig.processes.script = () => ({ durationMs: null });
  await rig.advanceTo('2026-05-04T08:59:59.999Z');
  const watched = watchTransactions(rig);
  await rig.time.advance(1);
  // The decisions, of 64 jobs at first and then of up to 256, and for each of the four places its start and its process.
  expect(watched.count).toBe(6 + 4 + 4);
  const active = await rig.store.read((reader) => reader.runs.active());
  expect(active).toHaveLength(1_000);
  expect(active.filter(({ state }) => state === 'running')).toHaveLength(4);
  expect(active.every(({ plannedAt }) => plannedAt === instant('2026-05-04T09:00Z'))).toBe(true);
});

test('with 4,096 jobs a step stays well under 50 ms, whether or not something is due (T2)', async () => {
  const rig = await crowd(JOBS_MAX, (index) => `${index % 60} ${Math.floor(index / 60) % 24} * * *`);
  const asked: number[] = [];
  for (let minute = 0; minute < 30; minute += 1) {
    const began = performance.now();
    await rig.time.advance(MINUTE_MS / 2);
    asked.push(performance.now() - began);
    await rig.time.advance(MINUTE_MS / 2);
  }
  const median = asked.sort((a, b) => a - b)[Math.floor(asked.length / 2)] ?? 0;
  expect(median).toBeLessThan(STEP_MS_MAX);
});
