/** A person sets policies in the editor by keyboard, pauses a tag with a note, and asks why something did not run. */
import type { Page } from '@playwright/test';
import type { Job } from '../shared/model/job';
import { cronRule, shellJob } from './drafts';
import { expect, test } from './launch';
import { askPage, jobRow, save } from './window';

/** Gives the focus and presses keys; nothing is clicked. */
async function press(page: Page, role: 'button' | 'switch' | 'radio', name: string | RegExp, key = 'Space') {
  await page.getByRole(role, { name }).focus();
  await page.keyboard.press(key);
}

async function write(page: Page, name: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name, exact: true }).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

async function savedJob(page: Page, name: string): Promise<Job> {
  const rows = await askPage(page, 'jobs.list', undefined);
  const row = rows.find((one) => one.name === name);
  if (row === undefined) throw new Error(`there is no job ${name}`);
  return (await askPage(page, 'jobs.get', { jobId: row.id })).job;
}

test('a retry and an excluded range are set with the keyboard, saved, and shown', async ({ story }) => {
  const { page } = await story.start();
  await page.keyboard.press('Control+n');
  await page.keyboard.type('Back up photos');
  await write(page, 'Command', 'echo backed up');
  await write(page, 'Cron expression', '0 3 * * *');

  await press(page, 'button', 'Limit the days…');
  await press(page, 'button', 'Add a day or a range');
  await page.getByLabel('Excluded day 1, first').fill('2030-12-24');
  await page.getByLabel('Excluded day 1, last').fill('2030-12-27');
  await press(page, 'switch', 'Try again after a failure');
  await write(page, 'How many more tries', '2');
  await expect(page.getByText('After a failure it waits 1 min and 2 min.')).toBeVisible();
  await page.keyboard.press('Control+s');

  await expect(page.getByRole('heading', { level: 1, name: 'Jobs' })).toBeVisible();
  await expect(jobRow(page, 'Back up photos')).toBeVisible();
  const job = await savedJob(page, 'Back up photos');
  expect(job.dates.excluded).toEqual([{ from: '2030-12-24', until: '2030-12-27' }]);
  expect(job.policies.retry).toMatchObject({ countMax: 2, delayMs: 60_000, growth: 'doubling' });
  const overview = page.getByRole('region', { name: 'Overview' });
  await expect(overview).toContainText('2 retries');
  await expect(overview).toContainText('Not on Tue 24 Dec 2030 to Fri 27 Dec 2030');
});

test('a tag is paused with a note; its job skips and says why, and resumes', async ({ story }) => {
  const { page } = await story.start();
  const draft = shellJob('Tick', 'echo tick', cronRule('* * * * * *'));
  const { id: jobId } = await askPage(page, 'jobs.save', { draft: { ...draft, tags: ['Work'] } });
  await press(page, 'button', 'Pause the tag Work…', 'Enter');
  const dialog = page.getByRole('dialog', { name: 'Pause the tag “Work”' });
  await dialog.getByRole('textbox', { name: 'Note' }).focus();
  await page.keyboard.type('on holiday');
  await dialog.getByRole('button', { name: 'Pause' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^The tag “Work” is paused until/)).toBeVisible();

  const skipped = async () =>
    (await askPage(page, 'runs.history', { jobId, limit: 50 })).entries.find(
      (entry) => entry.entry === 'skip' && entry.decision.reason === 'paused_tag',
    );
  await expect.poll(skipped, { timeout: 20_000 }).toBeDefined();
  await page.getByRole('tab', { name: /^Runs/ }).click();
  const line = page
    .getByRole('grid', { name: 'Runs' })
    .getByRole('row')
    .filter({ hasText: 'Tag was paused' });
  await line.first().getByRole('button', { name: 'Why?' }).press('Enter');
  await expect(page.getByRole('dialog', { name: 'Why? “Tick”' })).toContainText('on holiday');
  await page.keyboard.press('Escape');

  await press(page, 'button', /^Resume$/, 'Enter');
  await expect.poll(async () => askPage(page, 'pauses.list', undefined)).toEqual([]);
});

test('a moment to come is asked about from the overview', async ({ story }) => {
  const { page } = await story.start();
  await page.keyboard.press('Control+n');
  await page.keyboard.type('Yearly');
  await write(page, 'Command', 'true');
  await write(page, 'Cron expression', '0 4 1 1 *');
  await save(page);
  const overview = page.getByRole('region', { name: 'Overview' });
  await overview
    .getByRole('button', { name: /: why\?$/ })
    .first()
    .press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Why? “Yearly”' });
  await expect(dialog).toContainText('Planned for');
  await dialog.getByRole('button', { name: 'Close' }).press('Enter');
  await expect(dialog).toHaveCount(0);
});
