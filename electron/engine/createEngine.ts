/** Builds the engine from its ports. It only joins the parts; each of them says for itself what it does. */

import { ok } from '../../shared/result';
import type { Announce, Log } from '../ports';
import { createBody } from './body';
import type { Engine, EnginePorts } from './engine';
import { createJobs } from './jobs';
import { previewRule } from './preview';
import { jobDetail, jobRows, rememberShortSentences } from './rows';
import { createRuns } from './runs';
import { createStatus } from './status';
import { asAnswer } from './trouble';

export function createEngine(given: EnginePorts): Engine {
  const ports = { ...given, announce: unbreakable(given.announce, given.log) };
  const { clock, host, store, announce, log } = ports;
  const body = createBody(ports);
  const { failing, role, leading } = body;
  const agenda = () => {
    const leadership = leading();
    return leadership?.isReady() ? leadership.scheduler.agenda : null;
  };

  const jobs = createJobs(ports, {
    settle: async () => leading()?.loop.nudge(),
    edited: (jobId, change) => {
      failing.note(jobId);
      leading()?.scheduler.edited(jobId, change);
    },
    stopRun: async (runId) => (await leading()?.dispatcher.stop(runId, 'user')) ?? false,
  });
  const runs = createRuns(ports, { leading, role });
  const status = createStatus({
    store,
    log,
    failing,
    role,
    agenda,
    otherHolder: body.otherHolder,
    problem: body.problem,
  });
  const rowPorts = { clock, host, store, agenda, shorten: rememberShortSentences() };
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
    markSeen: (jobId) => {
      failing.note(jobId);
      return asAnswer(() => jobs.markSeen(jobId));
    },
    startRun: (jobId, trigger) => asAnswer(() => runs.start(jobId, trigger)),
    stopRun: (runId) => asAnswer(() => runs.stop(runId)),
    setPaused: (isPaused) =>
      asAnswer(async () => {
        await leading()?.loop.nudge();
        await store.transact(async (writer) => {
          const isSame = ((await writer.settings.pausedSince()) !== null) === isPaused;
          if (!isSame) await writer.settings.setPausedSince(isPaused ? clock.now() : null);
        });
        announce('jobs.changed', { jobId: null });
        announce('status.changed', {});
        return ok(await status());
      }),
    status,
    jobRows: () => jobRows(rowPorts),
    jobDetail: (jobId) => asAnswer(() => jobDetail(jobId, rowPorts)),
    history: ({ jobId, after, limit }) =>
      asAnswer(async () =>
        ok(await store.read((reader) => reader.runs.history(jobId, { after: after ?? null, limit }))),
      ),
    run: (runId) => asAnswer(() => runs.get(runId)),
    preview: (rules, rowsMax) => rules.map((rule) => previewRule(rule, clock.now(), rowsMax, host.zone())),
    settings: () => store.read((reader) => reader.settings.preferences()),
    saveSettings: async (settings) => {
      await store.transact((writer) => writer.settings.setPreferences(settings));
      return settings;
    },
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
