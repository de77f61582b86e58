import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { fail, ok } from '../../../shared/result';
import { HOUR_MS, toInstant } from '../../../shared/time';
import type { FakeEngine } from '../../fakeEngine';
import { NOW } from '../../testEngine';
import { openWindow } from '../../testWindow';

const description = (input: HTMLElement): string =>
  (input.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent ?? '')
    .join(' ');

async function openEditor(fill: (engine: FakeEngine) => void = () => undefined) {
  const opened = await openWindow({ fill });
  act(() => opened.stores.navigation.newJob());
  await screen.findByRole('textbox', { name: 'Name' });
  const { user } = opened;
  const write = async (name: string, text: string): Promise<void> => {
    const field = screen.getByRole('textbox', { name });
    await user.clear(field);
    await user.paste(text);
  };
  await write('Name', 'Back up notes');
  await write('Command', 'restic backup');
  await write('Cron expression', '0 13 * * *');
  const save = async () => {
    await user.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(opened.engine.bridge.inputsOf('jobs.save')).not.toHaveLength(0));
    return opened.engine.bridge.inputsOf('jobs.save').at(-1)?.draft;
  };
  return { ...opened, write, save };
}

test('retries are switched on, and their waits are written out', async () => {
  const { user, write, save } = await openEditor();
  expect(screen.queryByRole('textbox', { name: 'First wait' })).toBeNull();
  await user.click(screen.getByRole('switch', { name: 'Try again after a failure' }));
  await write('How many more tries', '3');
  expect(screen.getByText(/After a failure it waits 1 min, 2 min and 4 min\./)).toBeTruthy();
  await user.click(screen.getByRole('switch', { name: 'Only after these exit codes' }));
  await write('Only after these exit codes', '75 111');
  expect((await save())?.policies.retry).toMatchObject({ countMax: 3, exitCodes: [75, 111] });
});

test('each choice for an overlap says what it means, and asks for its number', async () => {
  const { user, write, save } = await openEditor();
  const overlap = screen.getByRole('radiogroup', { name: 'If it is still running when due again' });
  expect(within(overlap).getAllByRole('radio')).toHaveLength(5);
  await user.click(within(overlap).getByRole('radio', { name: /^Run side by side .*at once/ }));
  await write('At once at most', '2');
  expect((await save())?.policies.overlap).toEqual({ mode: 'allow', countMax: 2 });
});

test('days are folded away until asked for; an excluded day is struck out of the next runs', async () => {
  const { user, save } = await openEditor();
  await user.click(screen.getByRole('button', { name: 'Limit the days…' }));
  await user.click(screen.getByRole('button', { name: 'Add a day or a range' }));
  await user.type(screen.getByLabelText('Excluded day 1, first'), '2027-03-11');
  const preview = screen.getByRole('region', { name: 'What this will do' });
  expect(await within(preview).findAllByText('skipped: excluded dates')).not.toHaveLength(0);
  expect((await save())?.dates).toEqual({
    from: null,
    until: null,
    excluded: [{ from: '2027-03-11', until: '2027-03-11' }],
  });
});

test('a last day before the first is told at the last day', async () => {
  const { user, engine } = await openEditor();
  await user.click(screen.getByRole('button', { name: 'Limit the days…' }));
  await user.type(screen.getByLabelText('First day'), '2027-05-02');
  await user.type(screen.getByLabelText('Last day'), '2027-05-01');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(description(screen.getByLabelText('Last day'))).toContain('The last day is before the first.');
  expect(engine.bridge.inputsOf('jobs.save')).toEqual([]);
});

test('a condition is added from the menu with its fields, and what the engine objects to stands at it', async () => {
  const { user, engine, write } = await openEditor();
  for (const name of ['The laptop is plugged in', 'A host answers']) {
    await user.click(screen.getByRole('button', { name: 'Add a condition' }));
    await user.click(await screen.findByRole('menuitem', { name }));
  }
  const list = screen.getByRole('list', { name: 'Conditions' });
  expect(within(list).getAllByRole('listitem')).toHaveLength(2);
  await write('Host', 'nas.local');
  engine.bridge.script('jobs.save', () =>
    fail('invalid_input', 'It cannot be saved.', { 'conditions.1.host': 'This host is not allowed.' }),
  );
  await user.click(screen.getByRole('button', { name: 'Save' }));
  const host = screen.getByRole('textbox', { name: 'Host' });
  await waitFor(() => expect(description(host)).toContain('This host is not allowed.'));
  expect(document.activeElement).toBe(host);
  await user.click(screen.getByRole('button', { name: 'Remove the condition “A host answers”' }));
  expect(within(list).getAllByRole('listitem')).toHaveLength(1);
});

test('a job can start after another one, which is found by typing', async () => {
  let other: string | undefined;
  const { user, save } = await openEditor((engine) => {
    other = engine.addJob({ job: { name: 'Dump shop DB' } });
    engine.addJob({ job: { name: 'Pull work repos' } });
  });
  await user.click(screen.getByRole('radio', { name: 'After a job' }));
  const chooser = screen.getByRole('combobox', { name: 'Job to wait for' });
  await user.type(chooser, 'dump');
  await user.click(await screen.findByRole('option', { name: /Dump shop DB/ }));
  expect((await save())?.schedules).toEqual([{ rule: { kind: 'after_job', jobId: other, on: 'succeeded' } }]);
});

test('an event is chosen as a schedule, and no job is chosen is told at its field', async () => {
  const { user, save, engine } = await openEditor();
  await user.click(screen.getByRole('radio', { name: 'After a job' }));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findAllByText('Choose a job.')).not.toHaveLength(0);
  expect(engine.bridge.inputsOf('jobs.save')).toEqual([]);
  await user.click(screen.getByRole('radio', { name: 'On an event' }));
  await user.click(screen.getByRole('radio', { name: 'The laptop wakes up' }));
  expect((await save())?.schedules).toEqual([{ rule: { kind: 'event', on: 'wake' } }]);
});

test('a scenario is lived through with the draft, and tells what becomes of each due time', async () => {
  const { user, engine } = await openEditor((fake) => {
    fake.bridge.script('preview.whatIf', ({ until }) => {
      const plannedAt = toInstant(NOW + HOUR_MS);
      const row = { jobId: '00000000-0000-4000-8000-000000000001' as never, scheduleId: null, count: 1 };
      const run = { kind: 'run', reason: 'caught_up', missCause: 'asleep', trigger: 'catch_up' } as const;
      const startedAt = toInstant(NOW + 4 * HOUR_MS);
      const rows = [{ ...row, ...run, plannedAt, untilAt: plannedAt, startedAt, endedAt: null }];
      return ok({ rows, endsAt: toInstant(until), isCut: false });
    });
  });
  await user.click(screen.getByRole('button', { name: /Scenario/ }));
  await user.click(await screen.findByRole('option', { name: 'Asleep each night' }));
  const table = await screen.findByRole('table', { name: 'What would happen to each due time' });
  expect(within(table).getByText(/^runs \d\d:14$/)).toBeTruthy();
  expect(within(table).getByText('made up afterwards: the laptop was asleep')).toBeTruthy();
  expect(engine.bridge.inputsOf('preview.whatIf')[0]?.scenario.asleep).toHaveLength(7);
});

test('a scenario that cannot be told now says so calmly', async () => {
  const { user } = await openEditor((fake) =>
    fake.bridge.script('preview.whatIf', () => fail('unsupported', 'This needs a newer Belfry.')),
  );
  await user.click(screen.getByRole('button', { name: /Scenario/ }));
  await user.click(await screen.findByRole('option', { name: 'On battery' }));
  const title = await screen.findByText('This cannot be told now.');
  expect(title.closest('[role="alert"]')).toBeNull();
});
