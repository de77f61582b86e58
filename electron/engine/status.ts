/** The state of the engine as heartbeat card, tray and command line show it. Trouble is a state of the answer, never an error. */

import type { JobId } from '../../shared/model/job';
import type { Pause } from '../../shared/model/pause';
import type { EngineState, SchedulerStatus } from '../../shared/model/settings';
import type { Lease } from '../core/lease';
import { begunByHand, pausesOf } from '../core/pauses';
import type { Reader, Store } from '../ports/store';
import type { Clock, Log } from '../ports/world';
import type { Agenda } from './agenda';
import type { FailingJobs } from './failingJobs';
import { DAMAGE_FOUND, sentenceFor } from './trouble';

export type StatusPorts = {
  readonly clock: Clock;
  readonly store: Store;
  readonly log: Log;
  readonly failing: FailingJobs;
  readonly agenda: () => Agenda | null;
  readonly role: () => Extract<EngineState, 'starting' | 'running' | 'standby' | 'stopped'>;
  readonly otherHolder: () => Lease | null;
  readonly problem: () => string | null;
};

type Facts = Pick<SchedulerStatus, 'jobCount' | 'runningCount' | 'failingCount' | 'next' | 'lastGap'> & {
  readonly isPaused: boolean;
  /** The last look at all of the store found damage. */
  readonly isDamaged: boolean;
};

const NOTHING: Facts = {
  jobCount: 0,
  runningCount: 0,
  failingCount: 0,
  next: null,
  lastGap: null,
  isPaused: false,
  isDamaged: false,
};

/** Answers the status; what was last known of the store stands in for it while it cannot be read. */
export function createStatus(ports: StatusPorts): () => Promise<SchedulerStatus> {
  let lastFacts = NOTHING;
  return async () => {
    let problem = ports.problem();
    if (ports.role() !== 'stopped') {
      try {
        lastFacts = await ports.store.read((reader) => readFacts(reader, ports));
      } catch (error) {
        ports.log.error('status_unreadable', { error });
        problem ??= sentenceFor(error);
      }
    }
    const { isPaused, isDamaged, ...facts } = lastFacts;
    if (isDamaged) problem ??= DAMAGE_FOUND;
    const role = ports.role();
    const other = role === 'standby' ? ports.otherHolder() : null;
    return {
      state: role === 'running' && isPaused ? 'paused' : role,
      holder: other === null ? null : { pid: other.pid, since: other.takenAt },
      ...facts,
      problem: role === 'stopped' ? null : problem,
    };
  };
}

async function readFacts(reader: Reader, { clock, agenda, failing }: StatusPorts): Promise<Facts> {
  const pauses = begunByHand(await reader.pauses.at(clock.now()));
  const isPaused = pauses.some(({ scope }) => scope.kind === 'all');
  const next = isPaused ? null : (agenda()?.next(await heldJobs(reader, pauses)) ?? null);
  const [jobId] = next?.jobIds ?? [];
  return {
    isPaused,
    isDamaged: (await reader.settings.lastCheck())?.finding != null,
    jobCount: await reader.jobs.count(),
    runningCount: (await reader.runs.activeCounts()).running,
    failingCount: await failing.count(reader),
    next:
      next === null || jobId === undefined
        ? null
        : { at: next.at, jobName: await nameOf(reader, jobId), dueCount: next.jobIds.length },
    lastGap: await reader.settings.lastGap(),
  };
}

/** Jobs that a pause of a tag or of their own holds now. */
async function heldJobs(reader: Reader, pauses: readonly Pause[]): Promise<Set<JobId>> {
  if (pauses.length === 0) return new Set();
  const jobs = await reader.jobs.list();
  return new Set(jobs.flatMap((job) => (pausesOf(job, pauses).length > 0 ? [job.id] : [])));
}

const nameOf = async (reader: Reader, jobId: JobId): Promise<string> =>
  (await reader.jobs.get(jobId))?.name ?? '';
