import { expect, test } from 'vitest';
import type { JobId, JobRow } from '../../shared/model/job';
import type { SchedulerStatus } from '../../shared/model/settings';
import { DAY_MS, type Instant, MINUTE_MS, toInstant } from '../../shared/time';
import {
  MENU_ROWS_MAX,
  TOOLTIP_LENGTH_MAX,
  type TrayView,
  trayMenu,
  trayState,
  trayTooltip,
} from './trayModel';
import { menuTemplate, type TrayActions } from './trayTemplate';

/** Noon on a Wednesday, in whatever zone the test runs. */
const now = toInstant(new Date(2026, 2, 11, 12, 0).getTime());
const later = (ms: number): Instant => toInstant(now + ms);

const idle: SchedulerStatus = {
  state: 'running',
  holder: null,
  jobCount: 3,
  runningCount: 0,
  failingCount: 0,
  next: { at: later(135 * MINUTE_MS), jobName: 'Pull work repos', dueCount: 1 },
  lastGap: null,
  problem: null,
};

const row = (name: string, changes: Partial<JobRow> = {}): JobRow => ({
  id: `id of ${name}` as JobId,
  name,
  kind: 'command',
  summary: 'true',
  tags: [],
  isEnabled: true,
  disabledReason: null,
  state: 'succeeded',
  scheduleShort: 'Every day at 06:00',
  spark: '' as JobRow['spark'],
  next: { code: 'due', at: later(MINUTE_MS) },
  lastRunAt: later(-MINUTE_MS),
  ...changes,
});
const running = (name: string, sinceMs: number): JobRow =>
  row(name, { state: 'running', next: { code: 'running', since: later(-sinceMs), usualMs: null } });
const failed = (name: string, ago: number): JobRow => row(name, { state: 'failed', lastRunAt: later(-ago) });

const FULL = 'Belfry cannot save: the disk is full. Nothing new is started until there is room.';

const view = (status: Partial<SchedulerStatus>, rows: readonly JobRow[] = []): TrayView => ({
  status: { ...idle, ...status },
  rows,
  now,
});
const labels = (seen: TrayView): string[] =>
  trayMenu(seen).map((entry) => (entry.kind === 'separator' ? '---' : entry.label));

test.each([
  ['idle', {}],
  ['running', { runningCount: 1 }],
  ['failing', { failingCount: 1 }],
  ['failing', { failingCount: 1, runningCount: 1 }],
  ['paused', { state: 'paused', failingCount: 1 }],
  ['follower', { state: 'standby', failingCount: 1, runningCount: 1 }],
  ['failing', { state: 'store_failed' }],
  ['failing', { state: 'standby', problem: FULL }],
] as const)(
  'is %s for %o: trouble with the data, then standby, paused, failing, running',
  (state, status) => {
    expect(trayState({ ...idle, ...status })).toBe(state);
  },
);

test.each([
  ['Belfry: next 14:15, Pull work repos', {}, []],
  ['Belfry: nothing is due', { next: null }, []],
  ['Belfry: running Dump shop DB (24 min)', { runningCount: 1 }, [running('Dump shop DB', 24 * MINUTE_MS)]],
  ['Belfry: running Dump shop DB', { runningCount: 1 }, [running('Dump shop DB', 59_000)]],
  [
    'Belfry: running Dump shop DB (2 h 5 min)',
    { runningCount: 1 },
    [running('Dump shop DB', 125 * MINUTE_MS)],
  ],
  ['Belfry: running 2 jobs', { runningCount: 2 }, [running('a', 1), running('b', 1)]],
  ['Belfry: 2 jobs failing. Next 14:15, Pull work repos', { failingCount: 2 }, []],
  ['Belfry: 1 job failing, 1 running', { failingCount: 1, runningCount: 1, next: null }, []],
  ['Belfry: all jobs paused', { state: 'paused' }, []],
  ['Belfry: another process is running the jobs', { state: 'standby' }, []],
  ['Belfry cannot read its data. Open Belfry.', { state: 'store_failed' }, []],
  [FULL, { state: 'paused', problem: FULL }, []],
] as const)('the tooltip says "%s"', (text, status, rows) => {
  expect(trayTooltip(view(status, rows))).toBe(text);
});

test('the tooltip stays short enough for Windows', () => {
  const next = { at: later(DAY_MS), jobName: 'x'.repeat(120), dueCount: 1_000 };
  expect(trayTooltip(view({ next, failingCount: 4_096, runningCount: 4_096 })).length).toBeLessThanOrEqual(
    TOOLTIP_LENGTH_MAX,
  );
});

test('what is wrong with the data comes first in the menu, whoever runs the jobs (S-03)', () => {
  expect(labels(view({ problem: FULL }))[0]).toBe('Belfry cannot save: the disk is full.');
  expect(labels(view({ state: 'standby', problem: FULL })).slice(0, 2)).toEqual([
    'Belfry cannot save: the disk is full.',
    'Another Belfry is running the jobs',
  ]);
});

test('the menu names what fails and what runs, then offers the rest', () => {
  const rows = [
    failed('Check disk space', 5 * MINUTE_MS),
    running('Dump shop DB', 24 * MINUTE_MS),
    row('Pull work repos'),
  ];
  expect(labels(view({ failingCount: 1, runningCount: 1 }, rows))).toEqual([
    '1 failing, 1 running',
    'Next 14:15, Pull work repos',
    '---',
    '✕ Check disk space, failed 11:55',
    '▶ Dump shop DB, 24 min',
    '---',
    'Run a job…',
    'Pause all jobs',
    '---',
    'Open Belfry',
    'Quit Belfry',
  ]);
});

test('failures that the user has seen are not listed', () => {
  const rows = [failed('old', 2 * DAY_MS), failed('new', MINUTE_MS)];
  expect(labels(view({ failingCount: 1 }, rows)).filter((label) => label.startsWith('✕'))).toEqual([
    '✕ new, failed 11:59',
  ]);
});

test('paused jobs can be resumed, and the pause is said first', () => {
  const entries = labels(view({ state: 'paused', runningCount: 1 }, [row('a')]));
  expect(entries.slice(0, 2)).toEqual(['All jobs are paused', '1 running']);
  expect(entries).toContain('Resume all jobs');
});

test('while another process runs the jobs, the menu says which and since when', () => {
  const holder = { pid: 4121, since: later(-4 * 60 * MINUTE_MS) };
  expect(labels(view({ state: 'standby', holder })).slice(0, 2)).toEqual([
    'Another Belfry is running the jobs',
    'Process 4121, since 08:00',
  ]);
});

test('without readable data only open and quit are offered', () => {
  expect(labels(view({ state: 'store_failed', next: null }))).toEqual([
    'Belfry cannot read its data',
    '---',
    'Open Belfry',
    'Quit Belfry',
  ]);
});

test('has at most as many rows as fit, however much is going on', () => {
  const rows = [
    ...Array.from({ length: 50 }, (_, index) => failed(`f${index}`, index)),
    ...Array.from({ length: 50 }, (_, index) => running(`r${index}`, index)),
  ];
  const entries = trayMenu(view({ failingCount: 50, runningCount: 50 }, rows));
  expect(entries.length).toBeLessThanOrEqual(MENU_ROWS_MAX);
  const runnable = entries.find((entry) => entry.kind === 'runnable');
  expect(runnable?.jobs).toHaveLength(10);
});

test('offers those that ran last first', () => {
  const rows = [row('never', { lastRunAt: null }), row('older', { lastRunAt: later(-DAY_MS) }), row('newer')];
  const runnable = trayMenu(view({}, rows)).find((entry) => entry.kind === 'runnable');
  expect(runnable?.jobs.map(({ label }) => label)).toEqual(['newer', 'older', 'never']);
});

test('every entry does what it says, and an ampersand in a name is only an ampersand', () => {
  const done: string[] = [];
  const note = (what: string) => () => void done.push(what);
  const actions: TrayActions = {
    open: note('open'),
    quit: note('quit'),
    pause: note('pause'),
    resume: note('resume'),
    openJob: (jobId) => done.push(`open ${jobId}`),
    runJob: (jobId) => done.push(`run ${jobId}`),
  };
  const template = menuTemplate(trayMenu(view({ failingCount: 1 }, [failed('Q & A', MINUTE_MS)])), actions);
  const click = (entry: (typeof template)[number] | undefined): void => {
    const press = entry?.click as (() => void) | undefined;
    press?.();
  };
  click(template.find(({ label }) => label === '✕ Q && A, failed 11:59'));
  const runnable = template.find(({ label }) => label === 'Run a job…')?.submenu;
  click(Array.isArray(runnable) ? runnable[0] : undefined);
  for (const label of ['Pause all jobs', 'Open Belfry', 'Quit Belfry']) {
    click(template.find((entry) => entry.label === label));
  }
  expect(done).toEqual(['open id of Q & A', 'run id of Q & A', 'pause', 'open', 'quit']);
});
