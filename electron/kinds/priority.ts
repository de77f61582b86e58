/**
 * How a command is treated beside others. It is started through `nice` and `ionice`, because a priority set from outside
 * after the start comes too late for what the command has begun by then. Both replace themselves with the command.
 */
import type { Where } from '../../shared/kinds/where';
import { findProgram } from './programSearch';

/** The tools of the system and not those on the PATH of the job, which may be anything. */
const TOOL_FOLDERS = ['/usr/bin', '/bin'];

/** Best effort at its lowest, or only when nobody else wants the disk. `-t`: a refusal is no reason not to start. */
const IO_ARGUMENTS = { low: ['-t', '-c', '2', '-n', '7'], idle: ['-t', '-c', '3'] } as const;

type Started = { readonly program: string; readonly arguments: readonly string[] };

/** `missing` names the tools that this system does not have; the command is then started without them. */
export async function withPriority(
  { program, arguments: list }: Started,
  { niceness, ioPriority }: Pick<Where, 'niceness' | 'ioPriority'>,
  toolFolders: readonly string[] = TOOL_FOLDERS,
): Promise<Started & { readonly missing: readonly string[] }> {
  const wanted: [string, readonly string[]][] = [
    ...(niceness === 0 ? [] : [['nice', ['-n', String(niceness)]] satisfies [string, string[]]]),
    ...(ioPriority === 'normal'
      ? []
      : [['ionice', IO_ARGUMENTS[ioPriority]] satisfies [string, readonly string[]]]),
  ];
  let vector = [program, ...list];
  const missing: string[] = [];
  for (const [tool, options] of wanted) {
    const found = await findProgram(tool, { searchPath: toolFolders, folder: '/', home: '/' });
    if (found.kind === 'found') vector = [found.path, ...options, ...vector];
    else missing.push(tool);
  }
  const [first = program, ...rest] = vector;
  return { program: first, arguments: rest, missing };
}
