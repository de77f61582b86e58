/**
 * Turns the settings of a script into what is started: the interpreter with a private file that holds the text. Which one it is
 * can be said, or stand in the first line as for any executable script.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { ScriptSettings } from '../../shared/kinds/script';
import { type CommandPlan, findWorkplace, placeRefusal, type Surroundings } from './commandPlan';
import { type Found, findProgram, type SearchPlace } from './programSearch';

/** Names that an interpreter goes by, the best one first. */
const NAMES = {
  sh: ['/bin/sh'],
  bash: ['bash'],
  zsh: ['zsh'],
  // Many systems have only one of the two, and where both are there the plain one may be Python 2.
  python: ['python3', 'python'],
  node: ['node'],
  pwsh: ['pwsh', 'powershell'],
} as const;

/** What some interpreters insist on. */
const EXTENSIONS: Partial<Record<ScriptSettings['interpreter'], string>> = { pwsh: '.ps1', node: '.cjs' };

export type Interpreter = {
  /** Names or paths of one program, the best one first. */
  readonly names: readonly string[];
  /** What comes before the file. */
  readonly arguments: readonly string[];
};

/**
 * The interpreter of a script. The first line is read as Linux does: a path, and all that follows as one argument; `env` is looked
 * through, with `-S` to divide.
 */
export function interpreterOf({ interpreter, program, text }: ScriptSettings): Interpreter {
  if (interpreter === 'other') return { names: [program.trim()], arguments: [] };
  if (interpreter === 'pwsh')
    return { names: NAMES.pwsh, arguments: ['-NoProfile', '-NonInteractive', '-File'] };
  if (interpreter !== 'auto') return { names: NAMES[interpreter], arguments: [] };
  const line = /^#![ \t]*([^\s]+)[ \t]*(.*?)[ \t\r]*(?:\n|$)/.exec(text);
  if (line?.[1] === undefined) return { names: NAMES.sh, arguments: [] };
  const [, program_, rest = ''] = line;
  if (path.posix.basename(program_) !== 'env') {
    return { names: [program_], arguments: rest === '' ? [] : [rest] };
  }
  const words = rest
    .replace(/^-S\s*/, '')
    .split(/\s+/)
    .filter((word) => word !== '');
  const [name, ...more] = words;
  return name === undefined ? { names: [program_], arguments: [] } : { names: [name], arguments: more };
}

/** Finds the interpreter by the first of its names that is there. */
export async function findInterpreter({ names }: Interpreter, place: SearchPlace): Promise<Found> {
  let first: Found | null = null;
  for (const name of names) {
    const found = await findProgram(name, place);
    if (found.kind === 'found') return found;
    first ??= found;
  }
  return first ?? { kind: 'missing', text: 'No program is named to run the script.' };
}

/** Plans a script, and writes its text into the prepared run folder for the owner alone. Rejects as the file system does. */
export async function planScript(
  settings: ScriptSettings,
  around: Surroundings,
  runFolder: string,
): Promise<CommandPlan> {
  const place = await findWorkplace(settings, around);
  const refused = await placeRefusal(place);
  if (refused !== null) return refused;
  const interpreter = interpreterOf(settings);
  const found = await findInterpreter(interpreter, { ...place, home: around.home });
  if (found.kind !== 'found') {
    const detail = `The script cannot be run. ${found.text}`;
    const reason = found.kind === 'unusable' ? 'not_executable' : 'program_not_found';
    return { kind: 'refused', reason, detail };
  }
  const file = path.join(runFolder, `script${EXTENSIONS[settings.interpreter] ?? ''}`);
  // A carriage return at the end of a line is part of a word to every shell, and comes from pasting only.
  await fs.writeFile(file, settings.text.replaceAll('\r\n', '\n'), { mode: 0o600 });
  return {
    kind: 'ready',
    program: found.path,
    arguments: [...interpreter.arguments, file, ...settings.arguments],
    folder: place.folder,
    environment: place.environment,
  };
}
