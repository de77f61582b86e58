/** Story (d): stop ends a shell, its child and its grandchild, and says who stopped it (C-077, S-74). */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from './launch';
import { fillNewJob, newestRun, save } from './window';

const isAlive = (pid: number): boolean => {
  try {
    return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '')[0] !== 'Z';
  } catch {
    return false;
  }
};

test('stop ends the shell, its child and its grandchild', async ({ story }) => {
  const { page } = await story.start();
  const pids = path.join(story.dataFolder, 'pids');
  await fillNewJob(page, {
    name: 'Family',
    line: `echo $$ >> ${pids}; sh -c 'echo $$ >> ${pids}; sh -c "echo \\$\\$ >> ${pids}; sleep 600"; true'; true`,
  });
  await save(page);
  await page.getByRole('button', { name: /^Run now/ }).click();
  const family = (): number[] => fs.readFileSync(pids, 'utf8').trim().split('\n').map(Number);
  await expect.poll(() => (fs.existsSync(pids) ? family().length : 0)).toBe(3);
  expect(family().map(isAlive)).toEqual([true, true, true]);

  await page.getByRole('button', { name: /^Stop/ }).first().click();
  const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'));
  await expect(dialog).toContainText('Stop “Family”?');
  await dialog.getByRole('button', { name: 'Stop run' }).click();
  expect(await newestRun(page, 'Family', 'finished')).toMatchObject({
    outcome: 'cancelled',
    reason: 'stopped_by_user',
  });
  expect(family().map(isAlive)).toEqual([false, false, false]);
  await expect(page.getByText(/Stopped by you after/).first()).toBeVisible();
});

test('stop kills what ignores the soft signal, after the grace', async ({ story }) => {
  const { page } = await story.start();
  const mark = path.join(story.dataFolder, 'started');
  await fillNewJob(page, {
    name: 'Stubborn',
    line: `trap '' TERM; echo $$ > ${mark}; while :; do sleep 0.2; done`,
  });
  await page.getByRole('textbox', { name: 'Then it gets' }).fill('1');
  await save(page);
  await page.getByRole('button', { name: /^Run now/ }).click();
  await expect.poll(() => fs.existsSync(mark)).toBe(true);
  const pid = Number(fs.readFileSync(mark, 'utf8'));
  await page.getByRole('button', { name: /^Stop/ }).first().click();
  await page.getByRole('button', { name: 'Stop run' }).click();
  expect(await newestRun(page, 'Stubborn', 'finished')).toMatchObject({ outcome: 'cancelled' });
  expect(isAlive(pid)).toBe(false);
});
