/** All handlers in one object that is complete by type: a request of the contract without a handler does not compile. */

import { type Handlers, type RequestName, requests } from '../../shared/ipc/contract';
import type { Trigger } from '../../shared/model/run';
import { defaultSettings, type SchedulerStatus } from '../../shared/model/settings';
import { fail, ok, type Result } from '../../shared/result';
import type { Engine } from '../engine/engine';
import type { CommandInspector, OutputReader } from '../ports/running';
import { type DataSources, dataHandlers, rescueHandlers } from './data';
import { jobHandlers } from './jobs';
import { outputHandlers } from './output';
import { runHandlers } from './runs';
import { scheduleHandlers } from './schedules';
import { settingsHandlers } from './settings';
import { describeHealth, type StatusSources, statusHandlers } from './status';
import { windowHandlers } from './window';

export type HandlerDeps = StatusSources &
  DataSources & {
    readonly engine: Engine;
    readonly output: OutputReader;
    readonly commands: CommandInspector;
  };

/** Handlers for one way in: a run that is started through them carries `trigger`. */
export const createHandlers = (deps: HandlerDeps, trigger: Extract<Trigger, 'manual' | 'cli'>): Handlers => ({
  ...jobHandlers(deps.engine),
  ...runHandlers(deps.engine, trigger),
  ...scheduleHandlers(deps.engine, deps.commands),
  ...outputHandlers(deps.output),
  ...statusHandlers(deps.engine, deps),
  ...settingsHandlers(deps.engine, deps.windowSide),
  ...dataHandlers(deps.engine, deps),
  ...rescueHandlers(deps),
  'engine.takeOver': async () => fail('conflict', 'This Belfry process runs your jobs already.'),
  ...windowHandlers(deps.windowSide),
});

/** The status of a process whose store could not be opened; `problem` is the sentence for the user. */
export const failedStoreStatus = (problem: string): SchedulerStatus => ({
  state: 'store_failed',
  holder: null,
  jobCount: 0,
  runningCount: 0,
  failingCount: 0,
  next: null,
  lastGap: null,
  problem,
});

/** Handlers without an engine: they tell what is wrong, and refuse everything that would need the store. */
export function failedStoreHandlers(
  problem: string,
  deps: Pick<HandlerDeps, 'facts'> & DataSources,
): Handlers {
  const refuse = async (): Promise<Result<never>> => fail('unavailable', problem);
  const refusals = Object.fromEntries(
    Object.keys(requests).map((name) => [name, refuse]),
  ) as unknown as Record<RequestName, typeof refuse>;
  return {
    ...refusals,
    'engine.status': async () => ok(failedStoreStatus(problem)),
    'health.get': async () => ok(describeHealth(deps.facts, deps.windowSide, failedStoreStatus(problem))),
    'settings.get': async () => ok(defaultSettings),
    'backups.list': async () => ok((await deps.data.rescueState())?.backups ?? []),
    ...windowHandlers(deps.windowSide),
    ...rescueHandlers(deps),
  };
}

/** The same for whoever is not a window of this process: what only a window can mean is refused. */
export const forOthers = (handlers: Handlers, sources: DataSources): Handlers => ({
  ...handlers,
  ...windowHandlers(null),
  ...rescueHandlers({ ...sources, windowSide: null }),
});
