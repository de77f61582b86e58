/** The dialog about data: a copy by hand and the way back to it, a check, and how long history is kept. */
import type { Page } from '@playwright/test';
import { shellJob } from './drafts';
import { expect, test } from './launch';
import { askPage, jobRow } from './window';

async function openData(page: Page) {
  await page.getByRole('button', { name: 'More about this Belfry' }).click();
  await page.getByRole('menuitem', { name: 'Data and copies…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Data and copies' });
  await expect(dialog).toBeVisible();
  return dialog;
}

test('a copy is made and put back, and the window shows what it held', async ({ story }) => {
  const { page } = await story.start();
  await askPage(page, 'jobs.save', { draft: shellJob('In the copy', 'true') });
  await expect(jobRow(page, 'In the copy')).toBeVisible();

  const first = await openData(page);
  await first.getByRole('button', { name: 'Copy now' }).click();
  await expect(first.getByRole('status')).toHaveText('Copied: 1 job, 0 runs.');
  await expect(first.getByRole('row').filter({ hasText: 'Made by hand' })).toContainText('1 job, 0 runs');
  await first.getByRole('button', { name: 'Check now' }).click();
  await expect(first.getByRole('status')).toHaveText('Checked: no damage found.');
  await expect(first).toContainText(/Today \d\d:\d\d: no damage found\./);
  await first.getByRole('button', { name: 'Close' }).click();

  await askPage(page, 'jobs.save', { draft: shellJob('Too late', 'true') });
  await expect(jobRow(page, 'Too late')).toBeVisible();
  const second = await openData(page);
  await second
    .getByRole('row')
    .filter({ hasText: 'Made by hand' })
    .getByRole('button', { name: /^Put back the copy from today/ })
    .click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Put it back' }).click();
  const report = page.getByRole('dialog', { name: 'The copy was put back' });
  await expect(report).toContainText('Too late');
  await report.getByRole('button', { name: 'Close' }).click();

  await expect(jobRow(page, 'In the copy')).toBeVisible();
  await expect(jobRow(page, 'Too late')).toHaveCount(0);
  await expect(page.getByRole('banner')).toContainText(/Jobs\s*1/);
  expect((await askPage(page, 'engine.status', undefined)).state).toBe('running');
  // The state from before became a copy, so that the way back is open.
  const third = await openData(page);
  await expect(third.getByRole('row').filter({ hasText: 'Before another copy was put back' })).toContainText(
    '2 jobs, 0 runs',
  );
});

test('how long history is kept is there again after a restart', async ({ story }) => {
  const first = await story.start();
  const dialog = await openData(first.page);
  const days = dialog.getByRole('textbox', { name: 'Days that runs are kept' });
  await days.fill('0');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(days).toHaveAttribute('aria-invalid', 'true');
  await days.fill('41');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('status')).toHaveText('Saved.');
  await first.app.close();

  const second = await story.start();
  const again = await openData(second.page);
  await expect(again.getByRole('textbox', { name: 'Days that runs are kept' })).toHaveValue('41');
});
