import { expect, test, vi } from 'vitest';
import { fail } from '../../shared/result';
import { fakeBackup } from '../fakeData';
import { createTestEngine, NOW, SEEN } from '../testEngine';
import { createDataStore } from './data';
import { createSettingsStore } from './settings';

test('nothing is measured before somebody looks, nor afterwards', async () => {
  const engine = createTestEngine();
  const store = createDataStore(engine.bridge, SEEN);
  engine.bridge.announce('data.changed', {});
  expect(engine.bridge.inputsOf('data.get')).toEqual([]);
  store.getState().open();
  await vi.waitFor(() => expect(store.getState().facts?.runCount).toBe(1_004_218));
  store.getState().close();
  const asked = engine.bridge.inputsOf('data.get').length;
  engine.bridge.announce('data.changed', {});
  expect(engine.bridge.inputsOf('data.get')).toHaveLength(asked);
});

test('putting a copy back ends with a report, and a refusal with its sentence', async () => {
  const engine = createTestEngine();
  engine.disk.backups = [fakeBackup(NOW)];
  const store = createDataStore(engine.bridge, SEEN);
  const id = fakeBackup(NOW).id;
  engine.bridge.script('backups.restore', () => fail('conflict', 'Another process runs the jobs.'));
  expect(await store.getState().restore(id)).toMatchObject({ ok: false });
  expect(store.getState().report).toBeNull();
  engine.bridge.script('backups.restore', null);
  await store.getState().restore(id);
  expect(store.getState()).toMatchObject({ task: null, report: { choice: 'restore' } });
});

test('settings are asked for again when another store may lie there', async () => {
  const engine = createTestEngine();
  const store = createSettingsStore(engine.bridge, SEEN);
  await vi.waitFor(() => expect(store.getState().isKnown).toBe(true));
  engine.settings = { ...engine.settings, theme: 'dark' };
  engine.bridge.announce('data.changed', {});
  await vi.waitFor(() => expect(store.getState().settings.theme).toBe('dark'));
});
