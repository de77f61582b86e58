/** Bad input, in the editor and at run time: a sentence that says what to do, nothing typed lost, never a crash. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from './launch';
import { askPage, fillNewJob, jobRow, newestRun, save } from './window';

test('every wrong field is marked with a sentence, and nothing that was typed is lost', async ({ story }) => {
  const { page } = await story.start();
  await page.getByRole('banner').getByRole('button', { name: 'New job' }).click();
  await page.getByRole('textbox', { name: 'Notes' }).fill('typed before the mistakes');
  await page.getByRole('textbox', { name: 'Cron expression' }).fill('0,70 */2 * * mon#6');
  // Mistakes are told when the field is left, never while something is typed for the first time.
  await page.keyboard.press('Tab');
  await expect(page.getByText('The minute must be 0 to 59. You typed 70.').first()).toBeVisible();
  await expect(
    page.getByText('A month has at most five of any weekday. Use #1 to #5.').first(),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Save', exact: true }).click();

  await expect(page.getByText('Give the job a name.')).toBeVisible();
  await expect(page.getByText('Type a command to run.')).toBeVisible();
  await expect(page.getByText(/^4 things to fix/).first()).toBeAttached();
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await expect(name).toBeFocused();
  await expect(name).toHaveAccessibleDescription(/Give the job a name\./);
  await expect(page.getByRole('textbox', { name: 'Notes' })).toHaveValue('typed before the mistakes');
  await expect(page.getByRole('textbox', { name: 'Cron expression' })).toHaveValue('0,70 */2 * * mon#6');

  await name.fill('Mended');
  await page.getByRole('textbox', { name: 'Command', exact: true }).fill('true');
  await page.getByRole('textbox', { name: 'Cron expression' }).fill('0 9 * * mon#5');
  await save(page);
  await expect(jobRow(page, 'Mended')).toBeVisible();
});

test('a schedule that never fires cannot be saved, and says why', async ({ story }) => {
  const { page } = await story.start();
  await fillNewJob(page, { name: 'Never', line: 'true', cron: '0 0 30 2 *' });
  await expect(page.getByText(/30 February does not exist/).first()).toBeVisible();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('textbox', { name: 'Cron expression' })).toHaveValue('0 0 30 2 *');
  expect(await askPage(page, 'jobs.list', undefined)).toEqual([]);
});

test('an unknown program and a missing folder are warnings, and the job can be saved', async ({ story }) => {
  const { page } = await story.start();
  await fillNewJob(page, { name: 'Unplugged', line: 'restic-that-is-not-here backup' });
  await page.getByRole('textbox', { name: 'Folder', exact: true }).fill('/media/not-plugged-in');
  await page.getByRole('textbox', { name: 'Notes' }).click();
  await expect(page.getByText(/restic-that-is-not-here was not found on this PATH/).first()).toBeVisible();
  await expect(page.getByText(/This folder does not exist/).first()).toBeVisible();
  await save(page);
  await page.getByRole('button', { name: /^Run now/ }).click();
  expect(await newestRun(page, 'Unplugged', 'finished')).toMatchObject({
    outcome: 'failed',
    reason: 'folder_missing',
  });
  await expect(page.getByText(/not-plugged-in/).first()).toBeVisible();
});

test('a program that is missing or may not be run gives a failed run with that reason', async ({ story }) => {
  const { page } = await story.start();
  const plain = path.join(story.dataFolder, 'plain.txt');
  fs.writeFileSync(plain, 'no program', { mode: 0o644 });
  for (const [name, program, reason] of [
    ['Missing', '/nowhere/at/all', 'program_not_found'],
    ['Plain', plain, 'not_executable'],
  ] as const) {
    await page.getByRole('banner').getByRole('button', { name: 'New job' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
    await page.getByText('A program with arguments').click();
    await page.getByRole('textbox', { name: 'Program', exact: true }).fill(program);
    await page.getByRole('radiogroup', { name: 'Kind of schedule' }).getByText('By hand only').click();
    await save(page);
    await jobRow(page, name).click();
    await page.getByRole('button', { name: /^Run now/ }).click();
    expect(await newestRun(page, name, 'finished')).toMatchObject({ outcome: 'failed', reason });
  }
  expect((await askPage(page, 'engine.status', undefined)).state).toBe('running');
});
