import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Explanation } from '../../../shared/model/explanation';
import type { JobId } from '../../../shared/model/job';
import type { AttemptId, Run, RunId } from '../../../shared/model/run';
import { ok } from '../../../shared/result';
import { HOUR_MS, MINUTE_MS, toInstant } from '../../../shared/time';
import type { FakeEngine } from '../../fakeEngine';
import { NOW } from '../../testEngine';
import { openWindow } from '../../testWindow';

const ago = (minutes: number) => toInstant(NOW - minutes * MINUTE_MS);
const queued: Partial<Run> = {
  state: 'queued',
  outcome: null,
  exitCode: null,
  endedAt: null,
  durationMs: null,
};

async function open(fill: (engine: FakeEngine, jobId: JobId) => void, job = {}) {
  const opened = await openWindow({
    fill: (engine) => {
      const upcoming = [toInstant(NOW + 20 * MINUTE_MS)];
      fill(engine, engine.addJob({ job: { name: 'Sync photos', ...job }, upcoming }));
    },
  });
  const detail = await screen.findByRole('complementary', { name: 'Sync photos' });
  await within(detail).findByRole('tab', { name: 'Overview' });
  return { ...opened, detail };
}

test('a run between two tries says which comes when, and can be tried at once', async () => {
  const { user, engine, detail } = await open((fake, jobId) => {
    const notBeforeAt = toInstant(NOW + 2 * MINUTE_MS);
    fake.addRun(jobId, { ...queued, startedAt: ago(3), notBeforeAt, attemptCount: 1, attemptsMax: 4 });
  });
  expect(detail.textContent).toMatch(/Trying again in 2 min, at \d\d:16\. Attempt 2 of 4\./);
  await user.click(within(detail).getByRole('button', { name: 'Retry now' }));
  await waitFor(() => expect(engine.bridge.inputsOf('runs.startNow')).toHaveLength(1));
});

test('a run that waits for mains says since when and until when, and can run anyway', async () => {
  const { user, engine, detail } = await open((fake, jobId) => {
    const until = toInstant(NOW + HOUR_MS);
    const wait = { kind: 'mains', detail: null, since: ago(60), until, otherwise: 'skip' } as const;
    fake.addRun(jobId, { ...queued, startedAt: null, waits: [{ ...wait, endedAt: null, end: null }] });
  });
  expect(detail.textContent).toMatch(/Waiting for mains power since \d\d:14, gives up \d\d:14\./);
  await user.click(within(detail).getByRole('button', { name: 'Run anyway' }));
  await waitFor(() => expect(engine.bridge.inputsOf('runs.startNow')).toHaveLength(1));
});

test('the tries of a run unfold under it with their ends, also those that were told later', async () => {
  const { user, detail } = await open((fake, jobId) => {
    const runId = fake.addRun(jobId, { startedAt: ago(9), attemptCount: 2, attemptsMax: 4 });
    const one = { startedAt: ago(9), endedAt: ago(8), signal: null, lateResult: null };
    fake.attempts.set(runId, [
      {
        ...one,
        id: 'a1' as AttemptId,
        number: 1,
        outcome: 'abandoned',
        reason: 'interrupted',
        exitCode: null,
        lateResult: { exitCode: 3, signal: null, endedAt: ago(7), recordedAt: ago(6) },
      },
      { ...one, id: 'a2' as AttemptId, number: 2, outcome: 'succeeded', reason: null, exitCode: 0 },
    ]);
  });
  await user.click(within(detail).getByRole('tab', { name: /^Runs/ }));
  const grid = await within(detail).findByRole('grid', { name: 'Runs' });
  within(grid).getAllByRole('row').at(-1)?.focus();
  await user.keyboard('{ArrowRight}');
  expect(await within(grid).findByText(/Try 1: Interrupted; told later: exit 3/)).toBeTruthy();
  expect(within(grid).getByText(/Try 2: Succeeded/)).toBeTruthy();
  expect(grid.getAttribute('aria-rowcount')).toBe('4');
  await user.click(within(grid).getByRole('button', { name: '2 tries', expanded: true }));
  expect(within(grid).queryByText(/Try 1/)).toBeNull();
});

test('a job that is off because of an interruption is checked, and what was found is told', async () => {
  const { user, engine, detail } = await open(() => undefined, {
    isEnabled: false,
    disabledReason: 'interrupted',
  });
  await user.click(within(detail).getByRole('button', { name: 'Check and resume' }));
  await waitFor(() => expect(engine.bridge.inputsOf('jobs.checkAndResume')).toHaveLength(1));
  expect(await screen.findAllByText('Its process is over. “Sync photos” is on.')).not.toHaveLength(0);
});

const skipped: Explanation = {
  code: 'skipped',
  jobName: 'Sync photos',
  plannedAt: ago(60),
  scheduleId: null,
  schedule: 'Every 2 hours',
  reason: 'paused_job',
  missCause: null,
  count: 1,
  pause: { scope: 'job', tag: null, note: 'on holiday', since: ago(600), until: null },
  gap: null,
  blockingRun: null,
};

test('every line of history can be asked why; the sentence comes with its facts', async () => {
  const { user, engine, detail } = await open((fake, jobId) => {
    fake.addSkip(jobId, { plannedAt: ago(60), reason: 'paused_job' });
    fake.bridge.script('jobs.explain', () => ok(skipped));
  });
  await user.click(within(detail).getByRole('tab', { name: /^Runs/ }));
  const grid = await within(detail).findByRole('grid', { name: 'Runs' });
  await user.click(within(grid).getByRole('button', { name: 'Why?' }));
  const dialog = await screen.findByRole('dialog', { name: 'Why? “Sync photos”' });
  expect(await within(dialog).findAllByText(/on holiday/)).toHaveLength(2);
  expect(within(dialog).getByText('Every 2 hours')).toBeTruthy();
  expect(engine.bridge.inputsOf('jobs.explain')[0]).toMatchObject({ at: ago(60) });
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a moment to come is asked by pressing it, and any other by its date and time', async () => {
  const { user, engine, detail } = await open(() => undefined);
  await user.click(within(detail).getByRole('button', { name: /^in 20 min, .*: why\?$/ }));
  const dialog = await screen.findByRole('dialog', { name: 'Why? “Sync photos”' });
  expect(engine.bridge.inputsOf('jobs.explain')).toMatchObject([{ at: NOW + 20 * MINUTE_MS }]);
  await user.click(within(dialog).getByRole('button', { name: 'Ask' }));
  await waitFor(() => expect(engine.bridge.inputsOf('jobs.explain')).toHaveLength(2));
});

test('the run that an answer is about is one press away', async () => {
  let runId: RunId | undefined;
  const { user, stores, detail } = await open((fake, jobId) => {
    runId = fake.addRun(jobId, { startedAt: ago(5), plannedAt: ago(5) });
    const run = {
      id: runId,
      trigger: 'schedule',
      plannedAt: ago(5),
      startedAt: ago(5),
      endedAt: ago(4),
      outcome: 'succeeded',
      reason: null,
      mergedCount: 0,
      lateMs: 0,
      missCause: null,
      waits: [],
    } as const;
    const facts = { jobName: 'Sync photos', plannedAt: ago(5), scheduleId: null, schedule: null };
    fake.bridge.script('jobs.explain', () =>
      ok({ code: 'ran', ...facts, run: { ...run, waits: [] }, gap: null, blockingRun: null }),
    );
  });
  await user.click(within(detail).getByRole('button', { name: /: why\?$/ }));
  await user.click(await screen.findByRole('button', { name: 'Open its log' }));
  await waitFor(() => expect(stores.place.getState()).toMatchObject({ tab: 'log', shownRunId: runId }));
});
