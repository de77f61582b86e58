/**
 * Watches one attempt to its end and signals it. The same for a command that this Belfry started and for one it adopted;
 * they differ only in how the end of the shim is noticed.
 */
import type { Instant } from '../../shared/time';
import type { AttemptEnd, LiveAttempt, ProcessIdentity } from '../ports/running';
import type { Clock, Log, Timer } from '../ports/world';
import { endKilled, endWithCode } from './attemptEnd';
import type { OutputLog } from './outputLog';
import type { ProcessGroup } from './processGroup';
import { noteSignal, readResult, type Strength, strongest, strongestSignal } from './runFolder';

/** Between two looks for processes that should be gone. */
const LEFTOVER_MS = 100;
/** After a hard signal nothing should live this long. What does is reported, and the attempt ends. */
const HARD_MS_MAX = 2_000;

export type SupervisionDeps = { readonly clock: Clock; readonly timer: Timer; readonly log: Log };

export type Supervised = {
  readonly identity: ProcessIdentity;
  readonly group: ProcessGroup;
  readonly runFolder: string;
  readonly output: OutputLog;
  /** How the shim ended, as far as it can be known without the result file. Never rejects. */
  readonly shimEnded: Promise<ShimEnd>;
  /** The strongest signal that Belfry is known to have sent before. */
  readonly sentBefore: Strength | null;
};

export type ShimEnd = {
  readonly code: number | null;
  readonly signal: string | null;
  /** When it was noticed. */
  readonly endedAt: Instant;
};

/** The attempt must be watched by `output` already. */
export function superviseAttempt(watched: Supervised, deps: SupervisionDeps): LiveAttempt {
  const { identity, group, runFolder, output } = watched;
  let asked: Strength | null = null;
  let isOver = false;
  let isDetached = false;
  /** When the first hard signal was sent, on the monotonic clock. */
  let killedAt: number | null = null;
  const stoppedPids = new Set<number>();

  const wait = (): Promise<void> => new Promise((resolve) => void deps.timer.after(LEFTOVER_MS, resolve));

  /** After a stop the attempt is over only when nothing of it lives, so that whoever stops it goes on to the hard signal. */
  const waitForNobody = async (): Promise<number[]> => {
    while (!isDetached) {
      const members = await group.members();
      if (members === null) return [];
      const pids = [...members.inGroup, ...members.escaped];
      if (pids.length === 0) return [];
      if (killedAt !== null) {
        if (deps.clock.monotonic() - killedAt > HARD_MS_MAX) return pids;
        // One that was being started while the others were killed.
        for (const pid of await group.signal('SIGKILL')) stoppedPids.add(pid);
      }
      await wait();
    }
    return [];
  };

  /** The group goes on without its shim, which somebody killed: only its end can still be seen. */
  const waitForOrphans = async (): Promise<boolean> => {
    let hadOrphans = false;
    while (
      asked === null &&
      !isDetached &&
      group.mayHaveMembers() &&
      ((await group.members())?.inGroup.length ?? 0) > 0
    ) {
      hadOrphans = true;
      await wait();
    }
    return hadOrphans;
  };

  const settle = async (): Promise<AttemptEnd> => {
    const shimEnd = await watched.shimEnded;
    if (isDetached) return new Promise(() => {});
    const result = readResult(runFolder);
    const code = result?.code ?? shimEnd.code;
    const hadOrphans = code === null && (await waitForOrphans());
    const remaining = asked === null ? await leftInGroup(group) : await waitForNobody();
    if (isDetached) return new Promise(() => {});
    const outputBytes = await output.finish();
    if (remaining.length > 0) output.linger(group.mayHaveMembers);
    const endedAt = result?.endedAt ?? (hadOrphans ? deps.clock.now() : shimEnd.endedAt);
    const facts = { endedAt, outputBytes, detail: tellLeftovers([...stoppedPids], remaining) };
    const sent = strongest(strongestSignal(runFolder), strongest(asked, watched.sentBefore));
    if (code !== null) return endWithCode(code, { ...facts, sent });
    if (sent === 'hard') return endKilled('SIGKILL', facts);
    if (shimEnd.signal !== null && !hadOrphans) return endKilled(shimEnd.signal, facts);
    return { ...lostEnd(endedAt, outputBytes), ...(facts.detail === null ? {} : { detail: facts.detail }) };
  };

  const ended = settle()
    .catch((error: unknown) => {
      deps.log.error('run.supervision_failed', { runFolder, error });
      return lostEnd(deps.clock.now(), 0);
    })
    .finally(() => {
      isOver = true;
    });

  return {
    identity,
    ended,
    signal: async (strength) => {
      if (isOver) return;
      asked = asked === 'hard' ? 'hard' : strength;
      noteSignal(runFolder, strength, deps.clock.now());
      if (strength === 'hard') killedAt ??= deps.clock.monotonic();
      const escaped = await group.signal(strength === 'hard' ? 'SIGKILL' : 'SIGTERM');
      for (const pid of escaped) stoppedPids.add(pid);
    },
    detach: () => {
      if (isOver) return;
      isOver = true;
      isDetached = true;
      output.detach();
    },
  };
}

/** The end of an attempt whose exit code nobody can tell any more. */
export const lostEnd = (endedAt: Instant, outputBytes: number): AttemptEnd => ({
  reason: 'interrupted',
  detail: 'The process that watched this command was killed, so its exit code is not known.',
  exitCode: null,
  signal: null,
  endedAt,
  outputBytes,
});

async function leftInGroup(group: ProcessGroup): Promise<number[]> {
  if (!group.mayHaveMembers()) return [];
  return (await group.members())?.inGroup ?? [];
}

/** Never silent about processes that were not where they belong (C-078). */
function tellLeftovers(stopped: readonly number[], remaining: readonly number[]): string | null {
  const sentences = [];
  const gone = stopped.filter((pid) => !remaining.includes(pid));
  if (gone.length > 0)
    sentences.push(
      `${countOf(gone)} had left the group and ${gone.length === 1 ? 'was' : 'were'} stopped too (${pidsOf(gone)}).`,
    );
  if (remaining.length > 0)
    sentences.push(
      `${countOf(remaining)} ${remaining.length === 1 ? 'is' : 'are'} still running (${pidsOf(remaining)}).`,
    );
  return sentences.length === 0 ? null : sentences.join(' ');
}

const countOf = (pids: readonly number[]): string =>
  `${pids.length} ${pids.length === 1 ? 'process' : 'processes'}`;
/** More are not worth listing. */
const PIDS_SHOWN_MAX = 5;
const pidsOf = (pids: readonly number[]): string =>
  `pid ${pids.slice(0, PIDS_SHOWN_MAX).join(', ')}${pids.length > PIDS_SHOWN_MAX ? ' and more' : ''}`;
