/** The moments between two roles: what is written first, what is looked at again after a wait, and what a look may not do. */

import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import { StoreError } from '../core/storeError';
import { LEASE_TIMINGS_DEFAULT } from '../core/timings';
import { cron, instant, Rig, settle } from '../testing/rig';

const timings = LEASE_TIMINGS_DEFAULT;
const lease = (rig: Rig) => rig.store.read((reader) => reader.leases.get());
const stateOf = async (engine: Rig['engine']) => (await engine.status()).state;

/** Holds every transaction of a rig's store from now on until `open` is called. */
function holdTransactions(rig: Rig): { readonly open: () => void; readonly waiting: () => number } {
  const { store } = rig;
  let waiting = 0;
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  rig.store = {
    read: (work) => store.read(work),
    close: () => store.close(),
    transact: async (work) => {
      waiting += 1;
      await opened;
      return store.transact(work);
    },
  };
  return { open, waiting: () => waiting };
}

test('whoever writes the lease first leads, whatever the names: no order among processes is needed (H-11, H-18)', async () => {
  for (const isOtherFirst of [false, true]) {
    const rig = new Rig({ timings });
    const other = rig.beside();
    const [first, second] = isOtherFirst ? [other.engine, rig.engine] : [rig.engine, other.engine];
    await first.start();
    await second.start();
    expect([await stateOf(first), await stateOf(second)]).toEqual(['running', 'standby']);
    // One machine, one name, kept in the store; the processes differ by pid and start.
    expect(await lease(rig)).toMatchObject({ nodeId: 'node-1', pid: (isOtherFirst ? other : rig).host.pid });
  }
});

test('a stop that comes while the lease is being written leaves nothing that renews and nothing that fires (H-23)', async () => {
  const rig = new Rig({ timings });
  const gate = holdTransactions(rig);
  const starting = rig.engine.start();
  await settle();
  expect(gate.waiting()).toBe(1);
  const stopping = rig.engine.stop({ runs: 'leave' });
  gate.open();
  await Promise.all([starting, stopping]);
  expect(await lease(rig)).toBeNull();
  expect(rig.time.pendingCount()).toBe(0);
});

test('what is due next is known before anything that was missed has run (H-25)', async () => {
  const rig = await Rig.started();
  const daily = await rig.addJob({ name: 'missed', rules: [cron('0 8 * * *')] });
  await rig.addJob({ name: 'to come', rules: [cron('30 9 * * *')] });
  rig.processes.script = () => ({ durationMs: HOUR_MS });
  await rig.engine.stop({ runs: 'leave' });
  await rig.advanceTo('2026-05-04T09:00Z');
  await rig.renew().start();
  await settle();
  expect(await rig.runs(daily.id)).toMatchObject([{ state: 'running', trigger: 'catch_up' }]);
  expect((await rig.engine.status()).next).toMatchObject({
    at: instant('2026-05-04T09:30Z'),
    jobName: 'to come',
  });
});

test('renewals never change since when a lease is held, not even after one that could not be read (H-27)', async () => {
  const rig = await Rig.started({ timings });
  const takenAt = (await lease(rig))?.takenAt;
  rig.storeError = new StoreError('busy', 'Somebody else is writing.');
  await rig.time.advance(6 * SECOND_MS);
  rig.storeError = null;
  await rig.time.advance(30 * SECOND_MS);
  const renewed = await lease(rig);
  expect(renewed).toMatchObject({ takenAt, epoch: 1 });
  expect(renewed?.renewedAt).toBeGreaterThan((takenAt ?? 0) + 20 * SECOND_MS);
});

test('a due time whose timer got lost is met at the next look, thirty seconds later at most (H-30)', async () => {
  const rig = await Rig.started();
  const job = await rig.addJob({ rules: [cron('0 8 * * *')] });
  // The wall clock jumps over the due time and no event tells of it.
  rig.time.jump(2 * MINUTE_MS + 5 * SECOND_MS);
  await rig.time.advance(30 * SECOND_MS);
  expect(await rig.runs(job.id)).toMatchObject([{ plannedAt: instant('2026-05-04T08:00Z') }]);
});

test('one look that shows life puts the waiting for a takeover back to its beginning (H-32)', async () => {
  const rig = await Rig.started({ timings });
  const other = rig.beside();
  await other.engine.start();
  // The holder stands still for almost the whole threshold, renews once, and stands still again.
  rig.incarnation.freeze();
  await rig.time.advance(timings.staleMs - timings.watchMs);
  rig.incarnation.thaw();
  await rig.time.advance(timings.renewMs);
  rig.incarnation.freeze();
  await rig.time.advance(timings.staleMs - timings.watchMs);
  expect(await stateOf(other.engine)).toBe('standby');
  await rig.time.advance(3 * timings.watchMs);
  expect(await stateOf(other.engine)).toBe('running');
});

test('two looks under way at once end in one takeover (H-34)', async () => {
  const rig = await Rig.started({ timings });
  const others = [rig.beside(), rig.beside()];
  for (const { engine } of others) await engine.start();
  rig.kill();
  for (const { engine } of others) for (const _ of [1, 2]) engine.notifyResume();
  await settle();
  const states = await Promise.all(others.map(({ engine }) => stateOf(engine)));
  expect(states.sort()).toEqual(['running', 'standby']);
  expect(await lease(rig)).toMatchObject({ epoch: 2 });
});
