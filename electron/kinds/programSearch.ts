/**
 * Finds programs and folders before anything is started, so that a missing one is named in a sentence instead of an exit
 * code. Looks at the files only; nothing is run.
 */
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';

export type Found =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly text: string }
  /** It is there but cannot be started. */
  | { readonly kind: 'unusable'; readonly text: string };

export type SearchPlace = {
  /** The PATH in force. */
  readonly searchPath: readonly string[];
  /** Working folder of the job: relative paths and empty entries of PATH begin here. */
  readonly folder: string;
  readonly home: string;
};

/** Finds a program as `exec` would: a name on the PATH, or a path that may begin with `~` or be relative to the folder. */
export async function findProgram(name: string, { searchPath, folder, home }: SearchPlace): Promise<Found> {
  if (name.includes('/') || name === '~') {
    const full = path.resolve(folder, expandHome(name, home));
    const state = await stateOf(full);
    if (state === 'program') return { kind: 'found', path: full };
    return state === 'missing'
      ? { kind: 'missing', text: `${full} does not exist.` }
      : { kind: 'unusable', text: unusableText(full, state) };
  }
  let unusable: Found | null = null;
  for (const entry of searchPath) {
    const full = path.join(path.resolve(folder, entry), name);
    const state = await stateOf(full);
    if (state === 'program') return { kind: 'found', path: full };
    // Shells go on looking after a file that they may not run, and complain about it only at the end.
    if (state === 'not_executable') unusable ??= { kind: 'unusable', text: unusableText(full, state) };
  }
  return unusable ?? { kind: 'missing', text: `${name} was not found on this PATH.` };
}

/** The folder a job runs in: home if the setting is empty, `~` expanded, a relative path counted from home. */
export const resolveFolder = (setting: string, home: string): string =>
  path.resolve(home, expandHome(setting, home));

/** null if a command can run there, else a sentence. */
export async function folderProblem(folder: string): Promise<string | null> {
  try {
    const facts = await fs.stat(folder);
    if (!facts.isDirectory()) return `${folder} is not a folder.`;
    await fs.access(folder, constants.X_OK);
    return null;
  } catch (error) {
    const isForbidden = error instanceof Error && 'code' in error && error.code === 'EACCES';
    return isForbidden ? `The folder ${folder} may not be opened.` : `The folder ${folder} does not exist.`;
  }
}

/** `~` and `~/…` in terms of the home folder; anything else as it is. */
export const expandHome = (text: string, home: string): string =>
  text === '~' || text.startsWith('~/') ? path.join(home, text.slice(1)) : text;

const unusableText = (full: string, state: 'folder' | 'not_executable'): string =>
  state === 'folder' ? `${full} is a folder, not a program.` : `${full} is not executable.`;

async function stateOf(full: string): Promise<'program' | 'missing' | 'folder' | 'not_executable'> {
  try {
    const facts = await fs.stat(full);
    if (facts.isDirectory()) return 'folder';
  } catch {
    return 'missing';
  }
  return fs.access(full, constants.X_OK).then(
    () => 'program' as const,
    () => 'not_executable' as const,
  );
}
