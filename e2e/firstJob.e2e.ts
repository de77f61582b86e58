/** Story (a): a person makes a job in the window, sees it run on time and reads its output while it comes. */
import { expect, test } from './launch';
import { fillNewJob, jobRow, runsOf, save } from './window';

test('a job made in the window runs on time, and its output is there live', async ({ story }) => {
  const { page } = await story.start();
  await expect(page.getByText('Nothing is scheduled yet.')).toBeVisible();
  await fillNewJob(page, {
    name: 'Tick',
    line: 'echo "begin $BELFRY_JOB_NAME"; echo careful >&2; sleep 1; echo done',
    cron: '*/2 * * * * *',
  });
  await expect(page.getByText('Every 2 seconds').first()).toBeVisible();
  await expect(page.getByRole('region', { name: 'What this will do' }).getByRole('listitem')).toHaveCount(10);
  await save(page);

  await expect(jobRow(page, 'Tick')).toContainText('Every 2 seconds');
  await expect
    .poll(async () => (await runsOf(page, 'Tick')).filter((run) => run.state === 'finished').length, {
      timeout: 20_000,
    })
    .toBeGreaterThanOrEqual(3);
  const finished = (await runsOf(page, 'Tick')).filter((run) => run.state === 'finished');
  for (const run of finished) {
    expect(run).toMatchObject({ trigger: 'schedule', outcome: 'succeeded', exitCode: 0 });
    expect((run.plannedAt ?? 1) % 2_000).toBe(0);
    // On time: before its next due time, which is two seconds later.
    expect((run.startedAt ?? 0) - (run.plannedAt ?? 0)).toBeGreaterThanOrEqual(0);
    expect((run.startedAt ?? 0) - (run.plannedAt ?? 0)).toBeLessThan(2_000);
  }
  expect(new Set(finished.map((run) => run.plannedAt)).size).toBe(finished.length);

  await page.getByRole('tab', { name: 'Log' }).click();
  const log = page.getByRole('log');
  await expect(log).toContainText('begin Tick');
  await expect(log).toContainText('careful');
  // Live: a new run's first line is on the screen while the run is still sleeping before its last one.
  await expect
    .poll(
      async () => {
        const text = (await log.textContent()) ?? '';
        return text.includes('begin Tick') && !text.includes('done');
      },
      { intervals: [50] },
    )
    .toBe(true);
  await expect(log).toContainText('done');
  await expect(page.getByText(/Exit 0/).first()).toBeVisible();
});

test('the finished line of a live log tells how the run ended', async ({ story }) => {
  const { page } = await story.start();
  await fillNewJob(page, { name: 'Count', line: 'for i in 1 2 3; do echo line $i; sleep 0.3; done; exit 3' });
  await save(page);
  await page.getByRole('button', { name: /^Run now/ }).click();
  await page.getByRole('tab', { name: 'Log' }).click();
  await expect(page.getByRole('log')).toContainText('line 1');
  await expect(page.getByRole('log')).toContainText('line 3');
  await expect(page.getByText(/Exit 3 after/).first()).toBeVisible();
});
