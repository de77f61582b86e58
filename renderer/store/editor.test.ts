import { expect, test } from 'vitest';
import type { RulePreview } from '../../shared/ipc/contract';
import { fail, ok } from '../../shared/result';
import { createTestEngine, SEEN } from '../testEngine';
import { createEditorStore, isDirty, mistakesOf, shownMistakes } from './editor';
import { emptyForm, emptySchedule, type JobForm } from './jobForm';
import { createNavigation } from './navigation';
import { createPlaceStore } from './place';

const EXPRESSION = 'schedules.0.rule.expression';

const withExpression = (form: JobForm, expression: string): JobForm => ({
  ...form,
  schedules: form.schedules.map((one) => ({ ...one, cron: { ...one.cron, expression } })),
});

const finished = (form: JobForm): JobForm =>
  withExpression(
    { ...form, name: 'Prune', settings: { ...form.settings, line: 'restic forget' } },
    '0 3 * * 0',
  );

function start() {
  const engine = createTestEngine();
  const store = createEditorStore(engine.bridge, SEEN);
  return { engine, store };
}

test('mistakes are not shown while a field is typed for the first time', () => {
  const { store } = start();
  store.getState().openNew();
  store.getState().edit('name', (form) => ({ ...form, name: '' }));
  expect(shownMistakes(store.getState())).toEqual({});
  store.getState().leave('name');
  expect(shownMistakes(store.getState())).toEqual({ name: 'Give the job a name.' });
});

test('passing by an empty field is no mistake yet', () => {
  const { store } = start();
  store.getState().openNew();
  store.getState().leave('name');
  expect(shownMistakes(store.getState())).toEqual({});
});

test('a refused save shows every mistake, asks the engine nothing and loses nothing', async () => {
  const { engine, store } = start();
  store.getState().openNew();
  store.getState().edit('notes', (form) => ({ ...form, notes: 'typed before' }));
  expect(await store.getState().save()).toBeNull();
  expect(Object.keys(shownMistakes(store.getState()))).toHaveLength(3);
  expect(store.getState().refusalCount).toBe(1);
  expect(store.getState().form.notes).toBe('typed before');
  expect(engine.bridge.inputsOf('jobs.save')).toEqual([]);
});

test('what the engine refuses is shown at its field until that field is changed', async () => {
  const { engine, store } = start();
  store.getState().openNew(finished(emptyForm()));
  engine.bridge.script('jobs.save', () =>
    fail('invalid_input', '2 things to fix.', {
      'draft.schedules.0.rule.expression': 'This never runs.',
      'draft.name': 'Use another name.',
    }),
  );
  expect(await store.getState().save()).toBeNull();
  expect(shownMistakes(store.getState())).toEqual({
    [EXPRESSION]: 'This never runs.',
    name: 'Use another name.',
  });
  store.getState().edit(EXPRESSION, (form) => withExpression(form, '0 4 * * 0'));
  expect(shownMistakes(store.getState())).toEqual({ name: 'Use another name.' });
});

test('a saved job is no longer unsaved, and is saved as its next revision the next time', async () => {
  const { engine, store } = start();
  store.getState().openNew();
  store.getState().edit('name', finished);
  expect(isDirty(store.getState())).toBe(true);
  const job = await store.getState().save();
  expect(job?.name).toBe('Prune');
  expect(isDirty(store.getState())).toBe(false);
  store.getState().edit('name', (form) => ({ ...form, name: 'Prune more' }));
  await store.getState().save();
  expect(engine.bridge.inputsOf('jobs.save').map(({ jobId, revision }) => [jobId, revision])).toEqual([
    [undefined, undefined],
    [job?.id, 1],
  ]);
});

test('a conflict keeps the form and offers both ways', async () => {
  const { engine, store } = start();
  const jobId = engine.addJob({ job: { name: 'Mine', revision: 1 } });
  await store.getState().openJob(jobId);
  const elsewhere = engine.jobs.get(jobId);
  if (elsewhere !== undefined) elsewhere.job = { ...elsewhere.job, revision: 2, name: 'Theirs' };
  store.getState().edit('name', (form) => ({ ...form, name: 'Mine, edited' }));
  expect(await store.getState().save()).toBeNull();
  expect(store.getState()).toMatchObject({ failure: { code: 'conflict' }, form: { name: 'Mine, edited' } });
  expect((await store.getState().keepMine())?.name).toBe('Mine, edited');
  await store.getState().takeTheirs();
  expect(store.getState().form.name).toBe('Mine, edited');
});

test('a job that was deleted meanwhile is made anew by the next save', async () => {
  const { engine, store } = start();
  const jobId = engine.addJob();
  await store.getState().openJob(jobId);
  store.getState().edit('name', (form) => ({ ...form, name: 'Came back' }));
  engine.jobs.delete(jobId);
  expect(await store.getState().save()).toBeNull();
  expect(store.getState().failure?.code).toBe('not_found');
  expect((await store.getState().save())?.name).toBe('Came back');
});

const invalid: RulePreview = {
  valid: false,
  message: 'The minute must be 0 to 59. You typed 70.',
  mistakes: [
    {
      field: 'minute',
      start: 0,
      length: 2,
      code: 'out_of_range',
      message: 'The minute must be 0 to 59. You typed 70.',
      fix: { label: 'Use 0', replacement: '0 * * * *' },
    },
  ],
};

test('the last schedule without mistakes stays while the expression has one', async () => {
  const { engine, store } = start();
  store.getState().openNew(finished(emptyForm()));
  const key = store.getState().form.schedules[0]?.key ?? -1;
  await expect.poll(() => store.getState().answers.get(key)?.lastGood?.sentence).toBe('As 0 3 * * 0 says');
  engine.bridge.script('schedules.preview', () => ok([invalid]));
  store.getState().edit(EXPRESSION, (form) => withExpression(form, '70 * * * *'));
  await expect.poll(() => store.getState().answers.get(key)?.answer?.valid).toBe(false);
  expect(store.getState().answers.get(key)?.lastGood?.sentence).toBe('As 0 3 * * 0 says');
  expect(mistakesOf(store.getState())).toEqual({ [EXPRESSION]: invalid.message });
});

test('an answer to an older form is dropped', async () => {
  const { engine, store } = start();
  const answers: ((preview: RulePreview) => void)[] = [];
  engine.bridge.script(
    'schedules.preview',
    () => new Promise((resolve) => answers.push((preview) => resolve(ok([preview])))),
  );
  store.getState().openNew(finished(emptyForm()));
  await expect.poll(() => answers).toHaveLength(1);
  store.getState().edit(EXPRESSION, (form) => withExpression(form, '0 4 * * 0'));
  answers[0]?.(invalid);
  await expect.poll(() => answers).toHaveLength(2);
  const key = store.getState().form.schedules[0]?.key ?? -1;
  expect(store.getState().answers.get(key)).toBeUndefined();
  answers[1]?.(invalid);
  await expect.poll(() => store.getState().answers.get(key)?.answer).toEqual(invalid);
});

test('an answer to what was typed before does not keep the newer text from being saved', async () => {
  const { engine, store } = start();
  store.getState().openNew(finished(emptyForm()));
  engine.bridge.script('schedules.preview', () => ok([invalid]));
  store.getState().edit(EXPRESSION, (form) => withExpression(form, '70 * * * *'));
  const key = store.getState().form.schedules[0]?.key ?? -1;
  await expect.poll(() => store.getState().answers.get(key)?.answer?.valid).toBe(false);
  store.getState().edit(EXPRESSION, (form) => withExpression(form, '7 * * * *'));
  expect((await store.getState().save())?.name).toBe('Prune');
});

test('a schedule that never runs keeps the form from being saved', async () => {
  const { engine, store } = start();
  engine.bridge.script('schedules.preview', () =>
    ok([
      {
        valid: true,
        preview: {
          sentence: 'At 00:00 on the 30th of February',
          shortSentence: '30 Feb 00:00',
          next: [],
          countNext7Days: 0,
          warnings: [{ code: 'never_runs', text: 'This never runs. 30 February does not exist.' }],
        },
      },
    ]),
  );
  store.getState().openNew(withExpression(finished(emptyForm()), '0 0 30 2 *'));
  const key = store.getState().form.schedules[0]?.key ?? -1;
  await expect.poll(() => store.getState().answers.get(key)?.answer?.valid).toBe(true);
  expect(await store.getState().save()).toBeNull();
  expect(shownMistakes(store.getState())).toEqual({
    [EXPRESSION]: 'This never runs. 30 February does not exist.',
  });
});

test('only schedules that can be read are asked about, and each gets its own answer', async () => {
  const { engine, store } = start();
  const [one, two, three] = [emptySchedule(), emptySchedule(), emptySchedule()];
  const cron = (schedule: typeof one, expression: string) => ({
    ...schedule,
    cron: { ...schedule.cron, expression },
  });
  store
    .getState()
    .openNew({ ...emptyForm(), schedules: [cron(one, '* * * * *'), two, cron(three, '0 9 * * *')] });
  const sentence = (key: number) => {
    const answer = store.getState().answers.get(key)?.answer;
    return answer?.valid ? answer.preview.sentence : null;
  };
  await expect.poll(() => sentence(three.key)).toBe('As 0 9 * * * says');
  expect(sentence(one.key)).toBe('As * * * * * says');
  expect(sentence(two.key)).toBeNull();
  expect(engine.bridge.inputsOf('schedules.preview').at(-1)?.rules).toHaveLength(2);
});

test('leaving the editor asks only if something would be lost', () => {
  const { engine, store } = start();
  const place = createPlaceStore({ read: () => null, write: () => undefined });
  const navigation = createNavigation(engine.bridge, place, store);
  navigation.newJob();
  expect(place.getState().place).toBe('editor');
  navigation.leaveEditor();
  expect(place.getState()).toMatchObject({ place: 'jobs', question: null });
  navigation.newJob(finished(emptyForm()));
  navigation.leaveEditor();
  expect(place.getState()).toMatchObject({ place: 'editor', question: { ask: 'leave_editor' } });
});

test('the tray can ask for a new job or for one that is there', () => {
  const { engine, store } = start();
  const jobId = engine.addJob();
  const place = createPlaceStore({ read: () => null, write: () => undefined });
  createNavigation(engine.bridge, place, store);
  engine.bridge.announce('window.show', { place: 'new_job', jobId: null });
  expect(place.getState().place).toBe('editor');
  engine.bridge.announce('window.show', { place: 'jobs', jobId });
  expect(place.getState()).toMatchObject({ place: 'jobs', selectedId: jobId, isDetailOpen: true });
});
