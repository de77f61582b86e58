/**
 * The files through which an attempt is known after the Belfry that started it is gone: what machine and boot it began
 * on, the pid of its shim, the signals it was sent, and its result. All are written once and checked when read.
 */
import fs from 'node:fs';
import path from 'node:path';
import { type Instant, toInstant } from '../../shared/time';

export type Strength = 'soft' | 'hard';

export type Origin = { readonly nodeId: string; readonly bootId: string | null };

/** Makes the folder, for the owner alone, and notes where the attempt begins. Throws as the file system does. */
export async function prepareRunFolder(folder: string, origin: Origin): Promise<void> {
  await fs.promises.mkdir(folder, { recursive: true, mode: 0o700 });
  const text = `node ${origin.nodeId}\nboot ${origin.bootId ?? ''}\n`;
  await fs.promises.writeFile(path.join(folder, 'origin'), text, { mode: 0o600 });
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
  const match = /^(\d+)\n$/.exec(readText(folder, 'pid') ?? '');
  return match === null ? null : Number(match[1]);
}

/** Exit code as a shell tells it, and the moment the file was written; null as long as it is not complete. */
export function readResult(folder: string): { code: number; endedAt: Instant } | null {
  const match = /^(\d{1,3})\n$/.exec(readText(folder, 'result') ?? '');
  if (match === null) return null;
  const { mtimeMs } = fs.statSync(path.join(folder, 'result'));
  return { code: Number(match[1]), endedAt: toInstant(Math.round(mtimeMs)) };
}

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
