/** What the window does when another process ends, and when another store lies under it than before. */
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { RequestName } from '../shared/ipc/contract';
import type { EngineState } from '../shared/model/settings';
import { ok } from '../shared/result';
import type { FakeEngine } from './fakeEngine';
import { openWindow } from './testWindow';

const SENTENCE = 'Belfry is running your jobs now: the other process has ended.';

async function become(engine: FakeEngine, state: EngineState): Promise<void> {
  const reply = await engine.bridge.request('engine.status', undefined);
  if (!reply.ok) throw new Error(reply.error.message);
  const { value } = reply;
  engine.bridge.script('engine.status', () => ok({ ...value, state }));
  engine.bridge.announce('status.changed', {});
}

test('says that it runs the jobs now when the other process has ended by itself (H-35)', async () => {
  const { engine, stores } = await openWindow();
  await become(engine, 'standby');
  await waitFor(() => expect(stores.status.getState().status?.state).toBe('standby'));
  expect(stores.notices.getState().toast).toBeNull();
  await become(engine, 'running');
  expect((await screen.findAllByText(SENTENCE)).length).toBeGreaterThan(0);
});

test('says no such thing when it was the user who took over', async () => {
  const { engine, stores } = await openWindow();
  await become(engine, 'standby');
  await waitFor(() => expect(stores.status.getState().status?.state).toBe('standby'));
  let answer = (): void => undefined;
  const later = new Promise<void>((resolve) => {
    answer = resolve;
  });
  engine.bridge.script('engine.takeOver', async () => {
    await later;
    return engine.bridge.request('engine.status', undefined);
  });
  const taken = stores.status.getState().takeOver();
  // The engine announces it before it answers.
  await become(engine, 'running');
  await waitFor(() => expect(stores.status.getState().status?.state).toBe('running'));
  answer();
  await taken;
  expect(stores.notices.getState().toast).toBeNull();
});

test('when another store lies there, everything that is shown is asked for again (H-02)', async () => {
  const { engine, stores } = await openWindow({ fill: (made) => void made.addRun(made.addJob()) });
  const [jobId] = engine.jobs.keys();
  if (jobId === undefined) throw new Error('there is a job');
  stores.job.getState().open(jobId);
  stores.history.getState().open(jobId);
  stores.data.getState().open();
  await stores.editor.getState().openJob(jobId);
  stores.editor.getState().edit('name', (form) => ({ ...form, name: 'Typed' }));
  await waitFor(() => expect(stores.data.getState().facts).not.toBeNull());
  await waitFor(() => expect(stores.history.getState().entries).toHaveLength(1));

  const asked: readonly RequestName[] = [
    ...(['jobs.list', 'jobs.get', 'runs.history', 'settings.get', 'pauses.list'] as const),
    ...(['data.get', 'backups.list', 'rescue.get', 'engine.status'] as const),
  ];
  const countOf = (name: RequestName): number => engine.bridge.inputsOf(name).length;
  const before = new Map(asked.map((name) => [name, countOf(name)]));
  engine.jobs.clear();
  engine.bridge.announce('jobs.changed', { jobId: null });
  engine.bridge.announce('status.changed', {});
  engine.bridge.announce('data.changed', {});
  await waitFor(() => expect(asked.filter((name) => countOf(name) === before.get(name))).toEqual([]));
  await waitFor(() => expect(stores.jobs.getState().rows).toEqual([]));
  await waitFor(() => expect(stores.history.getState().entries).toEqual([]));
  // What was typed stays, and saving makes the job anew.
  await waitFor(() => expect(stores.editor.getState().isDeleted).toBe(true));
  expect(stores.editor.getState().form.name).toBe('Typed');
});
