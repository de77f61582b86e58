import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { MINUTE_MS, toInstant } from '../shared/time';
import { NOW } from './testEngine';
import { openWindow } from './testWindow';

test('the page has its landmarks, one heading of the first level and a title', async () => {
  await openWindow({ fill: (engine) => void engine.addJob({ job: { name: 'Back up notes' } }) });
  for (const role of ['banner', 'navigation', 'main', 'complementary']) {
    expect(await screen.findByRole(role), role).toBeTruthy();
  }
  expect(screen.getAllByRole('heading', { level: 1 }).map((one) => one.textContent)).toEqual(['Jobs']);
  expect(document.title).toBe('Jobs – Belfry');
  expect(screen.getByRole('link', { name: 'Skip to jobs' })).toBeTruthy();
});

test('the heartbeat answers whether it is working, what is next, and when the laptop slept', async () => {
  const { engine } = await openWindow();
  const card = () => screen.getByRole('region', { name: 'Scheduler' });
  await waitFor(() => expect(card().textContent).toContain('Running your jobs'));
  act(() => {
    engine.setStatus({
      jobCount: 2,
      next: { at: toInstant(NOW + MINUTE_MS), jobName: 'Pull', dueCount: 2 },
      lastGap: { cause: 'asleep', from: NOW, to: NOW, caughtUpCount: 2, missedCount: 2, missedJobCount: 2 },
    });
  });
  await waitFor(() => expect(card().textContent).toMatch(/Next \d\d:15 · 2 jobs due/));
  expect(card().textContent).toMatch(/Woke \d\d:14 · 2 caught up/);
});

test('pausing all says what becomes of due times, and can be taken back from the banner', async () => {
  const { user, engine } = await openWindow();
  await user.click(await screen.findByRole('button', { name: 'Pause all jobs' }));
  const banner = await screen.findByText('All jobs are paused.');
  expect(banner.closest('[role="status"]')?.textContent).toContain('Due times are skipped until you resume.');
  await user.click(screen.getByRole('button', { name: 'Resume' }));
  await waitFor(() => expect(screen.queryByText('All jobs are paused.')).toBeNull());
  expect(engine.status.state).toBe('running');
});

test('another process that runs the jobs is named without jargon', async () => {
  const { engine } = await openWindow();
  act(() => void engine.setStatus({ state: 'standby', holder: { pid: 4_121, since: NOW } }));
  expect(
    await screen.findByText(/Another Belfry process is running your jobs \(process 4121, since/),
  ).toBeTruthy();
  expect(screen.queryByText(/leader|lease|follower/i)).toBeNull();
});

test('data that cannot be read takes the place of everything, with the reason', async () => {
  const { engine } = await openWindow();
  act(() => void engine.setStatus({ state: 'store_failed', problem: 'The file failed its check.' }));
  const alert = await screen.findByText('Belfry could not read its data');
  expect(alert.closest('[role="alert"]')?.textContent).toContain('The file failed its check.');
  expect(screen.queryByRole('button', { name: 'New job' })).toBeNull();
});

test('the theme button goes through system, light and dark', async () => {
  const { user, engine } = await openWindow();
  await user.click(await screen.findByRole('button', { name: 'Theme: system' }));
  await user.click(await screen.findByRole('button', { name: 'Theme: light' }));
  await waitFor(() => expect(document.documentElement.dataset.theme).toBe('dark'));
  expect(engine.settings.theme).toBe('dark');
});

test('F6 goes from region to region', async () => {
  const { user } = await openWindow({ fill: (engine) => void engine.addJob() });
  await screen.findByRole('grid', { name: 'Jobs' });
  const here = (): string | undefined =>
    document.activeElement?.closest<HTMLElement>('[data-region]')?.dataset.region;
  await waitFor(() => expect(here()).toBe('list'));
  const visited: (string | undefined)[] = [];
  for (let press = 0; press < 4; press += 1) {
    await user.keyboard('{F6}');
    visited.push(here());
  }
  expect(visited).toEqual(['detail', 'sidebar', 'filter', 'list']);
  await user.keyboard('{Shift>}{F6}{/Shift}');
  expect(here()).toBe('filter');
});

test('the slash goes to the filter, and Escape leaves it', async () => {
  const { user } = await openWindow({ fill: (engine) => void engine.addJob() });
  await screen.findByRole('grid', { name: 'Jobs' });
  await user.keyboard('/');
  const filter = screen.getByRole('searchbox', { name: 'Filter jobs' });
  expect(document.activeElement).toBe(filter);
  await user.keyboard('x{Escape}');
  expect((filter as HTMLInputElement).value).toBe('');
  await user.keyboard('{Escape}');
  expect(within(screen.getByRole('grid', { name: 'Jobs' })).getAllByRole('row')).toContain(
    document.activeElement,
  );
});

test('the sidebar can be hidden and comes back', async () => {
  const { user } = await openWindow({ fill: (engine) => void engine.addJob() });
  await screen.findByRole('button', { name: /^Failing/ });
  await user.keyboard('{Control>}b{/Control}');
  expect(screen.queryByRole('button', { name: /^Failing/ })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Show sidebar' }));
  expect(await screen.findByRole('button', { name: /^Failing/ })).toBeTruthy();
});
