/**
 * Runner of every kind that starts a process. A run outlives this process: what was started is recorded with an identity that survives
 * a crash, and is adopted by the next Belfry with its true exit code (D10).
 */
import type { KindSettings } from '../../shared/kinds/registry';
import type { EndReason } from '../../shared/model/run';
import type { AttemptOrder, Runner, StartedAttempt } from '../ports/running';
import { adoptAttempt, lateEnd } from './adoption';
import { type CommandDeps, identify } from './commandDeps';
import { type CommandPlan, planCommand, umaskOf } from './commandPlan';
import { runVariables } from './environment';
import { launchShim } from './launch';
import { createOwnAttempts, type OwnAttempts } from './ownAttempts';
import { withPriority } from './priority';
import { processGroup } from './processGroup';
import { discardRunFolder, prepareRunFolder } from './runFolder';
import { planScript } from './scriptPlan';

/** Starts and adopts processes on Linux and macOS. */
export const createProcessRunner = (deps: CommandDeps): Runner => {
  const takeTurn = createTurns();
  const own = createOwnAttempts(deps);
  return {
    start: (order) => own.start(order.attemptId, () => startProcess(order, { deps, takeTurn, own })),
    adopt: async (attempt) => (await own.adopt(attempt.attemptId)) ?? adoptAttempt(attempt, deps),
    lateResult: (attempt) => lateEnd(attempt, deps),
  };
};

/**
 * Starting a process blocks for some milliseconds. One start per turn of the event loop leaves room for everything else
 * when many jobs are due in the same second.
 */
function createTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => void setImmediate(resolve)));
    return last;
  };
}

type Means = {
  readonly deps: CommandDeps;
  readonly takeTurn: () => Promise<void>;
  readonly own: OwnAttempts;
};

/** Kinds whose settings say how a process is started. */
export type ProcessSettings = Extract<KindSettings, { readonly folder: string }>;

async function startProcess(order: AttemptOrder, { deps, takeTurn, own }: Means): Promise<StartedAttempt> {
  const { runId, attemptId } = order;
  if (deps.surroundings.platform === 'win32') {
    return failed(deps, 'spawn_failed', 'Commands cannot be run on Windows yet.');
  }
  const runFolder = deps.outputs.folder(runId, attemptId);
  // First of all: a crash from here on leaves proof that nothing was started.
  try {
    await prepareRunFolder(runFolder, deps.host);
  } catch (error) {
    deps.log.error('run.folder_failed', { runFolder, error });
    await discardRunFolder(runFolder);
    return failed(deps, 'spawn_failed', 'The folder for the output of this run could not be made.');
  }
  const plan = await planProcess(order.settings, deps, runFolder);
  if (plan.kind === 'refused') {
    await discardRunFolder(runFolder);
    return failed(deps, plan.reason, plan.detail);
  }
  const treated = await withPriority(plan, order.settings);
  if (treated.missing.length > 0)
    deps.log.warn('run.priority_unavailable', { runId, missing: treated.missing });
  await takeTurn();
  const launched = await launchShim({
    ...plan,
    program: treated.program,
    arguments: treated.arguments,
    runFolder,
    environment: { ...plan.environment, ...runVariables(order) },
    umask: umaskOf(order.settings, deps.umask),
  });
  if (launched.kind === 'failed') {
    await discardRunFolder(runFolder);
    return failed(deps, launched.reason, launched.detail);
  }
  const identity = identify(launched.pid, deps);
  const group = processGroup(identity, { runId, processes: deps.processes, isOwnChild: launched.isRunning });
  const { isRunning } = launched;
  const ended = launched.ended.then((exit) => ({ ...exit, endedAt: deps.clock.now() }));
  return { kind: 'started', attempt: own.watch({ runId, attemptId, identity, group, ended, isRunning }) };
}

/** Never rejects for anything a person can type. */
async function planProcess(
  settings: ProcessSettings,
  { surroundings, log }: CommandDeps,
  runFolder: string,
): Promise<CommandPlan> {
  if (settings.kind === 'command') return planCommand(settings, surroundings);
  try {
    return await planScript(settings, surroundings, runFolder);
  } catch (error) {
    log.error('run.script_failed', { runFolder, error });
    return {
      kind: 'refused',
      reason: 'spawn_failed',
      detail: 'The file of the script could not be written.',
    };
  }
}

const failed = ({ clock }: CommandDeps, reason: EndReason, detail: string): StartedAttempt => ({
  kind: 'failed',
  end: { reason, detail, exitCode: null, signal: null, endedAt: clock.now(), outputBytes: 0 },
});
