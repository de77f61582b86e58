/** What an exit code means. A shell tells a death by signal n as 128 + n, which a program may also return by itself. */
import { constants } from 'node:os';
import type { Instant } from '../../shared/time';
import type { AttemptEnd } from '../ports/running';
import type { Strength } from './runFolder';

/**
 * Signals after which 128 + n is taken for a death: crashes and kills. A program that returns one of these codes by
 * itself passes on the death of its own child, which is the truth one level down. TERM, INT, HUP and PIPE are not among
 * them: programs that clean up after such a signal return 143 and the like on purpose.
 */
const FATAL = [
  'SIGILL',
  'SIGTRAP',
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGKILL',
  'SIGSEGV',
  'SIGXCPU',
  'SIGXFSZ',
  'SIGSYS',
] as const;

/** The end of an attempt whose exit code is known. `sent` is the strongest signal that Belfry sent. */
export function endWithCode(
  code: number,
  {
    sent,
    endedAt,
    outputBytes,
    detail,
  }: { sent: Strength | null; endedAt: Instant; outputBytes: number; detail: string | null },
): AttemptEnd {
  const signal = signalOf(code, sent);
  const reason = code === 0 ? null : signal === null ? 'exit_code' : 'signal';
  return { reason, detail, exitCode: code, signal, endedAt, outputBytes };
}

/** The end of an attempt that was killed together with the shim that would have told its exit code. */
export const endKilled = (
  signal: string,
  { endedAt, outputBytes, detail }: { endedAt: Instant; outputBytes: number; detail: string | null },
): AttemptEnd => ({ reason: 'signal', detail, exitCode: null, signal, endedAt, outputBytes });

function signalOf(code: number, sent: Strength | null): string | null {
  const number = code - 128;
  if (sent !== null && number === constants.signals.SIGTERM) return 'SIGTERM';
  return FATAL.find((name) => constants.signals[name] === number) ?? null;
}
