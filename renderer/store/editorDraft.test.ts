import { expect, test, vi } from 'vitest';
import { createTestEngine, createTestPage, NOW, SEEN } from '../testEngine';
import { createEditorStore, isDirty } from './editor';
import { DRAFT_REST_MS, readDraft } from './editorDraft';
import { emptyForm, type JobForm } from './jobForm';
import { createNavigation } from './navigation';
import { createPlaceStore } from './place';
import { emptySchedule } from './scheduleForm';

const rename = (form: JobForm): JobForm => ({ ...form, name: 'Half' });

function open(page = createTestPage(), engine = createTestEngine()) {
  const leaving: (() => void)[] = [];
  const editor = createEditorStore(engine.bridge, SEEN, {
    memory: page.drafts,
    now: () => NOW,
    onHide: (listener) => void leaving.push(listener),
  });
  const place = createPlaceStore({ read: () => null, write: () => undefined });
  const navigation = createNavigation(engine.bridge, place, editor);
  const hide = (): void => {
    for (const listener of leaving) listener();
  };
  return { page, engine, editor, place, navigation, hide };
}

test('a draft is written soon after it was changed, and is back in the next window', () => {
  vi.useFakeTimers();
  const first = open();
  first.navigation.newJob();
  first.editor.getState().edit('name', rename);
  vi.advanceTimersByTime(DRAFT_REST_MS);
  vi.useRealTimers();
  const second = open(createTestPage(first.page.drafts.read()));
  expect(second.place.getState().place).toBe('editor');
  expect(second.editor.getState()).toMatchObject({ broughtBackAt: NOW, jobId: null, form: { name: 'Half' } });
  expect(isDirty(second.editor.getState())).toBe(true);
});

test('what was typed a moment before the page goes is kept too', () => {
  const first = open();
  first.navigation.newJob();
  first.editor.getState().edit('name', rename);
  expect(readDraft(first.page.drafts.read())).toBeNull();
  first.hide();
  expect(readDraft(first.page.drafts.read())?.form.name).toBe('Half');
});

test('the draft of a job that went on meanwhile meets the changes', async () => {
  const first = open();
  const jobId = first.engine.addJob({ job: { name: 'Whole', revision: 1 } });
  await first.editor.getState().openJob(jobId);
  first.editor.getState().edit('name', rename);
  first.hide();
  const one = first.engine.jobs.get(jobId);
  if (one !== undefined) one.job = { ...one.job, revision: 2, isEnabled: false };
  const { editor } = open(first.page, first.engine);
  await expect.poll(() => editor.getState().revision).toBe(2);
  expect(editor.getState().form).toMatchObject({ name: 'Half', isEnabled: false });
});

test.each(['save', 'discard', 'leave'] as const)('a draft is forgotten after %s', async (way) => {
  const { page, engine, editor, navigation, place, hide } = open();
  const jobId = engine.addJob();
  navigation.editJob(jobId);
  await expect.poll(() => editor.getState().isLoading).toBe(false);
  editor.getState().edit('name', rename);
  hide();
  expect(readDraft(page.drafts.read())).not.toBeNull();
  if (way === 'save') await editor.getState().save();
  else if (way === 'discard') editor.getState().discard();
  else place.getState().change({ place: 'jobs' });
  hide();
  expect(readDraft(page.drafts.read())).toBeNull();
});

test.each([
  '',
  'no JSON',
  '{}',
  '{"version":1,"at":1,"jobId":null,"revision":null,"initial":{},"form":{"name":7}}',
])('a draft that makes no sense is none: %s', (text) => {
  const { editor, place } = open(createTestPage(text));
  expect(editor.getState()).toMatchObject({ isOpen: false, broughtBackAt: null });
  expect(place.getState().place).toBe('jobs');
});

test('closing the window with unsaved changes asks; without any it does not', () => {
  const { editor, navigation, place } = open();
  let closed = 0;
  const close = (): void => {
    closed += 1;
  };
  expect(navigation.mayClose(close)).toBe(true);
  navigation.newJob();
  expect(navigation.mayClose(close)).toBe(true);
  editor.getState().edit('name', rename);
  expect(navigation.mayClose(close)).toBe(false);
  const { question } = place.getState();
  expect(question?.ask).toBe('leave_editor');
  expect(closed).toBe(0);
  if (question?.ask === 'leave_editor') question.go();
  expect(closed).toBe(1);
});

test('a draft of the version before comes back with the defaults of what it did not know', () => {
  const { retry, overlap, conditions, dates, afterInterruption, jitter, perHour, ...known } = emptyForm();
  const { afterJob, event, ...schedule } = emptySchedule();
  const old = { ...known, name: 'Half', schedules: [schedule], repeatIfInterrupted: true };
  const text = JSON.stringify({ version: 1, at: NOW, jobId: null, revision: null, initial: old, form: old });
  expect(readDraft(text)?.form).toMatchObject({
    name: 'Half',
    afterInterruption: 'repeat',
    conditions,
    dates,
    retry,
    overlap,
    jitter,
    perHour,
    schedules: [{ key: schedule.key, afterJob, event }],
  });
  expect(afterInterruption).toBe('keep');
});
