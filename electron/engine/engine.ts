/**
 * The engine as everybody else sees it: window, command line and agent ask this object and nothing behind it. Answers that
 * a person can get wrong are Results. `createEngine` builds one.
 */

import type { JobDetail, RulePreview } from '../../shared/ipc/contract';
import type { Job, JobDraft, JobId, JobRow } from '../../shared/model/job';
import type { HistoryEntry, Run, RunId, Trigger } from '../../shared/model/run';
import type { ScheduleRule } from '../../shared/model/schedule';
import type { SchedulerStatus, Settings } from '../../shared/model/settings';
import type { Result } from '../../shared/result';
import type { LeaseTimings } from '../core/timings';
import type { Announce, Clock, Host, Ids, Log, Runner, Store, Timer } from '../ports';

/** Everything the engine acts through. */
export type EnginePorts = {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: Ids;
  readonly host: Host;
  readonly log: Log;
  readonly announce: Announce;
  readonly store: Store;
  readonly runner: Runner;
  /** Other timings of the lease than the usual ones, for tests. */
  readonly timings?: LeaseTimings;
};

/** What happens on quitting to runs that still go on: they are left to be adopted later, or stopped like by hand. */
export type StopChoice = { readonly runs: 'leave' | 'stop' };

export type SaveJob = {
  readonly jobId?: JobId | undefined;
  /** The revision the editor began with; a stale one is refused as `conflict`. */
  readonly revision?: number | undefined;
  readonly draft: JobDraft;
};

export type HistoryQuery = {
  readonly jobId: JobId;
  readonly after?: string | undefined;
  readonly limit: number;
};

export type HistoryPage = { readonly entries: HistoryEntry[]; readonly next: string | null };

export interface Engine {
  /** Resolves when the role is known: recovery is done and the first plan committed, or another process runs the jobs. */
  start(): Promise<void>;
  /** Ends this life of the engine and releases the lease. Nothing is started or written afterwards. Harmless twice. */
  stop(choice: StopChoice): Promise<void>;
  /** The system says that it has just woken up, or that the clock or the zone changed. */
  notifyResume(): void;
  /** The system says that it is about to sleep. */
  notifySuspend(): void;

  saveJob(input: SaveJob): Promise<Result<Job>>;
  setEnabled(input: { readonly jobId: JobId; readonly isEnabled: boolean }): Promise<Result<Job>>;
  /** "Copy of …", switched off. */
  duplicateJob(jobId: JobId): Promise<Result<Job>>;
  /** Soft, with undo. `busy` while a run is active unless `stopRun`. */
  deleteJob(input: { readonly jobId: JobId; readonly stopRun: boolean }): Promise<Result<undefined>>;
  restoreJob(jobId: JobId): Promise<Result<Job>>;
  markSeen(jobId: JobId): Promise<Result<undefined>>;

  /** A run that a person asked for; allowed for a job that is off. `busy` while the job has an active run. */
  startRun(jobId: JobId, trigger: Extract<Trigger, 'manual' | 'cli' | 'test'>): Promise<Result<Run>>;
  /** Soft signal, grace, hard signal. Resolves when the stop is under way, not when the run has ended. */
  stopRun(runId: RunId): Promise<Result<undefined>>;
  setPaused(isPaused: boolean): Promise<Result<SchedulerStatus>>;

  /** Never fails: trouble with the store is a state of the answer. */
  status(): Promise<SchedulerStatus>;
  jobRows(): Promise<JobRow[]>;
  jobDetail(jobId: JobId): Promise<Result<JobDetail>>;
  history(query: HistoryQuery): Promise<Result<HistoryPage>>;
  run(runId: RunId): Promise<Result<Run>>;
  preview(rules: readonly ScheduleRule[], rowsMax: number): RulePreview[];
  settings(): Promise<Settings>;
  saveSettings(settings: Settings): Promise<Settings>;
}
