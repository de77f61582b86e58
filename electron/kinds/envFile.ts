/** The file of NAME=value lines that a job may name. Read at each start, so that a changed file counts at once. */
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { VARIABLES_MAX, VariableName } from '../../shared/kinds/where';
import type { Variable } from './environment';

/** Far above any real file, far below what would hold up a start. */
const BYTES_MAX = 256 * 1_024;
/** More than a job can have of its own, because such files are shared by whole projects. */
const COUNT_MAX = VARIABLES_MAX * 10;

export type EnvFile =
  | { readonly kind: 'read'; readonly variables: readonly Variable[] }
  | { readonly kind: 'unreadable'; readonly text: string };

/** Reads and parses the file. Everything that is wrong with it comes back as a sentence. */
export async function readEnvFile(file: string): Promise<EnvFile> {
  try {
    // A pipe without a writer would block the open for good.
    const handle = await fs.open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await handle.stat()).isFile()) return unreadable(`${file} is not a file.`);
      // Bounded by what is read and not by the size beforehand: the file may grow meanwhile.
      const buffer = Buffer.alloc(BYTES_MAX + 1);
      let length = 0;
      for (;;) {
        const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
        length += bytesRead;
        if (bytesRead === 0 || length === buffer.length) break;
      }
      if (length > BYTES_MAX) return unreadable(`${file} is larger than ${BYTES_MAX / 1_024} KiB.`);
      return parsed(file, buffer.toString('utf8', 0, length));
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return unreadable(
      code === 'ENOENT' || code === 'ENOTDIR'
        ? `The file of variables ${file} does not exist.`
        : `The file of variables ${file} cannot be read (${code ?? 'unknown'}).`,
    );
  }
}

function parsed(file: string, text: string): EnvFile {
  // An environment cannot hold NUL, and a text with one is no file of variables.
  if (text.includes('\0')) return unreadable(`${file} is not a text file.`);
  const variables: Variable[] = [];
  for (const [name, value] of Object.entries(parseEnv(text.replace(/^\uFEFF/, '')))) {
    // A name that no shell accepts cannot be meant as a variable.
    if (value !== undefined && VariableName.safeParse(name).success) variables.push({ name, value });
  }
  if (variables.length > COUNT_MAX) return unreadable(`${file} has more than ${COUNT_MAX} variables.`);
  return { kind: 'read', variables };
}

const unreadable = (text: string): EnvFile => ({ kind: 'unreadable', text });
