/**
 * Starts the shim of a command in a session of its own. Everything that can go wrong before the command runs comes back
 * as a reason and a sentence; nothing is thrown for what a person typed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { EndReason } from '../../shared/model/run';
import { folderProblem } from './programSearch';
import { findShimShell, shimArguments } from './shim';

export type LaunchOrder = {
  readonly runFolder: string;
  readonly program: string;
  readonly arguments: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What the command's own files are created with. */
  readonly umask: number;
};

/** How the shim itself ended: with the exit code of the command, unless it was killed. */
export type Exit = { readonly code: number | null; readonly signal: string | null };

export type Launched =
  | {
      readonly kind: 'started';
      readonly pid: number;
      readonly ended: Promise<Exit>;
      readonly isRunning: () => boolean;
    }
  | { readonly kind: 'failed'; readonly reason: EndReason; readonly detail: string };

/** Starts the command. The run folder must be prepared. */
export async function launchShim(order: LaunchOrder): Promise<Launched> {
  let descriptors: number[] = [];
  try {
    // Opened for appending: the files can be emptied under the writer when they pass the cap.
    descriptors = ['stdout', 'stderr'].map((name) =>
      fs.openSync(path.join(order.runFolder, name), 'a', 0o600),
    );
    const [stdout, stderr] = descriptors;
    const shell = findShimShell();
    const child = spawn(shell.path, shimArguments({ ...order, ...shell }), {
      argv0: 'sh',
      cwd: order.folder,
      env: order.environment,
      // setsid: no terminal, and a group whose number is the pid of the shim.
      detached: true,
      stdio: ['ignore', stdout, 'ignore', stderr],
    });
    return await started(child);
  } catch (error) {
    return { kind: 'failed', ...(await explain(error, order)) };
  } finally {
    for (const descriptor of descriptors) fs.closeSync(descriptor);
  }
}

/** Waits until it is known whether the process began. Rejects as `spawn` reports. */
export async function started(child: ChildProcess): Promise<Extract<Launched, { kind: 'started' }>> {
  const ended = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  // Belfry may quit before the command does.
  child.unref();
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('A started process has no pid.');
  return {
    kind: 'started',
    pid,
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
  };
}

/** What the system's refusal means to the person who wrote the job. */
const SENTENCES: Readonly<Record<string, string>> = {
  E2BIG: 'The command, its arguments and its environment are longer than this system allows.',
  EAGAIN: 'This system allows no more processes at the moment.',
  EMFILE: 'Too many files are open at the moment.',
  ENFILE: 'Too many files are open at the moment.',
  ENOMEM: 'There was not enough memory to start the command.',
  ENOSPC: 'The disk is full, so the output of the command could not be kept.',
  EROFS: 'The disk is read-only, so the output of the command could not be kept.',
};

/** Reason and sentence for what `spawn` threw or reported. */
export async function explain(
  error: unknown,
  { folder }: Pick<LaunchOrder, 'folder'>,
): Promise<{ reason: EndReason; detail: string }> {
  // The system says "no such file" for a folder that vanished after it was checked.
  const problem = await folderProblem(folder);
  if (problem !== null) return { reason: 'folder_missing', detail: problem };
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  const detail = SENTENCES[code] ?? `The system refused to start the command (${code}).`;
  return { reason: 'spawn_failed', detail };
}
