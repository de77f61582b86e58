/**
 * `npm run screenshots`: every screen and state of the real app, light and dark, at the default and the smallest size, into
 * test-results/screenshots, to be looked at beside the design. It checks nothing but that each state can be reached.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { ElectronApplication, Page } from '@playwright/test';
import type { JobId } from '../shared/model/job';
import { cronRule, shellJob } from './drafts';
import { expect, root, setTheme, test } from './launch';
import { askPage, jobRow, newestRun } from './window';

const folder = path.join(root, 'test-results', 'screenshots');
const SIZES = { default: [1200, 760], smallest: [720, 480] } as const;
const THEMES = ['light', 'dark'] as const;
type Size = keyof typeof SIZES;

async function shoot(app: ElectronApplication, page: Page, name: string): Promise<void> {
  for (const size of Object.keys(SIZES) as Size[]) {
    await app.evaluate(({ BrowserWindow }, [width, height]) => {
      BrowserWindow.getAllWindows()[0]?.setContentSize(width, height);
    }, SIZES[size]);
    for (const theme of THEMES) {
      await setTheme(app, theme);
      await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
      await page.waitForFunction(() =>
        document
          .getAnimations()
          .every(
            (each) =>
              each.playState !== 'running' ||
              each.effect?.getComputedTiming().iterations === Number.POSITIVE_INFINITY,
          ),
      );
      await page.screenshot({ path: path.join(folder, `${name}-${size}-${theme}.png`) });
    }
  }
  await app.evaluate(({ BrowserWindow }, [width, height]) => {
    BrowserWindow.getAllWindows()[0]?.setContentSize(width, height);
  }, SIZES.default);
}

/** A run by hand, as soon as no scheduled one is in its way. */
async function runOnce(page: Page, jobId: JobId, name: string): Promise<void> {
  await expect(async () => void (await askPage(page, 'runs.start', { jobId }))).toPass();
  await newestRun(page, name, 'finished');
}

/** Fourteen jobs with some history: quick ones, failing ones, one that runs, one that is off. */
async function fill(page: Page): Promise<void> {
  const jobs: [name: string, line: string, cron: string | null, runs: number, tag: string][] = [
    [
      'Sync photos to NAS',
      'echo sending IMG_2287.HEIC; echo "rsync: connection unexpectedly closed" >&2; exit 23',
      '0 */2 * * *',
      3,
      'Backups',
    ],
    ['Check disk space', 'df -h / | tail -1; exit 1', '5 * * * *', 2, 'Home'],
    ['Back up notes', 'sleep 0.4; echo saved 12 files', '0 13 * * *', 4, 'Backups'],
    ['Pull work repos', 'echo Already up to date.', '*/15 9-18 * * 1-5', 6, 'Git'],
    ['Ping home server', 'sleep 0.1', '* * * * *', 8, 'Home'],
    ['Export calendar', 'echo exported', '40 * * * *', 5, 'Home'],
    ['Weekly time report', 'echo report', '45 16 * * 5', 2, 'Work'],
    ['Rotate screenshots', 'echo rotated', '0 18 * * 1-5', 3, 'Home'],
    ['Renew certificates', 'echo renewed', '0 4 1W * *', 1, 'Work'],
    ['Archive mail', 'echo archived', '30 23 L * *', 1, 'Work'],
    ['Download invoices', 'no-such-downloader', null, 1, 'Work'],
    ['Prune old backups', 'echo pruned', '30 2 * * 1-5', 0, 'Backups'],
  ];
  for (const [name, line, cron, runs, tag] of jobs) {
    const draft = { ...shellJob(name, line, cron === null ? undefined : cronRule(cron)), tags: [tag] };
    const job = await askPage(page, 'jobs.save', { draft });
    for (let done = 0; done < runs; done += 1) {
      await runOnce(page, job.id, name);
    }
  }
  const off = await askPage(page, 'jobs.save', {
    draft: { ...shellJob('Prune Docker', 'docker system prune', cronRule('0 3 * * 0')), tags: ['Home'] },
  });
  await askPage(page, 'jobs.setEnabled', { jobId: off.id, isEnabled: false });
  const long = await askPage(page, 'jobs.save', {
    draft: shellJob(
      'Dump shop DB',
      'for i in $(seq 1 500); do echo "dumped table $i"; sleep 0.2; done',
      cronRule('50 13 * * 1-5'),
    ),
  });
  await askPage(page, 'runs.start', { jobId: long.id });
}

test.beforeAll(() => {
  fs.mkdirSync(folder, { recursive: true });
});

test('the list, the detail and its tabs', async ({ story }) => {
  test.setTimeout(240_000);
  const { app, page } = await story.start();
  await shoot(app, page, 'jobs-empty');
  await fill(page);
  await jobRow(page, 'Sync photos to NAS').click();
  await shoot(app, page, 'jobs-failing');
  for (const tab of ['Runs', 'Log']) {
    await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click();
    await shoot(app, page, `detail-${tab.toLowerCase()}`);
  }
  await jobRow(page, 'Dump shop DB').click();
  await shoot(app, page, 'log-live');
  await page.getByRole('tab', { name: 'Overview' }).click();
  await shoot(app, page, 'jobs-running');
  await page.getByRole('button', { name: /^Stop/ }).first().click();
  await shoot(app, page, 'dialog-stop');
  await page.keyboard.press('Escape');
  await page
    .getByRole('textbox', { name: /Filter/ })
    .or(page.getByRole('searchbox', { name: /Filter/ }))
    .fill('state:nothing-like-it');
  await shoot(app, page, 'jobs-no-match');
  await page.keyboard.press('Escape');
  await askPage(page, 'engine.setPaused', { isPaused: true });
  await shoot(app, page, 'jobs-paused');
  await page.getByRole('button', { name: 'More about this Belfry' }).click();
  await page.getByRole('menuitem', { name: 'Data and copies…' }).click();
  await page.getByRole('button', { name: 'Copy now' }).click();
  await expect(page.getByRole('button', { name: /^Put back the copy/ }).first()).toBeVisible();
  await shoot(app, page, 'dialog-data');
});

test('the editor', async ({ story }) => {
  test.setTimeout(240_000);
  const { app, page } = await story.start();
  await page.getByRole('banner').getByRole('button', { name: 'New job' }).click();
  await shoot(app, page, 'editor-new');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Prune old backups');
  await page
    .getByRole('textbox', { name: 'Command', exact: true })
    .fill('restic forget --prune --keep-daily 7');
  const cron = page.getByRole('textbox', { name: 'Cron expression' });
  await cron.fill('30 2 * * 1-5');
  await cron.scrollIntoViewIfNeeded();
  await expect(page.getByText(/02:30/).first()).toBeVisible();
  await shoot(app, page, 'editor-cron');
  await cron.fill('0,70 */2 * * mon#6');
  await page.keyboard.press('Tab');
  await expect(page.getByText(/You typed 70/).first()).toBeVisible();
  await shoot(app, page, 'editor-mistakes');
  await cron.fill('30 2 1,14 * 1-5');
  await shoot(app, page, 'editor-either');
  const kinds = page.getByRole('radiogroup', { name: 'Kind of schedule' });
  for (const kind of ['Interval', 'Once', 'By hand only']) {
    await kinds.getByText(kind).click();
    await shoot(app, page, `editor-${kind.split(' ')[0]?.toLowerCase()}`);
  }
  await page.getByRole('heading', { name: 'If something goes wrong' }).scrollIntoViewIfNeeded();
  await shoot(app, page, 'editor-wrong');
  await page.getByRole('button', { name: /^Cancel/ }).click();
  await shoot(app, page, 'dialog-unsaved');
});

test('a store that is refused', async ({ story }) => {
  fs.writeFileSync(path.join(story.dataFolder, 'belfry.db'), 'this is no database', { mode: 0o600 });
  const { app, page } = await story.start();
  await shoot(app, page, 'store-refused');
  await page.getByText('Start empty').first().click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await shoot(app, page, 'store-start-empty');
  await page.getByRole('button', { name: 'Start empty' }).click();
  await expect(page.getByRole('button', { name: 'Open Belfry' })).toBeVisible();
  await shoot(app, page, 'store-report');
});
