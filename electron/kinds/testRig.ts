/** A runner over real processes and a folder of its own, for tests. Nothing in the product uses it. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type CommandSettings, emptyCommandSettings } from '../../shared/kinds/command';
import { JobId } from '../../shared/model/job';
import { AttemptId, RunId } from '../../shared/model/run';
import type { AttemptOrder, LiveAttempt, Runner } from '../ports/running';
import type { Clock, Log, Timer } from '../ports/world';
import { userSurroundings } from './commandPlan';
import { createOutputs, type Outputs } from './output';
import type { ProcessTable } from './processGroup';
import { createRunner, createRunners, type RunnerDeps } from './registry';

/** What a rig takes from the real system. */
export type RigSystem = {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly processes: ProcessTable;
  readonly bootId: string | null;
};

type CommandOrder = AttemptOrder & { readonly settings: CommandSettings };

export type Rig = {
  /** Everything is below this folder, the home folder of the commands too. */
  readonly root: string;
  readonly deps: RunnerDeps;
  readonly runner: Runner;
  readonly outputs: Outputs;
  /** Every announced growth, in order. */
  readonly announced: RunId[];
  readonly warnings: string[];
  order(settings: Partial<CommandSettings>, more?: Partial<AttemptOrder>): CommandOrder;
  /** Starts a command that must start. */
  start(
    settings: Partial<CommandSettings>,
    more?: Partial<AttemptOrder>,
  ): Promise<{ attempt: LiveAttempt; order: CommandOrder }>;
  /** All text of one stream, as the reader gives it. */
  text(order: AttemptOrder, stream?: 'stdout' | 'stderr'): Promise<string>;
  /** Living processes of all commands of this rig. */
  living(): Promise<number[]>;
  /** Kills what a failed test left, and removes the folder. */
  remove(): Promise<void>;
};

export function createRig({ clock, timer, processes, bootId }: RigSystem): Rig {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'belfry-kinds-')));
  const announced: RunId[] = [];
  const warnings: string[] = [];
  const note = (event: string): void => void warnings.push(event);
  const log: Log = { info: () => {}, warn: note, error: note };
  const runsFolder = path.join(root, 'runs');
  const outputs = createOutputs({
    runsFolder,
    clock,
    timer,
    log,
    onOutput: (runId) => announced.push(runId),
  });
  const surroundings = { ...userSurroundings(), home: root, loginShell: '/bin/sh' };
  const deps = {
    clock,
    timer,
    log,
    host: { nodeId: 'node-1', bootId },
    processes,
    outputs,
    surroundings,
    umask: 0o027,
  };
  const runner = createRunner(createRunners(deps));
  const jobId = JobId.parse(randomUUID());
  const order: Rig['order'] = (settings, more) => ({
    runId: RunId.parse(randomUUID()),
    attemptId: AttemptId.parse(randomUUID()),
    jobId,
    jobName: 'Back up',
    trigger: 'schedule',
    plannedAt: null,
    attemptNumber: 1,
    lateMs: null,
    ...more,
    settings: { ...emptyCommandSettings, ...settings },
  });
  const living = async (): Promise<number[]> => {
    const found = await processes.search({ entry: `BELFRY_JOB_ID=${jobId}`, group: null });
    return found?.map((one) => one.pid) ?? [];
  };
  return {
    root,
    deps,
    runner,
    outputs,
    announced,
    warnings,
    order,
    start: async (settings, more) => {
      const made = order(settings, more);
      const started = await runner.start(made);
      if (started.kind !== 'started') throw new Error(`It did not start: ${started.end.detail}`);
      return { attempt: started.attempt, order: made };
    },
    text: async ({ runId }, stream = 'stdout') => {
      const page = await outputs.reader.read(runId, 0, 2_000);
      const lines = page?.lines.filter((line) => line.stream === stream) ?? [];
      return lines.map((line) => line.text).join('\n');
    },
    living,
    remove: async () => {
      for (const pid of await living()) process.kill(pid, 'SIGKILL');
      fs.rmSync(root, { recursive: true, force: true });
    },
  };
}
