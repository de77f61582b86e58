/** Story (e): the app is killed in the middle of a run. The run goes on, is adopted, and ends with its true exit code (D10). */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from './launch';
import { fillNewJob, jobRow, newestRun, runsOf, save } from './window';

test('a run outlives kill -9 of the app and is adopted with its true exit code', async ({ story }) => {
  const first = await story.start();
  const gate = path.join(story.dataFolder, 'gate');
  await fillNewJob(first.page, {
    name: 'Long',
    line: `echo before; while [ ! -e ${gate} ]; do sleep 0.1; done; echo after; exit 7`,
  });
  await save(first.page);
  await first.page.getByRole('button', { name: /^Run now/ }).click();
  const started = await newestRun(first.page, 'Long', 'running');
  await first.page.getByRole('tab', { name: 'Log' }).click();
  await expect(first.page.getByRole('log')).toContainText('before');
  const gone = new Promise((resolve) => first.app.process().once('exit', resolve));
  first.app.process().kill('SIGKILL');
  await gone;

  const second = await story.start();
  await expect(jobRow(second.page, 'Long')).toBeVisible();
  expect(await newestRun(second.page, 'Long', 'running')).toMatchObject({ id: started.id });
  fs.writeFileSync(gate, '');
  expect(await newestRun(second.page, 'Long', 'finished')).toMatchObject({
    id: started.id,
    outcome: 'failed',
    exitCode: 7,
    wasAdopted: true,
  });
  expect(await runsOf(second.page, 'Long')).toHaveLength(1);
  await jobRow(second.page, 'Long').click();
  await second.page.getByRole('tab', { name: 'Log' }).click();
  await expect(second.page.getByRole('log')).toContainText('before');
  await expect(second.page.getByRole('log')).toContainText('after');
});

test('a run that ended while no Belfry was there is closed with its true exit code', async ({ story }) => {
  const first = await story.start();
  const gate = path.join(story.dataFolder, 'gate');
  const mark = path.join(story.dataFolder, 'ended');
  await fillNewJob(first.page, {
    name: 'Alone',
    line: `while [ ! -e ${gate} ]; do sleep 0.1; done; touch ${mark}; exit 9`,
  });
  await save(first.page);
  await first.page.getByRole('button', { name: /^Run now/ }).click();
  const started = await newestRun(first.page, 'Alone', 'running');
  const gone = new Promise((resolve) => first.app.process().once('exit', resolve));
  first.app.process().kill('SIGKILL');
  await gone;
  fs.writeFileSync(gate, '');
  await expect.poll(() => fs.existsSync(mark)).toBe(true);

  const second = await story.start();
  expect(await newestRun(second.page, 'Alone', 'finished')).toMatchObject({
    id: started.id,
    outcome: 'failed',
    exitCode: 9,
  });
});

test('an exception that nothing caught ends the app at once, with its cause in the log, and the run is adopted', async ({
  story,
}) => {
  const first = await story.start();
  const gate = path.join(story.dataFolder, 'gate');
  await fillNewJob(first.page, {
    name: 'Beside a fault',
    line: `while [ ! -e ${gate} ]; do sleep 0.1; done; exit 6`,
  });
  await save(first.page);
  await first.page.getByRole('button', { name: /^Run now/ }).click();
  await newestRun(first.page, 'Beside a fault', 'running');
  const gone = new Promise((resolve) => first.app.process().once('exit', resolve));
  await first.app.evaluate(() => {
    setTimeout(() => {
      throw new Error('nobody expected this');
    });
  });
  expect(await gone).toBe(1);
  const log = fs.readFileSync(path.join(story.dataFolder, 'logs', 'app.log'), 'utf8');
  expect(log).toContain('nobody expected this');

  const second = await story.start();
  fs.writeFileSync(gate, '');
  expect(await newestRun(second.page, 'Beside a fault', 'finished')).toMatchObject({
    exitCode: 6,
    wasAdopted: true,
  });
});
