/** The app beside an agent on one data folder: one of them runs the jobs, the other follows, edits, and takes over (D11). */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { cronRule, shellJob } from './drafts';
import { expect, root, type Story, test } from './launch';
import { askPage, runsOf } from './window';

const NAME = 'Each second';
/** Up to a second until it is due, and one to hear of it; the rest is for a busy machine. */
const HEARD_MS_MAX = 5_000;
/** About a second, and not the seven and a half of its own turn to look. */
const TAKEOVER_MS_MAX = 5_000;

/** Ended with the processes of the story, which name its data folder. */
function startAgent({ dataFolder }: Story): ChildProcess {
  return spawn(process.execPath, [path.join(root, 'out/agent/agent.cjs'), `--user-data-dir=${dataFolder}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Resolves with its first words. */
const wordsOf = (agent: ChildProcess): Promise<string> =>
  new Promise((resolve) => agent.stdout?.once('data', (text) => resolve(String(text))));

const ended = (agent: ChildProcess): Promise<unknown> =>
  new Promise((resolve) => agent.once('exit', resolve));

const stateOf = async (page: Page): Promise<string> =>
  (await askPage(page, 'engine.status', undefined)).state;

const plannedRuns = async (page: Page) =>
  (await runsOf(page, NAME)).filter(({ trigger }) => trigger === 'schedule');

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`the app edits beside an agent, and takes over after ${signal} (H-17, H-35)`, async ({ story }) => {
    const agent = startAgent(story);
    expect(await wordsOf(agent)).toContain('running your jobs');
    const { page } = await story.start();
    await expect.poll(() => stateOf(page)).toBe('standby');

    await askPage(page, 'jobs.save', { draft: shellJob(NAME, 'true', cronRule('* * * * * *')) });
    await expect
      .poll(async () => (await plannedRuns(page)).length, { timeout: HEARD_MS_MAX })
      .toBeGreaterThan(0);
    expect(await stateOf(page)).toBe('standby');

    const gone = ended(agent);
    agent.kill(signal);
    await gone;
    await expect.poll(() => stateOf(page), { timeout: TAKEOVER_MS_MAX }).toBe('running');
    const before = (await plannedRuns(page)).length;
    await expect.poll(async () => (await plannedRuns(page)).length).toBeGreaterThan(before);
    const planned = (await plannedRuns(page)).map(({ plannedAt }) => plannedAt);
    expect(new Set(planned).size).toBe(planned.length);
  });
}

test('of an app and an agent that start in the same instant one leads (H-18)', async ({ story }) => {
  const agent = startAgent(story);
  const [words, { page }] = await Promise.all([wordsOf(agent), story.start()]);
  const isAgentLeading = words.includes('agent: running your jobs');
  await expect.poll(() => stateOf(page)).toBe(isAgentLeading ? 'standby' : 'running');
});
