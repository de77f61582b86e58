import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, toInstant } from '../../shared/time';
import type { FakeEngine } from '../fakeEngine';
import { NOW } from '../testEngine';
import { openWindow } from '../testWindow';

const oneJob = (engine: FakeEngine): void => {
  engine.addJob({ job: { name: 'Back up notes', tags: ['Work'] } });
};

test('a tag is paused with a note and an end; the banner says so, and resumes', async () => {
  const { user, engine } = await openWindow({ fill: oneJob });
  await user.click(await screen.findByRole('button', { name: 'Pause the tag Work…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Pause the tag “Work”' });
  await user.click(within(dialog).getByRole('radio', { name: 'Until I resume' }));
  await user.click(within(dialog).getByRole('textbox', { name: 'Note' }));
  await user.paste('on holiday');
  await user.click(within(dialog).getByRole('button', { name: 'Pause' }));
  await waitFor(() =>
    expect(engine.bridge.inputsOf('pauses.start')).toEqual([
      { scope: { kind: 'tag', tag: 'Work' }, note: 'on holiday', until: null },
    ]),
  );
  const banner = (await screen.findByText('The tag “Work” is paused.')).parentElement;
  expect(banner?.textContent).toContain('“on holiday”');
  await user.click(screen.getByRole('button', { name: 'Resume' }));
  await waitFor(() => expect(engine.pauses).toEqual([]));
  await waitFor(() => expect(screen.queryByText('The tag “Work” is paused.')).toBeNull());
});

test('a job is paused for an hour from its menu, and taken back with undo', async () => {
  const { user, engine } = await openWindow({ fill: oneJob });
  const detail = await screen.findByRole('complementary', { name: 'Back up notes' });
  await user.click(await within(detail).findByRole('button', { name: 'Pause this job' }));
  await user.click(await screen.findByRole('menuitem', { name: 'For 1 hour' }));
  await waitFor(() =>
    expect(engine.bridge.inputsOf('pauses.start')).toMatchObject([
      { scope: { kind: 'job' }, until: NOW + HOUR_MS },
    ]),
  );
  expect(await within(detail).findByText(/^This job is paused until \d\d:14\.$/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: /Undo/ }));
  await waitFor(() => expect(engine.pauses).toEqual([]));
});

test('a moment that is over is refused where it was typed, and nothing is paused', async () => {
  const { user, engine } = await openWindow({ fill: oneJob });
  await user.click(await screen.findByRole('button', { name: 'Pause for a while' }));
  await user.click(await screen.findByRole('menuitem', { name: 'With a note or an end…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Pause all jobs' });
  await user.click(within(dialog).getByRole('radio', { name: 'Until a moment' }));
  const date = within(dialog).getByLabelText<HTMLInputElement>('Date');
  await user.clear(date);
  await user.type(date, '2020-01-01');
  await user.click(within(dialog).getByRole('button', { name: 'Pause' }));
  expect(await within(dialog).findByText('Choose a moment that is still to come.')).toBeTruthy();
  expect(engine.bridge.inputsOf('pauses.start')).toEqual([]);
});

test('a plain click pauses everything as before, and resuming ends every pause of everything', async () => {
  const { user, engine } = await openWindow({ fill: oneJob });
  await user.click(await screen.findByRole('button', { name: 'Pause all jobs' }));
  await waitFor(() => expect(engine.status.state).toBe('paused'));
  await engine.bridge.request('pauses.start', { scope: { kind: 'all' }, note: 'later', until: null });
  expect(await screen.findByText('All jobs are paused.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Resume all jobs' }));
  await waitFor(() => expect(engine.pauses).toEqual([]));
  expect(engine.status.state).toBe('running');
});

test('after a sleep it is said once how many due times passed and what makes up for them', async () => {
  const { user, stores } = await openWindow({
    fill: (engine) => {
      oneJob(engine);
      const from = toInstant(NOW - 9 * HOUR_MS);
      const lastGap = { cause: 'asleep' as const, from, to: toInstant(NOW - MINUTE_MS), caughtUpCount: 3 };
      engine.setStatus({ lastGap: { ...lastGap, missedCount: 7, missedJobCount: 3 } });
    },
  });
  const title = await screen.findByText(/^3 jobs missed 7 due times while asleep, \d\d:14 to \d\d:13\.$/);
  expect(title.parentElement?.textContent).toContain('3 runs make up for it.');
  await user.click(screen.getByRole('button', { name: 'Show' }));
  expect(stores.place.getState().filter).toBe('state:late');
  expect(screen.queryByText(/missed 7 due times/)).toBeNull();
});
