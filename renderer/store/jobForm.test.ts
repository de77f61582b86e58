import { expect, test } from 'vitest';
import { emptyCommandSettings } from '../../shared/kinds/command';
import { JobDraft } from '../../shared/model/job';
import { HOUR_MS, MINUTE_MS } from '../../shared/time';
import { createTestEngine } from '../testEngine';
import { emptyForm, formOf, type JobForm, readForm } from './jobForm';
import { emptySchedule, type ScheduleForm } from './scheduleForm';
import { readSpan, writeSpan } from './spanForm';

const cron = (expression: string): ScheduleForm => {
  const schedule = emptySchedule();
  return { ...schedule, cron: { ...schedule.cron, expression } };
};

const valid = (part: Partial<JobForm> = {}): JobForm => ({
  ...emptyForm(),
  name: 'Back up notes',
  settings: { ...emptyCommandSettings, line: 'restic backup ~/Notes' },
  schedules: [cron('0 13 * * *')],
  ...part,
});

test('a form without mistakes reads into a draft that the contract accepts', () => {
  const { draft, mistakes } = readForm(valid());
  expect(mistakes).toEqual({});
  expect(JobDraft.safeParse(draft).success).toBe(true);
  expect(draft.policies.timeoutMs).toBe(HOUR_MS);
});

test('an empty form says what to do in each field that needs something', () => {
  expect(readForm(emptyForm()).mistakes).toEqual({
    name: 'Give the job a name.',
    'settings.line': 'Type a command to run.',
    'schedules.0.rule.expression': 'Type a schedule, or pick one from Presets.',
  });
});

test('a mistake in the second schedule is told at the second, though the first is unfinished', () => {
  const long = cron(`0 13 * * ${'1,'.repeat(200)}1`);
  const { mistakes } = readForm(valid({ schedules: [cron(''), long] }));
  expect(mistakes['schedules.0.rule.expression']).toBe('Type a schedule, or pick one from Presets.');
  expect(mistakes['schedules.1.rule.expression']).toBe('Use at most 200 characters.');
});

test('numbers that are none, and limits out of range, have a sentence of their own', () => {
  const form = valid({
    timeout: { isOn: true, span: { amount: '25', unit: 'hours' } },
    grace: { amount: 'soon', unit: 'seconds' },
    lateLimit: { isOn: true, span: { amount: '', unit: 'hours' } },
  });
  expect(readForm(form).mistakes).toEqual({
    'policies.timeoutMs': 'Use 1 second to 24 hours.',
    'policies.graceMs': 'Type a whole number.',
    'policies.catchUp.ageMsMax': 'Type a whole number.',
  });
});

test('a limit that is off keeps its value but does not count', () => {
  const form = valid({ timeout: { isOn: false, span: { amount: 'nonsense', unit: 'hours' } } });
  const { draft, mistakes } = readForm(form);
  expect(mistakes).toEqual({});
  expect(draft.policies.timeoutMs).toBeNull();
});

test('variables are marked by row', () => {
  const settings = {
    ...emptyCommandSettings,
    line: 'true',
    variables: [
      { name: 'OK', value: '' },
      { name: '1 BAD', value: '' },
    ],
  };
  expect(readForm(valid({ settings })).mistakes).toEqual({
    'settings.variables.1.name': 'A name uses letters, digits and _.',
  });
});

test('a text that is too long is told its limit, in words of ours', () => {
  const settings = { ...emptyCommandSettings, line: 'x'.repeat(10_001), folder: 'y'.repeat(4_001) };
  expect(readForm(valid({ settings, name: 'n'.repeat(121) })).mistakes).toEqual({
    name: 'A name has at most 120 characters.',
    'settings.line': 'Use at most 10,000 characters.',
    'settings.folder': 'Use at most 4,000 characters.',
  });
});

test('a saved job reads into a form and back into the same draft', () => {
  const engine = createTestEngine();
  const form = valid({
    schedules: [
      cron('30 2 1,14 * 1-5'),
      {
        ...emptySchedule(),
        kind: 'interval',
        interval: { every: { amount: '90', unit: 'minutes' }, basis: 'after_end', anchorAt: null },
      },
      { ...emptySchedule(), kind: 'once', once: { date: '2027-03-15', time: '10:00', zone: 'UTC' } },
    ],
    lateLimit: { isOn: true, span: { amount: '1', unit: 'hours' } },
  });
  const { draft } = readForm(form);
  const jobId = engine.addJob({
    job: {
      ...JobDraft.parse(draft),
      schedules: draft.schedules.map((one, index) => ({
        ...one,
        id: `00000000-0000-4000-8000-00000000010${index}`,
      })) as never,
    },
  });
  const job = engine.jobs.get(jobId)?.job;
  const again = job === undefined ? null : readForm(formOf(job)).draft;
  expect(again?.schedules.map(({ rule }) => rule)).toEqual(draft.schedules.map(({ rule }) => rule));
  expect(again?.policies).toEqual(draft.policies);
});

test('lengths of time are written in the largest unit that is whole', () => {
  expect([90 * MINUTE_MS, HOUR_MS, 48 * HOUR_MS, 5_000, 0].map(writeSpan)).toEqual([
    { amount: '90', unit: 'minutes' },
    { amount: '1', unit: 'hours' },
    { amount: '2', unit: 'days' },
    { amount: '5', unit: 'seconds' },
    { amount: '0', unit: 'seconds' },
  ]);
  expect(['15', ' 15 ', '', '1.5', '-1', 'x'].map((amount) => readSpan({ amount, unit: 'seconds' }))).toEqual(
    [15_000, 15_000, null, null, null, null],
  );
});
