import { expect, test } from 'vitest';
import { emptyCommandSettings } from '../../shared/kinds/command';
import { Job, JobDraft } from '../../shared/model/job';
import { defaultPolicies } from '../../shared/model/policies';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../shared/time';
import { fakeJob } from '../fakeRecords';
import { NOW } from '../testEngine';
import { emptyCondition } from './conditionForm';
import { emptyForm, formOf, type JobForm, readForm } from './jobForm';
import { mergeForms } from './mergeForms';
import { formPaths } from './mistakes';
import { emptySchedule } from './scheduleForm';

const OTHER_JOB = '00000000-0000-4000-8000-000000000077';

const form = (part: Partial<JobForm> = {}): JobForm => ({
  ...emptyForm(),
  name: 'Back up notes',
  settings: { ...emptyCommandSettings, line: 'restic backup ~/Notes' },
  schedules: [{ ...emptySchedule(), kind: 'event', event: { on: 'wake' } }],
  ...part,
});

const everything = (): JobForm =>
  form({
    schedules: [
      { ...emptySchedule(), kind: 'after_job', afterJob: { jobId: OTHER_JOB, on: 'failed' } },
      { ...emptySchedule(), kind: 'event', event: { on: 'network' } },
    ],
    catchUp: 'all',
    catchUpCount: '7',
    overlap: 'queue_all',
    overlapCount: '5',
    retry: {
      isOn: true,
      count: '3',
      delay: { amount: '30', unit: 'seconds' },
      growth: 'doubling',
      delayMax: { amount: '10', unit: 'minutes' },
      isLimitedToCodes: true,
      exitCodes: '75, 111 75',
    },
    afterInterruption: 'repeat',
    jitter: { isOn: true, span: { amount: '5', unit: 'minutes' } },
    perHour: { isOn: true, count: '20' },
    dates: {
      from: '2027-01-01',
      until: '2027-12-31',
      excluded: [
        { key: 1, from: '2027-03-14', until: '' },
        { key: 2, from: '2027-12-24', until: '2027-12-26' },
      ],
    },
    conditions: [
      emptyCondition('mains'),
      { ...emptyCondition('battery_above'), percent: '40' },
      { ...emptyCondition('host_answers'), host: 'nas.local', port: '445', otherwise: 'run' },
      emptyCondition('user_idle'),
    ],
  });

test('every policy, condition and date that is filled in reads into a draft the contract accepts', () => {
  const { draft, mistakes } = readForm(everything());
  expect(mistakes).toEqual({});
  expect(JobDraft.parse(draft)).toMatchObject({
    schedules: [
      { rule: { kind: 'after_job', jobId: OTHER_JOB, on: 'failed' } },
      { rule: { kind: 'event', on: 'network' } },
    ],
    policies: {
      catchUp: { mode: 'all', countMax: 7 },
      overlap: { mode: 'queue_all', countMax: 5 },
      retry: {
        countMax: 3,
        delayMs: 30 * SECOND_MS,
        growth: 'doubling',
        delayMsMax: 10 * MINUTE_MS,
        exitCodes: [75, 111],
      },
      afterInterruption: 'repeat',
      jitterMs: 5 * MINUTE_MS,
      runsPerHourMax: 20,
    },
    dates: {
      from: '2027-01-01',
      excluded: [
        { from: '2027-03-14', until: '2027-03-14' },
        { from: '2027-12-24', until: '2027-12-26' },
      ],
    },
    conditions: [
      { kind: 'mains', waitMsMax: 2 * HOUR_MS, otherwise: 'skip' },
      { kind: 'battery_above', percent: 40 },
      { kind: 'host_answers', host: 'nas.local', port: 445, otherwise: 'run' },
      { kind: 'user_idle', idleMs: 5 * MINUTE_MS },
    ],
  });
});

test('a job with every policy comes out of the editor as it went in', () => {
  const draft = JobDraft.parse(readForm(everything()).draft);
  const schedules = draft.schedules.map(({ rule }, index) => ({
    id: `00000000-0000-4000-8000-00000000020${index}`,
    rule,
  }));
  const { job } = fakeJob('00000000-0000-4000-8000-000000000001' as Job['id'], NOW, {});
  const again = readForm(formOf(Job.parse({ ...job, ...draft, schedules }))).draft;
  expect(again.policies).toEqual(draft.policies);
  expect(again.conditions).toEqual(draft.conditions);
  expect(again.dates).toEqual(draft.dates);
});

test('each field that cannot be told has its sentence at its own path', () => {
  const { mistakes } = readForm(
    form({
      schedules: [{ ...emptySchedule(), kind: 'after_job' }],
      catchUp: 'all',
      catchUpCount: 'many',
      overlap: 'allow',
      overlapCount: '0',
      retry: {
        ...everything().retry,
        count: '1000',
        delay: { amount: '0', unit: 'seconds' },
        exitCodes: 'x',
      },
      jitter: { isOn: true, span: { amount: '2', unit: 'days' } },
      perHour: { isOn: true, count: '' },
      dates: { from: '2027-05-02', until: '2027-05-01', excluded: [{ key: 1, from: '', until: '' }] },
      conditions: [
        { ...emptyCondition('host_answers'), port: '70000' },
        { ...emptyCondition('battery_above'), percent: '100' },
        emptyCondition('check_command'),
      ],
    }),
  );
  expect(mistakes).toMatchObject({
    'schedules.0.rule.jobId': 'Choose a job.',
    'policies.catchUp.countMax': 'Type a whole number.',
    'policies.overlap.countMax': 'Use 1 to 100 runs.',
    'policies.retry.countMax': 'Use 0 to 100 retries.',
    'policies.retry.exitCodes': 'Type exit codes with commas between them.',
    'policies.jitterMs': 'Use 0 seconds to 24 hours.',
    'policies.runsPerHourMax': 'Type a whole number.',
    'dates.excluded.0.from': 'Choose a date.',
    'conditions.0.host': 'Type the name or address of a host.',
    'conditions.0.port': 'Use a port from 1 to 65535.',
    'conditions.1.percent': 'Use 1 to 99 percent.',
    'conditions.2.settings.line': 'Type a command to run.',
  });
});

test('a last day before the first is told at the last, and quick retries at their delay', () => {
  const backwards = { from: '2027-05-02', until: '2027-05-01', excluded: [] };
  const quick = { ...everything().retry, count: '50', delay: { amount: '0', unit: 'seconds' } } as const;
  expect(readForm(form({ dates: backwards })).mistakes).toEqual({
    'dates.until': 'The last day is before the first.',
  });
  expect(readForm(form({ retry: quick })).mistakes).toEqual({
    'policies.retry.delayMs': 'Wait at least 1 second between more than 3 retries.',
  });
});

test('what is switched off counts for nothing, however it was left', () => {
  const off = {
    ...everything().retry,
    isOn: false,
    count: 'x',
    delay: { amount: 'x', unit: 'days' },
  } as const;
  const { draft, mistakes } = readForm(form({ retry: off, perHour: { isOn: false, count: 'x' } }));
  expect(mistakes).toEqual({});
  expect(draft.policies.retry).toEqual(defaultPolicies.retry);
  expect(draft.policies.runsPerHourMax).toBeNull();
});

test('what the engine objects to stands at the field of the form', () => {
  const fields = {
    'draft.schedules.0.jobId': 'They would start each other for ever.',
    'policies.retry.delayMs': 'Too short.',
    'conditions.1.host': 'No such host.',
    'dates.until': 'Over already.',
  };
  expect(formPaths(fields)).toEqual({
    'schedules.0.rule.jobId': 'They would start each other for ever.',
    'policies.retry.delayMs': 'Too short.',
    'conditions.1.host': 'No such host.',
    'dates.until': 'Over already.',
  });
});

test('a change of the conditions elsewhere is taken over, and one of the dates on both sides is asked about', () => {
  const base = form();
  const mine = { ...base, dates: { ...base.dates, until: '2027-06-01' } };
  const theirs = {
    ...base,
    conditions: [emptyCondition('network')],
    dates: { ...base.dates, until: '2027-07-01' },
  };
  const merged = mergeForms(base, mine, theirs);
  expect(merged.taken).toEqual(['conditions']);
  expect(merged.clashes).toEqual(['dates']);
  expect(merged.form.conditions).toEqual(theirs.conditions);
  expect(merged.form.dates.until).toBe('2027-06-01');
});
