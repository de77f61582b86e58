/** Builds the engine from its ports. It only joins the parts; each of them says for itself what it does. */

import { ok } from '../../shared/result';
import type { Announce, Log } from '../ports/world';
import { createBody } from './body';
import { createData } from './data';
import type { Engine, EnginePorts } from './engine';
import { createExplain } from './explain';
import { RowMemory } from './jobRow';
import { createJobs } from './jobs';
import { createPauses } from './pauses';
import { previewRule } from './preview';
import { createResume } from './resume';
import { jobDetail, jobRows } from './rows';
import { createRuns } from './runs';
import { createStatus } from './status';
import { asAnswer } from './trouble';
import { createWhatIf } from './whatIf';

export function createEngine(given: EnginePorts): Engine {
  const ports = { ...given, announce: unbreakable(given.announce, given.log) };
  const { clock, host, store, log } = ports;
  const body = createBody(ports);
  const { failing, role, leading } = body;
  const agenda = () => {
    const leadership = leading();
    return leadership?.isReady() ? leadership.scheduler.agenda : null;
  };

  const settle = async (): Promise<void> => leading()?.loop.nudge();
  /** The process that runs the jobs notices its own changes, and hears of those of others. */
  const tellPeers = (): void => {
    if (leading() === null) ports.peers?.tell();
  };
  const pauses = createPauses({ ...ports, settle, changed: tellPeers });
  const jobs = createJobs(ports, {
    settle,
    edited: (jobId, change) => {
      failing.note(jobId);
      leading()?.scheduler.edited(jobId, change);
      leading()?.dispatcher.jobChanged(jobId);
      tellPeers();
    },
    canStop: () => leading() !== null,
    stopRun: async (runId) => (await leading()?.dispatcher.stop(runId, 'user')) ?? false,
  });
  const runs = createRuns(ports, { leading, role });
  const status = createStatus({
    clock,
    store,
    log,
    failing,
    role,
    agenda,
    otherHolder: body.otherHolder,
    problem: body.problem,
  });
  const explain = createExplain(ports);
  const resume = createResume(ports, { save: jobs.setEnabled });
  const whatIf = createWhatIf(ports, createEngine);
  const rest = () => new Promise<void>((proceed) => ports.timer.after(0, proceed));
  const rowPorts = { clock, host, store, agenda, rest, memory: new RowMemory() };
  return {
    start: body.start,
    stop: body.stop,
    notifyResume: body.wake,
    notifySuspend: body.wake,
    saveJob: (input) => asAnswer(() => jobs.save(input)),
    setEnabled: (input) => asAnswer(() => jobs.setEnabled(input)),
    duplicateJob: (jobId) => asAnswer(() => jobs.duplicate(jobId)),
    deleteJob: (input) => asAnswer(() => jobs.delete(input)),
    restoreJob: (jobId) => asAnswer(() => jobs.restore(jobId)),
    markSeen: async (jobId) => {
      failing.note(jobId);
      const seen = await asAnswer(() => jobs.markSeen(jobId));
      tellPeers();
      return seen;
    },
    startRun: (jobId, trigger, ifActive) => asAnswer(() => runs.start(jobId, trigger, ifActive)),
    startNow: (runId) => asAnswer(() => runs.startNow(runId)),
    attempts: (runId) => asAnswer(() => runs.attempts(runId)),
    checkAndResume: (jobId) => asAnswer(() => resume.checkAndResume(jobId)),
    explain: (jobId, at) => asAnswer(() => explain(jobId, at)),
    whatIf: (input) => asAnswer(() => whatIf(input)),
    stopRun: (runId) => asAnswer(() => runs.stop(runId)),
    setPaused: (isPaused) =>
      asAnswer(async () => {
        await pauses.setAll(isPaused);
        return ok(await status());
      }),
    pauses: () => pauses.list(),
    startPause: (input) => asAnswer(() => pauses.start(input)),
    endPause: (pauseId) => asAnswer(() => pauses.end(pauseId)),
    status,
    jobRows: () => jobRows(rowPorts),
    jobDetail: (jobId) => asAnswer(() => jobDetail(jobId, rowPorts)),
    history: ({ jobId, after, limit }) =>
      asAnswer(async () =>
        ok(await store.read((reader) => reader.runs.history(jobId, { after: after ?? null, limit }))),
      ),
    run: (runId) => asAnswer(() => runs.get(runId)),
    preview: (rules, rowsMax, dates) =>
      rules.map((rule) => previewRule(rule, clock.now(), rowsMax, host.zone(), dates)),
    ...createData({ ...ports, tellPeers }),
    handOver: () => asAnswer(() => body.handOver()),
  };
}

/** A listener that breaks must not break what it listens to. */
const unbreakable =
  (announce: Announce, log: Log): Announce =>
  (name, payload) => {
    try {
      announce(name, payload);
    } catch (error) {
      log.error('announce_failed', { name, error });
    }
  };
