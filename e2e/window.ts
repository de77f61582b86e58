/** What a person does in the window, and what the engine says through the same bridge the window uses. */
import type { Page } from '@playwright/test';
import type { Bridge, Input, Output, RequestName } from '../shared/ipc/contract';
import type { Run } from '../shared/model/run';
import { expect } from './launch';

/** Asks the engine through the page's bridge; a failure fails the test with its sentence. */
export async function askPage<N extends RequestName>(
  page: Page,
  name: N,
  input: Input<N>,
): Promise<Output<N>> {
  const reply = await page.evaluate(
    ([given, value]) =>
      (window as unknown as { belfry: Bridge }).belfry.request(given as N, value as Input<N>),
    [name, input] as const,
  );
  if (!reply.ok) throw new Error(`${name}: ${reply.error.message}`);
  return reply.value as Output<N>;
}

/** Opens the editor and fills in what a first job needs. Saving is left to the story. */
export async function fillNewJob(
  page: Page,
  job: { name: string; line: string; cron?: string },
): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'New job' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(job.name);
  await page.getByRole('textbox', { name: 'Command', exact: true }).fill(job.line);
  if (job.cron === undefined) {
    await page.getByRole('radiogroup', { name: 'Kind of schedule' }).getByText('By hand only').click();
  } else {
    await page.getByRole('textbox', { name: 'Cron expression' }).fill(job.cron);
  }
}

export async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Jobs' })).toBeVisible();
}

/** The row of a job in the list. */
export const jobRow = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/** Runs of the only job there is, newest first. */
export async function runsOf(page: Page, name: string): Promise<Run[]> {
  const jobs = await askPage(page, 'jobs.list', undefined);
  const job = jobs.find((row) => row.name === name);
  if (job === undefined) throw new Error(`there is no job ${name}`);
  const { entries } = await askPage(page, 'runs.history', { jobId: job.id, limit: 50 });
  return entries.flatMap((entry) => (entry.entry === 'run' ? [entry.run] : []));
}

/** Waits until the newest run of the job is in this state and gives it. */
export async function newestRun(page: Page, name: string, state: Run['state']): Promise<Run> {
  await expect
    .poll(async () => (await runsOf(page, name))[0]?.state, { message: `newest run of ${name}` })
    .toBe(state);
  return (await runsOf(page, name))[0] as Run;
}
