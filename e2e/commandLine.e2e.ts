/** The command line talks to the running app through the socket in its data folder, with the contract of the window (D13). */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { shellJob } from './drafts';
import { expect, root, test } from './launch';
import { askPage, newestRun } from './window';

const belfry = (dataFolder: string, ...args: string[]): { code: number | null; out: string; err: string } => {
  const ran = spawnSync(
    process.execPath,
    [path.join(root, 'out', 'cli', 'cli.cjs'), ...args, `--user-data-dir=${dataFolder}`],
    { encoding: 'utf8' },
  );
  return { code: ran.status, out: ran.stdout, err: ran.stderr };
};

test('the command line lists, runs and shows what the window shows', async ({ story }) => {
  const { page } = await story.start();
  await askPage(page, 'jobs.save', { draft: shellJob('Nightly', 'echo from the command line; exit 4') });
  const { dataFolder } = story;
  expect(JSON.parse(belfry(dataFolder, 'status', '--json').out)).toMatchObject({
    status: { state: 'running' },
  });
  const jobs = JSON.parse(belfry(dataFolder, 'jobs', '--json').out) as { name: string }[];
  expect(jobs.map((job) => job.name)).toEqual(['Nightly']);

  expect(belfry(dataFolder, 'run', 'Nightly')).toMatchObject({ code: 0 });
  expect(await newestRun(page, 'Nightly', 'finished')).toMatchObject({ trigger: 'cli', exitCode: 4 });
  expect(belfry(dataFolder, 'history', 'Nightly').out).toContain('4');
  expect(belfry(dataFolder, 'run', 'no such job')).toMatchObject({ code: 1 });
  expect(belfry(dataFolder, 'dance')).toMatchObject({ code: 2 });
});

test('a job is named by its name or the beginning of its id, and what fits several is never guessed (S-33)', async ({
  story,
}) => {
  const { page } = await story.start();
  const { dataFolder } = story;
  const first = await askPage(page, 'jobs.save', { draft: shellJob('First', 'true') });
  await askPage(page, 'jobs.save', { draft: shellJob('Second', 'true') });
  // Ids that were made one after the other begin alike.
  expect(belfry(dataFolder, 'run', first.id.slice(0, 6))).toMatchObject({
    code: 1,
    err: expect.stringContaining('means several jobs'),
  });
  expect(belfry(dataFolder, 'run', first.id)).toMatchObject({ code: 0 });
  expect(await newestRun(page, 'First', 'finished')).toMatchObject({ trigger: 'cli' });
});

test('the command line says when no Belfry is running', async ({ story }) => {
  expect(belfry(story.dataFolder, 'jobs')).toMatchObject({
    code: 3,
    err: expect.stringContaining('not running'),
  });
});
