/** Story (c): a job that fails says its exit code in words and turns the tray to failing; a success turns it back. */
import fs from 'node:fs';
import path from 'node:path';
import { Desktop } from './desktop';
import { test as base, expect } from './launch';
import { fillNewJob, jobRow, newestRun, save } from './window';

const test = base.extend<{ desktop: Desktop }>({
  desktop: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a destructured argument
    async ({}, use) => {
      const desktop = new Desktop();
      await desktop.next('ready');
      await use(desktop);
      desktop.stop();
    },
    { auto: true },
  ],
});

test('a failure shows its exit code in words', async ({ story }) => {
  const { page } = await story.start();
  await fillNewJob(page, { name: 'Broken', line: 'no-such-program-here --now' });
  await save(page);
  await page.getByRole('button', { name: /^Run now/ }).click();
  expect(await newestRun(page, 'Broken', 'finished')).toMatchObject({ outcome: 'failed', exitCode: 127 });

  await expect(page.getByText(/Exit 127: the command was not found/).first()).toBeVisible();
  await expect(jobRow(page, 'Broken').getByRole('img', { name: 'Failed' }).first()).toBeVisible();
});

test('a failure nobody has looked at turns the tray to failing, and a success turns it back', async ({
  desktop,
  story,
}) => {
  const { app, page } = await story.start();
  await desktop.next('tray');
  const picture = async (): Promise<string> => (await desktop.tray()).picture;
  const idle = await picture();
  await fillNewJob(page, { name: 'Moody', line: 'test -e fine || exit 5' });
  await page.getByRole('textbox', { name: 'Folder', exact: true }).fill(story.dataFolder);
  await save(page);
  // A window that shows the job has seen its failure; the tray speaks to people who do not look at it.
  const closed = page.waitForEvent('close');
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
  await closed;

  await desktop.choose('Moody');
  await expect.poll(async () => (await desktop.tray()).tooltip).toContain('1 job failing');
  expect(await picture()).not.toBe(idle);
  expect((await desktop.menu()).map((entry) => entry.label).join('\n')).toMatch(/Moody, failed/);

  fs.writeFileSync(path.join(story.dataFolder, 'fine'), '');
  await desktop.choose('Moody');
  await expect.poll(picture).toBe(idle);
});
