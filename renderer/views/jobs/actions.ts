/** Everything that can be done to a job, for buttons, keys and menus alike: what is asked first, done, told and undone. */
import { useMemo } from 'react';
import type { JobId } from '../../../shared/model/job';
import type { RunId } from '../../../shared/model/run';
import type { Failure } from '../../../shared/result';
import type { Stores } from '../../store/stores';
import { useStores } from '../stores';
import { texts } from './texts';

export type JobActions = {
  run(jobId: JobId, name: string): void;
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

function createActions({ jobs, notices, place, copy }: Stores): JobActions {
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
  return {
    run: async (jobId, name) => {
      const reply = await jobs.getState().start(jobId);
      if (!reply.ok) return tell(reply.error);
      // The log of an older run gives way to the one that has just begun.
      if (place.getState().selectedId === jobId) place.getState().change({ shownRunId: null });
      say(texts.said.started(name));
    },
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
