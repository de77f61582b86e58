import { expect, test } from 'vitest';
import type { RulePreview } from '../../shared/ipc/contract';
import { emptyCommandSettings } from '../../shared/kinds/command';
import type { Job } from '../../shared/model/job';
import type { ScheduleId } from '../../shared/model/schedule';
import { fail, ok } from '../../shared/result';
import { createTestEngine, createTestPage, NOW, SEEN } from '../testEngine';
import { createEditorStore, isDirty } from './editor';
import { emptyForm, type JobForm } from './jobForm';
import { countMistakes, mistakesOf, shownMistakes } from './mistakes';
import { createNavigation } from './navigation';
import { createPlaceStore } from './place';
import { emptySchedule } from './scheduleForm';

const SCHEDULE = '00000000-0000-4000-8000-0000000000a1' as ScheduleId;
const EXPRESSION = 'schedules.0.rule.expression';

const withExpression = (form: JobForm, expression: string): JobForm => ({
  ...form,
  schedules: form.schedules.map((one) => ({ ...one, cron: { ...one.cron, expression } })),
});

const finished = (form: JobForm): JobForm =>
  withExpression(
    { ...form, name: 'Prune', settings: { ...emptyCommandSettings, line: 'restic forget' } },
    '0 3 * * 0',
  );

function start() {
  const engine = createTestEngine();
  const store = createEditorStore(engine.bridge, SEEN, {
    now: () => NOW,
    memory: createTestPage().drafts,
    onHide: () => undefined,
  });
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

/** A job that is open here and was changed by `elsewhere` without a word. */
async function openChanged(elsewhere: Partial<Job>) {
  const { engine, store } = start();
  const jobId = engine.addJob({ job: { name: 'Mine', notes: '', isEnabled: true, revision: 1 } });
  await store.getState().openJob(jobId);
  const change = (): void => {
    const one = engine.jobs.get(jobId);
    if (one !== undefined) one.job = { ...one.job, revision: 2, ...elsewhere };
  };
  return { engine, store, jobId, change };
}

const rename = (form: JobForm): JobForm => ({ ...form, name: 'Mine, edited' });

test('what was changed elsewhere joins what was changed here, at once; the switch is theirs', async () => {
  const { engine, store, jobId, change } = await openChanged({ notes: 'theirs', isEnabled: false });
  store.getState().edit('name', rename);
  const { key } = store.getState().form.schedules[0] ?? {};
  change();
  engine.bridge.announce('jobs.changed', { jobId });
  await expect.poll(() => store.getState().taken).toEqual(['notes', 'isEnabled']);
  expect(store.getState()).toMatchObject({
    form: { name: 'Mine, edited', notes: 'theirs', isEnabled: false },
    clashes: [],
  });
  expect(store.getState().form.schedules[0]?.key).toBe(key);
  expect(await store.getState().save()).toMatchObject({ name: 'Mine, edited', isEnabled: false });
});

test('a change elsewhere that was not announced joins when the job is saved', async () => {
  const { store, change } = await openChanged({ notes: 'theirs' });
  store.getState().edit('name', rename);
  change();
  expect(await store.getState().save()).toMatchObject({ name: 'Mine, edited', notes: 'theirs' });
});

test('a field that was changed on both sides waits for a decision, and the others do not', async () => {
  for (const [decide, name] of [
    ['keepMine', 'Mine, edited'],
    ['takeTheirs', 'Theirs'],
  ] as const) {
    const { engine, store, change } = await openChanged({ name: 'Theirs', notes: 'theirs' });
    store.getState().edit('name', rename);
    change();
    expect(await store.getState().save()).toBeNull();
    expect(await store.getState().save()).toBeNull();
    expect(store.getState()).toMatchObject({
      clashes: ['name'],
      form: { name: 'Mine, edited', notes: 'theirs' },
    });
    expect(engine.bridge.inputsOf('jobs.save')).toHaveLength(1);
    store.getState()[decide]();
    expect(await store.getState().save()).toMatchObject({ name, notes: 'theirs' });
  }
});

test('a job that is deleted while it is edited is told at once, and brought back by saving', async () => {
  const { engine, store, jobId } = await openChanged({});
  store.getState().edit('name', rename);
  await engine.bridge.request('jobs.delete', { jobId, stopRun: true });
  await expect.poll(() => store.getState().isDeleted).toBe(true);
  expect((await store.getState().save())?.id).toBe(jobId);
  expect(engine.bridge.inputsOf('jobs.restore')).toEqual([{ jobId }]);
});

test('a job that is gone for good is made anew', async () => {
  const { engine, store, jobId } = await openChanged({});
  store.getState().edit('name', rename);
  engine.jobs.delete(jobId);
  expect(await store.getState().save()).toBeNull();
  expect(store.getState()).toMatchObject({ isDeleted: true, failure: { code: 'not_found' } });
  const saved = await store.getState().save();
  expect(saved?.name).toBe('Mine, edited');
  expect(saved?.id).not.toBe(jobId);
});

test('nothing is saved under a job that is still being loaded, or could not be', async () => {
  const { engine, store } = start();
  store.getState().openNew(finished(emptyForm()));
  const jobId = engine.addJob();
  let answer: () => void = () => undefined;
  engine.bridge.script(
    'jobs.get',
    () =>
      new Promise((resolve) => {
        answer = () => resolve(fail('unavailable', 'Belfry cannot read this.'));
      }),
  );
  const opening = store.getState().openJob(jobId);
  expect(store.getState().form.name).toBe('');
  expect(await store.getState().save()).toBeNull();
  answer();
  await opening;
  expect(await store.getState().save()).toBeNull();
  expect(isDirty(store.getState())).toBe(false);
  expect(engine.bridge.inputsOf('jobs.save')).toEqual([]);
});

test('a tag that was typed and not added is saved with the others', async () => {
  const { engine, store } = start();
  store.getState().openNew({ ...finished(emptyForm()), tags: ['one'] });
  store.getState().edit('tags', (form) => ({ ...form, typedTag: ' two ' }));
  await store.getState().save();
  expect(engine.bridge.inputsOf('jobs.save')[0]?.draft.tags).toEqual(['one', 'two']);
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

test('a moment that is over is marked at its field, unless it was saved like that', async () => {
  const { engine, store } = start();
  const text = 'That was 20 min ago. Pick a later time, or use Run now.';
  engine.bridge.script('schedules.preview', ({ rules }) =>
    ok(rules.map(() => ({ valid: false as const, message: text, field: 'local' as const, mistakes: [] }))),
  );
  const rule = { kind: 'once', local: '2027-03-11T13:54', zone: 'local' } as const;
  const jobId = engine.addJob({ job: { schedules: [{ id: SCHEDULE, rule }] } });
  await store.getState().openJob(jobId);
  await expect.poll(() => store.getState().answers.size).toBe(1);
  expect(mistakesOf(store.getState())).toEqual({});
  store.getState().edit('schedules.0.rule.local', (form) => ({
    ...form,
    schedules: form.schedules.map((one) => ({ ...one, once: { ...one.once, time: '13:53' } })),
  }));
  await expect.poll(() => mistakesOf(store.getState())).toEqual({ 'schedules.0.rule.local': text });
});

test.each(['expression', 'zone', 'everyMs', 'local'])(
  'what the engine refuses about %s stands at its field',
  async (field) => {
    const { engine, store } = start();
    store.getState().openNew(finished(emptyForm()));
    engine.bridge.script('jobs.save', () =>
      fail('invalid_input', 'No.', { [`schedules.0.${field}`]: 'No.' }),
    );
    await store.getState().save();
    expect(shownMistakes(store.getState())).toEqual({ [`schedules.0.rule.${field}`]: 'No.' });
  },
);

test('an expression that is too long is not judged by what was typed before, and keeps no other from its preview', async () => {
  const { engine, store } = start();
  store.getState().openNew(finished(emptyForm()));
  engine.bridge.script('schedules.preview', () => ok([invalid]));
  store.getState().edit(EXPRESSION, (form) => withExpression(form, '70 * * * *'));
  await expect.poll(() => mistakesOf(store.getState())).toEqual({ [EXPRESSION]: invalid.message });
  store.getState().edit(EXPRESSION, (form) => withExpression(form, `${'1,'.repeat(120)}1 * * * *`));
  expect(mistakesOf(store.getState())).toEqual({ [EXPRESSION]: 'Use at most 200 characters.' });
});

test('two mistakes in one expression are two things to fix', async () => {
  const { engine, store } = start();
  const [mistake] = invalid.valid ? [] : invalid.mistakes;
  const twice = { ...invalid, mistakes: mistake === undefined ? [] : [mistake, { ...mistake, start: 3 }] };
  engine.bridge.script('schedules.preview', () => ok([twice]));
  store.getState().openNew(withExpression(emptyForm(), '70 * * * *'));
  await expect.poll(() => countMistakes(store.getState(), mistakesOf(store.getState()))).toBe(4);
});
