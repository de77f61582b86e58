/**
 * The engine as everybody else sees it: window, command line and agent ask this object and nothing behind it. Answers that
 * a person can get wrong are Results. `createEngine` builds one.
 */

import type { JobDetail, Output, RulePreview } from '../../shared/ipc/contract';
import type { Backup, BackupReason, DataFacts } from '../../shared/model/data';
import type { Dates } from '../../shared/model/dates';
import type { Explanation } from '../../shared/model/explanation';
import type { Job, JobDraft, JobId, JobRow } from '../../shared/model/job';
import type { Pause, PauseId } from '../../shared/model/pause';
import type { Attempt, HistoryEntry, Run, RunId, Trigger } from '../../shared/model/run';
import type { RunCounts, RunPage, RunQuery } from '../../shared/model/runSearch';
import type { ScheduleRule } from '../../shared/model/schedule';
import type { SchedulerStatus, Settings } from '../../shared/model/settings';
import type { Scenario, WhatIf } from '../../shared/model/whatIf';
import type { Result } from '../../shared/result';
import type { Instant } from '../../shared/time';
import type { LeaseTimings } from '../core/timings';
import type { DataKeeper, Peers, Spill } from '../ports/data';
import type { Runner } from '../ports/running';
import type { Store } from '../ports/store';
import type { OpenSandbox, Surroundings } from '../ports/surroundings';
import type { Announce, Clock, Host, Ids, Log, Timer } from '../ports/world';
import type { StartPause } from './pauses';

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
  readonly surroundings: Surroundings;
  readonly openSandbox: OpenSandbox;
  /** Absent in a sandbox, where nothing lies on a disk. */
  readonly keeper?: DataKeeper;
  readonly spill?: Spill;
  readonly peers?: Peers;
  /** Other timings of the lease than the usual ones, for tests. */
  readonly timings?: LeaseTimings;
  /** The longest that the engine sleeps without looking at the clocks, where no timer can get lost; in milliseconds. */
  readonly sleepMsMax?: number;
};

export type StopChoice = {
  /** What happens to runs that still go on: they are left to be adopted later, or stopped like by hand. */
  readonly runs: 'leave' | 'stop';
  /** The lease stays in the store, so that nobody takes the jobs over while the store itself is exchanged. */
  readonly keepsLease?: boolean;
};

export type SaveJob = {
  readonly jobId?: JobId | undefined;
  /** The revision the editor began with; a stale one is refused as `conflict`. */
  readonly revision?: number | undefined;
  readonly draft: JobDraft;
};

/** What a start by hand does while the job has an active run. */
export type IfActive = 'refuse' | 'queue' | 'replace' | 'beside';

export type CheckedAndResumed = Output<'jobs.checkAndResume'>;

export type WhatIfQuery = {
  /** Absent: all jobs. */
  readonly jobId?: JobId | undefined;
  /** The job as the editor has it, instead of what is stored of `jobId`, or as a new job. */
  readonly draft?: JobDraft | undefined;
  readonly from: Instant;
  readonly until: Instant;
  readonly scenario: Scenario;
};

export type FindRuns = {
  readonly query: RunQuery;
  readonly after?: string | undefined;
  readonly limit: number;
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
  /** null if what is stored of the job cannot be read: it is back all the same. */
  restoreJob(jobId: JobId): Promise<Result<Job | null>>;
  markSeen(jobId: JobId): Promise<Result<undefined>>;

  /** A run that a person asked for; allowed for a job that is off. `busy` while the job has an active run. */
  startRun(
    jobId: JobId,
    trigger: Extract<Trigger, 'manual' | 'cli' | 'test'>,
    ifActive?: IfActive,
  ): Promise<Result<Run>>;
  /** A queued run waits for nothing but a place any more. `conflict` if it is not queued. */
  startNow(runId: RunId): Promise<Result<undefined>>;
  attempts(runId: RunId): Promise<Result<Attempt[]>>;
  /** Looks for the process of an interrupted run again, and switches the job on unless it is found alive. */
  checkAndResume(jobId: JobId): Promise<Result<CheckedAndResumed>>;
  /** Why the job ran, did not run, will or will not run at that moment. Reading changes nothing. */
  explain(jobId: JobId, at: Instant): Promise<Result<Explanation>>;
  /** What would happen in a span under a scenario. Runs nothing and changes nothing. */
  whatIf(input: WhatIfQuery): Promise<Result<WhatIf>>;
  pauses(): Promise<Pause[]>;
  startPause(input: StartPause): Promise<Result<Pause>>;
  endPause(pauseId: PauseId): Promise<Result<undefined>>;
  /** Soft signal, grace, hard signal. Resolves when the stop is under way, not when the run has ended. */
  stopRun(runId: RunId): Promise<Result<undefined>>;
  setPaused(isPaused: boolean): Promise<Result<SchedulerStatus>>;

  /** Never fails: trouble with the store is a state of the answer. */
  status(): Promise<SchedulerStatus>;
  jobRows(): Promise<JobRow[]>;
  jobDetail(jobId: JobId): Promise<Result<JobDetail>>;
  history(query: HistoryQuery): Promise<Result<HistoryPage>>;
  run(runId: RunId): Promise<Result<Run>>;
  /** `dates` are the days of the job; without them, every day. */
  preview(rules: readonly ScheduleRule[], rowsMax: number, dates?: Dates): RulePreview[];
  settings(): Promise<Settings>;
  saveSettings(settings: Settings): Promise<Settings>;

  /** Runs of all jobs, newest first. */
  findRuns(input: FindRuns): Promise<Result<RunPage>>;
  runCounts(span: { readonly from: Instant; readonly until: Instant }): Promise<Result<RunCounts>>;
  dataFacts(): Promise<Result<DataFacts>>;
  /** Reads all of the store, remembers what was found, and answers the facts. */
  checkData(): Promise<Result<DataFacts>>;
  backups(): Promise<Result<Backup[]>>;
  backUp(reason: BackupReason): Promise<Result<Backup>>;
  /** Lets go of the jobs for another process; runs go on. `conflict` if this one does not run them. */
  handOver(): Promise<Result<undefined>>;
}
