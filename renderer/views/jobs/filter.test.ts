import { expect, test } from 'vitest';
import type { JobId, JobRow, JobState } from '../../../shared/model/job';
import { MINUTE_MS, toInstant } from '../../../shared/time';
import { NOW } from '../../testEngine';
import { countRows, parseFilter, sortRows, tagFilter } from './filter';

let lastId = 0;
const row = (name: string, state: JobState, part: Partial<JobRow> = {}): JobRow => {
  lastId += 1;
  return {
    id: `00000000-0000-4000-8000-${String(lastId).padStart(12, '0')}` as JobId,
    name,
    kind: 'command',
    summary: `run-${name.toLowerCase()}.sh`,
    tags: [],
    isEnabled: state !== 'paused',
    disabledReason: null,
    state,
    scheduleShort: '',
    spark: '',
    next: { code: 'by_hand' },
    lastRunAt: null,
    ...part,
  };
};
const due = (minutes: number): Partial<JobRow> => ({
  next: { code: 'due', at: toInstant(NOW + minutes * MINUTE_MS) },
});

const ROWS = [
  row('Photos', 'failed', { tags: ['Home'], ...due(5) }),
  row('Notes', 'caught_up', { tags: ['Backups', 'Home stuff'], ...due(60) }),
  row('Dump', 'running', { tags: ['Backups'], next: { code: 'running', since: NOW, usualMs: null } }),
  row('Pull', 'succeeded', due(1)),
  row('Docker', 'paused', { tags: ['Work'] }),
  row('Invoices', 'never_run', due(9_000)),
];

const matching = (text: string): string[] => ROWS.filter(parseFilter(text).matches).map(({ name }) => name);

test.each([
  ['', ['Photos', 'Notes', 'Dump', 'Pull', 'Docker', 'Invoices']],
  ['o', ['Photos', 'Notes', 'Docker', 'Invoices']],
  ['o notes', ['Notes']],
  ['NOTES o', ['Notes']],
  ['run-dump', ['Dump']],
  ['state:failed', ['Photos']],
  ['state:failed,missed,caught-up', ['Photos', 'Notes']],
  ['state:late', ['Notes']],
  ['state:failing tag:home', ['Photos']],
  ['tag:backups -state:running', ['Notes']],
  ['-tag:backups -tag:home -tag:work', ['Pull', 'Invoices']],
  ['tag:"home stuff"', ['Notes']],
  ['state:', ['Photos', 'Notes', 'Dump', 'Pull', 'Docker', 'Invoices']],
])('the filter “%s” shows %j', (text, names) => {
  expect(matching(text)).toEqual(names);
});

test('a token nobody knows is named, and searched for as text', () => {
  expect(parseFilter('foo:bar').unknown).toEqual(['foo']);
  expect(matching('foo:bar')).toEqual([]);
  expect(parseFilter('state:failed tag:x word').unknown).toEqual([]);
});

test('what needs attention comes first and what is off comes last', () => {
  const names = sortRows(ROWS, 'attention').map(({ name }) => name);
  expect(names).toEqual(['Photos', 'Notes', 'Dump', 'Pull', 'Invoices', 'Docker']);
});

test('the other orders are by next run, by name with numbers as numbers, and by last run', () => {
  expect(sortRows(ROWS, 'next').map(({ name }) => name)).toEqual([
    'Dump',
    'Pull',
    'Photos',
    'Notes',
    'Invoices',
    'Docker',
  ]);
  const numbered = [row('Job 10', 'succeeded'), row('job 9', 'succeeded')];
  expect(sortRows(numbered, 'name').map(({ name }) => name)).toEqual(['job 9', 'Job 10']);
  const ran = [
    row('Old', 'succeeded', { lastRunAt: toInstant(1) }),
    row('New', 'succeeded', { lastRunAt: NOW }),
  ];
  expect(sortRows(ran, 'last_run').map(({ name }) => name)).toEqual(['New', 'Old']);
});

test('the sidebar counts what its filters show', () => {
  const counts = countRows(ROWS);
  expect(counts).toMatchObject({ failing: 1, running: 1, late: 1, paused: 1 });
  expect(counts.tags).toEqual([
    ['Backups', 2],
    ['Home', 1],
    ['Home stuff', 1],
    ['Work', 1],
  ]);
  expect(matching(tagFilter('Home stuff'))).toEqual(['Notes']);
});

test('4,096 jobs are filtered and sorted within a frame (ui.md, section 18)', () => {
  const rows = Array.from({ length: 4_096 }, (_, index) => row(`Job ${index}`, 'succeeded', due(index % 97)));
  const spent = [1, 2, 3].map(() => {
    const start = performance.now();
    sortRows(rows.filter(parseFilter('job 1').matches), 'attention');
    return performance.now() - start;
  });
  expect(Math.min(...spent)).toBeLessThan(50);
});

test('a failing job that runs is counted and found as running, too', () => {
  const again = row('Photos', 'failed', { next: { code: 'running', since: NOW, usualMs: null } });
  expect(countRows([again])).toMatchObject({ failing: 1, running: 1 });
  expect(parseFilter('state:running').matches(again)).toBe(true);
  expect(parseFilter('state:failing').matches(again)).toBe(true);
});
