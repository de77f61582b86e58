/** Requests about jobs: the list, one job, and every change to it. The engine decides; this only hands over. */

import type { Handlers } from '../../shared/ipc/contract';
import { ok } from '../../shared/result';
import type { Engine } from '../engine/engine';

type JobHandlers = Pick<
  Handlers,
  | 'jobs.list'
  | 'jobs.get'
  | 'jobs.save'
  | 'jobs.setEnabled'
  | 'jobs.duplicate'
  | 'jobs.delete'
  | 'jobs.restore'
  | 'jobs.markSeen'
  | 'jobs.explain'
  | 'jobs.checkAndResume'
>;

export const jobHandlers = (engine: Engine): JobHandlers => ({
  'jobs.list': async () => ok(await engine.jobRows()),
  'jobs.get': ({ jobId }) => engine.jobDetail(jobId),
  'jobs.save': (input) => engine.saveJob(input),
  'jobs.setEnabled': (input) => engine.setEnabled(input),
  'jobs.duplicate': ({ jobId }) => engine.duplicateJob(jobId),
  'jobs.delete': (input) => engine.deleteJob(input),
  'jobs.restore': ({ jobId }) => engine.restoreJob(jobId),
  'jobs.markSeen': ({ jobId }) => engine.markSeen(jobId),
  'jobs.explain': ({ jobId, at }) => engine.explain(jobId, at),
  'jobs.checkAndResume': ({ jobId }) => engine.checkAndResume(jobId),
});
