/**
 * Finds an attempt that an earlier Belfry left behind. Five answers: it goes on and is watched again, it ended and told
 * how, it is provably over, it provably never began, or nobody can say. Whatever is doubtful is the last one, because "over" may mean "run it
 * again" to somebody (S-44, S-52, S-54, X-41).
 */
import type { AttemptId, RunId } from '../../shared/model/run';
import type { Adoption, AttemptEnd, ProcessIdentity } from '../ports/running';
import { endKilled, endWithCode } from './attemptEnd';
import { type CommandDeps, identify } from './commandDeps';
import { type ProcessGroup, processGroup } from './processGroup';
import {
  hasRunFolder,
  isRevoked,
  readOrigin,
  readResult,
  readShimPid,
  revokeStart,
  strongestSignal,
} from './runFolder';
import { type ShimEnd, superviseAttempt } from './supervision';

/** How often an adopted shim's pid is checked to be still the same process. That it is gone is seen sooner. */
const SAME_MS = 2_000;

export type LeftAttempt = {
  readonly runId: RunId;
  readonly attemptId: AttemptId;
  readonly identity: ProcessIdentity | null;
};

/** Never signals and never starts anything (S-54). */
export async function adoptAttempt(left: LeftAttempt, deps: CommandDeps): Promise<Adoption> {
  const runFolder = deps.outputs.folder(left.runId, left.attemptId);
  const ended = await readEnd(left, runFolder, deps);
  if (ended !== null) return ended;

  const origin = left.identity ?? readOrigin(runFolder);
  if (origin !== null && origin.nodeId !== deps.host.nodeId) {
    return { kind: 'unknown', why: 'It was started on another computer.' };
  }
  const { bootId } = deps.host;
  if (origin?.bootId != null && bootId !== null && origin.bootId !== bootId) {
    return { kind: 'gone', restarted: true };
  }
  const shim = await findShim(left, runFolder, deps);
  if (shim.kind === 'unknown') {
    return { kind: 'unknown', why: 'This system does not tell whether it is still running.' };
  }
  if (shim.kind === 'alive') {
    // Without its folder there is no place where the end could be told.
    if (!hasRunFolder(runFolder))
      return { kind: 'unknown', why: 'It is running, but its files are missing.' };
    return { kind: 'running', attempt: watchAdopted(left, shim.identity, deps) };
  }
  const pids = await livingPids(left, deps);
  if (pids === null)
    return { kind: 'unknown', why: 'This system does not tell whether it is still running.' };
  if (pids.length > 0) return stillRunning(pids);
  // It may have ended between the two looks.
  return (
    (await readEnd(left, runFolder, deps)) ??
    (await killedEnd(left, runFolder, deps)) ??
    (await neverStarted(left, runFolder, deps)) ?? { kind: 'gone', restarted: false }
  );
}

const stillRunning = (pids: readonly number[]): Adoption => ({
  kind: 'unknown',
  why: `Processes of it are still running (pid ${pids.join(', ')}), but how they end cannot be seen.`,
});

/**
 * Proof needs the folder, made in this boot: without it the command may have run before a loss of power that took the
 * folder. After the start is revoked, a shim either begins nothing or is already there to be found.
 */
async function neverStarted(
  left: LeftAttempt,
  runFolder: string,
  deps: CommandDeps,
): Promise<Adoption | null> {
  const origin = readOrigin(runFolder);
  const isThisBoot = origin?.bootId != null && origin.bootId === deps.host.bootId;
  if (!isThisBoot || origin.nodeId !== deps.host.nodeId) return null;
  revokeStart(runFolder);
  if (!isRevoked(runFolder)) return null;
  const pids = await livingPids(left, deps);
  if (pids === null) return null;
  if (pids.length > 0) return stillRunning(pids);
  return isRevoked(runFolder) ? { kind: 'never_started' } : null;
}

/** What the result file of an attempt that was given up tells. */
export async function lateEnd(
  left: Pick<LeftAttempt, 'runId' | 'attemptId'>,
  deps: CommandDeps,
): Promise<AttemptEnd | null> {
  const folder = deps.outputs.folder(left.runId, left.attemptId);
  const found = await readEnd({ ...left, identity: null }, folder, deps);
  return found?.kind === 'ended' ? found.end : null;
}

async function readEnd(left: LeftAttempt, runFolder: string, deps: CommandDeps): Promise<Adoption | null> {
  const result = readResult(runFolder);
  if (result === null) return null;
  const outputBytes = await deps.outputs.open(left.runId, left.attemptId).finish();
  const sent = strongestSignal(runFolder);
  return {
    kind: 'ended',
    end: endWithCode(result.code, { sent, endedAt: result.endedAt, outputBytes, detail: null }),
  };
}

/** Belfry itself killed it, and was gone before it could write that down. */
async function killedEnd(left: LeftAttempt, runFolder: string, deps: CommandDeps): Promise<Adoption | null> {
  if (strongestSignal(runFolder) !== 'hard') return null;
  const outputBytes = await deps.outputs.open(left.runId, left.attemptId).finish();
  return {
    kind: 'ended',
    end: endKilled('SIGKILL', { endedAt: deps.clock.now(), outputBytes, detail: null }),
  };
}

type FoundShim =
  | { readonly kind: 'alive'; readonly identity: ProcessIdentity }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown' };

async function findShim(left: LeftAttempt, runFolder: string, deps: CommandDeps): Promise<FoundShim> {
  if (left.identity !== null) {
    const state = groupOf(left, left.identity, deps).shim();
    if (state !== 'unknown')
      return state === 'alive' ? { kind: 'alive', identity: left.identity } : { kind: 'gone' };
  }
  // The crash came before the identity was recorded, or it does not say enough: the shim wrote its pid, and who carries
  // the run's id in its environment is no stranger.
  const pid = left.identity?.pid ?? readShimPid(runFolder);
  if (pid === null) return { kind: 'gone' };
  const marked = await deps.processes.search({ entry: `BELFRY_RUN_ID=${left.runId}`, group: null });
  if (marked === null) return { kind: 'unknown' };
  return marked.some((one) => one.pid === pid)
    ? { kind: 'alive', identity: identify(pid, deps) }
    : { kind: 'gone' };
}

async function livingPids(left: LeftAttempt, deps: CommandDeps): Promise<number[] | null> {
  if (left.identity === null) {
    const marked = await deps.processes.search({ entry: `BELFRY_RUN_ID=${left.runId}`, group: null });
    return marked?.map((one) => one.pid) ?? null;
  }
  const members = await groupOf(left, left.identity, deps).members();
  return members === null ? null : [...members.inGroup, ...members.escaped];
}

const groupOf = (left: LeftAttempt, identity: ProcessIdentity, { processes }: CommandDeps): ProcessGroup =>
  processGroup(identity, { runId: left.runId, processes, isOwnChild: () => false });

function watchAdopted(left: LeftAttempt, identity: ProcessIdentity, deps: CommandDeps) {
  const runFolder = deps.outputs.folder(left.runId, left.attemptId);
  const output = deps.outputs.open(left.runId, left.attemptId);
  const group = groupOf(left, identity, deps);
  let tellEnd: (end: ShimEnd) => void = () => {};
  const shimEnded = new Promise<ShimEnd>((resolve) => {
    tellEnd = resolve;
  });
  let checkedAt = deps.clock.monotonic();
  const isShimGone = (): boolean => {
    if (!group.mayHaveMembers()) return true;
    if (deps.clock.monotonic() - checkedAt < SAME_MS) return false;
    checkedAt = deps.clock.monotonic();
    return group.shim() === 'gone';
  };
  output.watch(() => {
    if (readResult(runFolder) !== null || isShimGone()) {
      tellEnd({ code: null, signal: null, endedAt: deps.clock.now() });
    }
  });
  return superviseAttempt({ identity, group, runFolder, output, shimEnded, sentBefore: null }, deps);
}
