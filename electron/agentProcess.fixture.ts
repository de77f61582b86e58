/** A process of its own that is an agent, for tests of several processes. Built from the sources by Vite, so that it is the real one. */

import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

const root = path.resolve(import.meta.dirname, '..');

const AGENT = `
import { createServer } from 'vite';
const server = await createServer({
  configFile: false,
  root: ${JSON.stringify(root)},
  appType: 'custom',
  logLevel: 'error',
  define: { __TEST_BUILD__: 'true' },
  server: { middlewareMode: true, ws: false, watch: null },
});
const { runHeadless } = await server.ssrLoadModule('/electron/headless.ts');
process.exitCode = await runHeadless(process.argv.slice(1));
await server.close();
`;

export type Agent = {
  readonly process: ChildProcess;
  /** What it said first. */
  readonly line: string;
  readonly ended: Promise<number | null>;
};

/** Resolves with its first word. `name` is in its environment and so in that of its commands, as AGENT_NAME. */
export async function spawnAgent(
  dataFolder: string,
  { name = '', onCleanUp }: { readonly name?: string; readonly onCleanUp: (end: () => unknown) => void },
): Promise<Agent> {
  const agent = spawn(
    process.execPath,
    ['--input-type=module', '--eval', AGENT, '--', `--user-data-dir=${dataFolder}`],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, AGENT_NAME: name } },
  );
  const ended = new Promise<number | null>((resolve) => agent.once('exit', resolve));
  onCleanUp(async () => {
    agent.kill('SIGKILL');
    await ended;
  });
  const line = await new Promise<string>((resolve, reject) => {
    for (const input of [agent.stdout, agent.stderr]) createInterface({ input }).once('line', resolve);
    agent.once('close', () => reject(new Error('the agent ended without a word')));
  });
  return { process: agent, line, ended };
}
