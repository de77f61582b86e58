/** The lease and single values. Part of the contract of the Store port. */

import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../shared/model/settings';
import { BugError } from '../../shared/result';
import { type CurrentStore, fence, gapCounts, leaseOf, minute, takeLease } from './samples';

export function settingContract(current: CurrentStore): void {
  leases(current);
  settings(current);
}

function leases(current: CurrentStore): void {
  describe('the lease', () => {
    const second = { holderId: 'holder-2', epoch: 2 };
    const get = () => current().read((reader) => reader.leases.get());

    test('a lease is taken only if it is still what was read', async () => {
      expect(await get()).toBeNull();
      const taken = await current().transact(async (writer) => [
        await writer.leases.take(leaseOf(fence), { holderId: 'nobody', epoch: 1 }),
        await writer.leases.take(leaseOf(fence), null),
        await writer.leases.take(leaseOf(second), null),
        await writer.leases.take(leaseOf(second), { ...fence, epoch: 9 }),
        await writer.leases.take(leaseOf(second), fence),
      ]);
      expect(taken).toEqual([false, true, false, false, true]);
      expect(await get()).toEqual(leaseOf(second));
    });

    test('only the holder renews and releases', async () => {
      await takeLease(current());
      const done = await current().transact(async (writer) => [
        await writer.leases.renew(second, minute(1)),
        await writer.leases.release(second),
        await writer.leases.renew(fence, minute(2)),
      ]);
      expect(done).toEqual([false, false, true]);
      expect((await get())?.renewedAt).toBe(minute(2));
      expect(await current().transact((writer) => writer.leases.release(fence))).toBe(true);
      expect(await get()).toBeNull();
      expect(await current().transact((writer) => writer.leases.renew(fence, minute(3)))).toBe(false);
    });

    test('the epoch goes on rising after a release (D11)', async () => {
      await takeLease(current());
      await current().transact((writer) => writer.leases.release(fence));
      expect(await current().read((reader) => reader.leases.lastEpoch())).toBe(1);
      const again = current().transact((writer) => writer.leases.take(leaseOf(fence), null));
      await expect(again).rejects.toBeInstanceOf(BugError);
      expect(await current().transact((writer) => writer.leases.take(leaseOf(second), null))).toBe(true);
    });
  });
}

function settings(current: CurrentStore): void {
  describe('settings and gaps', () => {
    test('single values have a first value and keep what they are set to', async () => {
      const values = () =>
        current().read(async ({ settings }) => [
          await settings.preferences(),
          await settings.aliveAt(),
          await settings.nodeId(),
        ]);
      expect(await values()).toEqual([defaultSettings, null, null]);
      await current().transact(async ({ settings }) => {
        await settings.setPreferences({ ...defaultSettings, theme: 'dark' });
        await settings.setAliveAt(minute(2));
        await settings.setNodeId('node');
      });
      expect(await values()).toEqual([{ ...defaultSettings, theme: 'dark' }, minute(2), 'node']);
    });

    test('the id of an installation never changes', async () => {
      await current().transact(({ settings }) => settings.setNodeId('node'));
      await current().transact(({ settings }) => settings.setNodeId('node'));
      const change = current().transact(({ settings }) => settings.setNodeId('other'));
      await expect(change).rejects.toBeInstanceOf(BugError);
    });

    test('gaps of one cause that overlap are stored once, with the sum of what was caught up', async () => {
      const last = () => current().read((reader) => reader.settings.lastGap());
      expect(await last()).toBeNull();
      await current().transact(async ({ settings }) => {
        await settings.insertGap({ cause: 'not_running', from: minute(0), to: minute(1) }, gapCounts(9));
        await settings.insertGap({ cause: 'asleep', from: minute(10), to: minute(12) }, gapCounts(2));
        await settings.insertGap({ cause: 'asleep', from: minute(11), to: minute(30) }, gapCounts(1));
        await settings.insertGap({ cause: 'asleep', from: minute(11), to: minute(30) }, gapCounts(0));
      });
      const expected = { cause: 'asleep', from: minute(10), to: minute(30), ...gapCounts(3) };
      expect(await last()).toEqual(expected);
    });

    test('a gap of another cause keeps only what no earlier one explains', async () => {
      const gaps = () =>
        current().read((reader) =>
          reader.settings.gapsBetween({ after: minute(-1), until: minute(99), max: 9 }),
        );
      await current().transact(async ({ settings }) => {
        await settings.insertGap({ cause: 'asleep', from: minute(10), to: minute(20) }, gapCounts(0));
        await settings.insertGap({ cause: 'off', from: minute(30), to: minute(40) }, gapCounts(0));
        await settings.insertGap({ cause: 'not_running', from: minute(5), to: minute(50) }, gapCounts(4));
        await settings.insertGap({ cause: 'off', from: minute(12), to: minute(18) }, gapCounts(1));
      });
      expect((await gaps()).map(({ cause, from, to }) => [cause, from, to])).toEqual([
        ['not_running', minute(5), minute(10)],
        ['asleep', minute(10), minute(20)],
        ['not_running', minute(20), minute(30)],
        ['off', minute(30), minute(40)],
        ['not_running', minute(40), minute(50)],
      ]);
      expect(await current().read((reader) => reader.settings.lastGap())).toMatchObject(gapCounts(4));
    });
  });
}
