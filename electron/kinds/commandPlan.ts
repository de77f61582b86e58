/**
 * Turns the settings of a command into what is started: program, arguments, folder, environment. Everything that can be
 * known to fail before a process exists is answered here with a reason and a sentence.
 */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { CommandSettings } from '../../shared/kinds/command';
import type { Where } from '../../shared/kinds/where';
import type { EndReason } from '../../shared/model/run';
import { type EnvFile, readEnvFile } from './envFile';
import { jobEnvironment, PATH_DEFAULT, usualProgramFolders } from './environment';
import { expandHome, type Found, findProgram, folderProblem, resolveFolder } from './programSearch';

/** The shell where the account names none that can run a line. */
const SHELL_DEFAULT = '/bin/sh';

/** The person and the system a command runs for. */
export type Surroundings = {
  /** Belfry's own environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly loginShell: string;
};

/** Where a command would run. Nothing here is checked yet. */
export type Workplace = {
  readonly folder: string;
  readonly environment: Record<string, string>;
  readonly searchPath: string[];
  /** A sentence if the file of variables cannot be used. The environment is then without it. */
  readonly envFileProblem: string | null;
};

export type CommandPlan =
  | {
      readonly kind: 'ready';
      readonly program: string;
      readonly arguments: readonly string[];
      readonly folder: string;
      readonly environment: Record<string, string>;
    }
  | { readonly kind: 'refused'; readonly reason: EndReason; readonly detail: string };

/** What the account database and the environment say about the user of this process. */
export function userSurroundings(): Surroundings {
  return { env: process.env, platform: process.platform, home: os.homedir(), loginShell: loginShell() };
}

function loginShell(): string {
  try {
    const { shell } = os.userInfo();
    // Accounts of services have a "shell" that only says no.
    return shell && !/\/(nologin|false)$/.test(shell) ? shell : SHELL_DEFAULT;
  } catch {
    // The account is in no database, as in some containers.
    return process.env.SHELL || SHELL_DEFAULT;
  }
}

/** Works out folder and environment of a process. */
export async function findWorkplace(
  settings: Pick<Where, 'folder' | 'environment' | 'envFile' | 'variables'>,
  around: Surroundings,
): Promise<Workplace> {
  const candidates = usualProgramFolders(around.home, around.platform);
  const present = await Promise.all(candidates.map(isFolder));
  const folder = resolveFolder(settings.folder, around.home);
  // Relative to the folder of the job, as the people who write such files mean it.
  const file: EnvFile =
    settings.envFile.trim() === ''
      ? { kind: 'read', variables: [] }
      : await readEnvFile(path.resolve(folder, expandHome(settings.envFile.trim(), around.home)));
  const environment = jobEnvironment({
    base: around.env,
    platform: around.platform,
    mode: settings.environment,
    // The job has the last word over a file that it shares with others.
    variables: [...(file.kind === 'read' ? file.variables : []), ...settings.variables],
    usualFolders: candidates.filter((_, index) => present[index]),
  });
  return {
    folder,
    // The user's own spelling of the folder, which may lead through a link, is what `pwd` should say.
    environment: settings.environment === 'own' ? environment : { ...environment, PWD: folder },
    searchPath: (environment.PATH ?? PATH_DEFAULT).split(path.delimiter),
    envFileProblem: file.kind === 'read' ? null : file.text,
  };
}

/** The refusal of a run whose place cannot be had, or null. The folder first: its file is missing with it. */
export async function placeRefusal({
  folder,
  envFileProblem,
}: Workplace): Promise<Extract<CommandPlan, { kind: 'refused' }> | null> {
  const problem = await folderProblem(folder);
  if (problem !== null) return { kind: 'refused', reason: 'folder_missing', detail: problem };
  if (envFileProblem !== null) {
    return { kind: 'refused', reason: 'env_file_unreadable', detail: envFileProblem };
  }
  return null;
}

/** What the files of a command are created with: as the job says, else `own`, that of the user. */
export const umaskOf = ({ umask }: Pick<Where, 'umask'>, own: number): number =>
  // The digits above the last three are no rights of files, and shells refuse them.
  umask === '' ? own : Number.parseInt(umask, 8) & 0o777;

/** The shell of a line: as the settings name it, or the login shell of the user. */
export const shellOf = (settings: Pick<CommandSettings, 'shell'>, around: Surroundings): string =>
  settings.shell.trim() || around.loginShell;

/** Plans a command. Never throws for anything a person can type. */
export async function planCommand(settings: CommandSettings, around: Surroundings): Promise<CommandPlan> {
  const place = await findWorkplace(settings, around);
  const refused = await placeRefusal(place);
  if (refused !== null) return refused;

  const isShell = settings.form === 'shell';
  const found = await findProgram(isShell ? shellOf(settings, around) : settings.program, {
    ...place,
    home: around.home,
  });
  if (found.kind !== 'found') return refusal(found, isShell);
  return {
    kind: 'ready',
    program: found.path,
    arguments: isShell ? ['-c', guarded(settings.line)] : settings.arguments,
    folder: place.folder,
    environment: place.environment,
  };
}

function refusal(found: Exclude<Found, { kind: 'found' }>, isShell: boolean): CommandPlan {
  const detail = isShell ? `The shell cannot be used. ${found.text}` : found.text;
  if (found.kind === 'unusable') return { kind: 'refused', reason: 'not_executable', detail };
  return { kind: 'refused', reason: isShell ? 'shell_not_found' : 'program_not_found', detail };
}

// Some shells take a line that begins with a dash for options of their own. A blank in front changes nothing else.
const guarded = (line: string): string => (line.startsWith('-') ? ` ${line}` : line);

const isFolder = (candidate: string): Promise<boolean> =>
  fs.stat(candidate).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
