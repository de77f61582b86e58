/** Requests about runs: history, one run, start and stop. */

import type { Handlers } from '../../shared/ipc/contract';
import type { Trigger } from '../../shared/model/run';
import type { Engine } from '../engine/engine';

type RunHandlers = Pick<
  Handlers,
  'runs.history' | 'runs.get' | 'runs.attempts' | 'runs.start' | 'runs.startNow' | 'runs.stop'
>;

/** `trigger` says how the person asked: with a click or from the command line. */
export const runHandlers = (engine: Engine, trigger: Extract<Trigger, 'manual' | 'cli'>): RunHandlers => ({
  'runs.history': (query) => engine.history(query),
  'runs.get': ({ runId }) => engine.run(runId),
  'runs.attempts': ({ runId }) => engine.attempts(runId),
  'runs.start': ({ jobId, ifActive }) => engine.startRun(jobId, trigger, ifActive),
  'runs.startNow': ({ runId }) => engine.startNow(runId),
  'runs.stop': ({ runId }) => engine.stopRun(runId),
});
