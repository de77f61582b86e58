/** Requests about the engine as a whole: its state, the pauses, and facts about this process and its machine. */

import type { Handlers, Health } from '../../shared/ipc/contract';
import type { Machine } from '../../shared/model/machine';
import type { SchedulerStatus } from '../../shared/model/settings';
import { ok } from '../../shared/result';
import type { Engine } from '../engine/engine';
import type { WindowSide } from './window';

/** What is known of this process besides its engine. */
export type ProcessFacts = Readonly<Pick<Health, 'version' | 'pid' | 'host' | 'runtime' | 'sqlite'>>;

type StatusHandlers = Pick<
  Handlers,
  | 'engine.status'
  | 'machine.get'
  | 'engine.setPaused'
  | 'pauses.list'
  | 'pauses.start'
  | 'pauses.end'
  | 'health.get'
>;

export const describeHealth = (
  facts: ProcessFacts,
  side: WindowSide | null,
  status: SchedulerStatus,
): Health => ({ ...facts, isWindowDrawn: side?.isWindowDrawn() ?? false, status });

/** What the machine tells, answered by whoever knows it. */
export type LookAtMachine = () => Promise<Machine>;

export type StatusSources = {
  readonly facts: ProcessFacts;
  readonly machine: LookAtMachine;
  /** null for a process without windows. */
  readonly windowSide: WindowSide | null;
};

export const statusHandlers = (
  engine: Engine,
  { facts, machine, windowSide: side }: StatusSources,
): StatusHandlers => ({
  'engine.status': async () => ok(await engine.status()),
  'machine.get': async () => ok(await machine()),
  'engine.setPaused': ({ isPaused }) => engine.setPaused(isPaused),
  'pauses.list': async () => ok(await engine.pauses()),
  'pauses.start': (input) => engine.startPause(input),
  'pauses.end': ({ pauseId }) => engine.endPause(pauseId),
  'health.get': async () => ok(describeHealth(facts, side, await engine.status())),
});
