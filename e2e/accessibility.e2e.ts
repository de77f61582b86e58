/** axe on every view and dialog there is, light and dark, at the default and the smallest window. */
import fs from 'node:fs';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { ElectronApplication, Page } from '@playwright/test';
import { expect, setTheme, test } from './launch';
import { fillNewJob, newestRun, save } from './window';

const SIZES = [
  [1200, 760],
  [720, 480],
] as const;

async function expectNoViolations(page: Page, place: string): Promise<void> {
  // Legacy mode: Electron has no way to open the extra target that the newer one wants.
  const result = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  const found = result.violations.map(
    (each) => `${place}: ${each.id}: ${each.nodes.map((node) => node.target.join(' ')).join(' | ')}`,
  );
  expect(found).toEqual([]);
  expect(result.passes.length).toBeGreaterThan(10);
}

const resize = (app: ElectronApplication, [width, height]: (typeof SIZES)[number]): Promise<void> =>
  app.evaluate(
    ({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]?.setContentSize(size[0], size[1]),
    [width, height] as const,
  );

for (const theme of ['light', 'dark'] as const) {
  test(`no view has an accessibility fault, ${theme}`, async ({ story }) => {
    test.slow();
    const { app, page } = await story.start();
    await setTheme(app, theme);
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    await expectNoViolations(page, 'no jobs');
    await fillNewJob(page, { name: 'Broken', line: 'echo one; echo two >&2; exit 2', cron: '0 3 1 1 *' });
    await save(page);
    await page.getByRole('button', { name: /^Run now/ }).click();
    await newestRun(page, 'Broken', 'finished');

    for (const size of SIZES) {
      await resize(app, size);
      const at = `${size[0]} wide`;
      await expectNoViolations(page, `list, ${at}`);
      const detail = page.getByRole('tab', { name: 'Overview' });
      if (!(await detail.isVisible())) await page.getByRole('row').filter({ hasText: 'Broken' }).dblclick();
      for (const tab of ['Overview', 'Runs', 'Log']) {
        await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click();
        await expectNoViolations(page, `${tab}, ${at}`);
      }
      for (const opener of ['Why?', 'Pause this job']) {
        await page.getByRole('button', { name: opener, exact: true }).first().click();
        await expect(page.getByRole('dialog')).toBeVisible();
        await expectNoViolations(page, `${opener}, ${at}`);
        await page.keyboard.press('Escape');
        await expect(page.getByRole('dialog')).toHaveCount(0);
      }
      const openSidebar = page.getByRole('button', { name: 'Show sidebar' });
      const isRail = await openSidebar.isVisible();
      if (isRail) await openSidebar.click();
      await page.getByRole('button', { name: 'More about this Belfry' }).click();
      await page.getByRole('menuitem', { name: 'Data and copies…' }).click();
      await expect(page.getByRole('dialog', { name: 'Data and copies' })).toBeVisible();
      await expect(page.getByRole('textbox', { name: 'Days that runs are kept' })).toBeVisible();
      await expectNoViolations(page, `data and copies, ${at}`);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
      // By key: the button lies under what is clicked to close the sidebar, which does the same.
      if (isRail) await page.keyboard.press('Control+b');
      await page.getByRole('button', { name: /^Edit/ }).click();
      await expectNoViolations(page, `editor, ${at}`);
      await page.getByRole('button', { name: 'Limit the days…' }).click();
      await page.getByRole('button', { name: 'Add a day or a range' }).click();
      for (const condition of ['The battery holds enough', 'A host answers', 'My own check succeeds']) {
        await page.getByRole('button', { name: 'Add a condition' }).click();
        await page.getByRole('menuitem', { name: condition }).click();
      }
      await page.getByRole('switch', { name: 'Try again after a failure' }).press('Space');
      await expectNoViolations(page, `editor with days, conditions and retries, ${at}`);
      await page.getByRole('textbox', { name: 'Cron expression' }).fill('0,70 * * * mon#6');
      await page.keyboard.press('Tab');
      await expect(page.getByText(/You typed 70/).first()).toBeVisible();
      await expectNoViolations(page, `editor with mistakes, ${at}`);
      for (const kind of ['Interval', 'Once', 'After a job', 'On an event', 'By hand only']) {
        await page.getByRole('radiogroup', { name: 'Kind of schedule' }).getByText(kind).click();
        await expectNoViolations(page, `editor, ${kind}, ${at}`);
      }
      await page.getByRole('button', { name: /^Cancel/ }).click();
      const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'));
      await expect(dialog).toBeVisible();
      await expectNoViolations(page, `unsaved changes, ${at}`);
      await dialog.getByRole('button', { name: 'Discard' }).click();
      await expect(page.getByRole('heading', { level: 1, name: 'Jobs' })).toBeVisible();
    }
  });

  test(`the way out of a refused store has no accessibility fault, ${theme}`, async ({ story }) => {
    fs.writeFileSync(path.join(story.dataFolder, 'belfry.db'), 'this is no database', { mode: 0o600 });
    const { app, page } = await story.start();
    await setTheme(app, theme);
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    for (const size of SIZES) {
      await resize(app, size);
      const at = `${size[0]} wide`;
      await expect(
        page.getByRole('heading', { level: 1, name: 'Belfry could not read its data' }),
      ).toBeVisible();
      await page.getByText('Start empty').first().click();
      await expectNoViolations(page, `rescue, ${at}`);
      await page.getByRole('button', { name: 'Continue' }).click();
      await expect(page.getByRole('button', { name: 'Go back' })).toBeFocused();
      await expectNoViolations(page, `starting empty, ${at}`);
      await page.getByRole('button', { name: 'Go back' }).click();
    }
  });
}
