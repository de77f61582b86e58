/**
 * Looks at a command without running it, for the warnings of the editor. Warnings never refuse anything: a drive may be
 * unplugged now and there tonight (ui.md, 10.2).
 */
import type { CommandCheck } from '../../shared/ipc/contract';
import type { KindDraft } from '../../shared/kinds/registry';
import type { CommandInspector } from '../ports/running';
import { findWorkplace, type Surroundings, shellOf, type Workplace } from './commandPlan';
import { findProgram, folderProblem } from './programSearch';
import { findInterpreter, interpreterOf } from './scriptPlan';
import { firstProgram } from './shellLine';

type Warning = CommandCheck['warnings'][number];

/** `programPath` is null without a warning where there is nothing to find: a word of the shell, or an empty draft. */
export const createCommandInspector = (around: Surroundings): CommandInspector => ({
  check: async (settings) => {
    const place = await findWorkplace(settings, around);
    const shell = shellIn(settings, around);
    const shellCheck = await checkShell(settings, shell, place, around);
    const program = await checkProgram(settings, place, around);
    const hasFolder = (await folderProblem(place.folder)) === null;
    return {
      programPath: program.path,
      folder: place.folder,
      shell: shellCheck.path,
      searchPath: place.searchPath,
      warnings: [
        ...program.warnings,
        ...shellCheck.warnings,
        ...(hasFolder ? [] : [{ path: 'folder', text: 'This folder does not exist.' }]),
        ...(hasFolder && place.envFileProblem !== null
          ? [{ path: 'envFile', text: `${place.envFileProblem} The run would fail.` }]
          : []),
      ],
    };
  },
});

type Checked<P> = { path: P; warnings: Warning[] };

/** Without a shell of its own a kind has nothing to say about it. */
const shellIn = (settings: KindDraft, around: Surroundings): string =>
  settings.kind === 'command' ? shellOf(settings, around) : around.loginShell;

async function checkShell(
  settings: KindDraft,
  shell: string,
  place: Workplace,
  { home }: Surroundings,
): Promise<Checked<string>> {
  const found = await findProgram(shell, { ...place, home });
  if (found.kind === 'found') return { path: found.path, warnings: [] };
  const text = found.kind === 'missing' ? 'This shell does not exist.' : found.text;
  return {
    path: shell,
    warnings: settings.kind === 'command' && settings.form === 'shell' ? [{ path: 'shell', text }] : [],
  };
}

async function checkProgram(
  settings: KindDraft,
  place: Workplace,
  { home }: Surroundings,
): Promise<Checked<string | null>> {
  if (settings.kind === 'script') {
    const interpreter = await findInterpreter(interpreterOf(settings), { ...place, home });
    if (interpreter.kind === 'found') return { path: interpreter.path, warnings: [] };
    const field = settings.interpreter === 'other' ? 'program' : 'interpreter';
    return { path: null, warnings: [{ path: field, text: `${interpreter.text} The run would fail.` }] };
  }
  const isShell = settings.form === 'shell';
  const name = isShell ? firstProgram(settings.line) : settings.program || null;
  if (name === null) return { path: null, warnings: [] };
  const found = await findProgram(name, { ...place, home });
  if (found.kind === 'found') return { path: found.path, warnings: [] };
  // In a shell the run starts and ends with the shell's own exit code; a program of its own is not even started.
  const shellCode = found.kind === 'missing' ? 127 : 126;
  const effect = isShell ? `It would end with exit ${shellCode}.` : 'The run would fail.';
  return { path: null, warnings: [{ path: isShell ? 'line' : 'program', text: `${found.text} ${effect}` }] };
}
