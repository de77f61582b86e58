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

test('the command line says when no Belfry is running', async ({ story }) => {
  expect(belfry(story.dataFolder, 'jobs')).toMatchObject({
    code: 3,
    err: expect.stringContaining('not running'),
  });
});
