import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { BackupId, RescueState } from '../../../shared/model/data';
import { fail, ok } from '../../../shared/result';
import { HOUR_MS, toInstant } from '../../../shared/time';
import { fakeBackup, fakeRescue } from '../../fakeData';
import { NOW } from '../../testEngine';
import { openWindow } from '../../testWindow';

const older = toInstant(NOW - 24 * HOUR_MS);
const copies = [fakeBackup(toInstant(NOW - HOUR_MS)), fakeBackup(older, { runCount: 900 })];

const openRefused = (part: Partial<RescueState> = {}) =>
  openWindow({
    fill: (engine) => {
      engine.addJob();
      engine.disk.rescue = fakeRescue({ backups: copies, ...part });
      engine.setStatus({ state: 'store_failed', problem: engine.disk.rescue.message });
    },
  });

test('S-03 a store that was refused takes the whole window, says so once, and offers no job', async () => {
  await openRefused();
  const alert = (await screen.findByText('Belfry could not read its data')).closest('[role="alert"]');
  expect(alert?.textContent).toContain('No job is running, and nothing has been changed on disk.');
  expect(alert?.textContent).toContain('failed its check');
  expect(alert?.textContent).not.toMatch(/btree|error code/);
  expect(screen.queryByRole('navigation')).toBeNull();
  expect(screen.queryByRole('button', { name: 'New job' })).toBeNull();
  const first = await screen.findByRole('radio', { name: /^Go back to the copy from / });
  await waitFor(() => expect(document.activeElement).toBe(first));
});

test('S-03 an older copy is chosen and put back; the report stands before the normal window', async () => {
  const { user, engine } = await openRefused();
  await user.click(await screen.findByRole('button', { name: /Copy to go back to/ }));
  await user.click(await screen.findByRole('option', { name: /14 jobs, 900 runs/ }));
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  await waitFor(() =>
    expect(engine.bridge.inputsOf('rescue.act')).toEqual([
      { choice: 'restore', backupId: `belfry-${older}.db` as BackupId },
    ]),
  );
  const report = await screen.findByRole('dialog', { name: 'The copy was put back' });
  expect(report.textContent).toContain('The store is open again.');
  await user.click(within(report).getByRole('button', { name: 'Open Belfry' }));
  expect(await screen.findByRole('grid', { name: 'Jobs' })).toBeTruthy();
});

test('S-03 starting empty is asked about once more, with the safe answer first', async () => {
  const { user, engine } = await openRefused();
  await user.click(await screen.findByRole('radio', { name: /^Start empty/ }));
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  const question = await screen.findByRole('region', { name: 'Start without any jobs?' });
  await waitFor(() =>
    expect(document.activeElement).toBe(within(question).getByRole('button', { name: 'Go back' })),
  );
  await user.keyboard('{Enter}');
  expect(engine.bridge.inputsOf('rescue.act')).toEqual([]);
  await user.click(await screen.findByRole('radio', { name: /^Start empty/ }));
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  await user.click(screen.getByRole('button', { name: 'Start empty' }));
  await waitFor(() => expect(engine.bridge.inputsOf('rescue.act')).toEqual([{ choice: 'start_empty' }]));
});

test('where nothing can be chosen there is only what leaves the file alone', async () => {
  const { user, engine } = await openRefused({ code: 'busy', choices: [], backups: [], canExport: false });
  await screen.findByText('Mend the cause, then try again.');
  expect(screen.queryByRole('radio')).toBeNull();
  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
    'Try again',
    'Show files',
    'Copy details',
    'Quit',
  ]);
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect((await screen.findAllByText(/It still could not read its data/)).length).toBeGreaterThan(0);
  await user.click(screen.getByRole('button', { name: 'Quit' }));
  await waitFor(() => expect(engine.bridge.inputsOf('app.quit')).toHaveLength(1));
});

test('a repair tells how far it has come, and can be stopped', async () => {
  const { user, engine } = await openRefused({ repair: { jobCount: 12, runCount: 880, share: 0.88 } });
  const bar = await screen.findByRole('progressbar', { name: 'Progress' });
  expect(bar.getAttribute('aria-valuenow')).toBe('88');
  expect(screen.getByText('12 jobs, 880 runs saved so far, 88 % read')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(engine.bridge.inputsOf('rescue.cancelRepair')).toHaveLength(1));
});

test('a choice that is refused leaves the view as it was, with the sentence', async () => {
  const { user, engine } = await openRefused();
  engine.bridge.script('rescue.act', () => fail('unavailable', 'The copy could not be written.'));
  await user.click(await screen.findByRole('button', { name: 'Continue' }));
  expect(await screen.findByText('The copy could not be written.')).toBeTruthy();
  expect(screen.getByRole('radio', { name: /^Try to repair/ })).toBeTruthy();
});

test('what is readable is saved to a file that the user chooses', async () => {
  const { user, engine } = await openRefused();
  const saved = { file: '/tmp/belfry.json', jobCount: 14, runCount: 9 };
  const save = await screen.findByRole('button', { name: 'Save what is readable…' });
  engine.bridge.script('rescue.export', () => ok({ ...saved, gapCount: 0 }));
  await user.click(save);
  await screen.findAllByText('Saved 14 jobs, 9 runs to /tmp/belfry.json.');
  engine.bridge.script('rescue.export', () => ok({ ...saved, gapCount: 2 }));
  await user.click(save);
  await screen.findAllByText(/belfry\.json\. At 2 places something could not be read\.$/);
});

test('when the store is read at the next try, everything is asked for again', async () => {
  const { engine } = await openRefused();
  await screen.findByRole('radio', { name: /^Try to repair/ });
  engine.disk.rescue = null;
  act(() => {
    engine.setStatus({ state: 'running', problem: null });
    engine.bridge.announce('jobs.changed', { jobId: null });
    engine.bridge.announce('data.changed', {});
  });
  expect(await screen.findByRole('grid', { name: 'Jobs' })).toBeTruthy();
});
