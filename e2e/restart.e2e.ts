/** Story (b): quit and start again. Job and history are there, and what was missed is caught up once and says so. */
import { expect, test } from './launch';
import { askPage, fillNewJob, jobRow, runsOf, save } from './window';

const MINUTE_MS = 60_000;

test('after a quit the job and its history are there, and the missed due times run once', async ({
  story,
}) => {
  const first = await story.start();
  await fillNewJob(first.page, { name: 'Often', line: 'echo ran', cron: '*/3 * * * * *' });
  await save(first.page);
  await expect
    .poll(async () => (await runsOf(first.page, 'Often')).filter((run) => run.state === 'finished').length, {
      timeout: 20_000,
    })
    .toBeGreaterThanOrEqual(1);
  const before = await runsOf(first.page, 'Often');
  const quitAt = Date.now();
  await first.app.close();

  // Three due times have to pass; the clock is the condition, and there is nothing else to wait for.
  await expect.poll(() => Date.now() - quitAt, { timeout: MINUTE_MS }).toBeGreaterThan(10_000);

  const second = await story.start();
  await expect(jobRow(second.page, 'Often')).toBeVisible();
  await expect
    .poll(async () =>
      (await runsOf(second.page, 'Often')).some(
        (run) => run.trigger === 'catch_up' && run.state === 'finished',
      ),
    )
    .toBe(true);
  const after = await runsOf(second.page, 'Often');
  expect(after.map((run) => run.id)).toEqual(expect.arrayContaining(before.map((run) => run.id)));
  const caughtUp = after.filter((run) => run.trigger === 'catch_up');
  expect(caughtUp).toHaveLength(1);
  expect(caughtUp[0]).toMatchObject({ outcome: 'succeeded', missCause: 'not_running' });
  expect(caughtUp[0]?.mergedCount).toBeGreaterThanOrEqual(1);
  expect(new Set(after.map((run) => run.plannedAt)).size).toBe(after.length);

  await jobRow(second.page, 'Often').click();
  await second.page.getByRole('tab', { name: /^Runs/ }).click();
  await expect(second.page.getByText(/Caught up/).first()).toBeVisible();
  const status = await askPage(second.page, 'engine.status', undefined);
  expect(status.lastGap).toMatchObject({ cause: 'not_running' });
});
