/** Everything that can be done to a job, for buttons, keys and menus alike: what is asked first, done, told and undone. */
import { useMemo } from 'react';
import type { JobId } from '../../../shared/model/job';
import type { RunId } from '../../../shared/model/run';
import type { Failure } from '../../../shared/result';
import type { IfActive } from '../../store/jobs';
import type { Stores } from '../../store/stores';
import { useStores } from '../stores';
import { texts } from './texts';

export type JobActions = {
  /** Asks first if a run of it goes on. */
  run(jobId: JobId, name: string): void;
  runAgain(jobId: JobId, name: string, ifActive: IfActive): void;
  /** A run that waits for a condition, its spread or its next try begins at once. */
  startNow(runId: RunId, name: string): void;
  checkAndResume(jobId: JobId, name: string): void;
  /** Asks for how long. */
  pause(jobId: JobId, name: string): void;
  /** Asks for a moment, and tells why it ran then or did not. */
  why(jobId: JobId, name: string): void;
  /** Asks first. */
  stop(runId: RunId, name: string): void;
  /** The same for whatever run of the job is going on. */
  stopJob(jobId: JobId, name: string): void;
  stopNow(runId: RunId, name: string): void;
  setEnabled(jobId: JobId, name: string, isEnabled: boolean): void;
  duplicate(jobId: JobId): void;
  /** No question, since it can be undone; only a run that is going on is asked about. */
  remove(jobId: JobId, name: string): void;
  removeRunning(jobId: JobId, name: string): void;
  copyId(jobId: JobId): void;
};

function createActions({ jobs, notices, place, why, copy }: Stores): JobActions {
  const { show, say } = notices.getState();
  const tell = (failure: Failure): void => {
    show(failure.message);
  };
  const stop = (runId: RunId, name: string): void =>
    place.getState().change({ question: { ask: 'stop', runId, name } });
  const deleted = (jobId: JobId, name: string): void => {
    show(texts.said.deleted(name), async () => {
      const reply = await jobs.getState().restore(jobId);
      if (!reply.ok) return tell(reply.error);
      place.getState().select(jobId);
      say(texts.said.restored(name));
    });
  };
  const started = (jobId: JobId, name: string): void => {
    // The log of an older run gives way to the one that has just begun.
    if (place.getState().selectedId === jobId) place.getState().change({ shownRunId: null });
    say(texts.said.started(name));
  };
  return {
    run: async (jobId, name) => {
      const reply = await jobs.getState().start(jobId);
      if (reply.ok) return started(jobId, name);
      if (reply.error.code !== 'busy') return tell(reply.error);
      const canBeBeside = await jobs.getState().mayRunBeside(jobId);
      place.getState().change({ question: { ask: 'run_again', jobId, name, canBeBeside } });
    },
    runAgain: async (jobId, name, ifActive) => {
      const reply = await jobs.getState().start(jobId, ifActive);
      if (!reply.ok) tell(reply.error);
      else if (ifActive === 'beside') started(jobId, name);
      else show(ifActive === 'queue' ? texts.said.queued(name) : texts.said.replacing(name));
    },
    startNow: async (runId, name) => {
      const reply = await jobs.getState().startNow(runId);
      if (reply.ok) say(texts.said.started(name));
      else tell(reply.error);
    },
    checkAndResume: async (jobId, name) => {
      const reply = await jobs.getState().checkAndResume(jobId);
      if (!reply.ok) return tell(reply.error);
      const { found, isResumed } = reply.value;
      show(`${texts.found[found]} ${isResumed ? texts.said.enabled(name) : texts.said.staysOff(name)}`);
    },
    pause: (jobId, name) =>
      place.getState().change({ question: { ask: 'pause', scope: { kind: 'job', jobId }, name } }),
    why: (jobId, name) => void why.getState().ask(jobId, name, null),
    stop,
    stopJob: async (jobId, name) => {
      const runId = await jobs.getState().activeRun(jobId);
      if (runId === null) say(texts.said.notRunning(name));
      else stop(runId, name);
    },
    stopNow: async (runId, name) => {
      const reply = await jobs.getState().stop(runId);
      if (reply.ok) say(texts.said.stopping(name));
      else tell(reply.error);
    },
    setEnabled: async (jobId, name, isEnabled) => {
      const reply = await jobs.getState().setEnabled(jobId, isEnabled);
      if (reply.ok) say(isEnabled ? texts.said.enabled(name) : texts.said.disabled(name));
      else tell(reply.error);
    },
    duplicate: async (jobId) => {
      const reply = await jobs.getState().duplicate(jobId);
      if (!reply.ok) return tell(reply.error);
      place.getState().select(reply.value.id);
      show(texts.said.duplicated(reply.value.name));
    },
    remove: async (jobId, name) => {
      const reply = await jobs.getState().remove(jobId, false);
      if (reply.ok) deleted(jobId, name);
      else if (reply.error.code === 'busy') {
        place.getState().change({ question: { ask: 'delete_running', jobId, name } });
      } else tell(reply.error);
    },
    removeRunning: async (jobId, name) => {
      const reply = await jobs.getState().remove(jobId, true);
      if (reply.ok) deleted(jobId, name);
      else tell(reply.error);
    },
    copyId: (jobId) => void copy(jobId, texts.said.copied),
  };
}

export function useJobActions(): JobActions {
  const stores = useStores();
  return useMemo(() => createActions(stores), [stores]);
}
