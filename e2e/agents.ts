/** A real agent on the data folder of a story: what `belfry --agent` starts, without Electron and without a window. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { root } from './launch';

/** Ended with the processes of the story, which name its data folder. */
export function startAgent(dataFolder: string): ChildProcess {
  return spawn(process.execPath, [path.join(root, 'out/agent/agent.cjs'), `--user-data-dir=${dataFolder}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Resolves with its first words, which tell its role. */
export const wordsOf = (agent: ChildProcess): Promise<string> =>
  new Promise((resolve) => agent.stdout?.once('data', (text) => resolve(String(text))));

/** Ends it with this signal and resolves when it is gone. */
export function end(agent: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    agent.once('exit', () => resolve());
    agent.kill(signal);
  });
}
