/**
 * Stores that were damaged in different ways: the window says what is wrong and changes nothing (S-03, X-46). Each is mended by
 * another way out, and the jobs are there without a restart.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { ElectronApplication, Page } from '@playwright/test';
import { end, startAgent, wordsOf } from './agents';
import { shellJob } from './drafts';
import { electronExecutable, expect, type Story, switches, test } from './launch';
import { askFor } from './socketClient';
import { askPage, jobRow, runsOf } from './window';

/** Made before the copy, and so in it; `LATER` was made after it. */
const NAMES = ['Back up notes', 'Sync photos'] as const;
const LATER = 'Made after the copy';
const HOLDS = '2 jobs, 1 run';

/** A whole store with a copy, from which each story starts. */
let master = '';

test.beforeAll(async () => {
  master = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-e2e-master-'));
  const agent = startAgent(master);
  try {
    await wordsOf(agent);
    const jobs = [];
    for (const name of NAMES) {
      jobs.push(await askFor(master, 'jobs.save', { draft: shellJob(name, 'echo done') }));
    }
    const { id: jobId } = jobs[0] as (typeof jobs)[number];
    await askFor(master, 'runs.start', { jobId });
    await expect
      .poll(async () => (await askFor(master, 'runs.history', { jobId, limit: 1 })).entries[0])
      .toMatchObject({ run: { state: 'finished' } });
    await askFor(master, 'backups.create', undefined);
    await askFor(master, 'jobs.save', { draft: shellJob(LATER, 'echo later') });
  } finally {
    await end(agent, 'SIGTERM');
  }
});
test.afterAll(() => fs.rmSync(master, { recursive: true, force: true }));

/** The files of the store, each with its bytes. */
function storeFiles(folder: string): Record<string, string> {
  const names = fs.readdirSync(folder).filter((name) => name.startsWith('belfry.db'));
  return Object.fromEntries(
    names.map((name) => [name, fs.readFileSync(path.join(folder, name)).toString('base64')]),
  );
}

type Damaged = { app: ElectronApplication; page: Page; file: string; bytes: Record<string, string> };

/** Gives the story the whole store, damages it, and starts the app. */
async function startDamaged(story: Story, damage: (file: string) => void): Promise<Damaged> {
  fs.cpSync(master, story.dataFolder, { recursive: true });
  const file = path.join(story.dataFolder, 'belfry.db');
  damage(file);
  const bytes = storeFiles(story.dataFolder);
  return { ...(await story.start()), file, bytes };
}

type Expected = { says: RegExp; ways: readonly RegExp[]; hasCopy?: boolean };

/** The whole view: what is wrong, where the file lies, which copy there is, and what can be done. */
async function expectRescue(page: Page, file: string, { says, ways, hasCopy = true }: Expected) {
  await expect(page.getByRole('heading', { name: 'Belfry could not read its data' })).toBeVisible();
  await expect(page.getByRole('main').getByRole('alert')).toContainText('nothing has been changed on disk');
  await expect(page.getByRole('main').getByRole('alert')).toContainText(says);
  await expect(page.getByRole('definition').first()).toHaveText(file);
  if (hasCopy) await expect(page.getByText(/^Today \d\d:\d\d, 2 jobs, 1 run\.$/)).toBeVisible();
  await expect(page.getByRole('radio')).toHaveCount(ways.length);
  for (const way of ways) await expect(page.getByRole('radio', { name: way })).toBeVisible();
}

/** Only reached once the normal window is there. */
async function expectJobs(page: Page, names: readonly string[]): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: 'Jobs' })).toBeVisible();
  for (const name of names) await expect(jobRow(page, name)).toBeVisible();
  const rows = await askPage(page, 'jobs.list', undefined);
  expect(rows.map(({ name }) => name).sort()).toEqual([...names].sort());
  expect((await askPage(page, 'engine.status', undefined)).state).toBe('running');
}

async function goOn(page: Page, way: RegExp): Promise<void> {
  await page.getByRole('radiogroup', { name: 'What to do' }).getByText(way).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** The report of what was done; the window waits behind it. */
async function readReport(page: Page, title: string, says: RegExp): Promise<void> {
  const report = page.getByRole('dialog', { name: title });
  await expect(report).toContainText(says);
  await report.getByRole('button', { name: 'Open Belfry' }).click();
}

/** Whatever was refused lies beside the new store, as it was. */
function expectKept(folder: string, bytes: Record<string, string>): void {
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const stores = names.filter((name) => path.basename(name) === 'belfry.db');
  const kept = stores.map((name) => fs.readFileSync(path.join(folder, name)).toString('base64'));
  expect(kept).toContain(bytes['belfry.db']);
}

const restore = /^Go back to the copy from today/;
const repair = /^Try to repair/;
const startEmpty = /^Start empty/;

/** Flips every bit of the pages where the table of runs and its indexes begin; jobs and schema are elsewhere. */
function flipPages(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true });
  const roots = database.prepare(`SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'runs'`).all();
  database.close();
  const bytes = fs.readFileSync(file);
  const pageBytes = bytes.readUInt16BE(16);
  for (const { rootpage } of roots as { rootpage: number }[]) {
    const page = bytes.subarray((rootpage - 1) * pageBytes, rootpage * pageBytes);
    for (const [at, byte] of page.entries()) page[at] = ~byte & 0xff;
  }
  fs.writeFileSync(file, bytes);
}

test('flipped pages: what is readable is saved, and a repair brings the jobs back', async ({ story }) => {
  const { app, page, file, bytes } = await startDamaged(story, flipPages);
  await expectRescue(page, file, { says: /failed its check/, ways: [restore, repair, startEmpty] });

  const saved = path.join(story.dataFolder, 'readable.json');
  await app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath });
  }, saved);
  await page.getByRole('button', { name: 'Save what is readable…' }).click();
  await expect(page.getByText(/^Saved 3 jobs/).first()).toBeVisible();
  expect(fs.readFileSync(saved, 'utf8')).toContain(LATER);
  expect(storeFiles(story.dataFolder)).toEqual(bytes);

  await goOn(page, repair);
  await readReport(page, 'Belfry’s data was repaired', /Repaired: 3 jobs/);
  await expectJobs(page, [...NAMES, LATER]);
  expectKept(story.dataFolder, bytes);
});

test('a file that was cut off: the copy is put back, and what is lost is told', async ({ story }) => {
  const { page, file, bytes } = await startDamaged(story, (each) =>
    fs.truncateSync(each, Math.floor(fs.statSync(each).size / 2) + 100),
  );
  await expectRescue(page, file, { says: /damaged/, ways: [restore, startEmpty] });
  expect(storeFiles(story.dataFolder)).toEqual(bytes);

  await goOn(page, restore);
  await readReport(page, 'The copy was put back', new RegExp(`The copy from .* is in place: ${HOLDS}`));
  await expectJobs(page, NAMES);
  expect((await runsOf(page, NAMES[0]))[0]).toMatchObject({ outcome: 'succeeded' });
  expectKept(story.dataFolder, bytes);
});

test('an empty file: starting empty is asked about once more, and a job can be made', async ({ story }) => {
  const { page, file, bytes } = await startDamaged(story, (each) => fs.truncateSync(each, 0));
  await expectRescue(page, file, { says: /empty/, ways: [restore, startEmpty] });

  await goOn(page, startEmpty);
  await page.getByRole('button', { name: 'Go back' }).click();
  expect(storeFiles(story.dataFolder)).toEqual(bytes);
  await goOn(page, startEmpty);
  await page.getByRole('button', { name: 'Start empty' }).click();
  await readReport(page, 'Belfry starts empty', /without any job/);
  await expectJobs(page, []);
  await askPage(page, 'jobs.save', { draft: shellJob('New', 'true') });
  await expectJobs(page, ['New']);
});

test('a missing file that left its marker: it is put back by hand, and tried again', async ({ story }) => {
  const aside = path.join(story.dataFolder, 'moved away');
  const { page, file, bytes } = await startDamaged(story, (each) => fs.renameSync(each, aside));
  expect(bytes).toHaveProperty(['belfry.db.created']);
  await expectRescue(page, file, { says: /gone|missing/, ways: [restore, startEmpty] });

  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Belfry tried again. It still could not read its data.').first()).toBeVisible();
  expect(storeFiles(story.dataFolder)).toEqual(bytes);
  fs.renameSync(aside, file);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expectJobs(page, [...NAMES, LATER]);
});

test('a newer schema: files and details are at hand, a second start shows the window, and it quits', async ({
  story,
}) => {
  const { app, page, file, bytes } = await startDamaged(story, (each) => {
    const header = fs.readFileSync(each);
    header.writeUInt32BE(999, 60);
    fs.writeFileSync(each, header);
  });
  const expected = { says: /newer/, ways: [restore, startEmpty] };
  await expectRescue(page, file, expected);

  await app.evaluate(({ shell }) => {
    shell.openPath = async (place) => {
      process.env.BELFRY_TEST_SHOWN = place;
      return '';
    };
  });
  await page.getByRole('button', { name: 'Show files' }).click();
  await expect.poll(() => app.evaluate(() => process.env.BELFRY_TEST_SHOWN)).toBe(story.dataFolder);
  await page.getByRole('button', { name: 'Copy details' }).click();
  const details = () => app.evaluate(({ clipboard }) => clipboard.readText());
  await expect.poll(details).toContain('Code: newer_schema');
  expect(await details()).toContain(`File: ${file}`);
  expect(await details()).toContain(HOLDS);

  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide());
  const second = spawn(electronExecutable(), switches(story.dataFolder), { stdio: 'ignore' });
  expect(await new Promise((resolve) => second.on('exit', resolve))).toBe(0);
  const visible = () =>
    app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.isVisible()));
  await expect.poll(visible).toEqual([true]);
  await expectRescue(page, file, expected);

  const gone = app.waitForEvent('close');
  // The window may be gone before the click has been reported.
  const quit = page.getByRole('button', { name: 'Quit' });
  await Promise.all([gone, quit.click().catch(() => undefined)]);
  expect(storeFiles(story.dataFolder)).toEqual(bytes);
  const next = await story.start();
  await expectRescue(next.page, file, expected);
});

test('an open folder: once it is closed by hand, trying again opens the jobs (S-01)', async ({ story }) => {
  const { page, file, bytes } = await startDamaged(story, () => fs.chmodSync(story.dataFolder, 0o777));
  await expectRescue(page, file, { says: /Everybody may write/, ways: [], hasCopy: false });
  await expect(page.getByText('Mend the cause, then try again.')).toBeVisible();
  expect(storeFiles(story.dataFolder)).toEqual(bytes);
  fs.chmodSync(story.dataFolder, 0o700);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expectJobs(page, [...NAMES, LATER]);
});
