import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { FakeEngine } from '../../fakeEngine';
import { makeUnreadable } from '../../lookData';
import { openWindow } from '../../testWindow';

const unreadable = (engine: FakeEngine): void => {
  const jobId = engine.addJob({ job: { name: 'Back up notes' } });
  engine.addRun(jobId);
  const one = engine.jobs.get(jobId);
  if (one !== undefined) makeUnreadable(one);
};

test('X-45 a job that cannot be read says what to do, keeps its history, and can be deleted', async () => {
  const { user, engine } = await openWindow({ fill: unreadable });
  const detail = await screen.findByRole('complementary', { name: 'A job that cannot be read' });
  expect(within(detail).getByText('Its stored settings could not be read.')).toBeTruthy();
  expect(within(detail).queryByRole('switch')).toBeNull();
  expect(within(detail).queryByRole('button', { name: /Edit|Run now/ })).toBeNull();
  const history = within(detail).getByRole('region', { name: 'Runs' });
  expect((await within(history).findAllByRole('row')).length).toBeGreaterThan(1);
  expect(within(screen.getByRole('grid', { name: 'Jobs' })).getByText('Unreadable')).toBeTruthy();
  await user.click(within(detail).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(engine.jobs.size).toBe(0));
});

test('X-45 keys that would need its settings change nothing and say why', async () => {
  const { user, engine, stores } = await openWindow({ fill: unreadable });
  const row = within(await screen.findByRole('grid', { name: 'Jobs' })).getAllByRole('row')[1];
  row?.focus();
  await user.keyboard('e');
  expect((await screen.findAllByText(/can neither run nor be changed/)).length).toBeGreaterThan(0);
  await user.keyboard('p');
  await user.keyboard('r');
  expect(stores.place.getState().place).toBe('jobs');
  for (const name of ['jobs.setEnabled', 'runs.start', 'jobs.save'] as const) {
    expect(engine.bridge.inputsOf(name)).toEqual([]);
  }
});
