/** Everything works without a pointer: a job is made, edited, run, switched off, deleted and brought back by keys alone. */
import { expect, test } from './launch';
import { askPage, jobRow, newestRun } from './window';

test('a job is made, run, edited, deleted and brought back with the keyboard alone', async ({ story }) => {
  const { page } = await story.start();
  await page.keyboard.press('Control+n');
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toBeFocused();
  await page.keyboard.type('By keys');
  await page.keyboard.press('Tab');
  // The kind of command is one stop; the arrow keys would change it.
  await page.keyboard.press('Tab');
  await expect(page.getByRole('textbox', { name: 'Command', exact: true })).toBeFocused();
  await page.keyboard.type('echo typed');
  // Hidden ones too: an open list on the way hides the rest of the page from assistive technology.
  const cron = page.getByRole('textbox', { name: 'Cron expression', includeHidden: true });
  for (
    let stops = 0;
    stops < 40 && !(await cron.evaluate((node) => node === document.activeElement));
    stops += 1
  ) {
    await page.keyboard.press('Tab');
  }
  await expect(cron).toBeFocused();
  await page.keyboard.type('0 4 1 1 *');
  await page.keyboard.press('Control+s');
  await expect(page.getByRole('heading', { level: 1, name: 'Jobs' })).toBeVisible();
  await expect(jobRow(page, 'By keys')).toBeVisible();

  await jobRow(page, 'By keys').focus();
  await page.keyboard.press('r');
  expect(await newestRun(page, 'By keys', 'finished')).toMatchObject({ outcome: 'succeeded' });

  await jobRow(page, 'By keys').focus();
  await page.keyboard.press('e');
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('By keys');
  await page.getByRole('textbox', { name: 'Name', exact: true }).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Renamed');
  await page.keyboard.press('Control+s');
  await expect(jobRow(page, 'Renamed')).toBeVisible();

  await jobRow(page, 'Renamed').focus();
  await page.keyboard.press('Delete');
  await expect(jobRow(page, 'Renamed')).toHaveCount(0);
  expect(await askPage(page, 'jobs.list', undefined)).toEqual([]);
  await page.keyboard.press('Control+z');
  await expect(jobRow(page, 'Renamed')).toBeVisible();
  expect((await askPage(page, 'jobs.list', undefined)).map((row) => row.isEnabled)).toEqual([true]);
});

test('leaving the editor with unsaved changes asks, and Escape keeps editing', async ({ story }) => {
  const { page } = await story.start();
  await page.keyboard.press('Control+n');
  await page.keyboard.type('Half');
  await page.keyboard.press('Escape');
  const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'));
  await expect(dialog).toContainText('Save your changes');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Half');
});
