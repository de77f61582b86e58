import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { JobId } from '../../../shared/model/job';
import type { Run } from '../../../shared/model/run';
import type { ScheduleId, ScheduleRule } from '../../../shared/model/schedule';
import { fail, ok } from '../../../shared/result';
import { MINUTE_MS, toInstant } from '../../../shared/time';
import type { FakeEngine } from '../../fakeEngine';
import { detailOf } from '../../fakeRecords';
import { NOW } from '../../testEngine';
import { openWindow } from '../../testWindow';

const everyHour: ScheduleRule = {
  kind: 'cron',
  expression: '0 * * * *',
  zone: 'local',
  dayMatch: 'either',
  gap: 'run_after',
  repeat: 'first',
};

const failedRun: Partial<Run> = {
  outcome: 'failed',
  reason: 'exit_code',
  exitCode: 127,
  durationMs: 200,
  startedAt: toInstant(NOW - 5 * MINUTE_MS),
  endedAt: toInstant(NOW - 5 * MINUTE_MS),
};

async function open(fill: (engine: FakeEngine, jobId: JobId) => void, row = {}) {
  let jobId: JobId | undefined;
  const opened = await openWindow({
    fill: (engine) => {
      jobId = engine.addJob({
        job: { name: 'Sync photos' },
        row,
        sentences: ['Every 2 hours'],
        upcoming: [20, 140, 260].map((minutes) => toInstant(NOW + minutes * MINUTE_MS)),
        medianMs: 185_000,
      });
      fill(engine, jobId);
    },
  });
  const detail = await screen.findByRole('complementary', { name: 'Sync photos' });
  await within(detail).findByRole('tab', { name: 'Overview' });
  return { ...opened, detail, jobId: jobId as JobId };
}

test('a failure is told with its exit code in words, and one button opens its log', async () => {
  const { user, engine, detail } = await open(
    (fake, jobId) => {
      const runId = fake.addRun(jobId, failedRun);
      fake.write(runId, [{ text: 'sh: restic: not found', stream: 'stderr' }]);
    },
    { state: 'failed' },
  );
  expect(within(detail).getByText(/Failed 5 min ago\./).parentElement?.textContent).toContain(
    'Exit 127: the command was not found.',
  );
  await user.click(within(detail).getByRole('button', { name: 'Open log' }));
  const log = await within(detail).findByRole('log');
  await within(log).findByText('sh: restic: not found');
  expect(within(log).getByText('err')).toBeTruthy();
  expect(within(log).getByText(/Exit 127: the command was not found\./)).toBeTruthy();
  expect(engine.bridge.inputsOf('output.read').length).toBeGreaterThan(0);
});

test('a missed due time is told with the reason that the history knows', async () => {
  const { detail } = await open(
    (fake, jobId) =>
      fake.addSkip(jobId, {
        plannedAt: toInstant(NOW - 30 * MINUTE_MS),
        untilAt: toInstant(NOW - 20 * MINUTE_MS),
        count: 3,
        reason: 'catch_up_off',
        missCause: 'asleep',
      }),
    { state: 'missed' },
  );
  const banner = await within(detail).findByText('Missed 3 due times, the last 20 min ago.');
  expect(banner.parentElement?.textContent).toContain('It was not made up: the laptop was asleep.');
});

test('a job that is off says so, and one button switches it on', async () => {
  const { user, engine, detail, jobId } = await open(() => undefined, {
    isEnabled: false,
    state: 'paused',
    disabledReason: 'user',
  });
  expect(within(detail).getByText('This job is off.')).toBeTruthy();
  await user.click(within(detail).getByRole('button', { name: 'Switch on' }));
  await waitFor(() =>
    expect(engine.bridge.inputsOf('jobs.setEnabled')).toEqual([{ jobId, isEnabled: true }]),
  );
});

test('the overview tells the rules in force, defaults included', async () => {
  const { detail } = await open(() => undefined);
  const overview = within(detail).getByRole('region', { name: 'Overview' });
  for (const text of [
    'Every 2 hours',
    'Run once when the laptop wakes',
    'Stop after 1 h · no overlap',
    'Home folder',
  ]) {
    expect(within(overview).getByText(text), text).toBeTruthy();
  }
  expect(overview.textContent).toMatch(/in 20 min.*then \d\d:34, \d\d:34/);
});

test('the duration chart has its median in words, and each bar opens its run', async () => {
  const { user, stores, detail } = await open((fake, jobId) => {
    for (let index = 0; index < 3; index += 1) {
      fake.addRun(jobId, { startedAt: toInstant(NOW - index * MINUTE_MS), durationMs: 60_000 });
    }
  });
  const chart = await within(detail).findByRole('group', {
    name: 'Duration of the last 3 runs. Median 3 min 5 s.',
  });
  const bars = within(chart).getAllByRole('button');
  expect(bars.map((bar) => bar.getAttribute('tabindex'))).toEqual(['-1', '-1', '0']);
  act(() => bars[2]?.focus());
  await user.keyboard('{ArrowLeft}{Enter}');
  await waitFor(() => expect(stores.place.getState().tab).toBe('log'));
  expect(stores.place.getState().shownRunId).not.toBeNull();
});

test('the history has runs and what did not run, each with its reason in words', async () => {
  const { user, detail } = await open((fake, jobId) => {
    fake.addRun(jobId, failedRun);
    fake.addRun(jobId, { trigger: 'manual', startedAt: toInstant(NOW - 50 * MINUTE_MS) });
    fake.addRun(jobId, {
      trigger: 'catch_up',
      plannedAt: toInstant(NOW - 100 * MINUTE_MS),
      startedAt: toInstant(NOW - 90 * MINUTE_MS),
      missCause: 'asleep',
    });
    fake.addSkip(jobId, { plannedAt: toInstant(NOW - 70 * MINUTE_MS), reason: 'overlap' });
  });
  await user.click(within(detail).getByRole('tab', { name: /^Runs 3/ }));
  const grid = await within(detail).findByRole('grid', { name: 'Runs' });
  const rows = within(grid).getAllByRole('row').slice(1);
  expect(rows.map((row) => within(row).getAllByRole('gridcell').at(-2)?.textContent)).toEqual([
    'Exit 127',
    'By hand',
    'Still running',
    'Caught up: the laptop was asleep, 10 min late',
  ]);
  expect(within(grid).getByRole('img', { name: 'Skipped' })).toBeTruthy();
});

test('a run in the history opens its own log, and the latest one is a button away', async () => {
  const { user, detail } = await open((fake, jobId) => {
    const newer = fake.addRun(jobId, { startedAt: NOW });
    const older = fake.addRun(jobId, { startedAt: toInstant(NOW - MINUTE_MS) });
    fake.write(newer, [{ text: 'newer output' }]);
    fake.write(older, [{ text: 'older output' }]);
  });
  await user.click(within(detail).getByRole('tab', { name: /^Runs/ }));
  const grid = await within(detail).findByRole('grid', { name: 'Runs' });
  const older = within(grid).getAllByRole('row').at(-1);
  if (older !== undefined) await user.click(older);
  await within(await within(detail).findByRole('log')).findByText('older output');
  await user.click(within(detail).getByRole('button', { name: 'Latest run' }));
  await within(await within(detail).findByRole('log')).findByText('newer output');
});

test('a live log grows while it is looked at', async () => {
  const { user, engine, detail, jobId } = await open(() => undefined);
  let runId = '' as Run['id'];
  act(() => {
    runId = engine.addRun(jobId, { state: 'running', outcome: null, endedAt: null, durationMs: null });
    engine.write(runId, [{ text: 'begin' }]);
  });
  await user.click(within(detail).getByRole('tab', { name: 'Log' }));
  const log = await within(detail).findByRole('log');
  await within(log).findByText('begin');
  expect(log.getAttribute('aria-live')).toBe('off');
  act(() => engine.write(runId, [{ text: 'done' }]));
  await within(log).findByText('done');
  act(() => engine.changeRun(runId, { state: 'finished', outcome: 'succeeded', durationMs: 4_200 }));
  await within(log).findByText('Exit 0 after 4.2 s.');
});

test('finding in a log says how many match and goes from one to the next', async () => {
  const { user, stores, detail } = await open((fake, jobId) => {
    const runId = fake.addRun(jobId);
    fake.write(runId, [{ text: 'code 12' }, { text: 'other' }, { text: '\u001b[31mCode\u001b[0m 23' }]);
  });
  await user.click(within(detail).getByRole('tab', { name: 'Log' }));
  await user.type(await within(detail).findByRole('searchbox', { name: 'Find in log' }), 'code');
  await within(detail).findByText('1 of 2');
  await user.click(within(detail).getByRole('button', { name: 'Next match' }));
  await within(detail).findByText('2 of 2');
  expect(stores.output.getState().search?.found).toEqual([0, 2]);
});

test('a job that never ran says when the first run is due', async () => {
  const { user, detail } = await open(() => undefined);
  await user.click(within(detail).getByRole('tab', { name: 'Log' }));
  expect(await within(detail).findByText('No run yet. The first is due in 20 min.')).toBeTruthy();
  await user.click(within(detail).getByRole('tab', { name: /^Runs/ }));
  expect(await within(detail).findByText('No runs yet. The next is due in 20 min.')).toBeTruthy();
});

test('a job that cannot be loaded says so in its pane alone', async () => {
  const { engine } = await openWindow({
    fill: (fake) => {
      fake.addJob({ job: { name: 'Sync photos' } });
      fake.bridge.script('jobs.get', () => fail('internal', 'Something went wrong inside Belfry.'));
    },
  });
  expect(await screen.findByText('This job could not be loaded.')).toBeTruthy();
  expect(screen.getByRole('grid', { name: 'Jobs' })).toBeTruthy();
  engine.bridge.script('jobs.get', null);
});

test('a run that has just failed is past, although the minute has not changed since', async () => {
  const { detail } = await open(
    (fake, jobId) => fake.addRun(jobId, { ...failedRun, endedAt: toInstant(NOW + 7_000) }),
    { state: 'failed' },
  );
  expect(within(detail).getByText('Failed just now.')).toBeTruthy();
});

test('while all jobs are paused a job with a schedule says why nothing is next', async () => {
  await openWindow({
    fill: (fake) => {
      const schedules = [{ id: 'schedule' as ScheduleId, rule: everyHour }];
      fake.addJob({ job: { name: 'Sync photos', schedules }, upcoming: [] });
      fake.setStatus({ state: 'paused' });
    },
  });
  expect(await screen.findByText('Nothing, while all jobs are paused.')).toBeTruthy();
});

test('due times less than a minute apart are told with their seconds', async () => {
  await openWindow({
    fill: (fake) => {
      const upcoming = [20, 40, 60].map((seconds) => toInstant(NOW + seconds * 1_000));
      fake.addJob({ job: { name: 'Sync photos' }, upcoming });
    },
  });
  const overview = await screen.findByRole('region', { name: 'Overview' });
  expect(overview.textContent).toMatch(/in 20 s.*then \d\d:14:54, \d\d:15:14/);
});

test('runs of one minute are told apart by their seconds', async () => {
  const { user, detail } = await open((fake, jobId) => {
    for (const seconds of [2, 12]) fake.addRun(jobId, { startedAt: toInstant(NOW - seconds * 1_000) });
  });
  await user.click(within(detail).getByRole('tab', { name: /^Runs/ }));
  const grid = await within(detail).findByRole('grid', { name: 'Runs' });
  expect(within(grid).getByText(/^\d\d:14:12$/)).toBeTruthy();
  expect(within(grid).getByText(/^\d\d:14:02$/)).toBeTruthy();
});

test('the first run counts while it goes on', async () => {
  const { engine, detail, jobId } = await open(() => undefined);
  const asked = engine.jobs.get(jobId);
  engine.bridge.script('jobs.get', async () => {
    if (asked === undefined) return fail('not_found', 'Gone.');
    // The engine counts what has ended.
    return ok({ ...detailOf(asked), runCount: 0 });
  });
  act(() => void engine.addRun(jobId, { state: 'running', outcome: null, endedAt: null, durationMs: null }));
  expect(await within(detail).findByRole('tab', { name: /^Runs 1$/ })).toBeTruthy();
});

test('three bars have the width of three of thirty, at the right end', async () => {
  const { detail } = await open((fake, jobId) => {
    for (let index = 0; index < 3; index += 1) {
      fake.addRun(jobId, { startedAt: toInstant(NOW - index * MINUTE_MS), durationMs: 60_000 });
    }
  });
  const chart = await within(detail).findByRole('group', { name: /Duration of the last 3 runs/ });
  const hits = [...chart.querySelectorAll('.chart-hit')];
  expect(hits.map((hit) => Number(hit.getAttribute('x')).toFixed(1))).toEqual(['291.6', '302.4', '313.2']);
  expect(hits.map((hit) => hit.getAttribute('width'))).toEqual(['10.8', '10.8', '10.8']);
});

test('in the log, Control with F finds in the log, Escape leaves the field, and Control with A takes only the log', async () => {
  const { user, engine, detail } = await open((fake, jobId) => {
    fake.write(fake.addRun(jobId), [{ text: 'first' }, { text: 'second' }]);
  });
  await user.click(within(detail).getByRole('tab', { name: 'Log' }));
  const log = await within(detail).findByRole('log');
  act(() => log.focus());
  await user.keyboard('{Control>}f{/Control}');
  expect(document.activeElement).toBe(within(detail).getByRole('searchbox', { name: 'Find in log' }));
  await user.keyboard('{Escape}');
  expect(document.activeElement).toBe(log);
  await user.keyboard('{Control>}a{/Control}');
  expect(window.getSelection()?.anchorNode).toBe(log);
  fireEvent.copy(log);
  await waitFor(() =>
    expect(engine.bridge.inputsOf('clipboard.write')).toEqual([{ text: 'first\nsecond\n' }]),
  );
});

test('a log that was cut tells how much was written and how much of it is missing', async () => {
  const { user, stores, engine, detail } = await open((fake, jobId) => {
    fake.write(fake.addRun(jobId), [{ text: 'first' }, { text: 'last' }]);
  });
  engine.bridge.script('output.read', async () =>
    ok({
      lines: [],
      lineCount: 2,
      byteCount: 40_000_000,
      droppedBytes: 8_000_000,
      droppedBefore: 1,
      stderrLineCount: 0,
      isLive: false,
    }),
  );
  act(() => stores.output.getState().refresh());
  await user.click(within(detail).getByRole('tab', { name: 'Log' }));
  expect(await within(detail).findByText('2 lines kept · 40 MB written, 8 MB of it not kept')).toBeTruthy();
});
