/** An unsaved form is lost by nothing: not by closing the window, not by quitting, not by a crash of the page. */
import type { ElectronApplication, Page } from '@playwright/test';
import { expect, test } from './launch';

const nameOf = (page: Page) => page.getByRole('textbox', { name: 'Name', exact: true });

async function typeName(page: Page): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'New job' }).click();
  await nameOf(page).fill('Half done');
  await expect.poll(() => page.evaluate(() => localStorage.getItem('belfry.draft'))).toContain('Half done');
}

const closeWindow = (app: ElectronApplication): Promise<void> =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());

test('closing the window with unsaved changes asks, and closes after the answer', async ({ story }) => {
  const { app, page } = await story.start();
  await typeName(page);
  await closeWindow(app);
  const dialog = page.getByRole('alertdialog', { name: 'Save your changes to “Half done”?' });
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  await expect(nameOf(page)).toHaveValue('Half done');
  await closeWindow(app);
  const closed = page.waitForEvent('close');
  await dialog.getByRole('button', { name: 'Discard' }).click();
  await closed;
});

test('quitting is not held up, and the draft is back at the next start', async ({ story }) => {
  const first = await story.start();
  await typeName(first.page);
  await first.app.close();
  const { page } = await story.start();
  await expect(nameOf(page)).toHaveValue('Half done');
  await expect(page.getByText(/^Your draft from .* is back\.$/)).toBeVisible();
  await page.getByRole('button', { name: 'Discard draft' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Jobs' })).toBeVisible();
});

test('the draft is back after a crash of the page', async ({ story }) => {
  const { app, page } = await story.start();
  await typeName(page);
  await app.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents;
    return new Promise<void>((resolve) => {
      contents?.once('did-finish-load', () => resolve());
      contents?.forcefullyCrashRenderer();
    });
  });
  const title = (): Promise<string | undefined> =>
    app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getTitle());
  await expect.poll(title).toBe('• Half done – Belfry');
});
