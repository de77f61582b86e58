/** One runner per job kind, complete by type: a new kind does not compile until it has one. */
import type { JobKind } from '../../shared/kinds/registry';
import type { Runner } from '../ports/running';
import type { CommandDeps } from './commandDeps';
import { createProcessRunner } from './processRunner';

export type RunnerDeps = CommandDeps;

export const createRunners = (deps: RunnerDeps) => {
  // One for all kinds that start a process: they share the turns of starting, and what they know of their own processes.
  const processes = createProcessRunner(deps);
  return { command: processes, script: processes } satisfies Record<JobKind, Runner>;
};

/** The one runner that the engine sees. */
export const createRunner = (runners: Record<JobKind, Runner>): Runner => ({
  start: (order) => runners[order.settings.kind].start(order),
  // Only processes outlive Belfry, and every kind that starts one starts it as a command does.
  adopt: (attempt) => runners.command.adopt(attempt),
  lateResult: (attempt) => runners.command.lateResult(attempt),
});
