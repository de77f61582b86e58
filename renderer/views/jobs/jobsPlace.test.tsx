import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { fail } from '../../../shared/result';
import { MINUTE_MS, toInstant } from '../../../shared/time';
import type { FakeEngine } from '../../fakeEngine';
import { NOW } from '../../testEngine';
import { listedJobs, openWindow } from '../../testWindow';

const threeJobs = (engine: FakeEngine): void => {
  for (const name of ['Alpha', 'Beta', 'Gamma'])
    engine.addJob({ job: { name, tags: [name === 'Beta' ? 'Work' : 'Home'] } });
};

const selectedRow = async (): Promise<HTMLElement> => {
  const grid = await screen.findByRole('grid', { name: 'Jobs' });
  return within(grid).getByRole('row', { selected: true });
};

test('with no jobs the window helps to make the first one', async () => {
  const { user } = await openWindow();
  expect(await screen.findByText('Nothing is scheduled yet.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Ping a server every 5 minutes' }));
  const name = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' });
  expect(name.value).toBe('Ping a server');
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Cron expression' }).value).toBe(
    '*/5 * * * *',
  );
});

test('the list tells name, schedule, past and next of each job, and how many there are', async () => {
  await openWindow({
    fill: (engine) => {
      const next = { code: 'due' as const, at: toInstant(NOW + 26 * MINUTE_MS + 5_000) };
      engine.addJob({
        job: { name: 'Back up notes' },
        row: { scheduleShort: 'Every day at 13:00', next, spark: 's5s5f0', state: 'failed' },
      });
    },
  });
  const grid = await screen.findByRole('grid', { name: 'Jobs' });
  expect(grid.getAttribute('aria-rowcount')).toBe('2');
  const row = within(grid).getByRole('row', { name: /Back up notes/ });
  expect(within(row).getByRole('img', { name: 'Failed' })).toBeTruthy();
  expect(within(row).getByText('Every day at 13:00')).toBeTruthy();
  expect(within(row).getByText('in 26 min')).toBeTruthy();
  expect(within(row).getByText(/^in 26 minutes, \d\d:40$/)).toBeTruthy();
  expect(
    within(row).getByRole('img', { name: 'Last 3 runs: 2 succeeded and 1 failed; last one failed' }),
  ).toBeTruthy();
});

test('of 4,096 jobs only the rows in view are in the page, and all are counted', async () => {
  await openWindow({
    fill: (engine) => {
      for (let number = 0; number < 4_096; number += 1) engine.addJob({ job: { name: `Job ${number}` } });
    },
  });
  const grid = await screen.findByRole('grid', { name: 'Jobs' });
  expect(grid.getAttribute('aria-rowcount')).toBe('4097');
  expect(within(grid).getAllByRole('row').length).toBeLessThan(60);
  expect(screen.getByRole('banner').textContent).toContain('4,096');
});

test('the keyboard moves the selection, and the selected row is the only tab stop', async () => {
  const { user, stores } = await openWindow({ fill: threeJobs });
  await waitFor(async () => expect((await selectedRow()).textContent).toContain('Alpha'));
  (await selectedRow()).focus();
  await user.keyboard('{ArrowDown}');
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Beta'));
  await user.keyboard('j');
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Gamma'));
  const stops = within(screen.getByRole('grid', { name: 'Jobs' }))
    .getAllByRole('row')
    .filter((row) => row.tabIndex === 0);
  expect(stops).toHaveLength(1);
  expect(stops[0]).toBe(await selectedRow());
  expect(stores.place.getState().selectedId).toBe(stops[0]?.getAttribute('data-job'));
});

test('typing in the filter narrows the list, and a sidebar view does the same with a token', async () => {
  const { user } = await openWindow({ fill: threeJobs });
  await screen.findByRole('grid', { name: 'Jobs' });
  const filter = screen.getByRole('searchbox', { name: 'Filter jobs' });
  await user.type(filter, 'gam');
  await waitFor(() => expect(listedJobs()).toEqual(['Gamma']));
  await user.clear(filter);
  await user.click(screen.getByRole('button', { name: /^Work/ }));
  expect((filter as HTMLInputElement).value).toBe('tag:Work');
  await waitFor(() => expect(listedJobs()).toEqual(['Beta']));
});

test('a filter that finds nothing says so and can be cleared', async () => {
  const { user } = await openWindow({ fill: threeJobs });
  await screen.findByRole('grid', { name: 'Jobs' });
  await user.type(screen.getByRole('searchbox', { name: 'Filter jobs' }), 'state:failed');
  await screen.findByText('No job matches state:failed.');
  const [clear] = screen.getAllByRole('button', { name: 'Clear filter' }).slice(-1);
  if (clear !== undefined) await user.click(clear);
  await waitFor(() => expect(listedJobs()).toHaveLength(3));
});

test('an unknown token is named and searched for as text', async () => {
  const { user } = await openWindow({ fill: threeJobs });
  await screen.findByRole('grid', { name: 'Jobs' });
  await user.type(screen.getByRole('searchbox', { name: 'Filter jobs' }), 'foo:x');
  expect(await screen.findByText('No filter called “foo:”. Searching for the text instead.')).toBeTruthy();
});

test('R runs the selected job; while it runs, R asks what to do instead of refusing', async () => {
  const { user, engine } = await openWindow({ fill: threeJobs });
  (await selectedRow()).focus();
  await user.keyboard('r');
  await waitFor(() => expect(engine.bridge.inputsOf('runs.start')).toHaveLength(1));
  await user.keyboard('r');
  const dialog = await screen.findByRole('alertdialog', { name: '“Alpha” is running. Run it again?' });
  expect(within(dialog).queryByRole('button', { name: 'Beside this run' })).toBeNull();
  await user.click(within(dialog).getByRole('button', { name: 'After this run' }));
  await waitFor(() =>
    expect(engine.bridge.inputsOf('runs.start').at(-1)).toMatchObject({ ifActive: 'queue' }),
  );
});

test('stop asks first, says what will happen, and keeps running on Escape', async () => {
  const { user, engine } = await openWindow({ fill: threeJobs });
  (await selectedRow()).focus();
  await user.keyboard('r');
  await user.click(await screen.findByRole('button', { name: 'Stop' }));
  const dialog = await screen.findByRole('alertdialog', { name: 'Stop “Alpha”?' });
  expect(dialog.textContent).toContain('It gets 5 s to finish, then it is killed.');
  await user.keyboard('{Escape}');
  expect(engine.bridge.inputsOf('runs.stop')).toEqual([]);
  await user.click(await screen.findByRole('button', { name: 'Stop' }));
  await user.click(await screen.findByRole('button', { name: 'Stop run' }));
  await waitFor(() => expect(engine.bridge.inputsOf('runs.stop')).toHaveLength(1));
});

test('delete needs no confirmation, the next row is selected, and undo brings the job back', async () => {
  const { user } = await openWindow({ fill: threeJobs });
  (await selectedRow()).focus();
  await user.keyboard('{ArrowDown}');
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Beta'));
  await user.keyboard('{Delete}');
  await waitFor(() => expect(listedJobs()).toEqual(['Alpha', 'Gamma']));
  expect((await selectedRow()).textContent).toContain('Gamma');
  const toast = screen.getByRole('region', { name: 'Notices' });
  expect(toast.textContent).toContain('Deleted “Beta”');
  await user.click(within(toast).getByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(listedJobs()).toContain('Beta'));
});

test('the undo key works after the toast has gone', async () => {
  const { user, stores } = await openWindow({ fill: threeJobs });
  (await selectedRow()).focus();
  await user.keyboard('{Delete}');
  await waitFor(() => expect(listedJobs()).toHaveLength(2));
  act(() => stores.notices.getState().dismiss());
  await user.keyboard('{Control>}z{/Control}');
  await waitFor(() => expect(listedJobs()).toHaveLength(3));
});

test('deleting a job that runs asks whether to stop it too', async () => {
  const { user, engine } = await openWindow({ fill: threeJobs });
  (await selectedRow()).focus();
  await user.keyboard('r');
  await screen.findByRole('button', { name: 'Stop' });
  await user.keyboard('{Delete}');
  await user.click(await screen.findByRole('button', { name: 'Stop and delete' }));
  await waitFor(() => expect(listedJobs()).not.toContain('Alpha'));
  expect(engine.bridge.inputsOf('jobs.delete').map(({ stopRun }) => stopRun)).toEqual([false, true]);
});

test('P switches a job off and on, and the row says Paused', async () => {
  const { user } = await openWindow({ fill: threeJobs });
  (await selectedRow()).focus();
  await user.keyboard('p');
  await waitFor(async () => expect((await selectedRow()).textContent).toContain('Paused'));
  await user.keyboard('p');
  await waitFor(async () => expect((await selectedRow()).textContent).toContain('By hand'));
});

test('the context menu offers what can be done to the row it was opened on', async () => {
  const { user } = await openWindow({ fill: threeJobs });
  const grid = await screen.findByRole('grid', { name: 'Jobs' });
  await user.pointer({ keys: '[MouseRight]', target: within(grid).getByRole('row', { name: /Gamma/ }) });
  const menu = await screen.findByRole('menu', { name: 'Actions' });
  for (const name of ['Run now', 'Edit', 'Switch off', 'Duplicate', 'Copy ID', 'Delete']) {
    expect(within(menu).getByRole('menuitem', { name }), name).toBeTruthy();
  }
  await user.click(within(menu).getByRole('menuitem', { name: 'Duplicate' }));
  await waitFor(() => expect(listedJobs()).toContain('Copy of Gamma'));
});

test('a new order waits while somebody is in the list', async () => {
  const { user, engine } = await openWindow({ fill: threeJobs });
  (await selectedRow()).focus();
  const gamma = [...engine.jobs.keys()].at(-1);
  if (gamma === undefined) return;
  act(() => engine.changeRow(gamma, { state: 'failed' }));
  await screen.findByText('Order changed.');
  expect(listedJobs()).toEqual(['Alpha', 'Beta', 'Gamma']);
  await user.click(screen.getByRole('button', { name: 'Refresh' }));
  await waitFor(() => expect(listedJobs()).toEqual(['Gamma', 'Alpha', 'Beta']));
});

test('the list that cannot be loaded says that jobs go on, and can be tried again', async () => {
  const { user, engine } = await openWindow({
    fill: (fake) => {
      threeJobs(fake);
      fake.bridge.script('jobs.list', () => fail('internal', 'Something went wrong inside Belfry.'));
    },
  });
  expect(await screen.findByText('The list of jobs could not be loaded.')).toBeTruthy();
  expect(screen.getByText(/Your jobs keep running\./)).toBeTruthy();
  engine.bridge.script('jobs.list', null);
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(listedJobs()).toHaveLength(3));
});

test('the engine is told once that real content is on screen', async () => {
  const { engine } = await openWindow({ fill: threeJobs });
  await waitFor(() => expect(engine.bridge.inputsOf('window.drawn')).toHaveLength(1));
  act(() => engine.bridge.announce('jobs.changed', { jobId: null }));
  expect(engine.bridge.inputsOf('window.drawn')).toHaveLength(1);
});

test('narrow: Enter opens the job over the list, and Escape comes back to its row', async () => {
  const { user } = await openWindow({ width: 720, fill: threeJobs });
  (await selectedRow()).focus();
  await user.keyboard('{ArrowDown}{Enter}');
  const detail = await screen.findByRole('complementary', { name: 'Beta' });
  await user.click(within(detail).getByRole('tab', { name: 'Overview' }));
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('complementary')).toBeNull());
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Beta'));
});

test('a click goes to the row under it although the order has changed meanwhile', async () => {
  const { user, engine } = await openWindow({ fill: threeJobs });
  (await selectedRow()).focus();
  const [, , gamma] = [...engine.jobs.keys()];
  if (gamma === undefined) return;
  act(() => engine.changeRow(gamma, { state: 'failed' }));
  await screen.findByText('Order changed.');
  const grid = screen.getByRole('grid', { name: 'Jobs' });
  const beta = within(grid).getByRole('row', { name: /Beta/ });
  await user.pointer({ keys: '[MouseLeft>]', target: beta });
  expect(listedJobs()).toEqual(['Alpha', 'Beta', 'Gamma']);
  expect(document.activeElement).toBe(beta);
  expect((await selectedRow()).textContent).toContain('Beta');
  await user.pointer([{ keys: '[/MouseLeft]', target: beta }, { target: document.body }]);
  expect(listedJobs()).toEqual(['Alpha', 'Beta', 'Gamma']);
  await user.keyboard('{Delete}');
  await waitFor(() => expect(listedJobs()).not.toContain('Beta'));
});

test('a key acts on the row with the focus, even if another one is selected', async () => {
  const { user, stores, engine } = await openWindow({ fill: threeJobs });
  const grid = await screen.findByRole('grid', { name: 'Jobs' });
  const [alpha] = [...engine.jobs.keys()];
  await selectedRow();
  within(grid).getByRole('row', { name: /Gamma/ }).focus();
  expect(stores.place.getState().selectedId).toBe(alpha);
  await user.keyboard('{Delete}');
  await waitFor(() => expect(listedJobs()).toEqual(['Alpha', 'Beta']));
});

test('a copy is selected and has the focus, so that Delete does not meet the original', async () => {
  const { user } = await openWindow({ fill: threeJobs });
  (await selectedRow()).focus();
  await user.keyboard('{Control>}d{/Control}');
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Copy of Alpha'));
  expect((await selectedRow()).textContent).toContain('Copy of Alpha');
  await user.keyboard('{Delete}');
  await waitFor(() => expect(listedJobs()).toEqual(['Alpha', 'Beta', 'Gamma']));
});

test('a job that was brought back is selected and has the focus', async () => {
  const { user } = await openWindow({ fill: threeJobs });
  (await selectedRow()).focus();
  await user.keyboard('{ArrowDown}');
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Beta'));
  await user.keyboard('{Delete}');
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Gamma'));
  await user.keyboard('{Control>}z{/Control}');
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Beta'));
  expect((await selectedRow()).textContent).toContain('Beta');
});

test('a new job is selected and has the focus once it is saved', async () => {
  const { user } = await openWindow({ fill: threeJobs });
  await selectedRow();
  await user.keyboard('{Control>}n{/Control}');
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Zed');
  await user.type(screen.getByRole('textbox', { name: 'Command' }), 'true');
  await user.type(screen.getByRole('textbox', { name: 'Cron expression' }), '0 13 * * *');
  await user.keyboard('{Control>}s{/Control}');
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Zed'));
  expect((await selectedRow()).textContent).toContain('Zed');
});

test('a job that was selected when the window closed and is gone gives way to one that is there', async () => {
  const selectedId = '00000000-0000-4000-8000-00000000dead';
  await openWindow({ fill: threeJobs, remembered: JSON.stringify({ selectedId }) });
  await waitFor(async () => expect((await selectedRow()).textContent).toContain('Alpha'));
});

test('N makes a job on the empty page and from the detail too, but not while a filter is typed', async () => {
  const empty = await openWindow();
  await screen.findByText('Nothing is scheduled yet.');
  await empty.user.keyboard('n');
  expect(await screen.findByRole('textbox', { name: 'Name' })).toBeTruthy();

  const { user } = await openWindow({ fill: threeJobs });
  await user.type(await screen.findByRole('searchbox', { name: 'Filter jobs' }), 'n');
  expect(screen.queryByRole('textbox', { name: 'Name' })).toBeNull();
  const detail = await screen.findByRole('complementary');
  within(detail).getByRole('button', { name: 'Edit' }).focus();
  await user.keyboard('n');
  expect(await screen.findByRole('textbox', { name: 'Name' })).toBeTruthy();
});
