/** Requests about the engine as a whole: its state, the pause of all jobs, and facts about this process. */

import type { Handlers, Health } from '../../shared/ipc/contract';
import type { SchedulerStatus } from '../../shared/model/settings';
import { ok } from '../../shared/result';
import type { Engine } from '../engine/engine';

/** What is known of this process besides its engine. */
export type ProcessFacts = Pick<Health, 'version' | 'pid' | 'host' | 'runtime' | 'sqlite'> & {
  readonly isWindowDrawn: () => boolean;
};

type StatusHandlers = Pick<Handlers, 'engine.status' | 'engine.setPaused' | 'health.get'>;

export const describeHealth = (facts: ProcessFacts, status: SchedulerStatus): Health => ({
  version: facts.version,
  pid: facts.pid,
  host: facts.host,
  runtime: facts.runtime,
  sqlite: facts.sqlite,
  isWindowDrawn: facts.isWindowDrawn(),
  status,
});

export const statusHandlers = (engine: Engine, facts: ProcessFacts): StatusHandlers => ({
  'engine.status': async () => ok(await engine.status()),
  'engine.setPaused': ({ isPaused }) => engine.setPaused(isPaused),
  'health.get': async () => ok(describeHealth(facts, await engine.status())),
});
