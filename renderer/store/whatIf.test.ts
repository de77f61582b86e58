import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { JobId } from '../../shared/model/job';
import type { WhatIfRow } from '../../shared/model/whatIf';
import { fail, ok } from '../../shared/result';
import { toInstant } from '../../shared/time';
import { createTestEngine, createTestPage, NOW, SEEN } from '../testEngine';
import { createEditorStore } from './editor';
import { emptyForm } from './jobForm';
import { createWhatIfStore, WHAT_IF_REST_MS } from './whatIf';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const row: WhatIfRow = {
  jobId: '00000000-0000-4000-8000-000000000001' as JobId,
  scheduleId: null,
  plannedAt: NOW,
  untilAt: NOW,
  count: 1,
  kind: 'skip',
  reason: 'catch_up_off',
  missCause: 'asleep',
  trigger: null,
  startedAt: null,
  endedAt: null,
};

function open() {
  const engine = createTestEngine();
  engine.bridge.script('preview.whatIf', ({ until }) =>
    ok({ rows: [row], endsAt: toInstant(until), isCut: false }),
  );
  const page = createTestPage();
  const editor = createEditorStore(engine.bridge, SEEN, {
    memory: page.drafts,
    now: () => NOW,
    onHide: page.onHide,
  });
  const whatIf = createWhatIfStore(engine.bridge, editor, () => NOW);
  const form = { ...emptyForm(), name: 'Back up', settings: { ...emptyForm().settings, line: 'true' } };
  editor.getState().openNew({ ...form, schedules: [{ ...form.schedules[0], kind: 'event' } as never] });
  return { engine, editor, whatIf };
}

const rest = () => vi.advanceTimersByTimeAsync(WHAT_IF_REST_MS);

test('the draft is asked about once typing rests, however much was typed', async () => {
  const { engine, editor, whatIf } = open();
  whatIf.getState().suppose({ kind: 'battery' });
  for (const name of ['B', 'Ba', 'Bac']) editor.getState().edit('name', (form) => ({ ...form, name }));
  await rest();
  expect(engine.bridge.inputsOf('preview.whatIf')).toHaveLength(1);
  expect(engine.bridge.inputsOf('preview.whatIf')[0]?.draft?.name).toBe('Bac');
  expect(whatIf.getState().answer?.rows).toEqual([row]);
});

test('nothing is asked without a scenario, nor of a form with mistakes', async () => {
  const { engine, editor, whatIf } = open();
  await rest();
  whatIf.getState().suppose({ kind: 'offline' });
  editor.getState().edit('name', (form) => ({ ...form, name: '' }));
  await rest();
  expect(engine.bridge.inputsOf('preview.whatIf')).toEqual([]);
  expect(whatIf.getState().isUnfinished).toBe(true);
});

test('a refusal is kept to be told, and the next change asks again', async () => {
  const { engine, editor, whatIf } = open();
  engine.bridge.script('preview.whatIf', () => fail('busy', 'Belfry is busy.'));
  whatIf.getState().suppose({ kind: 'battery' });
  await rest();
  expect(whatIf.getState()).toMatchObject({ failure: { code: 'busy' }, isAsking: false });
  engine.bridge.script('preview.whatIf', ({ until }) =>
    ok({ rows: [row], endsAt: toInstant(until), isCut: false }),
  );
  editor.getState().edit('name', (form) => ({ ...form, name: 'Other' }));
  await rest();
  expect(whatIf.getState()).toMatchObject({ failure: null, answer: { rows: [row] } });
});
