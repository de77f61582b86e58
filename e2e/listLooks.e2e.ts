/** What only a real window shows of the list: which colours win, what has room, and what is in view. */
import type { Page } from '@playwright/test';
import type { JobDraftInput } from '../shared/model/job';
import { defaultPolicies } from '../shared/model/policies';
import { expect, test } from './launch';
import { askPage, jobRow } from './window';

const draft = (name: string, tags: string[] = []): JobDraftInput => ({
  name,
  settings: {
    kind: 'command',
    form: 'shell',
    line: 'true',
    shell: '',
    program: '',
    arguments: [],
    folder: '',
    variables: [],
  },
  tags,
  notes: '',
  isEnabled: true,
  policies: defaultPolicies,
  schedules: [
    {
      rule: {
        kind: 'cron',
        expression: '0 4 1 1 *',
        zone: 'local',
        dayMatch: 'either',
        gap: 'run_after',
        repeat: 'first',
      },
    },
  ],
});

const colours = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll((nodes) =>
    nodes.map((node) => {
      const { color, fill } = getComputedStyle(node);
      return node instanceof SVGElement ? fill : color;
    }),
  );

test('with many tags only the middle of the sidebar scrolls, and the heartbeat stays in view', async ({
  story,
}) => {
  const { page } = await story.start();
  for (const group of [0, 1, 2]) {
    const tags = Array.from({ length: 20 }, (_, number) => `Tag ${group * 20 + number}`);
    await askPage(page, 'jobs.save', { draft: draft(`Job ${group}`, tags) });
  }
  await expect(page.getByRole('button', { name: /^Tag 59/ })).toBeAttached();
  await expect(page.getByRole('region', { name: 'Scheduler' })).toBeInViewport({ ratio: 1 });
});

test('in forced colours every word of the selected row and its strip have the colour of selected text', async ({
  story,
}) => {
  const { page } = await story.start();
  await askPage(page, 'jobs.save', { draft: draft('By hand') });
  await expect(jobRow(page, 'By hand')).toHaveAttribute('aria-selected', 'true');
  await page.emulateMedia({ forcedColors: 'active' });
  const row = '.job-row[aria-selected="true"]';
  const [wanted] = await colours(page, row);
  expect(new Set(await colours(page, `${row} .job-next`))).toEqual(new Set([wanted]));
  expect(new Set(await colours(page, `${row} .strip path`))).toEqual(new Set([wanted]));
  const edges = await page
    .locator('.tab')
    .evaluateAll((tabs) => tabs.map((tab) => getComputedStyle(tab).borderBottomColor));
  expect(edges[0]).not.toBe(edges[1]);
});

test('at the width that a zoom of 200 % leaves, the schedule stands under the name', async ({ story }) => {
  const { app, page } = await story.start();
  await askPage(page, 'jobs.save', { draft: draft('Narrow') });
  await app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    window?.webContents.setZoomFactor(2);
  });
  await expect.poll(() => page.evaluate(() => innerWidth)).toBeLessThanOrEqual(620);
  const name = await jobRow(page, 'Narrow').locator('.job-name').boundingBox();
  const schedule = jobRow(page, 'Narrow').locator('.job-schedule');
  await expect(schedule).toBeVisible();
  expect((await schedule.boundingBox())?.y ?? 0).toBeGreaterThan(name?.y ?? Number.POSITIVE_INFINITY);
});

test('hovering the selected row keeps its tint', async ({ story }) => {
  const { page } = await story.start();
  await askPage(page, 'jobs.save', { draft: draft('Tinted') });
  const tint = () => jobRow(page, 'Tinted').evaluate((row) => getComputedStyle(row).backgroundColor);
  await expect(jobRow(page, 'Tinted')).toHaveAttribute('aria-selected', 'true');
  await page.mouse.move(5, 5);
  const before = await tint();
  await jobRow(page, 'Tinted').hover();
  expect(await tint()).toBe(before);
});

test('a notice never covers the footer of the editor', async ({ story }) => {
  const { page } = await story.start();
  await askPage(page, 'jobs.save', { draft: draft('x'.repeat(120)) });
  const row = page.locator('.job-row[aria-selected="true"]');
  await row.focus();
  await page.keyboard.press('Control+d');
  const toast = page.getByRole('region', { name: 'Notices' });
  await expect(toast).toBeVisible();
  await page.keyboard.press('Control+n');
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const [notice, button] = [await toast.boundingBox(), await save.boundingBox()];
  expect((notice?.y ?? 0) + (notice?.height ?? 0)).toBeLessThan(button?.y ?? 0);
  expect(notice?.height).toBeLessThan(60);
});
