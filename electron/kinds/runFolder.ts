/**
 * The files through which an attempt is known after the Belfry that started it is gone: what machine and boot it began
 * on, the pid of its shim, the signals it was sent, and its result. The shim writes over placeholders, so that a full disk
 * cannot refuse it, and does not begin without the one for its pid, so that taking that away is proof (ADR 0009).
 */
import fs from 'node:fs';
import path from 'node:path';
import { type Instant, toInstant } from '../../shared/time';

export type Strength = 'soft' | 'hard';

export type Origin = { readonly nodeId: string; readonly bootId: string | null };

/** As long as what is written over them: a pid of seven digits, an exit code of three, and the end of the line. */
const PLACEHOLDERS = { pid: '\n'.repeat(8), result: '\n'.repeat(4) } as const;
/** The placeholder of the pid, after the right to begin was taken back. */
const REVOKED = 'revoked';

/** Makes the folder, for the owner alone, and notes where the attempt begins. Throws as the file system does. */
export async function prepareRunFolder(folder: string, origin: Origin): Promise<void> {
  await fs.promises.mkdir(folder, { recursive: true, mode: 0o700 });
  const write = (name: string, text: string): Promise<void> =>
    fs.promises.writeFile(path.join(folder, name), text, { mode: 0o600 });
  await Promise.all(Object.entries(PLACEHOLDERS).map(([name, text]) => write(name, text)));
  // Last: where it is, everything is.
  await write('origin', `node ${origin.nodeId}\nboot ${origin.bootId ?? ''}\n`);
}

/** Removes the folder of an attempt that did not start, and the run's folder if nothing else is in it. */
export async function discardRunFolder(folder: string): Promise<void> {
  await fs.promises.rm(folder, { recursive: true, force: true });
  await fs.promises.rmdir(path.dirname(folder)).catch(() => {});
}

export const hasRunFolder = (folder: string): boolean => fs.existsSync(folder);

/** null where it is missing or not readable. */
export function readOrigin(folder: string): Origin | null {
  const match = /^node (.+)\nboot (.*)\n$/.exec(readText(folder, 'origin') ?? '');
  if (match?.[1] === undefined) return null;
  return { nodeId: match[1], bootId: match[2] || null };
}

/** The pid of the shim; null as long as it has not written it. */
export function readShimPid(folder: string): number | null {
  const match = /^(\d+)\n+$/.exec(readText(folder, 'pid') ?? '');
  return match === null ? null : Number(match[1]);
}

/** Exit code as a shell tells it, and the moment the file was written; null as long as it is not complete. */
export function readResult(folder: string): { code: number; endedAt: Instant } | null {
  const match = /^(\d{1,3})\n{1,3}$/.exec(readText(folder, 'result') ?? '');
  if (match === null) return null;
  const { mtimeMs } = fs.statSync(path.join(folder, 'result'));
  return { code: Number(match[1]), endedAt: toInstant(Math.round(mtimeMs)) };
}

/**
 * Takes back the right to begin, if the shim has not begun: it starts nothing any more, even if somebody who hangs goes on
 * and starts it now. Whether that came in time is told by `isRevoked`, after a look for the shim itself.
 */
export function revokeStart(folder: string): void {
  if (readText(folder, 'pid') !== PLACEHOLDERS.pid) return;
  try {
    fs.renameSync(path.join(folder, 'pid'), path.join(folder, REVOKED));
  } catch {
    // Then there is no proof.
  }
}

/** Whether the start was revoked and nothing came of it: no pid, no result, no output. */
export const isRevoked = (folder: string): boolean =>
  readText(folder, REVOKED) === PLACEHOLDERS.pid &&
  readText(folder, 'result') === PLACEHOLDERS.result &&
  readText(folder, 'pid') === null &&
  ['stdout', 'stderr'].every((name) => (readText(folder, name) ?? '') === '');

/** The stronger of two signals. */
export const strongest = (one: Strength | null, other: Strength | null): Strength | null =>
  one === 'hard' || other === 'hard' ? 'hard' : (one ?? other);

/** Notes a signal before it is sent, so that a later Belfry knows what the exit code means. Best effort. */
export function noteSignal(folder: string, strength: Strength, at: Instant): void {
  try {
    fs.appendFileSync(path.join(folder, 'signals'), `${strength} ${at}\n`, { mode: 0o600 });
  } catch {
    // A full disk must not keep anybody from stopping a command.
  }
}

/** The strongest signal that was ever sent; null for none. */
export function strongestSignal(folder: string): Strength | null {
  const text = readText(folder, 'signals') ?? '';
  if (/^hard /m.test(text)) return 'hard';
  return /^soft /m.test(text) ? 'soft' : null;
}

function readText(folder: string, name: string): string | null {
  try {
    return fs.readFileSync(path.join(folder, name), 'utf8');
  } catch {
    return null;
  }
}
