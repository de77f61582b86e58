import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { RulePreview } from '../../../shared/ipc/contract';
import { fail, ok } from '../../../shared/result';
import { toInstant } from '../../../shared/time';
import { createTestPage, NOW } from '../../testEngine';
import { openWindow } from '../../testWindow';

const field = (name: string): HTMLInputElement => screen.getByRole<HTMLInputElement>('textbox', { name });

async function openEditor() {
  const opened = await openWindow();
  act(() => opened.stores.navigation.newJob());
  await screen.findByRole('textbox', { name: 'Name' });
  return opened;
}

/** Fills a field in at once: a keystroke each would take a test its time. */
async function fill(user: UserEvent, name: string, text: string): Promise<void> {
  await user.click(field(name));
  await user.paste(text);
}

const description = (input: HTMLElement): string =>
  (input.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent ?? '')
    .join(' ');

test('a job is made: what to run, when, and saved; then it is in the list', async () => {
  const { user, engine } = await openEditor();
  expect(document.activeElement).toBe(field('Name'));
  await user.keyboard('Back up notes');
  await fill(user, 'Command', 'restic backup ~/Notes');
  await fill(user, 'Cron expression', '0 13 * * *');
  const preview = screen.getByRole('region', { name: 'What this will do' });
  await waitFor(() => expect(within(preview).getAllByRole('listitem')).toHaveLength(10));
  expect(within(preview).getByText('As 0 13 * * * says')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByRole('heading', { level: 1, name: 'Jobs' });
  const [saved] = engine.bridge.inputsOf('jobs.save');
  expect(saved?.draft).toMatchObject({
    name: 'Back up notes',
    settings: { kind: 'command', form: 'shell', line: 'restic backup ~/Notes' },
    schedules: [{ rule: { kind: 'cron', expression: '0 13 * * *', zone: 'local', dayMatch: 'either' } }],
    policies: { catchUp: { mode: 'once' }, timeoutMs: 3_600_000, graceMs: 5_000 },
  });
});

test('saving with mistakes marks each field, focuses the first, says how many, and loses nothing', async () => {
  const { user, engine } = await openEditor();
  await fill(user, 'Notes', 'typed before');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(document.activeElement).toBe(field('Name')));
  expect(description(field('Name'))).toContain('Give the job a name.');
  expect(description(field('Command'))).toContain('Type a command to run.');
  expect(description(field('Cron expression'))).toContain('Type a schedule, or pick one from Presets.');
  expect(field('Name').getAttribute('aria-invalid')).toBe('true');
  expect(screen.getAllByText('3 things to fix')).not.toHaveLength(0);
  expect(field('Notes').value).toBe('typed before');
  expect(engine.bridge.inputsOf('jobs.save')).toEqual([]);
});

test('what only the engine can refuse stands under its field', async () => {
  const { user, engine } = await openEditor();
  await fill(user, 'Name', 'Back up');
  await fill(user, 'Command', 'true');
  await fill(user, 'Cron expression', '0 13 * * *');
  engine.bridge.script('jobs.save', () =>
    fail('invalid_input', 'This never runs.', { 'draft.schedules.0.rule.expression': 'This never runs.' }),
  );
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(description(field('Cron expression'))).toContain('This never runs.'));
  await waitFor(() => expect(document.activeElement).toBe(field('Cron expression')));
});

test('a save that fails keeps the draft and says why', async () => {
  const { user, engine } = await openEditor();
  await fill(user, 'Name', 'Back up');
  await fill(user, 'Command', 'true');
  await fill(user, 'Cron expression', '0 13 * * *');
  engine.bridge.script('jobs.save', () => fail('unavailable', 'Could not save: the disk is full.'));
  await user.keyboard('{Control>}s{/Control}');
  expect(await screen.findAllByText('Could not save: the disk is full.')).not.toHaveLength(0);
  expect(field('Name').value).toBe('Back up');
});

const twoMistakes: RulePreview = {
  valid: false,
  message: 'The minute must be 0 to 59. You typed 70.',
  mistakes: [
    {
      field: 'minute',
      start: 2,
      length: 2,
      code: 'out_of_range',
      message: 'The minute must be 0 to 59. You typed 70.',
      fix: { label: 'Use 0', replacement: '0,0 * * * mon' },
    },
    {
      field: 'dayOfWeek',
      start: 11,
      length: 3,
      code: 'bad_nth',
      message: 'A month has at most five of any weekday.',
    },
  ],
};

test('mistakes of an expression are told when it is left, and one button mends one', async () => {
  const { user, engine } = await openEditor();
  engine.bridge.script('schedules.preview', () => ok([twoMistakes]));
  await fill(user, 'Cron expression', '0,70 * * * mon#6');
  expect(screen.queryByText('A month has at most five of any weekday.')).toBeNull();
  await user.tab();
  const list = await screen.findByRole('list', { name: 'Mistakes' });
  expect(within(list).getAllByRole('listitem')).toHaveLength(2);
  expect(within(list).getByText('0,70')).toBeTruthy();
  expect(description(field('Cron expression'))).toContain('The minute must be 0 to 59.');
  await user.click(within(list).getByRole('button', { name: 'Use 0' }));
  expect(field('Cron expression').value).toBe('0,0 * * * mon');
});

test('the boxes and the line are one text; space goes to the next box', async () => {
  const { user } = await openEditor();
  await user.type(field('minute'), '30 2 ');
  expect(field('Cron expression').value).toBe('30 2 * * *');
  expect(document.activeElement).toBe(field('day of month'));
  await user.clear(field('hour'));
  expect(field('hour').value).toBe('');
  expect(field('Cron expression').value).toBe('30 2 * * *');
  await user.type(field('hour'), '4');
  expect(field('Cron expression').value).toBe('30 4 * * *');
});

test('a preset is one choice away', async () => {
  const { user } = await openEditor();
  await user.click(screen.getByRole('button', { name: 'Presets' }));
  await user.click(await screen.findByRole('menuitem', { name: 'First Monday' }));
  expect(field('Cron expression').value).toBe('0 9 * * MON#1');
});

test('both days set: the warning offers to require both, and the expression stays as it is', async () => {
  const { user, engine, stores } = await openEditor();
  engine.bridge.script('schedules.preview', ({ rules }) =>
    ok(
      rules.map(
        (rule): RulePreview => ({
          valid: true,
          preview: {
            sentence: 'At 02:30',
            shortSentence: '02:30',
            next: [],
            countNext7Days: 5,
            warnings:
              rule.kind === 'cron' && rule.dayMatch === 'both'
                ? [{ code: 'both_rule', text: 'Runs only when both match. 1 day this month.' }]
                : [{ code: 'either_rule', text: 'Day and weekday are both set. 24 days this month.' }],
          },
        }),
      ),
    ),
  );
  await fill(user, 'Cron expression', '30 2 1,14 * 1-5');
  await user.click(await screen.findByRole('button', { name: 'Require both' }));
  expect(await screen.findByText('Runs only when both match.')).toBeTruthy();
  expect(stores.editor.getState().form.schedules[0]?.cron).toMatchObject({
    expression: '30 2 1,14 * 1-5',
    dayMatch: 'both',
  });
});

test('clock changes can be decided for fixed times only', async () => {
  const { user } = await openEditor();
  await fill(user, 'Cron expression', '*/5 * * * *');
  expect(screen.queryByRole('group', { name: 'When the clocks change' })).toBeNull();
  await user.clear(field('Cron expression'));
  await fill(user, 'Cron expression', '30 2 * * *');
  expect(await screen.findByRole('group', { name: 'When the clocks change' })).toBeTruthy();
});

test('switching the kind of schedule and back loses nothing', async () => {
  const { user, stores } = await openEditor();
  await fill(user, 'Cron expression', '30 2 * * *');
  const kinds = screen.getByRole('radiogroup', { name: 'Kind of schedule' });
  await user.click(within(kinds).getByRole('radio', { name: 'Interval' }));
  await user.clear(field('How many'));
  await fill(user, 'How many', '90');
  await user.click(within(kinds).getByRole('radio', { name: 'By hand only' }));
  expect(stores.editor.getState().form.schedules).toEqual([]);
  expect(screen.getByText('It runs only when you press Run now.')).toBeTruthy();
  await user.click(within(kinds).getByRole('radio', { name: 'Interval' }));
  expect(field('How many').value).toBe('90');
  await user.click(within(kinds).getByRole('radio', { name: 'Cron' }));
  expect(field('Cron expression').value).toBe('30 2 * * *');
});

test('up to five schedules, each with its own kind; a mistake in a hidden one is brought to the front', async () => {
  const { user, stores } = await openEditor();
  await fill(user, 'Name', 'Twice');
  await fill(user, 'Command', 'true');
  await fill(user, 'Cron expression', '30 2 * * *');
  await user.click(screen.getByRole('button', { name: 'Add a schedule' }));
  await user.click(
    within(screen.getByRole('radiogroup', { name: 'Schedules' })).getByRole('radio', { name: 'Schedule 1' }),
  );
  expect(field('Cron expression').value).toBe('30 2 * * *');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(field('Cron expression').value).toBe(''));
  await waitFor(() => expect(document.activeElement).toBe(field('Cron expression')));
  await user.click(screen.getByRole('button', { name: 'Remove this schedule' }));
  expect(stores.editor.getState().form.schedules).toHaveLength(1);
});

test('what is known of a command warns under its field and never blocks saving', async () => {
  const { user, engine } = await openEditor();
  engine.bridge.script('commands.check', () =>
    ok({
      programPath: null,
      folder: '/gone',
      shell: '/bin/sh',
      searchPath: [],
      warnings: [
        { path: 'line', text: 'restik was not found on this PATH. It would end with exit 127.' },
        { path: 'folder', text: 'This folder does not exist.' },
      ],
    }),
  );
  await fill(user, 'Name', 'Typo');
  await fill(user, 'Command', 'restik backup');
  await fill(user, 'Cron expression', '30 2 * * *');
  await waitFor(() => expect(description(field('Command'))).toContain('restik was not found on this PATH.'));
  expect(description(field('Folder'))).toContain('This folder does not exist.');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(engine.bridge.inputsOf('jobs.save')).toHaveLength(1));
});

test('a program gets its arguments one by one, and variables are pasted from .env text', async () => {
  const { user, stores } = await openEditor();
  const forms = screen.getByRole('radiogroup', { name: 'Run' });
  await user.click(within(forms).getByRole('radio', { name: 'A program with arguments' }));
  await fill(user, 'Program', 'restic');
  await user.click(screen.getByRole('button', { name: 'Add an argument' }));
  await fill(user, 'Argument 1', 'two words');
  await user.click(screen.getByRole('button', { name: 'Add a variable' }));
  await user.click(field('Name of variable 1'));
  await user.paste('A=1\nB="x y"');
  expect(stores.editor.getState().form.settings).toMatchObject({
    form: 'program',
    program: 'restic',
    arguments: ['two words'],
    variables: [
      { name: 'A', value: '1' },
      { name: 'B', value: 'x y' },
    ],
  });
});

test('a folder is chosen in the dialog of the system', async () => {
  const { user, engine } = await openEditor();
  engine.bridge.script('folders.choose', () => ok('/srv/photos'));
  await user.click(screen.getByRole('button', { name: 'Choose…' }));
  await waitFor(() => expect(field('Folder').value).toBe('/srv/photos'));
});

test('leaving with unsaved changes asks, keeps editing on Escape, and can save on the way out', async () => {
  const { user, engine } = await openEditor();
  await fill(user, 'Name', 'Half');
  await user.keyboard('{Escape}');
  await screen.findByRole('alertdialog', { name: 'Save your changes to “Half”?' });
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(field('Name').value).toBe('Half');
  await fill(user, 'Command', 'true');
  await fill(user, 'Cron expression', '30 2 * * *');
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  const dialog = await screen.findByRole('alertdialog');
  await user.click(within(dialog).getByRole('button', { name: 'Save' }));
  await screen.findByRole('heading', { level: 1, name: 'Jobs' });
  expect(engine.bridge.inputsOf('jobs.save')).toHaveLength(1);
});

test('the title tells the job and whether it is unsaved', async () => {
  const { user } = await openEditor();
  expect(document.title).toBe('New job – Belfry');
  await fill(user, 'Name', 'Back up');
  await waitFor(() => expect(document.title).toBe('• Back up – Belfry'));
});

test('the rail reads the whole job and marks what needs fixing', async () => {
  const { user } = await openEditor();
  const rail = screen.getByRole('navigation', { name: 'Job sections' });
  const step = (name: RegExp) => within(rail).getByRole('button', { name });
  expect(step(/^What to run/).textContent).toContain('Not filled in yet');
  await fill(user, 'Name', 'Back up');
  await fill(user, 'Command', 'restic backup');
  await waitFor(() => expect(step(/^What to run/).textContent).toContain('Completerestic backup'));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(step(/^When/).textContent).toContain('Needs fixing'));
});

test('a draft that came back says so, and can be discarded', async () => {
  const first = await openEditor();
  await fill(first.user, 'Name', 'Half');
  const { broughtBackAt: _none, form, initial } = first.stores.editor.getState();
  const draft = JSON.stringify({ version: 1, at: NOW, jobId: null, revision: null, initial, form });
  const { user, stores } = await openWindow({ page: createTestPage(draft) });
  expect(field('Name').value).toBe('Half');
  expect(screen.getByText('Your draft from 14:14 is back.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Discard draft' }));
  await screen.findByRole('heading', { level: 1, name: 'Jobs' });
  expect(stores.editor.getState().isOpen).toBe(false);
});

test('closing the window with unsaved changes asks, and closes once that is settled', async () => {
  let mayClose = (): boolean => true;
  let closed = 0;
  const page = {
    onClosing: (ask: () => boolean) => {
      mayClose = ask;
    },
    close: () => {
      closed += 1;
    },
  };
  const { user, stores } = await openWindow({ page });
  act(() => stores.navigation.newJob());
  await screen.findByRole('textbox', { name: 'Name' });
  await fill(user, 'Name', 'Half');
  act(() => expect(mayClose()).toBe(false));
  const dialog = await screen.findByRole('alertdialog', { name: 'Save your changes to “Half”?' });
  await user.click(within(dialog).getByRole('button', { name: 'Discard' }));
  expect(closed).toBe(1);
  expect(mayClose()).toBe(true);
});

async function openOne() {
  const opened = await openWindow({
    fill: (engine) => engine.addJob({ job: { name: 'Mine', revision: 1 } }),
  });
  const [jobId] = opened.engine.jobs.keys();
  if (jobId === undefined) throw new Error('there is no job');
  act(() => opened.stores.navigation.editJob(jobId));
  await waitFor(() => expect(field('Name').value).toBe('Mine'));
  return { ...opened, jobId };
}

test('a change elsewhere is told at once, and only what clashes is asked about', async () => {
  const { user, engine, jobId } = await openOne();
  await fill(user, 'Name', 'My ');
  const one = engine.jobs.get(jobId);
  if (one !== undefined) one.job = { ...one.job, revision: 2, name: 'Theirs', notes: 'theirs' };
  act(() => engine.bridge.announce('jobs.changed', { jobId }));
  expect(await screen.findByText('Changed here too: Name.')).toBeTruthy();
  expect(field('Notes').value).toBe('theirs');
  await user.click(screen.getByRole('button', { name: 'Take theirs' }));
  expect(field('Name').value).toBe('Theirs');
  expect(screen.queryByRole('button', { name: 'Take theirs' })).toBeNull();
});

test('a job that is deleted while it is edited says so at once', async () => {
  const { engine, jobId } = await openOne();
  await act(() => engine.bridge.request('jobs.delete', { jobId, stopRun: true }));
  expect(await screen.findByText('This job was deleted. Save to bring it back.')).toBeTruthy();
});

test('a tag that was typed and not added counts as a change and is saved', async () => {
  const { user, engine } = await openOne();
  await user.click(screen.getByRole('combobox', { name: 'Tags' }));
  await user.paste('later');
  expect(screen.getByText('Unsaved changes')).toBeTruthy();
  await user.keyboard('{Control>}s{/Control}');
  await waitFor(() => expect(engine.bridge.inputsOf('jobs.save')[0]?.draft.tags).toContain('later'));
});

test('a form with something to fix never says that there are no changes', async () => {
  const { user } = await openEditor();
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(screen.queryByText('No changes')).toBeNull();
});

test('after a fix the focus is in the line, and undo takes the fix back in one step', async () => {
  const { user, engine } = await openEditor();
  engine.bridge.script('schedules.preview', () => ok([twoMistakes]));
  await fill(user, 'Cron expression', '0,70 * * * mon#6');
  await user.tab();
  await user.click(await screen.findByRole('button', { name: 'Use 0' }));
  await waitFor(() => expect(document.activeElement).toBe(field('Cron expression')));
  expect(field('Cron expression').value).toBe('0,0 * * * mon');
  await user.keyboard('{Control>}z{/Control}');
  expect(field('Cron expression').value).toBe('0,70 * * * mon#6');
});

test('a whole expression pasted into one box fills all of them', async () => {
  const { user } = await openEditor();
  await user.type(field('minute'), '5');
  await user.paste('30 2 * * 1-5');
  expect(field('Cron expression').value).toBe('30 2 * * 1-5');
  expect(field('hour').value).toBe('2');
});

test('the command of a pasted line of a crontab can be used too', async () => {
  const { user } = await openEditor();
  await fill(user, 'Cron expression', '30 2 * * 1-5 restic backup ~/Notes');
  await screen.findByText('Use “restic backup ~/Notes” as the command too?');
  await user.click(screen.getByRole('button', { name: 'Use it' }));
  expect(field('Cron expression').value).toBe('30 2 * * 1-5');
  expect(field('Command').value).toBe('restic backup ~/Notes');
});

test('a job that runs by hand only has nothing to miss and no next runs', async () => {
  const { user } = await openEditor();
  const kinds = screen.getByRole('radiogroup', { name: 'Kind of schedule' });
  await user.click(within(kinds).getByRole('radio', { name: 'By hand only' }));
  const preview = screen.getByRole('region', { name: 'What this will do' });
  expect(within(preview).queryByText('If missed')).toBeNull();
  expect(within(preview).queryByText('Next runs')).toBeNull();
});

test('runs in another zone are told on the clock of this laptop too, and the rail has the short sentence', async () => {
  const { user, engine } = await openEditor();
  const at = toInstant(Date.UTC(2027, 2, 12, 0, 0));
  const offsetMinutes = 540;
  const next = [{ at, local: '2027-03-12T09:00:00', zone: 'Asia/Tokyo', offsetMinutes }];
  const words = { sentence: 'At 09:00', shortSentence: '09:00 Tokyo', countNext7Days: 7, warnings: [] };
  engine.bridge.script('schedules.preview', () => ok([{ valid: true, preview: { ...words, next } }]));
  await fill(user, 'Cron expression', '0 9 * * *');
  const preview = screen.getByRole('region', { name: 'What this will do' });
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone.split('/').at(-1)?.replaceAll('_', ' ');
  expect(await within(preview).findByText(new RegExp(`\\d\\d:\\d\\d in ${here}`))).toBeTruthy();
  const rail = screen.getByRole('navigation', { name: 'Job sections' });
  expect(within(rail).getByRole('button', { name: /^When/ }).textContent).toContain('09:00 Tokyo');
});

test('an interval that is too long is told its bounds, and one hour is an hour', async () => {
  const { user } = await openEditor();
  expect(screen.getByRole('button', { name: /^hour Unit|Unit.*hour$/ })).toBeTruthy();
  const kinds = screen.getByRole('radiogroup', { name: 'Kind of schedule' });
  await user.click(within(kinds).getByRole('radio', { name: 'Interval' }));
  await user.clear(field('How many'));
  await fill(user, 'How many', '99999999999');
  await user.tab();
  await waitFor(() => expect(description(field('How many'))).toContain('Use 1 second to 365 days.'));
});

test('a moment that is over is told when its field is left', async () => {
  const { user, engine } = await openEditor();
  const text = 'That was 20 min ago. Pick a later time, or use Run now.';
  engine.bridge.script('schedules.preview', () =>
    ok([{ valid: false, field: 'local', message: text, mistakes: [] }]),
  );
  const kinds = screen.getByRole('radiogroup', { name: 'Kind of schedule' });
  await user.click(within(kinds).getByRole('radio', { name: 'Once' }));
  fireEvent.change(screen.getByLabelText('Date'), { target: { value: '2027-03-11' } });
  fireEvent.change(screen.getByLabelText('Time'), { target: { value: '13:54' } });
  await user.click(screen.getByLabelText('Time'));
  await user.tab();
  await waitFor(() => expect(description(screen.getByLabelText('Date'))).toContain(text));
});
