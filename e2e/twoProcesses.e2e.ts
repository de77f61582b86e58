/** The app beside an agent on one data folder: one of them runs the jobs, the other follows, edits, and takes over (D11). */
import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { end, startAgent, wordsOf } from './agents';
import { cronRule, shellJob } from './drafts';
import { expect, type Story, test } from './launch';
import { processesWith, processTree } from './processTree';
import { askFor } from './socketClient';
import { askPage, fillNewJob, jobRow, newestRun, runsOf, save } from './window';

const NAME = 'Each second';
/** Up to a second until it is due, and one to hear of it; the rest is for a busy machine. */
const HEARD_MS_MAX = 5_000;
/** About a second, and not the seven and a half of its own turn to look. */
const TAKEOVER_MS_MAX = 5_000;
/** An answer about a process that does not answer comes after 1.5 seconds; the rest is for a busy machine. */
const REFUSED_MS_MAX = 10_000;

const stateOf = async (page: Page): Promise<string> =>
  (await askPage(page, 'engine.status', undefined)).state;

const plannedRuns = async (page: Page) =>
  (await runsOf(page, NAME)).filter(({ trigger }) => trigger === 'schedule');

/** An agent that runs the jobs, and the window of an app that stands by. */
async function startBoth(story: Story): Promise<{ agent: ChildProcess; page: Page }> {
  const agent = startAgent(story.dataFolder);
  expect(await wordsOf(agent)).toContain('running your jobs');
  const { page } = await story.start();
  await expect.poll(() => stateOf(page)).toBe('standby');
  return { agent, page };
}

const mayEnd = ({ dataFolder }: Story): string => path.join(dataFolder, 'may end');

/** Goes on until the story makes the file, and then ends with this exit code. */
const waiting = (story: Story, exitCode: number): string =>
  `while [ ! -e "${mayEnd(story)}" ]; do sleep 0.05; done; exit ${exitCode}`;

const banner = (page: Page, pid: number | undefined) =>
  page.getByText(new RegExp(`^Another Belfry process is running your jobs \\(process ${pid}, since`));

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`the app edits beside an agent, and takes over after ${signal} (H-17, H-35)`, async ({ story }) => {
    const { agent, page } = await startBoth(story);
    await askPage(page, 'jobs.save', { draft: shellJob(NAME, 'true', cronRule('* * * * * *')) });
    await expect
      .poll(async () => (await plannedRuns(page)).length, { timeout: HEARD_MS_MAX })
      .toBeGreaterThan(0);
    expect(await stateOf(page)).toBe('standby');

    await end(agent, signal);
    await expect.poll(() => stateOf(page), { timeout: TAKEOVER_MS_MAX }).toBe('running');
    await expect(banner(page, agent.pid)).toHaveCount(0);
    const before = (await plannedRuns(page)).length;
    await expect.poll(async () => (await plannedRuns(page)).length).toBeGreaterThan(before);
    const planned = (await plannedRuns(page)).map(({ plannedAt }) => plannedAt);
    expect(new Set(planned).size).toBe(planned.length);
  });
}

test('the window tells which process runs the jobs, edits, and starts a run there', async ({ story }) => {
  const { agent, page } = await startBoth(story);
  await expect(banner(page, agent.pid)).toBeVisible();
  await expect(page.getByRole('region', { name: 'Scheduler' })).toContainText(`Process ${agent.pid}, since`);

  await fillNewJob(page, { name: 'Whose child', line: waiting(story, 4) });
  await save(page);
  await expect(jobRow(page, 'Whose child')).toBeVisible();
  expect((await askFor(story.dataFolder, 'jobs.list', undefined)).map(({ name }) => name)).toEqual([
    'Whose child',
  ]);
  await page.getByRole('button', { name: /^Run now/ }).click();
  await newestRun(page, 'Whose child', 'running');
  const shells = processesWith(mayEnd(story));
  expect(shells).not.toEqual([]);
  expect(processTree(agent.pid ?? 0)).toEqual(expect.arrayContaining(shells));
  fs.writeFileSync(mayEnd(story), '');
  expect(await newestRun(page, 'Whose child', 'finished')).toMatchObject({ trigger: 'manual', exitCode: 4 });
  await expect(banner(page, agent.pid)).toBeVisible();
});

test('taking over from the window makes the agent stand by, and a run under way goes on', async ({
  story,
}) => {
  const { agent, page } = await startBoth(story);
  const { id: jobId } = await askPage(page, 'jobs.save', { draft: shellJob('Long', waiting(story, 6)) });
  await askPage(page, 'jobs.save', { draft: shellJob(NAME, 'true', cronRule('* * * * * *')) });
  await askPage(page, 'runs.start', { jobId });
  await newestRun(page, 'Long', 'running');
  await expect.poll(async () => (await plannedRuns(page)).length).toBeGreaterThan(0);

  await page.getByRole('button', { name: 'Take over…' }).click();
  const question = page.getByRole('alertdialog', { name: 'Take over running jobs?' });
  await expect(question).toContainText(`The other process (${agent.pid}) stops starting jobs`);
  await question.getByRole('button', { name: 'Take over' }).click();
  await expect(page.getByText('This Belfry runs your jobs now.').first()).toBeVisible();
  await expect(banner(page, agent.pid)).toHaveCount(0);
  expect(await stateOf(page)).toBe('running');
  fs.writeFileSync(mayEnd(story), '');
  expect(await newestRun(page, 'Long', 'finished')).toMatchObject({ exitCode: 6 });
  // The agent lives and does not take it back: what is due from now on is started here.
  expect(agent.exitCode).toBeNull();
  const before = (await plannedRuns(page)).length;
  await expect.poll(async () => (await plannedRuns(page)).length).toBeGreaterThan(before + 1);
  expect(await stateOf(page)).toBe('running');
  const planned = (await plannedRuns(page)).map(({ plannedAt }) => plannedAt);
  expect(new Set(planned).size).toBe(planned.length);
});

test('beside a stopped agent the window says that it cannot run, and can again once it goes on', async ({
  story,
}) => {
  const { agent, page } = await startBoth(story);
  await askPage(page, 'jobs.save', { draft: shellJob('By hand', 'exit 5') });
  await jobRow(page, 'By hand').click();
  agent.kill('SIGSTOP');
  try {
    await page.getByRole('button', { name: /^Run now/ }).click();
    await expect(page.getByText(/The process that runs your jobs cannot be reached/).first()).toBeVisible({
      timeout: REFUSED_MS_MAX,
    });
    expect(await runsOf(page, 'By hand')).toEqual([]);
  } finally {
    agent.kill('SIGCONT');
  }
  await expect(async () => {
    await page.getByRole('button', { name: /^Run now/ }).click();
    expect((await runsOf(page, 'By hand')).length).toBe(1);
  }).toPass({ timeout: REFUSED_MS_MAX });
  expect(await newestRun(page, 'By hand', 'finished')).toMatchObject({ exitCode: 5 });
  expect(await runsOf(page, 'By hand')).toHaveLength(1);
});

test('of an app and an agent that start in the same instant one leads (H-18)', async ({ story }) => {
  const agent = startAgent(story.dataFolder);
  const [words, { page }] = await Promise.all([wordsOf(agent), story.start()]);
  const isAgentLeading = words.includes('agent: running your jobs');
  await expect.poll(() => stateOf(page)).toBe(isAgentLeading ? 'standby' : 'running');
});
