/**
 * A disk that really fills up under the app: nothing new is started, what ends is kept, the window and the tray say so, and all
 * of it ends by itself once there is room (D4, H-61). The data folder is a small file system of its own, which only root on
 * Linux may mount; elsewhere there is no such test, and electron/store/failures.test.ts shows the same below the window.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Desktop } from './desktop';
import { cronRule, shellJob } from './drafts';
import { test as base, expect } from './launch';
import { askPage, newestRun, runsOf } from './window';

const FULL = 'Belfry cannot save: the disk is full.';
/** A full disk is looked at again after at most so long, and a busy machine needs more. */
const RECOVERED_MS_MAX = 20_000;

function mount(folder: string, size: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', folder], { stdio: 'pipe' });
}

/** Lazily, because files are still open there. */
const unmount = (folder: string): void => void execFileSync('umount', ['-l', folder], { stdio: 'pipe' });

function mayMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-may-mount-'));
  try {
    mount(folder, '64k');
    unmount(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && 'status' in error) return false;
    throw error;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Takes all the room that there is. */
function fillDisk(ballast: string): void {
  for (const size of [1 << 20, 65_536, 4_096]) {
    for (;;) {
      try {
        fs.appendFileSync(ballast, Buffer.alloc(size, 1));
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' });
        break;
      }
    }
  }
}

/** `outside` is a folder on another disk, where jobs leave their traces. */
const test = base.extend<{ desktop: Desktop; outside: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a destructured argument
  desktop: async ({}, use) => {
    const desktop = new Desktop();
    await desktop.next('ready');
    await use(desktop);
    desktop.stop();
  },
  outside: async ({ story }, use) => {
    const outside = fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-e2e-outside-'));
    mount(story.dataFolder, '32m');
    await use(outside);
    unmount(story.dataFolder);
    fs.rmSync(outside, { recursive: true, force: true });
  },
});

if (mayMount()) {
  test('a run that ends while the disk is full has its result once there is room', async ({
    desktop,
    outside,
    story,
  }) => {
    const ballast = path.join(story.dataFolder, 'ballast');
    const may = path.join(outside, 'may end');
    const starts = path.join(outside, 'starts');
    const startCount = () => fs.readFileSync(starts, 'utf8').length;
    const { page } = await story.start();
    await desktop.next('tray');
    const idle = (await desktop.tray()).picture;
    // The folder is named, so that the process of the job ends with the story.
    const wait = `: ${story.dataFolder}; while [ ! -e "${may}" ]; do sleep 0.05; done; exit 3`;
    const { id: jobId } = await askPage(page, 'jobs.save', { draft: shellJob('Long', wait) });
    await askPage(page, 'jobs.save', {
      draft: shellJob('Each second', `printf x >>"${starts}"`, cronRule('* * * * * *')),
    });
    await askPage(page, 'runs.start', { jobId });
    const { id: runId } = await newestRun(page, 'Long', 'running');
    await expect.poll(() => fs.existsSync(starts)).toBe(true);

    fillDisk(ballast);
    await expect(page.getByRole('main').getByText(FULL)).toBeVisible();
    const heartbeat = page.getByRole('region', { name: 'Scheduler' });
    await expect(heartbeat).toContainText('Data problem');
    await expect(heartbeat).toContainText(FULL);
    await expect.poll(async () => (await desktop.tray()).tooltip).toContain(FULL);
    expect((await desktop.tray()).picture).not.toBe(idle);

    const before = startCount();
    fs.writeFileSync(may, '');
    const spill = path.join(story.dataFolder, 'results-app.spill');
    await expect.poll(() => fs.readFileSync(spill, 'utf8'), { message: 'the end is kept' }).toContain(runId);
    const until = Date.now() + 3_000;
    await expect.poll(() => Date.now(), { timeout: 10_000 }).toBeGreaterThan(until);
    // Three more due times have passed. One start may have been under way when the disk filled up.
    expect(startCount()).toBeLessThanOrEqual(before + 1);
    await expect(page.getByRole('main').getByText(FULL)).toBeVisible();

    fs.rmSync(ballast);
    const recovered = { timeout: RECOVERED_MS_MAX };
    await expect(page.getByText(FULL)).toHaveCount(0, recovered);
    await expect.poll(async () => (await runsOf(page, 'Long'))[0]?.state, recovered).toBe('finished');
    expect((await runsOf(page, 'Long'))[0]).toMatchObject({ outcome: 'failed', exitCode: 3 });
    await expect.poll(startCount, recovered).toBeGreaterThan(before + 1);
    const planned = (await runsOf(page, 'Each second')).map(({ plannedAt }) => plannedAt);
    expect(new Set(planned).size).toBe(planned.length);
  });
}
