import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { fail } from '../../../shared/result';
import { HOUR_MS, toInstant } from '../../../shared/time';
import { fakeBackup } from '../../fakeData';
import type { FakeEngine } from '../../fakeEngine';
import { NOW } from '../../testEngine';
import { openWindow } from '../../testWindow';

const copy = fakeBackup(toInstant(NOW - HOUR_MS));
const broken = fakeBackup(toInstant(NOW - 48 * HOUR_MS), { problem: 'It is damaged.' });

async function openData(fill: (engine: FakeEngine) => void = () => undefined) {
  const opened = await openWindow({
    fill: (engine) => {
      engine.addJob();
      engine.disk.backups = [copy, broken];
      fill(engine);
    },
  });
  await opened.user.click(await screen.findByRole('button', { name: 'More about this Belfry' }));
  await opened.user.click(await screen.findByRole('menuitem', { name: 'Data and copies…' }));
  return { ...opened, dialog: await screen.findByRole('dialog', { name: 'Data and copies' }) };
}

test('sizes, ages and copies are told in words', async () => {
  const { dialog } = await openData();
  expect(
    await within(dialog).findByText(
      '1,004,218 runs · store 210 MB · logs 1.9 GB · copies 640 MB · 52 GB free',
    ),
  ).toBeTruthy();
  const table = await within(dialog).findByRole('table', { name: 'Copies' });
  const rows = within(table).getAllByRole('row').slice(1);
  expect(rows[0]?.textContent).toMatch(/^Today \d\d:14Daily14 jobs, 1,204 runs2.1 MBPut back…$/);
  expect(rows[1]?.textContent).toContain('It is damaged.');
  expect(within(rows[1] as HTMLElement).queryByRole('button')).toBeNull();
});

test('a copy is put back only after its consequences were told, and the report follows', async () => {
  const { user, engine, dialog } = await openData();
  await user.click(await within(dialog).findByRole('button', { name: /^Put back the copy from today/ }));
  const question = await screen.findByRole('alertdialog');
  expect(question.textContent).toContain('The present data becomes a copy first.');
  await user.keyboard('{Escape}');
  expect(engine.bridge.inputsOf('backups.restore')).toEqual([]);
  await user.click(await within(dialog).findByRole('button', { name: /^Put back the copy from today/ }));
  await user.click(await screen.findByRole('button', { name: 'Put it back' }));
  await waitFor(() => expect(engine.bridge.inputsOf('backups.restore')).toEqual([{ backupId: copy.id }]));
  expect(await screen.findByRole('dialog', { name: 'The copy was put back' })).toBeTruthy();
});

test('copying and checking say what came of them, and so does a refusal', async () => {
  const { user, engine, dialog } = await openData();
  await user.click(within(dialog).getByRole('button', { name: 'Copy now' }));
  expect(await within(dialog).findByText('Copied: 14 jobs, 1,204 runs.')).toBeTruthy();
  await user.click(within(dialog).getByRole('button', { name: 'Check now' }));
  expect(await within(dialog).findByText('Checked: no damage found.')).toBeTruthy();
  engine.bridge.script('backups.create', () => fail('unavailable', 'The disk is full.'));
  await user.click(within(dialog).getByRole('button', { name: 'Copy now' }));
  expect(await within(dialog).findByText('The disk is full.')).toBeTruthy();
});

test('how long things are kept is saved in one step, and a mistake stands at its field', async () => {
  const { user, engine, dialog } = await openData();
  const days = await within(dialog).findByRole('textbox', { name: 'Days that runs are kept' });
  await user.clear(days);
  await user.type(days, 'many');
  await user.click(within(dialog).getByRole('button', { name: 'Save' }));
  expect(await within(dialog).findByText('Type a whole number.')).toBeTruthy();
  expect(engine.bridge.inputsOf('settings.save')).toEqual([]);
  await user.clear(days);
  await user.type(days, '90');
  await user.click(within(dialog).getByRole('switch', { name: 'Limit the runs of each job' }));
  await user.click(within(dialog).getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(engine.settings.retention).toMatchObject({ runDays: 90, runsPerJobMax: null, failureDays: 730 }),
  );
  expect(await within(dialog).findByText('Saved.')).toBeTruthy();
});

test('where another process runs the jobs, copies are looked at and not put back', async () => {
  const { dialog } = await openData((engine) => {
    engine.setStatus({ state: 'standby', holder: { pid: 4_121, since: NOW } });
  });
  expect(await within(dialog).findByText(/Copies are put back from there/)).toBeTruthy();
  expect(within(dialog).queryByRole('button', { name: /^Put back/ })).toBeNull();
});

test('the focus returns to the menu that opened the dialog', async () => {
  const { user, dialog } = await openData();
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'More about this Belfry' })),
  );
});

test('trouble with an open store is told on every screen, before anything else', async () => {
  const { engine, user } = await openWindow({ fill: (engine) => void engine.addJob() });
  act(() => {
    engine.setStatus({
      state: 'standby',
      holder: { pid: 4_121, since: NOW },
      problem: 'Belfry cannot save: the disk is full. Nothing new is started.',
    });
  });
  const title = await screen.findByText('Belfry cannot save: the disk is full.');
  expect(title.closest('[role="alert"]')?.textContent).toContain('Nothing new is started.');
  expect(screen.queryByText(/Another Belfry process is running your jobs/)).toBeNull();
  await user.click(screen.getByRole('button', { name: /^New job/ }));
  await screen.findByRole('textbox', { name: 'Name' });
  expect(screen.getByText('Belfry cannot save: the disk is full.')).toBeTruthy();
});

test('H-17 taking over asks first, and a process that does not answer is left alone', async () => {
  const { engine, user } = await openWindow({
    fill: (engine) => {
      engine.addJob();
      engine.setStatus({ state: 'standby', holder: { pid: 4_121, since: NOW }, runningCount: 1 });
    },
  });
  engine.bridge.script('engine.takeOver', () => fail('busy', 'It may still be alive.'));
  await user.click(await screen.findByRole('button', { name: 'Take over…' }));
  const question = await screen.findByRole('alertdialog', { name: 'Take over running jobs?' });
  expect(question.textContent).toContain('The other process (4121) stops starting jobs');
  await user.click(within(question).getByRole('button', { name: 'Take over' }));
  const silent = await screen.findByRole('alertdialog', { name: 'It is not answering.' });
  expect(within(silent).getAllByRole('button')).toHaveLength(1);
  await user.click(within(silent).getByRole('button', { name: 'Wait' }));
  expect(engine.status.state).toBe('standby');
  engine.bridge.script('engine.takeOver', null);
  await user.click(await screen.findByRole('button', { name: 'Take over…' }));
  await user.click(await screen.findByRole('button', { name: 'Take over' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(engine.status.state).toBe('running');
});
